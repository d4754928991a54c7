"""Candidates among lines that are already in memory."""

import bisect
from collections.abc import Callable, Sequence

from diag.model.candidate import Candidate
from diag.model.line import Line
from diag.scan.engine import Hits


def scan_lines(lines: Sequence[Line], search: Callable[[bytes], Hits]) -> list[Candidate]:
    """Return a candidate for each line that holds an anchor, in line order, with the indexes of its anchors."""
    starts: list[int] = []
    parts: list[bytes] = []
    at = 0
    for line in lines:
        data = line.text.encode("utf-8", "surrogatepass")
        starts.append(at)
        parts.append(data)
        at += len(data) + 1
    anchors: dict[int, set[int]] = {}
    for end, literal in search(b"\n".join(parts)):
        anchors.setdefault(bisect.bisect_right(starts, end - 1) - 1, set()).add(literal)
    return [Candidate(lines[index], tuple(sorted(found))) for index, found in sorted(anchors.items())]
