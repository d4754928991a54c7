"""Bytes of a log as users have it -> logical lines of the program, with notes on what was undone."""
