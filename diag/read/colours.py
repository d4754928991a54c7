"""Text with terminal codes -> text without them, also where the escape character was lost on the way."""

from diag.late import late

# CSI and OSC sequences, charset switches; ESC may have become U+FFFD, "^[" (cat -v) or "#033" (rsyslog).
_ESCAPED = late(
    r"(?:\x1b|\ufffd|\^\[|#033|\\u001b|\\ufffd|\\x1b|\\033)(?:\[[0-9;?]{0,16}[A-Za-z]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[()][AB0])"
)
_MARKS = ("\x1b", "\ufffd[", "^[[", "#033", "\\u001b[", "\\ufffd[", "\\033[")
# Without any escape character only colour codes are safe to name: "[34m", "[0m", "[1;31m".
_LOST = late(r"\[(?:\d{1,2}(?:;\d{1,3}){0,4})m")
_LOST_START = late(r"\[(?:3[0-9]|9[0-7]|0|1;3[0-9])m")


def strip_colours(text: str) -> str:
    """Return the text without terminal codes; the same object where there is none."""
    if "[" not in text and "\x1b" not in text:
        return text
    if any(mark in text for mark in _MARKS):
        text = _ESCAPED.sub("", text)
    # A lone "[34m" in the middle of a line can be the program's own text; one that starts or ends a line is paint.
    if "[0m" in text or _LOST_START.match(text):
        text = _LOST.sub("", text)
    return text
