"""Lines to candidates: the lines that hold an anchor, and which."""
