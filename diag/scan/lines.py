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
    ends = list(accumulate(size + 1 for size in sizes))  # where the following line starts
    candidates: list[Candidate] = []
    index, found, limit = 0, set[int](), 0
    for end, literal in search(text.encode("utf-8", "surrogatepass")):
        if end > limit:
            if found:
                candidates.append(Candidate(lines[index], tuple(sorted(found))))
            index = bisect_right(ends, end - 1)
            found, limit = {literal}, ends[index]
        else:
            found.add(literal)
    if found:
        candidates.append(Candidate(lines[index], tuple(sorted(found))))
    return candidates
