"""The blocks of a large log -> the lines worth keeping, and sums over the rest."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from diag.model.literal import COUNT_START, LOOK, SIGN, SUM_ACCEPTED, Literal
from diag.model.selection import ONLY, Selection, Sums, Told
from diag.scan.buffer import CARRIED, LONG_LINE, Buffer, Piece, trimmed
from diag.scan.engine import Hits
from diag.scan.span import Budgets, Open, Shape, Span
from diag.scan.sums import sum_accepted, sum_told

_CLOCK = re.compile(rb"^\[?(\d{1,7})\.([0-5]\d)\.(\d{3})\.(\d{3})\]? ", re.MULTILINE)
_FALL_US = 1_000_000  # a clock that falls by more belongs to another process
_FAR = 400  # bytes from a line's begin beyond which a request's line may be text of a user

Search = Callable[[bytes], Hits]


class Reader(Protocol):
    """What reads a line."""

    def tell(self, raw: bytes, anchors: tuple[int, ...], *, exact: bool, decided: bool = False) -> Told:
        """Return what a physical line says; `anchors` were found in it.

        exact: which digits stand in it decides. decided: the anchors tell all that its figures decide.
        """

    def opens_body(self, raw: bytes) -> bool:
        """Return whether a physical line begins a logged request or answer."""


class Selector:
    """Takes blocks in order; `finish` returns what is left of them."""

    def __init__(
        self,
        literals: Sequence[Literal],
        engine: Callable[[Sequence[bytes]], Search],
        reader: Reader,
        *,
        quiet: Sequence[bytes],
        turns: Sequence[bytes],
        follow: Sequence[bytes],
        several_streams: bool = False,
        budgets: Budgets | None = None,
    ) -> None:
        """Take the literals to look for; `engine` makes a search for some of them.

        quiet: literals of informational lines that end an incident. turns: of all lines that tell an image turn from a
        text turn. follow: of lines that show a request begin or end.
        """
        self._literals = literals
        self._active = list(range(len(literals)))
        self._engine = engine
        self._search = engine([literal.text for literal in literals])
        self._roles = [literal.role for literal in literals]
        self._reader = reader
        self._quiet, self._turns, self._follow = (engine(list(some)) for some in (quiet, turns, follow))
        self._several = several_streams
        self._budgets = budgets or Budgets()
        self._buffer = Buffer()
        self._span = Span(0, 1, self._budgets.head, self._budgets.quiet, self._budgets.requests)
        self._first: list[Span] = []
        self._last: deque[Span] = deque()
        self._n_folded = 0
        self._open: dict[str | None, Open] = {}
        self._touched: dict[tuple[str | None, str], Open] = {}
        self._keep_until = 0  # offset up to which lines are kept: the end of an incident's surroundings
        self._follow_until = 0
        self._clock_us = -1
        self._started: dict[str | None, set[str]] = {}
        self._stream: str | None = None
        self._n_kept_bytes = 0
        self._n_turn_bytes = 0
        self._n_followed = 0
        self._n_left_out = 0
        self._joined: set[int] = set()
        self._whole: set[int] = set()
        self._long: list[tuple[int, int]] = []
        self._n_hits: dict[tuple[int, ...], list[int]] = {}  # anchors of a line -> lines, incidents, mixed
        self._flooded: dict[int, tuple[int, int]] = {}  # literal -> lines, first line only counted
        self._n_bytes = 0
        self._before_block: dict[str | None, Sums] = {}

    def feed(self, block: bytes) -> None:
        """Read one block."""
        if not block:
            return
        buffer = self._buffer
        buffer.feed(block)
        self._n_bytes += len(block)
        self._before_block = dict(self._span.sums)
        fresh = buffer.fresh
        fall = self._clock_fall(block)
        if self._keep_until > buffer.at + fresh:
            self._keep(buffer.lines(fresh, min(len(buffer.data), self._keep_until - buffer.at)))
        self._segments: list[tuple[int, int, Span]] = []
        self._segment_from = fresh
        self._starts: list[int] = []
        self._accepts: list[int] = []
        self._walk(self._hits(block, fresh), fall)
        if fall is not None and self._fall_counts(fall):
            self._cut(fall, {"(clock)"})
        self._stretch_floods()
        self._flush(len(buffer.data))
        self._segments.append((self._segment_from, len(buffer.data), self._span))
        for start, end, span in self._segments:
            self._head(span, start, end)
            self._keep_turns(span, start, end)
        self._keep_follow()
        self._close_quieted()
        self._keep_last(final=False)
        self._watch_floods(block)

    def finish(self) -> Selection:
        """Return what was kept. Nothing can be fed after."""
        for incident in list(self._open.values()):
            self._close(incident)
        self._keep_last(final=True)
        self._end_span(len(self._buffer.data))
        spans = [*self._first, *self._last]
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
                self._joined.update(number for number, _ in span.turns)
        data = self._buffer.data
        n_lines = self._buffer.line - 1 + data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
        return Selection(
            lines=tuple(sorted(lines.items())),
            n_lines=n_lines,
            whole=frozenset(self._whole.union(*(shape.whole for span in spans for shape in span.shapes.values()))),
            joined=frozenset(self._joined),
            long=tuple(self._long),
            stretches=tuple(span.stretch() for span in spans),
            n_folded=self._n_folded,
            floods=tuple((self._literals[at].text.decode(), n, line) for at, (n, line) in self._flooded.items()),
            n_shapes_left_out=self._n_left_out,
        )

    # hits

    def _hits(self, block: bytes, fresh: int) -> Hits:
        hits = self._search(block)
        active = self._active
        # the literal "\nerror" cannot see the newline that ended the block before
        if block[:5] in (b"error", b"Error", b"ERROR") and self._buffer.data[fresh - 1 : fresh] in (b"\n", b""):
            text = b"\n" + block[:5]
            hits[:0] = [(5, at) for at, literal in enumerate(active) if self._literals[literal].text == text]
        return hits

    def _walk(self, hits: Hits, fall: int | None) -> None:
        data, fresh = self._buffer.data, self._buffer.fresh
        active, roles, literals = self._active, self._roles, self._literals
        find, rfind = data.find, data.rfind
        done = -1  # end of the last line that was looked at
        n, at = len(hits), 0
        while at < n:
            end, index = hits[at]
            at += 1
            end += fresh
            literal = active[index]
            role = roles[literal]
            if role == COUNT_START:
                self._starts.append(end)
                continue
            if role == SIGN:
                self._span.signs = True
                if not literals[literal].gates:
                    continue
            if role == SUM_ACCEPTED:
                self._accepts.append(end)
                if not literals[literal].gates:
                    continue
            if end <= done:
                continue
            if literals[literal].sign:
                self._span.signs = True
            passed = 0
            if role != LOOK:
                passed = self._passed(literals[literal], end)
                if not passed:
                    continue
            start = rfind(b"\n", 0, end) + 1 if literals[literal].text[:1] != b"\n" else rfind(b"\n", 0, end - 1) + 1
            stop = find(b"\n", end)
            if stop < 0:
                stop = len(data)
            # what tells lines apart: the literals in them, and which gates opened
            found = [] if literals[literal].level else [literal << 8 | passed]
            exact = literals[literal].exact and role == LOOK
            gated = role != LOOK
            ends = [end - start]
            following = at
            while following < n and hits[following][0] + fresh <= stop:
                other = active[hits[following][1]]
                further = hits[following][0] + fresh
                following += 1
                passed = self._passed(literals[other], further) if roles[other] != LOOK else 0
                if roles[other] != LOOK and not passed:
                    continue
                mark = other << 8 | passed
                if mark not in found:
                    gated = gated and roles[other] != LOOK
                    if not literals[other].level:
                        found.append(mark)
                    exact = exact or (literals[other].exact and roles[other] == LOOK)
                    ends.append(further - start)
            done = stop
            if fall is not None and start >= fall:
                if self._fall_counts(fall):
                    self._cut(fall, {"(clock)"})
                fall = None
            self._look(start, stop, tuple(found), ends, exact=exact, gated=gated)

    def _passed(self, literal: Literal, end: int) -> int:
        """Return which gates open for a hit, as bits."""
        data = self._buffer.data
        if not literal.gates:
            return 0
        stop = data.find(b"\n", end)
        stop = len(data) if stop < 0 else stop
        passed = 0
        for bit, (pattern, back) in enumerate(literal.gates):
            if back >= 0:
                if pattern.match(data, end - back, stop):
                    passed |= 1 << bit
            elif pattern.search(data, data.rfind(b"\n", 0, end) + 1, stop):
                passed |= 1 << bit
        return passed

    def _look(
        self, start: int, stop: int, anchors: tuple[int, ...], ends: Sequence[int], *, exact: bool, gated: bool
    ) -> None:
        buffer = self._buffer
        raw = buffer.data[start:stop]
        if start == 0 and buffer.open_head is not None:
            raw = buffer.open_head + b" ... " + trimmed(raw, ends)
        elif len(raw) > LONG_LINE:
            raw = trimmed(raw, ends)
        told = self._reader.tell(raw, anchors, exact=exact, decided=gated)
        if not told.known or (not told.clocked and self._inside_body(start)):
            return
        if told.stream != self._stream:
            self._several = self._several or self._stream is not None
            self._stream = told.stream
        span = self._span
        if told.starts and self._begins(told):
            self._cut(start, set(told.starts))
            span = self._span
        span.facts.update(told.facts)
        for text in told.unknown:
            span.unknown[text] = span.unknown.get(text, 0) + 1
        incident = self._open.get(told.stream)
        place = buffer.at + start
        if incident is not None and (told.closes or self._quiet_between(incident, start, told.stream)):
            self._close(incident)
            incident = None
        if not told.failure:
            self._keep_single(told, start, raw)
            return
        if incident is None:
            incident = self._open[told.stream] = Open(told.stream, place, place, [])
        incident.add(told)
        incident.end = buffer.at + stop
        incident.families.add(anchors)
        if len(raw) > LONG_LINE or (start == 0 and buffer.open_head is not None):
            self._keep([(buffer.line_of(start), raw)])
        self._n_hits.setdefault(anchors, [0, 0, 0])[0] += 1
        if told.ends:
            self._close(incident)

    def _inside_body(self, start: int) -> bool:
        """Return whether the line before it that has a clock begins the text of a user."""
        data, stop = self._buffer.data, start
        while stop > max(0, start - CARRIED):
            first = data.rfind(b"\n", 0, stop - 1) + 1
            clock = _CLOCK.match(data, first, stop)
            if clock is not None:
                opens = data[clock.end() : clock.end() + 2] == b"D "
                return opens and self._reader.opens_body(data[first : stop - 1])
            stop = first
        return False

    def _quiet_between(self, incident: Open, start: int, stream: str | None) -> bool:
        """Return whether an informational line of the stream stands between the incident's end and an offset."""
        buffer = self._buffer
        begin = max(incident.end - buffer.at, buffer.fresh)
        step = 4096
        while begin < start - 1:
            stop = min(start, begin + step)
            stop = min(start, buffer.data.find(b"\n", stop - 1) + 1 or start)
            part = buffer.data[begin:stop]
            done = -1
            for end, _ in self._quiet(part):
                if end <= done:
                    continue
                first = part.rfind(b"\n", 0, end) + 1
                done = part.find(b"\n", end)
                done = len(part) if done < 0 else done
                told = self._reader.tell(trimmed(part[first:done], (end - first,)), (), exact=False)
                if told.closes and told.stream == stream:
                    return True
            begin, step = stop, 1 << 20
        return False

    # starts

    def _begins(self, told: Told) -> bool:
        seen = self._started.get(told.stream)
        names = set(told.starts)
        if names == {"ModelLoading"}:
            # printed once for the target and again for what else is loaded; a start only behind a finished one
            return False
        if seen is None or seen & (names - {"ModelLoading"}):
            return True
        seen.update(names)
        return False

    def _fall_counts(self, fall: int) -> bool:
        return self._buffer.at + fall - self._span.start > CARRIED or not self._span.facts

    def _cut(self, offset: int, starts: set[str]) -> None:
        if self._buffer.at + offset == self._span.start:  # the log begins with it
            self._started[self._stream] = set(starts)
            return
        self._flush(offset)
        if offset > self._segment_from:
            self._segments.append((self._segment_from, offset, self._span))
        self._segment_from = offset
        for incident in list(self._open.values()):
            if not self._several or incident.stream == self._stream:
                self._close(incident)
        self._keep_last(final=True)
        self._end_span(offset)
        line = self._buffer.line_of(offset)
        later = self._budgets.later if self._first else self._budgets.head
        self._span = Span(self._buffer.at + offset, line, later, self._budgets.quiet, self._budgets.requests)
        if self._several:
            self._started[self._stream] = set(starts)
        else:
            self._started = {self._stream: set(starts)}
        self._clock_us = -1
        self._before_block = {}

    def _end_span(self, offset: int) -> None:
        span, buffer = self._span, self._buffer
        last = not self._first or offset == len(buffer.data)
        room = self._budgets.tail if last else self._budgets.later
        begin = max(span.start - buffer.at, offset - room, 0)
        span.tail = buffer.lines(begin, offset)
        span.last_line = buffer.line_of(offset - 1) if offset > 0 else buffer.line
        if span.last_line < span.first_line:
            return
        if len(self._first) < self._budgets.first_spans:
            self._first.append(span)
            return
        self._last.append(span)
        if len(self._last) > self._budgets.last_spans:
            self._last.popleft()
            self._n_folded += 1

    def _clock_fall(self, block: bytes) -> int | None:
        """Return the offset in the buffer of the first line whose clock is far behind, or None."""
        first = _CLOCK.search(block, 0, 4096)
        if first is None:
            return None
        last = next(reversed(list(_CLOCK.finditer(block, max(0, len(block) - 1024)))), None)
        highest = self._clock_us
        end_us = _us(last or first)
        if max(_us(first), 0) >= highest - _FALL_US and end_us >= max(highest, _us(first)) - _FALL_US:
            self._clock_us = max(highest, end_us)
            return None
        for found in _CLOCK.finditer(block):
            us = _us(found)
            if us < highest - _FALL_US:
                self._clock_us = end_us
                return self._buffer.fresh + found.start()
            highest = max(highest, us)
        return None

    # what is kept

    def _keep(self, pieces: list[Piece]) -> None:
        self._span.pieces.extend(pieces)
        self._n_kept_bytes += sum(len(data) for _, data in pieces)

    def _keep_single(self, told: Told, start: int, raw: bytes) -> None:
        span = self._span
        if span.quiet_left > 0:
            span.quiet_left -= 1
            self._keep([(self._buffer.line_of(start), raw)])
            return
        shape = span.shapes.setdefault((told.stream, "." + told.shape), Shape())
        if shape.n_kept < self._budgets.first:
            shape.n_kept += 1
            self._keep([(self._buffer.line_of(start), raw)])

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
                near = [
                    at + start
                    for at, index in self._search(self._buffer.data[start : self._buffer.fresh])
                    if self._roles[self._active[index]] == SUM_ACCEPTED
                ]
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
        data, pieces, done = self._buffer.data, [], -1
        part = data[start:end]
        for at, _ in search(part):
            if at <= done:
                continue
            first = part.rfind(b"\n", 0, at) + 1
            done = part.find(b"\n", at)
            done = len(part) if done < 0 else done
            pieces.append((self._buffer.line_of(start + first), trimmed(part[first:done], (at - first,))))
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
        if shape.n_kept >= max(budgets.first, incident.keep) or (shape.n_kept and self._n_kept_bytes > budgets.narrow):
            self._touched[key] = incident
            return
        shape.n_kept += 1
        pieces = self._surroundings(incident, context=self._context(incident, wide=shape.n_kept == 1))
        if shape.n_kept == 1 and self._n_followed < self._budgets.most_follow:
            self._follow_from(max(0, incident.end - self._buffer.at), self._budgets.follow)
        self._keep(pieces)
        self._whole.add(incident.line or self._buffer.line_of(incident.start - self._buffer.at))

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
            shape.last = self._surroundings(incident, context=self._context(incident, wide=True))
            shape.whole = {incident.line or buffer.line_of(incident.start - buffer.at)}
            self._keep_until = until
        self._touched = later

    # sums

    def _flush(self, offset: int) -> None:
        """Add what was found before the offset to the span."""
        data, span = self._buffer.data, self._span
        # a line may hold two of the literals; two such lines never stand so near
        starts = [
            end for at, end in enumerate(self._starts) if end <= offset and (not at or end - self._starts[at - 1] > 32)
        ]
        accepts = [end for end in self._accepts if end <= offset]
        self._starts = [end for end in self._starts if end > offset]
        if starts and span.requests_at < 0:
            # the line that chose the slot stands before
            span.requests_at = self._buffer.at + max(data.rfind(b"\n", 0, max(0, starts[0] - _FAR)) + 1, 0)
            self._follow_from(starts[0], self._budgets.first_request)
        self._accepts = self._accepts[len(accepts) :]
        near = {True: [], False: []}  # type: dict[bool, list[int]]
        if self._several:
            near[False] = starts + accepts
            accepts, n_started = [], 0
        else:
            far = [end for end in starts if data.rfind(b"\n", max(0, end - _FAR), end) < 0 and end > _FAR]
            n_started = len(starts) - len(far)
            far_accepts = [end for end in accepts if data.rfind(b"\n", max(0, end - _FAR), end) < 0 and end > _FAR]
            if far_accepts:
                accepts = [end for end in accepts if end not in set(far_accepts)]
            near[False] = far + far_accepts
        sums = sum_accepted(data, accepts)
        if n_started or sums.n_accepted_lines:
            span.add(ONLY, sum_told(n_started, ()) + sums)
        seen: set[int] = set()
        for end in near[False]:
            start = data.rfind(b"\n", 0, end) + 1
            if start in seen:
                continue
            seen.add(start)
            stop = data.find(b"\n", end)
            raw = trimmed(data[start : stop if stop >= 0 else len(data)], (end - start,))
            told = self._reader.tell(raw, (-1,), exact=True)
            span.add(told.stream if self._several else ONLY, sum_told(told.n_started, told.accepted))

    # floods

    def _stretch_floods(self) -> None:
        """Let an incident go on to the last line of what is only counted by now."""
        data, fresh = self._buffer.data, self._buffer.fresh
        for literal in self._flooded:
            at = data.rfind(self._literals[literal].text, fresh)
            if at >= 0:
                for incident in self._open.values():
                    if (literal << 8,) in incident.families:
                        stop = data.find(b"\n", at)
                        incident.end = self._buffer.at + (stop if stop >= 0 else len(data))

    def _watch_floods(self, block: bytes) -> None:
        for literal, (n, line) in self._flooded.items():
            self._flooded[literal] = (n + block.count(self._literals[literal].text), line)
        leaving: set[int] = set()
        for family, (n, n_incidents, mixed) in self._n_hits.items():
            if n < self._budgets.flood or mixed or len(family) != 1 or family[0] >> 8 in self._flooded:
                continue
            literal = family[0] >> 8
            # it must say nothing but itself: alone in its line, alone in its incidents, each like the others
            others = [other for other in self._n_hits if other != family and family[0] in other]
            opened = any(family in incident.families for incident in self._open.values())
            if not others and n_incidents + opened <= self._budgets.first and self._literals[literal].jumps:
                leaving.add(literal)
        if leaving:
            line = self._buffer.line_of(len(self._buffer.data))
            for literal in leaving:
                self._flooded[literal] = (self._n_hits[literal << 8,][0], line)
            self._active = [literal for literal in self._active if literal not in leaving]
            self._search = self._engine([self._literals[literal].text for literal in self._active])
            self._span.turns_until = min(self._span.turns_until or line, line)


def _us(found: re.Match[bytes]) -> int:
    minutes, seconds, ms, us = (int(part) for part in found.groups())
    return ((minutes * 60 + seconds) * 1000 + ms) * 1000 + us
