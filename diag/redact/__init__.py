"""Typed masks over what a log says of its owner; what a diagnosis needs stays."""
