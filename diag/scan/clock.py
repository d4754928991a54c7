"""The program's own clock at the begin of a line, which counts from the start of its process."""

import re

CLOCK = re.compile(rb"^\[?(\d{1,7})\.([0-5]\d)\.(\d{3})\.(\d{3})\]? ", re.MULTILINE)
FALL_US = 1_000_000  # a clock that falls by more belongs to another process
_NEAR = 4096  # bytes below which a fall is looked for line by line


def clock_us(found: re.Match[bytes]) -> int:
    """Return a clock that CLOCK found in microseconds."""
    minutes, seconds, ms, us = (int(part) for part in found.groups())
    return ((minutes * 60 + seconds) * 1000 + ms) * 1000 + us


def falls(before: bytes, line: bytes) -> bool:
    """Return whether the clock of a line is so far behind that of the one before that another process wrote it."""
    earlier, later = CLOCK.match(before), CLOCK.match(line)
    return earlier is not None and later is not None and clock_us(later) < clock_us(earlier) - FALL_US


def first_fall(block: bytes, highest: int) -> int | None:
    """Return the offset of the first line whose clock is far behind the highest one before, or None.

    A fall that does not last to the block's end may be passed over.
    """
    low, high = 0, len(block)
    while high - low > _NEAR:
        middle = block.rfind(b"\n", low, (low + high) // 2) + 1
        found = CLOCK.search(block, middle, high) if middle > low else None
        if found is None:
            break
        if clock_us(found) < highest - FALL_US:
            high = found.end()
        else:
            low, highest = found.start(), max(highest, clock_us(found))
    for found in CLOCK.finditer(block, low):
        us = clock_us(found)
        if us < highest - FALL_US:
            return found.start()
        highest = max(highest, us)
    return None
