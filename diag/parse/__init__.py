"""Candidate lines to events."""
