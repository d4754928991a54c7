"""Both ways to read a log, whatever its size: most of it only counted, and every line read."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from diag.model.line import InputFacts
from diag.model.report import Report
from diag.model.run import Acceptance
from diag.read.repair import read_lines
from diag.scan.span import Budgets
from tests.build import catalog, ready

# Windows so small that nearly every line of a sample stands in the middle.
TINY = Budgets(head=600, tail=600, later=300, context=400, small_context=100, requests=2500)


def blocks_of(data: bytes, size: int) -> Iterator[bytes]:
    """Yield the data in blocks of at most size bytes cut at line ends; a longer line is a block of its own."""
    at = 0
    while at < len(data):
        cut = data.rfind(b"\n", at, at + size) + 1
        if cut <= at:
            cut = data.find(b"\n", at) + 1 or len(data)
        yield data[at:cut]
        at = cut


def kept_and_told(
    data: bytes, *, size: int = 1 << 20, budgets: Budgets | None = None, engine: str | None = None
) -> tuple[set[int], Report]:
    """Return the numbers of the lines that the large regime keeps of a log given in blocks, and its report."""
    return read_blocks(blocks_of(data, size), len(data), budgets=budgets, engine=engine)


def large(data: bytes, *, size: int = 1 << 20, budgets: Budgets | None = None, engine: str | None = None) -> Report:
    """Return the report of the large regime, whatever the size."""
    return kept_and_told(data, size=size, budgets=budgets, engine=engine)[1]


def read_blocks(
    blocks: Iterable[bytes], n_bytes: int = 0, *, budgets: Budgets | None = None, engine: str | None = None
) -> tuple[set[int], Report]:
    """Return the same of any blocks."""
    analyzer = dataclasses.replace(ready(engine), budgets=budgets or Budgets())
    left = analyzer.choose(blocks)
    facts = InputFacts("log", n_bytes, left.n_lines, "utf-8", left.wrappers, left.notes)
    return {line.number for line in left.lines}, analyzer.analyze_chosen(left, facts)


def small(data: bytes) -> Report:
    """Return the report of the small regime, whatever the size."""
    text = data.decode("utf-8", "replace")
    lines, notes, wrappers, form = read_lines(text)
    n_lines = data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
    facts = InputFacts("log", len(data), n_lines, "utf-8", wrappers, tuple(notes))
    return ready().analyze_lines(lines, facts, form=form)


def facts_of(report: Report, *, turns: bool = True) -> dict[str, Any]:
    """Return what must be the same however a log is read; turns: requests with an image are told from the others."""
    return {
        "lines": report.input.n_lines,
        "sessions": [
            (
                item.first_line,
                item.last_line,
                item.stream,
                (item.ending.kind, item.ending.line, item.ending.during),
                item.n_requests,
                _sums(item.acceptance if turns else {"all": sum(item.acceptance.values(), Acceptance())}),
                item.build,
                (item.drafter.family, item.drafter.confidence),
                item.image_input,
                (item.started, item.reached),
            )
            for item in report.sessions
        ],
        "diagnoses": [
            (
                item.signature,
                item.severity,
                item.session,
                item.count,
                item.confidence,
                (item.first.line, item.last.line),
                [evidence.line for evidence in item.evidence[:1]],
                item.impact,
                item.withdrawn_by_line,
                sorted(other.signature for other in item.consequences),
            )
            for item in report.diagnoses
        ],
        "benign": sorted((item.signature, item.count, item.evidence[0].line) for item in report.benign),
        "unknown": [(item.fingerprint, item.line, item.count) for item in report.unknown],
        "coverage": report.coverage,
    }


def _sums(acceptance: Mapping[str, Acceptance]) -> dict[str, tuple[int, int, int, float, int]]:
    return {
        turn: (sums.requests, sums.drafted, sums.accepted, round(sums.cycles, 3), sums.measured_len)
        for turn, sums in acceptance.items()
    }


def conditions_on(events: set[str]) -> set[tuple[str, str]]:
    """Return (event, field) of every comparison that a shipped signature makes on some events."""
    return {
        (condition.event, field)
        for signature in catalog().signatures.values()
        for condition in signature.conditions.values()
        if condition.event in events
        for field, test in condition.where.items()
        if test.same_as is None
    }
