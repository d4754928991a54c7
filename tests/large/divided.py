"""A log read in ranges, as several processes read it, in this one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from diag.large.ranges import Crew, Done, Task, divide
from diag.model.line import InputFacts
from diag.model.report import Report
from diag.read.source import open_source
from diag.scan.span import Budgets
from tests.build import ready


class Here:
    """A crew in this process, which counts what it was asked for."""

    def __init__(self, engine: str | None = None, budgets: Budgets | None = None) -> None:
        self.tasks: list[Task] = []
        self._ready = replace(ready(engine), budgets=budgets)

    def __call__(self, tasks: Sequence[Task]) -> Iterator[Done]:
        self.tasks += tasks
        return map(self._ready.read_range, tasks)


def read_in_ranges(
    path: Path, crew: Crew, n: int, *, engine: str | None = None, budgets: Budgets | None = None
) -> tuple[set[int], Report]:
    """Return the numbers of the lines that are kept of a file read in n ranges, however small, and its report."""
    analyzer = replace(ready(engine), budgets=budgets)
    with open_source(str(path)) as source:
        divided = divide(source, crew, n, least=1)
        assert divided is not None
        chosen = analyzer.choose(source.blocks(), divided)
        facts = InputFacts(
            "log", divided.n_bytes, chosen.n_lines, divided.encoding, chosen.wrappers, tuple(divided.notes)
        )
    return {line.number for line in chosen.lines}, analyzer.analyze_chosen(chosen, facts)
