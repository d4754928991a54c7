"""Lines that all stand twice, as where both outputs of the server were written to one file -> each line once."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from diag.model.line import Line

_FEWEST = 4  # different pairs: a message may well come twice, or the same one all the time
_SHARE = 0.9  # of the lines that must be doubled; the last may be cut off, a few go to one output only
_SAMPLE = 200  # physical lines that show whether the rest is worth a look

_Entry = list[Line]  # the lines of one physical line


def fold_doubles(lines: Sequence[Line]) -> list[Line] | None:
    """Return the lines without the exact double behind each one; None where not (nearly) every line stands twice.

    Lines that the server repeats stay: of six equal ones in such a log, three. Clocks of wrappers may differ within a
    pair; the first of a pair stays.
    """
    if _are_single(lines) or not _are_doubled(islice(_runs(lines), _SAMPLE)):
        return None
    runs = list(_runs(lines))
    if not _are_doubled(iter(runs)):
        return None
    return [line for run in runs for entry in run[::2] for line in entry]


def _are_single(lines: Sequence[Line]) -> bool:
    """Return whether the head shows that at most half of the runs are pairs; a cheap look, and most logs end here."""
    head = lines[:_SAMPLE]
    n_alone = sum(
        [
            before.number != line.number != after.number and before.text != line.text != after.text and line.text != ""
            for before, line, after in zip(head, head[1:], head[2:], strict=False)
        ]
    )
    return n_alone > min(_SAMPLE / 2, len(lines) / 3)


def _runs(lines: Sequence[Line]) -> Iterator[list[_Entry]]:
    """Return the entries in runs of equal ones."""
    entries = (list(group) for _, group in groupby(lines, key=lambda line: line.number))
    for _, run in groupby(entries, key=lambda entry: [(line.text, line.stream) for line in entry]):
        yield list(run)


def _are_doubled(runs: Iterator[list[_Entry]]) -> bool:
    sizes = [len(run) for run in runs if any(line.text for line in run[0])]
    n_pairs, n_even = sizes.count(2), sum(size for size in sizes if size % 2 == 0)
    # Long runs are a server's own repetitions: pairs are what shows.
    return n_pairs >= max(_FEWEST, len(sizes) / 2) and n_even >= _SHARE * sum(sizes)
