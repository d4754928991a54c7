"""A window that slides over the blocks of a log: the newest block and a little of the one before, with line numbers."""

from collections.abc import Sequence

CARRIED = 64 << 10  # bytes of the block before; the tail of a session, and what leads into an incident
LONG_LINE = 16 << 10  # bytes; of a longer line only the head and the text around its anchors are kept
_HEAD = 8 << 10
_AROUND = 8 << 10
_MOST_AROUND = 16
_STEP = 8 << 10

Piece = tuple[int, bytes]
"""Number of the first line, and whole lines."""


class Buffer:
    """Offsets are those of `data`; `at` is where `data` begins in the log, `line` the number of its first line."""

    def __init__(self) -> None:
        self.data = b""
        self.at = 0
        self.line = 1
        self.fresh = 0  # offset of what was not there before
        self.open_head: bytes | None = None  # head of the line that `data` begins inside of
        self._marks: list[int] = [1]  # number of the line at each step from `fresh` on, and at the end
        self._near = (0, 1)  # an offset and the number of its line

    def feed(self, block: bytes) -> None:
        """Slide on to the next block."""
        old = self.data
        keep = old.rfind(b"\n", 0, max(0, len(old) - CARRIED)) + 1 if len(old) > CARRIED else 0
        if len(old) - keep > 4 * CARRIED:  # the end of a very long line: only its head is remembered
            begin = old.rfind(b"\n") + 1
            if begin > keep or self.open_head is None:
                self.open_head = old[begin : begin + _HEAD]
            keep = len(old)
        elif keep:
            self.open_head = None
        self.line = self.line_of(keep)
        self.at += keep
        self.data = old[keep:] + block
        self.fresh = len(old) - keep
        number = self._marks[-1]
        self._marks = [number]
        for start in range(self.fresh, len(self.data), _STEP):
            number += self.data.count(b"\n", start, start + _STEP)
            self._marks.append(number)
        self._near = (0, self.line)

    @property
    def last_line(self) -> int:
        """Number of the line at the end, which may still be empty."""
        return self._marks[-1]

    def line_of(self, offset: int) -> int:
        """Return the number of the line that holds the offset."""
        near, number = self._near
        if not 0 <= offset - near <= _STEP:
            step = (offset - self.fresh) // _STEP
            near, number = (self.fresh + step * _STEP, self._marks[step]) if step >= 0 else (0, self.line)
        number += self.data.count(b"\n", near, offset)
        self._near = (offset, number)
        return number

    def text(self, start: int, stop: int, anchors: Sequence[int]) -> bytes:
        """Return a line by where it begins and ends, trimmed; of one that began before the buffer, its head first.

        `anchors`: where in it what matters ends.
        """
        raw = trimmed(self.data[start:stop], anchors)
        return self.open_head + b" ... " + raw if start == 0 and self.open_head is not None else raw

    def line_at(self, end: int) -> tuple[int, bytes]:
        """Return where the line begins that holds what ends there, and its text."""
        start, stop = self.data.rfind(b"\n", 0, end) + 1, self.data.find(b"\n", end)
        return start, self.text(start, stop if stop >= 0 else len(self.data), (end - start,))

    def lines(self, start: int, end: int) -> list[Piece]:
        """Return the whole lines that begin in [start, end), long ones trimmed, as pieces."""
        data = self.data
        if start > 0 and data[start - 1] != 10:
            start = data.find(b"\n", start, end) + 1
            if not start:
                return []
        if start >= end:
            return []
        stop = data.find(b"\n", end - 1)
        stop = len(data) if stop < 0 else stop + 1
        begins_inside = start == 0 and self.open_head is not None
        if stop - start <= LONG_LINE and not begins_inside:
            return [(self.line_of(start), data[start:stop])]
        pieces: list[Piece] = []
        number = self.line_of(start)
        for raw in data[start:stop].removesuffix(b"\n").split(b"\n"):
            head = self.open_head + b" ... " if begins_inside and not pieces and self.open_head is not None else b""
            pieces.append((number, head + trimmed(raw, ())))
            number += 1
        return pieces


def trimmed(raw: bytes, anchors: Sequence[int]) -> bytes:
    """Return a long line cut down to its head and what stands around the anchors, given by where they end in it."""
    if len(raw) <= LONG_LINE:
        return raw
    parts = [raw[:_HEAD]]
    seen = _HEAD
    for end in anchors[:_MOST_AROUND]:
        begin = max(seen, end - _AROUND)
        if end > seen:
            parts.append(raw[begin : end + _AROUND])
            seen = end + _AROUND
    return b" ... ".join(part.rstrip(b"\n") for part in parts)
