"""Small makers for tests: an analyzer of the shipped catalogue; lines, events, sessions, reports of bare text."""

import functools
from collections.abc import Sequence
from pathlib import Path

from diag.catalog.load import load_catalog
from diag.catalog.locate import shipped
from diag.model.catalog import Catalog
from diag.model.events import Event
from diag.model.form import Form
from diag.model.line import InputFacts, Line
from diag.model.models import ModelTable
from diag.model.report import Report
from diag.model.run import Session
from diag.model.stated import Stated
from diag.parse.parse import parse
from diag.pipeline import Analyzer, analyzer
from diag.scan.lines import scan_lines

SAMPLES = Path(__file__).resolve().parent.parent / "samples"


@functools.cache
def catalog() -> Catalog:
    """Return the shipped catalogue, loaded from its sources."""
    return load_catalog([shipped("signatures")])


@functools.cache
def ready(engine: str | None = None) -> Analyzer:
    """Return the analyzer of the shipped catalogue."""
    return analyzer(catalog(), engine)


@functools.cache
def models() -> ModelTable:
    """Return the shipped table of architectures."""
    return catalog().models


@functools.cache
def wordings_only() -> Analyzer:
    """Return an analyzer that knows every wording and no signature."""
    return analyzer(Catalog({}, (), {}, models(), spellings=catalog().spellings))


def lines(text: str, stream: str | None = None) -> list[Line]:
    """Return bare log text as lines numbered from 1."""
    return [Line(number, 0, line, stream) for number, line in enumerate(text.strip("\n").splitlines(), 1)]


def woven(*written: tuple[str | None, str]) -> list[Line]:
    """Return (stream, text) pairs as lines in the order given, numbered from 1."""
    texts = [(stream, line) for stream, text in written for line in text.strip("\n").splitlines()]
    return [Line(number, 0, line, stream) for number, (stream, line) in enumerate(texts, 1)]


def events(text: str | Sequence[Line]) -> list[Event]:
    """Return the events that wordings read, before anything is put together."""
    known = wordings_only()
    return parse(scan_lines(lines(text) if isinstance(text, str) else text, known.search), known.table)


def sessions(
    text: str | Sequence[Line],
    *,
    form: Form | None = None,
    stated: Stated | None = None,
    wrappers: tuple[str, ...] = (),
) -> tuple[Session, ...]:
    """Return the sessions of a log as they are put together from wordings alone."""
    given = lines(text) if isinstance(text, str) else list(text)
    facts = InputFacts("log", 0, len(given), "utf-8", wrappers, ())
    return wordings_only().analyze_lines(given, facts, form=form, stated=stated).sessions


def session(
    text: str | Sequence[Line],
    *,
    form: Form | None = None,
    stated: Stated | None = None,
    wrappers: tuple[str, ...] = (),
) -> Session:
    """Return the one session of a log."""
    (only,) = sessions(text, form=form, stated=stated, wrappers=wrappers)
    return only


def report(text: str) -> Report:
    """Return the report of bare log text."""
    return ready().analyze_text(text.strip("\n"))


def sample(name: str) -> str:
    """Return a shipped sample's log."""
    return (SAMPLES / name / "log.txt").read_text(encoding="utf-8")


def signature_toml(
    name: str,
    body: str,
    *,
    area: str = "server",
    severity: str = "error",
    keys: str = "",
    cause: str = "It was composed for a test.",
) -> str:
    """Return the text of a small signature file: `keys` are top-level lines, `body` its [[match]] and [when] tables."""
    return f"""
id = "{name}"
title = "A composed failure kind"
area = "{area}"
severity = "{severity}"
{keys}
{body}
[cause]
text = "{cause}"
chain = ["It was composed for a test"]
[[example]]
expect = "match"
provenance = "composed"
log = "x"
[[example]]
expect = "no-match"
why = "it is another line"
provenance = "composed"
log = "y"
"""


def tiny_catalog(folder: Path, **bodies: str) -> Catalog:
    """Return a catalogue of files written below the folder; `bodies` maps ids, with _ for -, to whole file texts."""
    for name, text in bodies.items():
        area = next(line.split('"')[1] for line in text.splitlines() if line.startswith("area = "))
        path = folder / area / f"{name.replace('_', '-')}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load_catalog([folder])
