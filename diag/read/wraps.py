"""Rows of a pasted log -> rows with hard wraps, blank doublings and hand-made line breaks undone."""

import re
from collections.abc import Callable, Sequence

from diag.read.colours import strip_colours
from diag.read.starts import is_certain_start, is_start, is_strong

Row = tuple[int, str]
"""A physical line: its number in the user's file and its text without line end."""

_NARROWEST, _WIDEST = 40, 400
_USUAL_WIDTHS = frozenset({76, 78, 79, 80, 100, 120, 132, 160})
_MOST_TRIMMED = 8  # blanks a copy may have lost where a line was cut inside a run of blanks

# Messages whose end is known: what begins so and lacks the end goes on in the next line.
_UNFINISHED = (
    (re.compile(r"- the last position stored in the memory"), ("X = ",)),
    (re.compile(r"- the tokens for sequence \d+ in the"), ("Y = ",)),
    (
        re.compile(r"it is required that the (?:sequence )?position"),
        ("X + 1", "X < Y", "X <= Y", "consecutive:", "satisfies:"),
    ),
    (re.compile(r"init: the tokens of sequence \d+ in the"), ("positions",)),
    (re.compile(r"error loading model: unknown model architecture:$"), ("'",)),
    (re.compile(r"failed to process speculative$"), ("batch",)),
)
_LOGFMT = re.compile(r"time=\S{8,40} level=[A-Z]{3,9}\b|\blevel=[A-Z]{3,9} source=")
_LOGFMT_REST = re.compile(r"[ \t]{1,8}[A-Za-z_][\w.]{0,60}=")


def undo_doubling(rows: Sequence[Row]) -> list[Row] | None:
    """Return the rows without the blank line a paste put after each one; None where they are not doubled.

    Blank lines that were there before the doubling stay.
    """
    if len(rows) < 5:
        return None
    blank = [not text or text.isspace() for _, text in rows]
    n_blank = sum(blank)
    if not 0.4 * len(rows) <= n_blank < len(rows) - 2:
        return None
    for first in (0, 1):
        if all(blank[first + 1 :: 2]) and (first == 0 or blank[0]):
            return list(rows[first::2])
    # Not regular from end to end: a blank follows (nearly) every line, runs of blanks keep all but one.
    filled = [index for index, empty in enumerate(blank[:-1]) if not empty]
    if sum(blank[index + 1] for index in filled) < 0.9 * len(filled):
        return None
    dropped = {index + 1 for index in filled if blank[index + 1]}
    return [row for index, row in enumerate(rows) if index not in dropped]


def join_broken_messages(rows: Sequence[Row]) -> list[Row] | None:
    """Return the rows with messages of known ending, and key=value records, put together; None where none was broken."""
    joined: list[Row] = []
    changed = False
    index = 0
    while index < len(rows):
        number, text = rows[index]
        index += 1
        for _ in range(3):
            if index >= len(rows) or len(text) > 2000 or not _goes_on(text, rows[index][1]):
                break
            text = f"{text.rstrip()} {rows[index][1].strip()}"
            index += 1
            changed = True
        joined.append((number, text))
    return joined if changed else None


def _goes_on(text: str, following: str) -> bool:
    if following[:1] in " \t" and "level=" in text and _LOGFMT.search(text, 0, 400):
        return _LOGFMT_REST.match(following) is not None
    if "position" not in text and "sequence" not in text and "unknown model" not in text and "speculative" not in text:
        return False
    for begins, ends in _UNFINISHED:
        if begins.search(text, 0, 2000):
            return not any(end in text for end in ends) and any(end in following for end in ends)
    return False


def join_wraps(rows: Sequence[Row]) -> tuple[list[Row], int] | None:
    """Return the rows with lines cut at a fixed width joined, and that width; None where no such width is seen.

    A line cut inside a word is joined without a blank, one cut at a blank with the blank (or the blanks) it had.
    A row keeps the number of its first physical line.
    """
    lengths = [len(text) for _, text in rows]
    width = max(lengths, default=0)
    if not _NARROWEST <= width <= _WIDEST:
        return None
    # Widths are those of the text as it stands, colour codes included; what begins a line is seen without them.
    texts = [text for _, text in rows]
    starts = [strip_colours(text) if text[:1] in "\x1b[\ufffd^" else text for text in texts]
    if _is_cut_by_character(starts, lengths, width):
        return _join(rows, lambda i: _cut_inside(texts[i], starts[i + 1], width), lambda text: text.ljust(width)), width
    if _is_cut_at_blanks(starts, lengths, width):
        return _join(rows, lambda i: _cut_at_blank(texts[i], starts[i + 1], width), _with_blank), width
    return None


def _is_cut_by_character(starts: list[str], lengths: list[int], width: int) -> bool:
    full = [i for i in range(len(starts) - 1) if lengths[i] == width]
    going_on = [
        i
        for i in full
        if starts[i + 1] and not is_certain_start(starts[i + 1]) and not _alike(starts[i], starts[i + 1])
    ]
    if len(going_on) * 2 < len(full):
        return False
    if len(going_on) >= 3:
        return True
    # A single cut is believed only at a terminal's width, where a message begins and what follows begins none.
    return width in _USUAL_WIDTHS and any(is_strong(starts[i]) and not is_start(starts[i + 1]) for i in going_on)


def _cut_inside(text: str, following: str, width: int) -> bool:
    if not following or not text or _alike(text, following):
        return False
    length = len(text)
    if length == width:
        return not is_certain_start(following)
    return width - _MOST_TRIMMED <= length < width and not following[0].isspace() and not is_start(following)


def _is_cut_at_blanks(texts: list[str], lengths: list[int], width: int) -> bool:
    if width > 200:
        return False
    candidates = [
        i for i in range(len(texts) - 1) if lengths[i] and texts[i + 1] and not is_certain_start(texts[i + 1])
    ]
    if len(candidates) < 3:
        return False
    cut = [i for i in candidates if _cut_at_blank(texts[i], texts[i + 1], width)]
    return len(cut) >= 3 and len(cut) >= 0.8 * len(candidates)


def _cut_at_blank(text: str, following: str, width: int) -> bool:
    if not text or not following or following[0].isspace() or _alike(text, following) or is_certain_start(following):
        return False
    word = following.split(" ", 1)[0]
    return len(text.rstrip()) + 1 + len(word) > width


def _alike(text: str, following: str) -> bool:
    """Return whether two rows begin with the same word: then they are two messages of one kind."""
    return text[:8] == following[:8]


def _with_blank(text: str) -> str:
    return text if text.endswith(" ") else text + " "


def _join(rows: Sequence[Row], is_cut: Callable[[int], bool], complete: Callable[[str], str]) -> list[Row]:
    joined: list[Row] = []
    index = 0
    while index < len(rows):
        number, text = rows[index]
        pieces = [text]
        while index + 1 < len(rows) and is_cut(index):
            pieces[-1] = complete(pieces[-1])
            index += 1
            pieces.append(rows[index][1])
        joined.append((number, "".join(pieces)))
        index += 1
    return joined
