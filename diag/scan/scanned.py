"""What was kept and counted of the ranges of a log -> what was kept and counted of the log."""

from collections.abc import Sequence
from dataclasses import field

from diag.model.noun import noun, record
from diag.model.selection import Selection, Sums
from diag.scan.buffer import Piece
from diag.scan.span import Budgets, Span, fold


@noun
class Outlook:
    """What a range must know of the start before it, of which it holds no line."""

    facts: frozenset[str] = frozenset()  # that tell whether images are to be expected
    started: frozenset[str] = frozenset()  # facts that it stated of itself, of which a second one begins another start
    stream: str | None = None
    unexpected: bool = False  # images in a server of which none were to be expected


@record
class Scanned:
    """One range: its starts, of which the first may have begun before it; line numbers are those within it."""

    spans: list[Span]
    n_lines: int
    outlook: Outlook  # for what follows
    n_folded: int = 0
    joined: set[int] = field(default_factory=set)
    long: list[tuple[int, int]] = field(default_factory=list)
    floods: dict[str, tuple[int, int]] = field(default_factory=dict)  # anchor -> lines, first line only counted
    n_left_out: int = 0
    several: bool = False  # several streams write in turn: incidents may go on beyond the range


def join(ranges: Sequence[Scanned], budgets: Budgets) -> Scanned:
    """Return consecutive ranges as one; they are used up."""
    whole, *further = ranges
    for part in further:
        _append(whole, part, budgets)
    whole.n_folded += fold(whole.spans, budgets)
    return whole


def selection_of(scanned: Scanned) -> Selection:
    """Return the lines that are kept and the sums."""
    spans = scanned.spans
    lines: dict[int, bytes] = {}
    for span in spans:
        for number, data in span.kept():
            for raw in data.removesuffix(b"\n").split(b"\n"):
                old = lines.get(number)
                # what surrounds the last incident belongs to the next start
                if span.first_line <= number <= span.last_line and (old is None or len(raw) > len(old)):
                    lines[number] = raw
                number += 1
        if span.signs:
            # nothing but the lines of requests ends an incident, and those are all kept here
            scanned.joined.update(number for number, _ in span.turns)
    return Selection(
        lines=tuple(sorted(lines.items())),
        n_lines=scanned.n_lines,
        whole=frozenset(line for span in spans for line in span.whole()),
        joined=frozenset(scanned.joined),
        long=tuple(scanned.long),
        stretches=tuple(span.stretch() for span in spans),
        n_folded=scanned.n_folded,
        floods=tuple((text, n, line) for text, (n, line) in scanned.floods.items()),
        n_shapes_left_out=scanned.n_left_out,
    )


def _append(whole: Scanned, part: Scanned, budgets: Budgets) -> None:
    by = whole.n_lines
    for span in part.spans:
        _shift(span, by)
    room = budgets.turns - sum(len(data) for span in whole.spans for _, data in span.turns)
    _continue(whole.spans[-1], part.spans[0], room=room)
    whole.spans += part.spans[1:]
    whole.n_lines += part.n_lines
    whole.outlook = part.outlook
    whole.n_folded += part.n_folded
    whole.joined |= {line + by for line in part.joined}
    whole.long += [(first + by, last + by) for first, last in part.long]
    for text, (n, line) in part.floods.items():
        before, first = whole.floods.get(text, (0, line + by))
        whole.floods[text] = (before + n, first)
    whole.n_left_out += part.n_left_out
    whole.several = whole.several or part.several


def _shift(span: Span, by: int) -> None:
    def moved(pieces: list[Piece]) -> list[Piece]:
        return [(number + by, data) for number, data in pieces]

    span.first_line += by
    span.last_line += by
    span.pieces, span.tail, span.turns = moved(span.pieces), moved(span.tail), moved(span.turns)
    span.last_marked = {literal: (number + by, data) for literal, (number, data) in span.last_marked.items()}
    span.failed = [number + by for number in span.failed]
    span.turns_from += by if span.turns_from else 0
    span.turns_until = span.turns_until + by if span.turns_until is not None else None
    for shape in span.shapes.values():
        shape.kept = [(line + by, moved(pieces)) for line, pieces in shape.kept]
        if shape.newest is not None:
            shape.newest = (shape.newest[0] + by, moved(shape.newest[1]))


def _continue(span: Span, rest: Span, *, room: int) -> None:
    """Add to a start what the next range holds of it; `room`: bytes that lines of requests may still take."""
    if span.turns_until is None and span.turns_from and room <= 0:
        span.turns_until = span.last_line
    elif span.turns_until is None:
        if not span.turns_from and rest.turns_from:
            span.turns_from = rest.turns_from
            span.before_turns = {
                stream: span.sums.get(stream, Sums()) + rest.before_turns.get(stream, Sums())
                for stream in {*span.sums, *rest.before_turns}
            }
        span.turns += rest.turns
        span.turns_until = rest.turns_until
    span.last_line = rest.last_line
    span.n_bytes += rest.n_bytes
    span.pieces += rest.pieces
    span.tail = rest.tail  # what stood before the border is no end
    span.last_marked |= rest.last_marked
    span.signs = span.signs or rest.signs
    span.facts |= rest.facts
    span.add_failed(rest.failed)
    span.n_failed_behind += rest.n_failed_behind
    for stream, sums in rest.sums.items():
        span.add(stream, sums)
    for text, n in rest.unknown.items():
        span.unknown[text] = span.unknown.get(text, 0) + n
    for key, later in rest.shapes.items():
        if key in span.shapes:
            span.shapes[key].go_on(later)
        else:
            span.shapes[key] = later
