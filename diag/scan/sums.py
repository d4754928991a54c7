"""Sums over what every request prints, taken from the bytes around the hits."""

import re
from collections.abc import Sequence

from diag.model.selection import Sums

# Behind "draft acceptance = ": the share, the two counts, and in newer builds the mean length. A wrapper may follow.
_ACCEPTED = re.compile(
    rb"^(?:rate = )?[\d.]+ \( *(\d+) accepted / +(\d+) generated\)"
    rb"(?:, mean (?:acceptance length|len) = +([\d.]+)|\s*(?:$|[\"\\\r])|)",
    re.MULTILINE,
)
_LONGEST = 128  # bytes of such a text


def sum_accepted(buffer: bytes, ends: Sequence[int]) -> Sums:
    """Return the sums of the acceptance lines whose literals end at `ends`; requests are not counted."""
    if not ends:
        return Sums()
    rows = _ACCEPTED.findall(b"\n".join([buffer[end : end + _LONGEST].partition(b"\n")[0] for end in ends]))
    accepted = [int(row[0]) for row in rows]
    cycles, n_measured = 0.0, 0
    for row, count in zip(rows, accepted, strict=True):
        if row[2]:
            n_measured += 1
            length = float(row[2])
            if length > 1:
                cycles += count / (length - 1)
    return Sums(0, len(rows), sum(accepted), sum([int(row[1]) for row in rows]), cycles, n_measured)


def sum_told(n_started: int, accepted: Sequence[tuple[int, int, float | None]]) -> Sums:
    """Return the sums of lines that were read one by one."""
    lengths = [(count, length) for count, _, length in accepted if length is not None]
    return Sums(
        n_started,
        len(accepted),
        sum(row[0] for row in accepted),
        sum(row[1] for row in accepted),
        sum(count / (length - 1) for count, length in lengths if length > 1),
        len(lengths),
    )
