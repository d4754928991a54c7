"""The blocks of a large log -> the lines worth keeping, and sums over the rest."""

from diag.model.alike import DIGITS
from diag.model.literal import COUNT_START, GATED, LOOK, SIGN, SUM_ACCEPTED, Literal
from diag.model.selection import Told
from diag.scan.buffer import CARRIED, LONG_LINE
from diag.scan.clock import CLOCK, FALL_US, clock_us, first_fall
from diag.scan.counter import Counter
from diag.scan.engine import Ends
from diag.scan.scanned import Scanned
from diag.scan.span import Open, Span, fold

_SHORT = 1024  # bytes of a line that is remembered without its figures
_MOST_ALIKE = 3000
_WINDOW = 8 << 10  # bytes on either side of a literal that its gates see


class Selector(Counter):
    """Takes blocks in order; `finish` returns what is left of them."""

    def feed(self, block: bytes) -> None:
        """Read one block."""
        if not block:
            return
        buffer = self._buffer
        buffer.feed(block)
        self._before_block = dict(self._span.sums)
        fresh = buffer.fresh
        fall = self._clock_fall(block)
        if self._keep_until > buffer.at + fresh:
            self._keep(buffer.lines(fresh, min(len(buffer.data), self._keep_until - buffer.at)))
        self._segments = []
        self._segment_from = fresh
        self._starts = []
        self._accepts = []
        self._walk(self._ends(block, fresh), fall)
        if fall is not None and self._fall_counts(fall):
            self._cut(fall, set())
        self._stretch_floods()
        self._flush(len(buffer.data))
        self._segments.append((self._segment_from, len(buffer.data), self._span))
        for start, end, span in self._segments:
            self._head(span, start, end)
            self._keep_marked(span, start, end)
            self._keep_turns(span, start, end)
        self._keep_follow()
        self._close_quieted()
        self._keep_last(final=False)
        self._watch_floods(block)

    def finish(self) -> Scanned:
        """Return what was kept and counted. Nothing can be fed after."""
        for incident in list(self._open.values()):
            self._close(incident)
        self._keep_last(final=True)
        outlook = self.outlook
        data = self._buffer.data
        self._end_span(len(data))
        return Scanned(
            spans=self._over,
            n_lines=self._buffer.last_line - 1 + (1 if data and not data.endswith(b"\n") else 0),
            outlook=outlook,
            n_folded=self._n_folded,
            joined=self._joined,
            long=self._long,
            floods={self._literals[at].text.decode(): flood for at, flood in self._flooded.items()},
            n_left_out=self._n_left_out,
            several=self._several,
        )

    # hits

    def _ends(self, block: bytes, fresh: int) -> Ends:
        """Return where literals end in the buffer."""
        found = {self._active[at]: ends for at, ends in self._search(block).items()}
        # the literal "\nerror" cannot see the newline that ended the block before
        if block[:5] in (b"error", b"Error", b"ERROR") and self._buffer.data[fresh - 1 : fresh] in (b"\n", b""):
            text = b"\n" + block[:5]
            for literal in self._active:
                if self._literals[literal].text == text:
                    found.setdefault(literal, []).insert(0, 5)
        return {literal: [end + fresh for end in ends] for literal, ends in found.items()} if fresh else found

    def _walk(self, found_at: Ends, fall: int | None) -> None:
        data = self._buffer.data
        roles, literals = self._roles, self._literals
        self._starts = sorted(end for at, ends in found_at.items() if roles[at] == COUNT_START for end in ends)
        self._accepts = sorted(end for at, ends in found_at.items() if roles[at] == SUM_ACCEPTED for end in ends)
        self._marks = {at: ends for at, ends in found_at.items() if literals[at].mark}
        looked = [at for at in found_at if roles[at] in (LOOK, SIGN, GATED)]
        hits = sorted([(end, at) for at in looked for end in found_at[at]])
        find, rfind = data.find, data.rfind
        done = -1  # end of the last line that was looked at
        n, at = len(hits), 0
        while at < n:
            end, literal = hits[at]
            at += 1
            role = roles[literal]
            if role == SIGN:
                self._span.signs = True
                if not literals[literal].gates:
                    continue
            if end <= done:
                continue
            if literals[literal].sign:
                self._span.signs = True
            key = b""
            if not literals[literal].exact:
                start = rfind(b"\n", 0, end - 1) + 1  # the literal may begin with a line end
                stop = find(b"\n", end)
                # the rest of a line that began before the buffer is no line
                if stop - start <= _SHORT and stop >= 0 and (start or self._buffer.open_head is None):
                    key = data[start:stop].translate(DIGITS)
                    known = self._alike.get(key)
                    if known is not None:
                        done = stop
                        if fall is not None and start >= fall:
                            self._fallen(fall)
                            fall = None
                        self._take(start, stop, b"", *known)
                        continue
            passed = 0
            if role != LOOK:
                passed = self._passed(literals[literal], end)
                if not passed:
                    continue
            start = rfind(b"\n", 0, end - 1) + 1
            stop = find(b"\n", end)
            if stop < 0:
                stop = len(data)
            # what tells lines apart: the literals in them, and which gates opened
            found = [] if literals[literal].level else [literal << 8 | passed]
            exact = literals[literal].exact and role == LOOK
            gated = role != LOOK
            ends = [end - start]
            following = at
            while following < n and hits[following][0] <= stop:
                further, other = hits[following]
                following += 1
                if literals[other].exact:
                    key = b""
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
                self._fallen(fall)
                fall = None
            raw, anchors = self._buffer.text(start, stop, ends), tuple(found)
            told = self._reader.tell(raw, anchors, exact=exact, decided=gated)
            if key and told.fixed and len(self._alike) < _MOST_ALIKE:
                self._alike[key] = (told, anchors)
            self._take(start, stop, raw, told, anchors)

    def _fallen(self, fall: int) -> None:
        """Cut where the clock falls, if that counts."""
        if self._fall_counts(fall):
            self._cut(fall, set())

    def _passed(self, literal: Literal, end: int) -> int:
        """Return which gates open for a hit, as bits."""
        data = self._buffer.data
        if not literal.gates:
            return 0
        # a request's body of megabytes may hold thousands of hits: none looks at all of it
        stop = data.find(b"\n", end, end + _WINDOW)
        stop = min(end + _WINDOW, len(data)) if stop < 0 else stop
        passed = 0
        for bit, (pattern, back) in enumerate(literal.gates):
            if back >= 0:
                if pattern.match(data, end - back, stop):
                    passed |= 1 << bit
            elif pattern.search(data, max(data.rfind(b"\n", max(0, end - _WINDOW), end) + 1, end - _WINDOW), stop):
                passed |= 1 << bit
        return passed

    def _take(self, start: int, stop: int, raw: bytes, told: Told, anchors: tuple[int, ...]) -> None:
        """Take a line; the text of a short one may be left out."""
        buffer = self._buffer
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
        if told.n_failed:
            span.add_failed([buffer.line_of(start)] * told.n_failed)
        for text in told.unknown:
            span.unknown[text] = span.unknown.get(text, 0) + 1
        incident = self._open.get(told.stream)
        place = buffer.at + start
        if incident is not None and (told.closes or self._quiet_between(incident, start, told.stream)):
            self._close(incident)
            incident = None
        if not told.failure:
            self._keep_single(told, start, raw or buffer.data[start:stop])
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
        at, answer = self._looked_back
        data, stop, inside = self._buffer.data, start, False
        while stop > max(0, start - CARRIED):
            if self._buffer.at + stop == at:  # of a flood of lines without a clock each looks back to the one before
                inside = answer
                break
            first = data.rfind(b"\n", 0, stop - 1) + 1
            clock = CLOCK.match(data, first, stop)
            if clock is not None:
                opens = data[clock.end() : clock.end() + 2] == b"D "
                inside = opens and self._reader.opens_body(data[first : stop - 1])
                break
            stop = first
        self._looked_back = (self._buffer.at + start, inside)
        return inside

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
        later = self._budgets.later if self._over else self._budgets.head
        self._span = Span(self._buffer.at + offset, line, later, self._budgets.quiet, self._budgets.requests)
        if self._several:
            self._started[self._stream] = set(starts)
        else:
            self._started = {self._stream: set(starts)}
        self._clock_us = -1
        self._before_block = {}

    def _end_span(self, offset: int) -> None:
        span, buffer = self._span, self._buffer
        last = not self._over or offset == len(buffer.data)
        room = self._budgets.tail if last else self._budgets.later
        begin = max(span.start - buffer.at, offset - room, 0)
        span.tail = buffer.lines(begin, offset)
        span.last_line = buffer.line_of(offset - 1) if offset > 0 else buffer.line
        if span.last_line < span.first_line:
            return
        span.measure()
        self._over.append(span)
        self._n_folded += fold(self._over, self._budgets)

    def _clock_fall(self, block: bytes) -> int | None:
        """Return the offset in the buffer of the first line whose clock is far behind, or None."""
        first = CLOCK.search(block, 0, 4096)
        if first is None:
            return None
        last = next(reversed(list(CLOCK.finditer(block, max(0, len(block) - 1024)))), None)
        highest = self._clock_us
        end_us = clock_us(last or first)
        if max(clock_us(first), 0) >= highest - FALL_US and end_us >= max(highest, clock_us(first)) - FALL_US:
            self._clock_us = max(highest, end_us)
            return None
        fall = first_fall(block, highest)
        if fall is None:
            return None
        self._clock_us = end_us
        return self._buffer.fresh + fall
