"""What is only counted of a large log: requests, their acceptance, and messages that come by the thousand."""

from collections.abc import Sequence

from diag.model.selection import ONLY
from diag.scan.marker import Marker
from diag.scan.sums import sum_accepted, sum_told

FAR = 400  # bytes from a line's begin beyond which a request's line may be text of a user


class Counter(Marker):
    """The part of the selector that sums."""

    def _flush(self, offset: int) -> None:
        """Add what was found before the offset to the span."""
        data, span = self._buffer.data, self._span
        # the literal of older builds is the head of the newer one's, or of what is left of it where a log breaks off
        starts = [end for end in self._starts if end <= offset and data[end : end + 1] != b","]
        accepts = [end for end in self._accepts if end <= offset]
        self._starts = [end for end in self._starts if end > offset]
        if starts and span.requests_at < 0:
            # the line that chose the slot stands before
            span.requests_at = self._buffer.at + max(data.rfind(b"\n", 0, max(0, starts[0] - FAR)) + 1, 0)
            self._follow_from(starts[0], self._budgets.first_request)
        self._accepts = self._accepts[len(accepts) :]
        doubtful = starts + accepts
        if not self._several:
            (starts, some), (accepts, others) = self._told_apart(starts), self._told_apart(accepts)
            doubtful = some + others
            sums = sum_accepted(data, accepts)
            if starts or sums.n_accepted_lines:
                span.add(ONLY, sum_told(len(starts), ()) + sums)
        seen: set[int] = set()
        for end in doubtful:
            start, raw = self._buffer.line_at(end)
            if start in seen:
                continue
            seen.add(start)
            told = self._reader.tell(raw, (-1,), exact=True)
            span.add(told.stream if self._several else ONLY, sum_told(told.n_started, told.accepted))

    def _told_apart(self, ends: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return where literals end in lines of requests, and where in what may be the text of a user."""
        find, rfind = self._buffer.data.find, self._buffer.data.rfind
        begins_inside = self._buffer.open_head is not None
        sure: list[int] = []
        doubtful: list[int] = []
        for end in ends:
            start = rfind(b"\n", max(0, end - FAR), end) + 1
            if (not start and (end > FAR or begins_inside)) or find(b" D ", start, end) >= 0:
                doubtful.append(end)
            else:
                sure.append(end)
        return sure, doubtful

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
            self._search = self._look_for_active()
            self._span.turns_until = min(self._span.turns_until or line, line)
