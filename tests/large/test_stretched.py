"""Samples stretched by lines that say nothing, as a higher verbosity or a long request does: the answers stay."""

from collections.abc import Iterator

import pytest

from diag.read.repair import reads_line_by_line
from tests.build import SAMPLES
from tests.large.reference import TINY, facts_of, large, small

ROUTINE = "{clock}I que    start_loop: waiting for new tasks, nothing to do here\n"
N_LINES = 40  # more than any of the tiny windows


def stretched(text: str, *, behind: str) -> str:
    """Return the log with routine lines behind each line that holds a word."""
    rows: list[str] = []
    for row in text.splitlines(keepends=True):
        rows.append(row)
        if behind in row and row.endswith("\n"):
            clock = row.partition(" ")[0] + " " if row[0].isdigit() else ""
            rows += [ROUTINE.format(clock=clock)] * N_LINES
    return "".join(rows)


def _cases() -> Iterator[object]:
    for path in sorted(SAMPLES.glob("*/log.txt")):
        text, name = path.read_text(encoding="utf-8"), path.parent.name
        for behind in ("processing task", "prompt eval time"):
            if behind in text and reads_line_by_line(text):
                yield pytest.param(stretched(text, behind=behind), id=f"{name}, {behind}")


@pytest.mark.parametrize("text", list(_cases()))
def test_a_stretched_sample_is_read_alike(text: str) -> None:
    data = text.encode()
    assert facts_of(large(data, size=900, budgets=TINY)) == facts_of(small(data))
