"""Nouns of the tool: frozen dataclasses without I/O and without patterns."""
