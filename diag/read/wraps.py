"""Rows of a pasted log -> rows with hard wraps, blank doublings and hand-made line breaks undone."""

from collections import Counter
from collections.abc import Callable, Sequence, Set

from diag.late import late
from diag.read.colours import strip_colours
from diag.read.starts import NATIVE, is_start, is_tagged, wrapper_kind

Row = tuple[int, str]
"""A physical line: its number in the user's file and its text without line end."""

_NARROWEST, _WIDEST = 40, 400
_WIDEST_TEXT = 200  # columns a program that breaks at blanks fills
_USUAL_WIDTHS = frozenset({76, 78, 79, 80, 100, 120, 132, 160})
_MOST_TRIMMED = 8  # blanks a copy may have lost where a line was cut inside a run of blanks

# Messages whose end is known: what begins so and lacks the end goes on in the next line.
_UNFINISHED = (
    (late(r"- the last position stored in the memory"), ("X = ",)),
    (late(r"- the tokens for sequence \d+ in the"), ("Y = ",)),
    (
        late(r"it is required that the (?:sequence )?position"),
        ("X + 1", "X < Y", "X <= Y", "consecutive:", "satisfies:"),
    ),
    (late(r"init: the tokens of sequence \d+ in the"), ("positions",)),
    (late(r"error loading model: unknown model architecture:$"), ("'",)),
    (late(r"failed to process speculative$"), ("batch",)),
)
_MAY_BREAK = (
    "last position stored in the memory", "the tokens for sequence ", "it is required that the ",
    "the tokens of sequence ", "unknown model architecture:", "failed to process speculative",
)  # fmt: skip
_BLANKS = frozenset(" \t")
_LOGFMT = late(r"time=\S{8,40} level=[A-Z]{3,9}\b|\blevel=[A-Z]{3,9} source=")
_LOGFMT_REST = late(r"[ \t]{1,8}[A-Za-z_][\w.]{0,60}=")


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


def loose_rows(rows: Sequence[Row]) -> list[int]:
    """Return the places of the rows that do not begin with the program's own clock: only these may go on another."""
    native = NATIVE.match
    return [place for place, (_, text) in enumerate(rows) if native(text) is None]


def join_broken_messages(rows: Sequence[Row], loose: Sequence[int]) -> list[Row] | None:
    """Return the rows with messages of known ending, and key=value records, put together; None where none broke.

    `loose`: the rows that `loose_rows` gives.
    """
    text = "\n".join([text for _, text in rows])
    indented = any(rows[place][1][:1] in _BLANKS for place in loose)  # as the rest of a record is
    if not any(sign in text for sign in _MAY_BREAK) and not (indented and "level=" in text):
        return None
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


def join_wraps(rows: Sequence[Row], loose: Sequence[int]) -> tuple[list[Row], int] | None:
    """Return the rows with lines cut at a fixed width joined, and that width; None where no such width is seen.

    A line cut inside a word is joined without a blank, one cut at a blank with the blank (or the blanks) it had.
    A row keeps the number of its first physical line. `loose`: the rows that `loose_rows` gives.
    """
    # Widths are those of the text as it stands, colour codes included; what begins a line is seen without them.
    texts = [text for _, text in rows]
    width = max(map(len, texts), default=0)
    if not loose or not _NARROWEST <= width <= _WIDEST:
        return None
    starts = texts.copy()
    for place in loose:
        if texts[place][:1] in "\x1b[\ufffd^":
            starts[place] = strip_colours(texts[place])
    begins, strict, kind = _beginning(texts, starts, width, frozenset(loose))
    # Where a wrapper begins every line, the program's own clock begins none.
    following = [place for place in (range(len(texts)) if kind else loose) if place]
    if _is_cut_by_character(texts, starts, width, begins, following):
        may_begin = begins if strict else is_start
        cut = {i for i in following if _cut_inside(texts, starts, i - 1, width, begins, may_begin)}
        return _join(rows, cut, lambda text: text.ljust(width)), width
    cut = {i for i in following if _cut_at_blank(texts, starts, i - 1, width, begins)}
    if width <= _WIDEST_TEXT and _is_cut_at_blanks(texts, starts, cut, begins, following):
        return _join(rows, cut, lambda text: text if text.endswith(" ") else text + " "), width
    return None


def _beginning(
    texts: list[str], starts: list[str], width: int, loose: Set[int]
) -> tuple[Callable[[str], bool], bool, str | None]:
    """Return what tells the beginning of a line in this block, whether it alone does, and by which wrapper.

    Where (nearly) every row that cannot be the rest of a cut one begins with the same wrapper, only that wrapper
    begins a line: the rest of a cut line may look like anything.
    """
    sure = [i for i in range(len(texts)) if texts[i] and (i == 0 or len(texts[i - 1]) < width - _MOST_TRIMMED)]
    kinds = Counter([wrapper_kind(starts[i]) if i in loose else None for i in sure[:400]])
    if len(sure) >= 3:
        kind, count = kinds.most_common(1)[0]
        if kind is not None and count >= 0.9 * sum(kinds.values()):
            return (lambda text: wrapper_kind(text) == kind), True, kind
    # A rare "1 | AVX = 1" is no compose prefix: only kinds that several rows surely begin with count.
    common = {kind for kind, count in kinds.items() if kind is not None and count >= max(2, 0.05 * len(sure))}
    native = len(sure) >= 3 and sum(i not in loose or NATIVE.match(starts[i]) is not None for i in sure) >= 0.8 * len(
        sure
    )
    return (lambda text: is_tagged(text) or (bool(common) and wrapper_kind(text) in common)), native, None


def _is_cut_by_character(
    texts: list[str], starts: list[str], width: int, begins: Callable[[str], bool], following: Sequence[int]
) -> bool:
    n_full = sum(len(text) == width for text in texts[:-1])
    going_on = [
        i
        for i in following
        if len(texts[i - 1]) == width and starts[i] and not begins(starts[i]) and not _alike(starts[i - 1], starts[i])
    ]
    if len(going_on) * 2 < n_full:
        return False
    if len(going_on) >= 3:
        return True
    # A single cut is believed only at a terminal's width, where a message begins and what follows begins none.
    return width in _USUAL_WIDTHS and any(is_start(starts[i - 1]) and not is_start(starts[i]) for i in going_on)


def _cut_inside(
    texts: list[str],
    starts: list[str],
    index: int,
    width: int,
    begins: Callable[[str], bool],
    may_begin: Callable[[str], bool],
) -> bool:
    length, following = len(texts[index]), starts[index + 1]
    if not length or not following or _alike(starts[index], following):
        return False
    if length == width:
        return not begins(following)
    # A copy that trims blanks leaves the row shorter; behind a run of blanks the server prints numbers and names.
    trimmed = width - length
    if not 0 < trimmed <= _MOST_TRIMMED or following[0].isspace() or may_begin(following):
        return False
    return trimmed == 1 or following[0].isdigit() or following[0].islower()


def _is_cut_at_blanks(
    texts: list[str], starts: list[str], cut: Set[int], begins: Callable[[str], bool], following: Sequence[int]
) -> bool:
    if len(cut) < 3:
        return False
    n_candidates = sum(bool(texts[i - 1] and texts[i] and not begins(starts[i])) for i in following)
    return len(cut) >= 0.8 * n_candidates


def _cut_at_blank(texts: list[str], starts: list[str], index: int, width: int, begins: Callable[[str], bool]) -> bool:
    text, following = texts[index], starts[index + 1]
    # The cheap test first: nearly all rows of a healthy log are too short to have been cut.
    if not text or not following or following[0].isspace():
        return False
    if len(text) + 1 + len(following) <= width or _alike(text, following):
        return False
    return len(text.rstrip()) + 1 + len(following.split(" ", 1)[0]) > width and not begins(following)


def _alike(text: str, following: str) -> bool:
    """Return whether two rows begin with the same word: then they are two messages of one kind."""
    return text[:8] == following[:8]


def _join(rows: Sequence[Row], cut: Set[int], complete: Callable[[str], str]) -> list[Row]:
    """Return the rows with each whose place is in `cut` joined to the one before."""
    joined: list[Row] = []
    pieces: list[str] = []
    for place, (number, text) in enumerate(rows):
        if place in cut:
            pieces[-1] = complete(pieces[-1])
            pieces.append(text)
            joined[-1] = (joined[-1][0], "".join(pieces))
        else:
            pieces = [text]
            joined.append((number, text))
    return joined
