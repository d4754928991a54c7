"""Placeholder name for the text renderer."""
