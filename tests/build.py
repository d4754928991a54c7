"""Small makers for tests: an analyzer of the shipped catalogue, lines and reports of bare text."""

import functools
from pathlib import Path

from diag.catalog.load import load_catalog
from diag.catalog.locate import shipped
from diag.model.catalog import Catalog
from diag.model.line import Line
from diag.model.report import Report
from diag.pipeline import Analyzer, analyzer

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


@functools.cache
def catalog() -> Catalog:
    """Return the shipped catalogue, loaded from its sources."""
    return load_catalog([shipped("signatures")])


@functools.cache
def ready(engine: str | None = None) -> Analyzer:
    """Return the analyzer of the shipped catalogue."""
    return analyzer(catalog(), engine)


def lines(text: str) -> list[Line]:
    """Return bare log text as lines numbered from 1."""
    return [Line(number, 0, line) for number, line in enumerate(text.strip("\n").splitlines(), 1)]


def report(text: str) -> Report:
    """Return the report of bare log text."""
    return ready().analyze_text(text.strip("\n"))


def sample(name: str) -> str:
    """Return a shipped sample's log."""
    return (SAMPLES / name / "log.txt").read_text(encoding="utf-8")
