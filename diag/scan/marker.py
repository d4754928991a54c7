"""Of what every request prints, the first and the last line of a start: they tell of builds and of what went on."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from diag.model.selection import Told
from diag.scan.buffer import Piece
from diag.scan.keeper import Keeper
from diag.scan.span import Span

_TRIES = 8  # lines of a block that may be bodies
_BEHIND = 512  # bytes behind a literal that tell whether its line states anything


class Marker(Keeper):
    """The part of the selector that keeps them."""

    def _keep_marked(self, span: Span, start: int, end: int) -> None:
        whole = start <= self._buffer.fresh and end >= len(self._buffer.data)
        for literal, ends in self._marks.items():
            inside = ends if whole else ends[bisect_right(ends, start) : bisect_right(ends, end)]
            if not inside:
                continue
            if literal not in span.marked:
                self._keep_first(span, literal, inside)
            last = next(self._stating(literal, reversed(inside)), None)
            if last is not None:
                span.last_marked[literal] = last[0]

    def _keep_first(self, span: Span, literal: int, ends: Iterable[int]) -> None:
        """Keep the first line, or as many alike as a signature wants to see."""
        for piece, told in self._stating(literal, ends):
            key = (literal, told.shape)
            n = span.n_marked[key] = span.n_marked.get(key, 0) + 1
            if n <= max(1, told.keep):
                span.pieces.append(piece)
            if told.keep <= 1 or (n >= told.keep and "0" not in told.shape):
                span.marked.add(literal)
                return

    def _stating(self, literal: int, ends: Iterable[int]) -> Iterator[tuple[Piece, Told]]:
        """Yield the next few lines in which a literal ends there and that state something: others are bodies."""
        beside, n_tries = self._literals[literal].beside, 0
        buffer, data = self._buffer, self._buffer.data
        for end in ends:
            end -= data[end - 1 : end] == b"\n"  # a literal may reach to the end of its line
            first, stop = data.rfind(b"\n", 0, end) + 1, data.find(b"\n", end)
            stop = stop if stop >= 0 else len(data)
            if beside and data.find(beside, first, min(stop, end + _BEHIND)) < 0:
                continue
            told = self._reader.tell(buffer.text(first, min(stop, end + _BEHIND), (end - first,)), (), exact=False)
            if told.known:
                yield (buffer.line_of(first), buffer.text(first, stop, (end - first,))), told
            n_tries += 1
            if n_tries == _TRIES:
                return
