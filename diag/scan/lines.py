"""Candidates among lines that are already in memory."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from diag.model.candidate import Candidate
from diag.model.line import Line
from diag.scan.engine import Hits


def scan_lines(lines: Sequence[Line], search: Callable[[bytes], Hits]) -> list[Candidate]:
    """Return a candidate for each line that holds an anchor, in line order, with the indexes of its anchors."""
    if not lines:
        return []
    texts = [line.text for line in lines]
    text = "\n".join(texts)
    sizes = map(len, texts) if text.isascii() else [len(text.encode("utf-8", "surrogatepass")) for text in texts]
    ends = list(accumulate(map((1).__add__, sizes)))  # where the following line starts
    by_line: list[tuple[int, list[int]]] = []
    limit = 0
    for end, literal in search(text.encode("utf-8", "surrogatepass")):
        if end > limit:
            index = bisect_right(ends, end - 1)
            limit = ends[index]
            by_line.append((index, []))
        by_line[-1][1].append(literal)
    return [Candidate(lines[index], tuple(sorted({*found}) if found[1:] else found)) for index, found in by_line]
