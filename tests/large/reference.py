"""What a large log must give: the report of the small regime, and a reading without anchors, blocks or memory."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from diag.large.analyze import Chosen
from diag.model.line import InputFacts
from diag.model.report import Report
from diag.parse.prefix import split_prefix
from diag.parse.wordings import WORDINGS
from diag.pipeline import Analyzer
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


def chosen(data: bytes, *, size: int = 1 << 20, budgets: Budgets | None = None, engine: str | None = None) -> Chosen:
    """Return what is kept of a log given in blocks."""
    return _with(budgets, engine).choose(blocks_of(data, size))


def large(data: bytes, *, size: int = 1 << 20, budgets: Budgets | None = None, engine: str | None = None) -> Report:
    """Return the report of the large regime, whatever the size."""
    analyzer = _with(budgets, engine)
    left = analyzer.choose(blocks_of(data, size))
    facts = InputFacts("log", len(data), left.n_lines, "utf-8", left.wrappers, left.notes)
    return analyzer.analyze_chosen(left, facts)


def small(data: bytes) -> Report:
    """Return the report of the small regime, whatever the size."""
    text = data.decode("utf-8", "replace")
    lines, notes, wrappers, form = read_lines(text)
    n_lines = data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
    facts = InputFacts("log", len(data), n_lines, "utf-8", wrappers, tuple(notes))
    return ready().analyze_lines(lines, facts, form=form)


def _with(budgets: Budgets | None, engine: str | None) -> Analyzer:
    return dataclasses.replace(ready(engine), budgets=budgets or Budgets())


def facts_of(report: Report) -> dict[str, Any]:
    """Return what must be the same however a log is read."""
    return {
        "lines": report.input.n_lines,
        "sessions": [
            (
                item.first_line,
                item.last_line,
                item.stream,
                (item.ending.kind, item.ending.line, item.ending.during),
                item.n_requests,
                {
                    turn: (sums.requests, sums.drafted, sums.accepted, round(sums.cycles, 3), sums.measured_len)
                    for turn, sums in item.acceptance.items()
                },
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
                item.session,
                item.count,
                item.confidence,
                (item.first.line, item.last.line),
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


def plain_count(data: bytes) -> dict[str, tuple[int, int]]:
    """Return how often each event is stated, and its first line: every wording is tried on every line."""
    found: dict[str, tuple[int, int]] = {}
    for line in read_lines(data.decode("utf-8", "replace"))[0]:
        prefixed = split_prefix(line)
        names = {
            row.event.__name__
            for row in WORDINGS
            if not (row.raw and prefixed.level is not None)
            and row.read(prefixed.message if row.in_body else prefixed.message[: prefixed.body_at]) is not None
        }
        for name in names:
            count, first = found.get(name, (0, line.number))
            found[name] = (count + 1, first)
    return found


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
