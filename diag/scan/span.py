"""The stretch of a log between two starts while it is read: what is kept of it, what is only counted."""

from collections.abc import Iterator, Sequence
from dataclasses import field

from diag.model.noun import noun, record
from diag.model.selection import Stretch, Sums, Told
from diag.scan.buffer import Piece

_LOADED = frozenset(("ModelLoaded", "Listening"))
TELLING = _LOADED | {"ModelLoading", "ProjectorLoaded"}  # facts that tell whether a server takes images
MOST_FAILED = 20_000  # lines of failed requests that are remembered of a start
MOST_LINES = 32  # lines of an incident that tell its shape


@noun
class Budgets:
    """How much of a large log is kept. Tests lower them."""

    head: int = 64 << 10  # bytes parsed whole behind a start
    tail: int = 64 << 10  # and before the next one, or the end
    requests: int = 16 << 10  # bytes parsed whole from the first request of a start on
    later: int = 16 << 10  # head and tail of the starts after the first
    context: int = 4 << 10  # bytes on either side of a kept incident
    small_context: int = 512  # the same once `wide` bytes of incidents are kept
    wide: int = 3 << 17
    narrow: int = 3 << 18  # from here on only new shapes are kept, and without context
    shapes: int = 2000  # different incidents told apart in one stretch
    first: int = 5  # incidents of a shape kept whole; and the last one
    quiet: int = 500  # single informational lines kept outside head and tail
    turns: int = 2 << 20  # bytes of request lines kept where images have to be told from text
    follow: int = 32 << 10  # bytes behind the first incident of a shape searched for requests that went on
    first_request: int = 64 << 10  # the same behind the first request of a start
    most_follow: int = 128 << 10  # bytes of such lines
    first_spans: int = 10
    last_spans: int = 40
    most: int = 1 << 22  # bytes kept of all starts; before it is more, some in the middle are left out
    flood: int = 20_000  # lines after which an anchor is counted and no longer looked at
    incident_head: int = 32 << 10
    incident_tail: int = 8 << 10


Kept = tuple[int, list[Piece]]
"""Line of an incident, and what is kept of it."""


@record
class Shape:
    """Incidents that every signature treats alike."""

    n: int = 0
    wanted: int = 0  # how many are to be kept
    kept: list[Kept] = field(default_factory=list)  # the first ones
    newest: Kept | None = None  # where it is none of those

    def go_on(self, later: "Shape") -> None:
        """Add what the next range of a log holds."""
        newest = later.newest or (later.kept[-1] if later.kept else None)
        self.wanted = max(self.wanted, later.wanted)
        self.kept += later.kept[: max(0, self.wanted - len(self.kept))]
        if newest is not None:
            self.newest = newest if newest is not self.kept[-1] else None
        self.n += later.n


@record
class Open:
    """An incident that goes on; offsets are those of the log."""

    stream: str | None
    start: int
    end: int
    shapes: list[str]
    keep: int = 0
    x: int | None = None
    y: int | None = None
    line: int = 0  # of its begin, once the head is kept
    head: list[Piece] | None = None  # kept early, because the incident outgrew the buffer
    families: set[tuple[int, ...]] = field(default_factory=set)  # sets of anchors of its lines
    n_lines: int = 0
    alone: bool = True  # each of its lines is an informational one that a signature looks at: nothing leads into it

    def add(self, told: Told) -> None:
        """Take a line of it."""
        if (not self.shapes or self.shapes[-1] != told.shape) and len(self.shapes) < MOST_LINES:
            self.shapes.append(told.shape)
        self.keep = max(self.keep, told.keep)
        self.x = told.x if told.x is not None else self.x
        self.y = told.y if told.y is not None else self.y
        self.n_lines += 1
        self.alone = self.alone and told.closes

    @property
    def shape(self) -> str:
        """What the incident is known by."""
        if self.x is None or self.y is None:
            return "|".join(self.shapes)
        relation = (
            "next"
            if self.y == self.x + 1
            else "ahead"
            if self.y > self.x
            else "equal"
            if self.y == self.x
            else "behind"
        )
        return "|".join((*self.shapes, relation))


@record
class Span:
    """One stretch."""

    start: int  # offset in the log
    first_line: int
    head_left: int
    quiet_left: int
    requests_left: int  # the same from the first request on: a start at high verbosity outgrows the head
    requests_at: int = -1  # offset in the log of the first request
    last_line: int = 0
    n_bytes: int = 0  # kept of it, once it is over
    pieces: list[Piece] = field(default_factory=list)
    tail: list[Piece] = field(default_factory=list)
    marked: set[int] = field(default_factory=set)  # literals of which the first lines are kept
    n_marked: dict[tuple[int, str], int] = field(default_factory=dict)  # (literal, shape of a line) -> lines seen of it
    last_marked: dict[int, Piece] = field(default_factory=dict)  # and of each the last
    turns: list[Piece] = field(default_factory=list)
    turns_until: int | None = None
    signs: bool = False  # a line that shows an image
    turns_from: int = 0
    before_turns: dict[str | None, Sums] = field(default_factory=dict)
    shapes: dict[tuple[str | None, str], Shape] = field(default_factory=dict)
    sums: dict[str | None, Sums] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)  # lines of failed requests
    n_failed_behind: int = 0  # those behind the last of these lines
    unknown: dict[str, int] = field(default_factory=dict)
    facts: set[str] = field(default_factory=set)  # ModelLoading, ModelLoaded, ProjectorLoaded ...

    def add(self, stream: str | None, sums: Sums) -> None:
        """Count requests."""
        self.sums[stream] = self.sums.get(stream, Sums()) + sums

    def add_failed(self, lines: Sequence[int]) -> None:
        """Take the lines of requests that failed, behind those before."""
        room = MOST_FAILED - len(self.failed) if not self.n_failed_behind else 0
        self.failed += lines[:room]
        self.n_failed_behind += len(lines[room:])

    @property
    def takes_no_images(self) -> bool:
        """True when the start is in the log and no projector was loaded by it."""
        loaded = bool(self.facts & _LOADED) and "ModelLoading" in self.facts
        return loaded and "ProjectorLoaded" not in self.facts

    def kept(self) -> Iterator[Piece]:
        """Yield what is kept, in no order."""
        yield from self.pieces
        yield from self.tail
        yield from self.last_marked.values()
        for shape in self.shapes.values():
            for _, pieces in shape.kept:
                yield from pieces
            if shape.newest is not None:
                yield from shape.newest[1]
        if self.signs:
            yield from self.turns

    def measure(self) -> None:
        """Count what is kept."""
        self.n_bytes = sum([len(data) for _, data in self.kept()])

    def whole(self) -> Iterator[int]:
        """Yield the lines of the incidents that are kept for themselves."""
        for shape in self.shapes.values():
            yield from (line for line, _ in shape.kept)
            if shape.newest is not None:
                yield shape.newest[0]

    def stretch(self) -> Stretch:
        """Return the sums."""
        return Stretch(
            self.first_line,
            self.last_line,
            dict(self.sums),
            dict(self.unknown),
            {key: shape.n for key, shape in self.shapes.items() if not key[1].startswith(".")},
            failed=self.failed,
            n_failed_behind=self.n_failed_behind,
            signs=self.signs,
            turns_from=self.turns_from,
            before_turns=dict(self.before_turns),
            turns_until=self.turns_until,
        )


def fold(spans: list[Span], budgets: Budgets) -> int:
    """Leave out starts behind the first ones until all are within their number and their bytes; return how many.

    The newest always stays.
    """
    n_folded, n_bytes = 0, sum([span.n_bytes for span in spans])
    most = budgets.first_spans + budgets.last_spans
    while len(spans) > most or (n_bytes > budgets.most and len(spans) > 2):
        n_bytes -= spans.pop(min(budgets.first_spans, len(spans) - 2)).n_bytes
        n_folded += 1
    return n_folded
