"""Of what every request prints, the first and the last line of a start: they tell of builds and of what went on."""

from collections.abc import Iterable
from itertools import islice

from diag.scan.buffer import Piece, trimmed
from diag.scan.keeper import Keeper
from diag.scan.span import Span

_TRIES = 8  # lines of a block that may be bodies
_BEHIND = 512  # bytes behind a literal that tell whether its line states anything


class Marker(Keeper):
    """The part of the selector that keeps them."""

    def _keep_marked(self, span: Span, start: int, end: int) -> None:
        marks = self._marks
        if start > self._buffer.fresh or end < len(self._buffer.data):
            marks = [mark for mark in marks if start < mark[0] <= end]
        last = {literal: at for at, literal in marks}
        new = last.keys() - span.marked
        if new:
            first = {literal: at for at, literal in reversed(marks) if literal in new}
            for literal in new:
                piece = self._line_at(first[literal]) or self._line_among(marks, literal)
                if piece is not None:
                    span.marked.add(literal)
                    span.pieces.append(piece)
        for literal, at in last.items():
            piece = self._line_at(at) or self._line_among(reversed(marks), literal)
            if piece is not None:
                span.last_marked[literal] = piece

    def _line_among(self, marks: Iterable[tuple[int, int]], literal: int) -> Piece | None:
        """Return the first of the next few lines with the literal that states something: others are bodies."""
        ends = islice((at for at, other in marks if other == literal), 1, _TRIES)
        return next(filter(None, map(self._line_at, ends)), None)

    def _line_at(self, end: int) -> Piece | None:
        """Return the line in which a literal ends there, or None when what leads to it states nothing."""
        data = self._buffer.data
        end -= data[end - 1 : end] == b"\n"  # a literal may reach to the end of its line
        first, stop = data.rfind(b"\n", 0, end) + 1, data.find(b"\n", end)
        stop = stop if stop >= 0 else len(data)
        head = trimmed(data[first : min(stop, end + _BEHIND)], (end - first,))
        if not self._reader.tell(head, (), exact=False).known:
            return None
        return self._buffer.line_of(first), trimmed(data[first:stop], (end - first,))
