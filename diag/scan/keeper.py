"""What is kept of a large log: heads and tails of its starts, incidents with what surrounds them, lines of requests."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Protocol

from diag.model.literal import SUM_ACCEPTED, Literal
from diag.model.selection import ONLY, Sums, Told
from diag.scan.buffer import Buffer, Piece, trimmed
from diag.scan.engine import Ends, Hits, ends_engine, literal_engine
from diag.scan.scanned import Outlook
from diag.scan.span import TELLING, Budgets, Open, Shape, Span
from diag.scan.sums import sum_accepted

Search = Callable[[bytes], Hits]


class Reader(Protocol):
    """What reads a line."""

    def tell(self, raw: bytes, anchors: tuple[int, ...], *, exact: bool, decided: bool = False) -> Told:
        """Return what a physical line says; `anchors` were found in it.

        exact: which digits stand in it decides. decided: the anchors tell all that its figures decide.
        """

    def opens_body(self, raw: bytes) -> bool:
        """Return whether a physical line begins a logged request or answer."""


class Keeper:
    """The part of the selector that decides which lines stay; it holds all of the selector's state."""

    def __init__(
        self,
        literals: Sequence[Literal],
        engine: str,
        reader: Reader,
        *,
        quiet: Sequence[bytes],
        turns: Sequence[bytes],
        follow: Sequence[bytes],
        several_streams: bool = False,
        budgets: Budgets | None = None,
        outlook: Outlook | None = None,
    ) -> None:
        """Take the literals to look for, and the name of the engine.

        quiet: literals of informational lines that end an incident. turns: of all lines that tell an image turn from a
        text turn. follow: of lines that show a request begin or end. outlook: the log goes on in the midst of a start.
        """
        self._literals = literals
        self._active = list(range(len(literals)))
        self._engine = engine
        self._search = self._look_for_active()
        self._roles = [literal.role for literal in literals]
        self._reader = reader
        self._quiet, self._turns, self._follow = (literal_engine(some, engine)[1] for some in (quiet, turns, follow))
        self._several = several_streams
        self._budgets = budgets or Budgets()
        self._buffer = Buffer()
        self._span = Span(0, 1, self._budgets.head, self._budgets.quiet, self._budgets.requests)
        self._stream: str | None = None
        self._started: dict[str | None, set[str]] = {}
        if outlook is not None:
            self._span = Span(0, 1, 0, 0, 0, requests_at=0, facts=set(outlook.facts), signs=outlook.unexpected)
            self._stream = outlook.stream
            self._started = {outlook.stream: set(outlook.started)}
        self._over: list[Span] = []  # starts that are over
        self._n_folded = 0
        self._alike: dict[bytes, tuple[Told, tuple[int, ...]]] = {}  # told without their figures
        self._open: dict[str | None, Open] = {}
        self._touched: dict[tuple[str | None, str], Open] = {}
        self._keep_until = 0  # offset up to which lines are kept: the end of an incident's surroundings
        self._follow_until = 0
        self._clock_us = -1
        self._looked_back = (-1, False)  # a line's offset in the log, and whether it stands inside a body
        self._n_kept_bytes = 0
        self._n_turn_bytes = 0
        self._n_followed = 0
        self._n_left_out = 0
        self._joined: set[int] = set()
        self._long: list[tuple[int, int]] = []
        self._n_hits: dict[tuple[int, ...], list[int]] = {}  # anchors of a line -> lines, incidents, mixed
        self._flooded: dict[int, tuple[int, int]] = {}  # literal -> lines, first line only counted
        self._starts: list[int] = []  # where literals of requests end in this block
        self._accepts: list[int] = []
        self._marks: Ends = {}  # where those end of which a first and a last line are kept
        self._segments: list[tuple[int, int, Span]] = []  # stretches of this block
        self._segment_from = 0
        self._before_block: dict[str | None, Sums] = {}

    @property
    def outlook(self) -> Outlook:
        """What a range that begins here has to know."""
        span = self._span
        return Outlook(
            frozenset(span.facts & TELLING),
            frozenset(self._started.get(self._stream, ())),
            self._stream,
            unexpected=span.takes_no_images and span.signs,
        )

    def _look_for_active(self) -> Callable[[bytes], Ends]:
        active = [self._literals[at] for at in self._active]
        patterns = {at: literal.pattern for at, literal in enumerate(active) if literal.pattern}
        once = frozenset(at for at, literal in enumerate(active) if literal.once)
        return ends_engine([literal.text for literal in active], self._engine, patterns, once)

    def _quiet_between(self, incident: Open, start: int, stream: str | None) -> bool:
        """Return whether an informational line of the stream stands between the incident's end and an offset."""
        buffer = self._buffer
        begin = max(incident.end - buffer.at, buffer.fresh)
        at = bisect_right(self._starts, begin)
        if at < len(self._starts) and self._starts[at] < start and self._is_quiet(self._starts[at], stream):
            return True
        step = 512  # the next line or two mostly tell
        while begin < start - 1:
            stop = min(start, begin + step)
            stop = min(start, buffer.data.find(b"\n", stop - 1) + 1 or start)
            done = -1
            for at, _ in self._quiet(buffer.data[begin:stop]):
                end = begin + at
                if end <= done:
                    continue
                done = buffer.data.find(b"\n", end, stop)
                if self._is_quiet(end, stream):
                    return True
                if done < 0:
                    break
            begin, step = stop, step * 16
        return False

    def _is_quiet(self, end: int, stream: str | None) -> bool:
        """Return whether the line that holds the literal that ends there is an informational one of the stream."""
        told = self._reader.tell(self._buffer.line_at(end)[1], (), exact=False)
        return told.closes and told.stream == stream

    def _keep(self, pieces: list[Piece]) -> None:
        self._span.pieces.extend(pieces)
        self._n_kept_bytes += sum(len(data) for _, data in pieces)

    def _keep_incident(self, shape: Shape, line: int, pieces: list[Piece]) -> None:
        shape.kept.append((line, pieces))
        self._n_kept_bytes += sum(len(data) for _, data in pieces)

    def _keep_single(self, told: Told, start: int, raw: bytes) -> None:
        span = self._span
        if span.quiet_left > 0:
            span.quiet_left -= 1
            self._keep([(self._buffer.line_of(start), raw)])
            return
        shape = span.shapes.setdefault((told.stream, "." + told.shape), Shape())
        if len(shape.kept) < self._budgets.first:
            self._keep_incident(shape, self._buffer.line_of(start), [(self._buffer.line_of(start), raw)])

    def _head(self, span: Span, start: int, end: int) -> None:
        span.head_left = self._window(span, start, end, span.head_left)
        if span.requests_at >= 0:
            first = max(start, span.requests_at - self._buffer.at)
            span.requests_left = self._window(span, first, end, span.requests_left)

    def _window(self, span: Span, start: int, end: int, left: int) -> int:
        """Keep lines until so many bytes are used up, a long line counting as a short one; return what is left."""
        data = self._buffer.data
        while left > 0 and start < end:
            stop = data.find(b"\n", start, end) + 1 or end
            for number, raw in self._buffer.lines(start, stop):
                span.pieces.append((number, trimmed(raw, ())))
            left -= min(stop - start, 2048)
            start = stop
        return left

    def _keep_turns(self, span: Span, start: int, end: int) -> None:
        if span.turns_until is not None or (span.takes_no_images and not span.signs):
            span.turns_from = 0
            return
        if self._n_turn_bytes > self._budgets.turns:
            span.turns_until = self._buffer.line_of(start) - 1
            return
        if not span.turns_from:
            if self._before_block.get(ONLY):
                # images in a server of which that was not to be expected: look back as far as lines are at hand
                start = max(span.start - self._buffer.at, 0)
                found = self._search(self._buffer.data[start : self._buffer.fresh])
                sums = [at for at in found if self._roles[self._active[at]] == SUM_ACCEPTED]
                near = sorted(end + start for at in sums for end in found[at])
                span.before_turns = {ONLY: self._before_block[ONLY] - sum_accepted(self._buffer.data, near)}
            span.turns_from = self._buffer.line_of(start)
        kept = self._lines_with(self._turns, start, end)
        self._n_turn_bytes += sum(len(data) for _, data in kept)
        span.turns.extend(kept)

    def _keep_follow(self) -> None:
        buffer = self._buffer
        if self._follow_until > buffer.at + buffer.fresh:
            end = min(len(buffer.data), self._follow_until - buffer.at)
            self._keep_followed(self._lines_with(self._follow, buffer.fresh, end))

    def _follow_from(self, start: int, n_bytes: int) -> None:
        """Keep the lines that show requests begin and end in what follows an offset."""
        stop = min(len(self._buffer.data), start + n_bytes)
        self._keep_followed(self._lines_with(self._follow, start, stop))
        self._follow_until = max(self._follow_until, self._buffer.at + start + n_bytes)

    def _keep_followed(self, pieces: list[Piece]) -> None:
        self._n_followed += sum(len(data) for _, data in pieces)
        self._span.pieces.extend(pieces)

    def _lines_with(self, search: Search, start: int, end: int) -> list[Piece]:
        buffer, pieces, done = self._buffer, [], -1
        for at, _ in search(buffer.data[start:end]):
            if at <= done:
                continue
            first, raw = buffer.line_at(start + at)
            done = buffer.data.find(b"\n", start + at) - start
            pieces.append((buffer.line_of(first), raw))
            if done < 0:
                break
        return pieces

    def _close(self, incident: Open) -> None:
        self._open.pop(incident.stream, None)
        budgets, span = self._budgets, self._span
        for family in incident.families:
            count = self._n_hits[family]
            count[1] += 1
            count[2] += len(incident.families) > 1
        key = (incident.stream, incident.shape)
        shape = span.shapes.get(key)
        if shape is None:
            if len(span.shapes) >= budgets.shapes:
                self._n_left_out += 1
                return
            shape = span.shapes[key] = Shape()
        shape.n += 1
        shape.wanted = max(budgets.first, incident.keep)
        if len(shape.kept) >= shape.wanted or (shape.kept and self._n_kept_bytes > budgets.narrow):
            self._touched[key] = incident
            return
        is_first = not shape.kept
        pieces = self._surroundings(incident, context=self._context(incident, wide=is_first))
        if is_first and self._n_followed < self._budgets.most_follow:
            self._follow_from(max(0, incident.end - self._buffer.at), self._budgets.follow)
        line = incident.line or self._buffer.line_of(incident.start - self._buffer.at)
        self._keep_incident(shape, line, pieces)

    def _context(self, incident: Open, *, wide: bool) -> int:
        """Return how many bytes around an incident are kept: most around the first and the last of its shape."""
        budgets = self._budgets
        if incident.alone or self._n_kept_bytes > budgets.narrow:
            return 0
        if self._n_kept_bytes > budgets.wide:
            return budgets.small_context
        return budgets.context if wide else budgets.context // 4

    def _surroundings(self, incident: Open, *, context: int) -> list[Piece]:
        buffer, budgets = self._buffer, self._budgets
        start, end = incident.start - buffer.at, incident.end - buffer.at
        pieces: list[Piece] = []
        if incident.head is not None:
            pieces += incident.head
            start = max(0, end - budgets.incident_tail)
        elif end - start > budgets.incident_head + budgets.incident_tail:
            pieces += self._run(max(0, start - context), start + budgets.incident_head)
            start = end - budgets.incident_tail
        else:
            start -= context
        if pieces:
            first = incident.line or buffer.line_of(incident.start - buffer.at)
            self._long.append((first, buffer.line_of(max(0, end - 1))))
        pieces += self._run(max(0, start), min(len(buffer.data), end + context))
        self._keep_until = max(self._keep_until, incident.end + context)
        return pieces

    def _run(self, start: int, end: int) -> list[Piece]:
        return [(number, data) for number, data in self._buffer.lines(start, end) if data]

    def _close_quieted(self) -> None:
        """Close what an informational line behind it in this block ended; keep the head of what goes on."""
        buffer = self._buffer
        for incident in list(self._open.values()):
            if self._quiet_between(incident, len(buffer.data), incident.stream):
                self._close(incident)
            elif incident.head is None:
                start = incident.start - buffer.at
                if len(buffer.data) - start > self._budgets.incident_head:
                    context = self._budgets.context
                    incident.line = buffer.line_of(start)
                    incident.head = self._run(start, start + self._budgets.incident_head)
                    self._keep(self._run(max(0, start - context), start))

    def _keep_last(self, *, final: bool) -> None:
        """Keep the newest incident of each shape in place of the one before."""
        buffer, later = self._buffer, {}
        for key, incident in sorted(self._touched.items(), key=lambda item: item[1].start):
            if not final and incident.end + self._budgets.context > buffer.at + len(buffer.data):
                later[key] = incident
                continue
            shape = self._span.shapes[key]
            until = self._keep_until
            pieces = self._surroundings(incident, context=self._context(incident, wide=True))
            shape.newest = (incident.line or buffer.line_of(incident.start - buffer.at), pieces)
            self._keep_until = until
        self._touched = later
