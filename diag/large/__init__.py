"""Logs too large to hold: the lines worth keeping are chosen in one pass, the rest is summed."""
