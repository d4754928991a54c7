"""The stages in order, and nothing else."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from diag import __version__
from diag.assemble.assemble import assemble
from diag.conclude.conclude import conclude
from diag.match.match import match
from diag.model.catalog import Catalog
from diag.model.finding import Finding
from diag.model.form import Form
from diag.model.line import InputFacts, Line, Note
from diag.model.report import Excerpt, Report
from diag.model.run import Run
from diag.model.stated import Stated
from diag.parse.parse import parse
from diag.parse.table import AnchorTable, TextCondition, build_table
from diag.parse.unknown import find_unknown
from diag.parse.wordings import WORDINGS
from diag.read.repair import read_lines
from diag.read.source import Source, open_source
from diag.scan.engine import Hits, literal_engine
from diag.scan.lines import scan_lines
from diag.scan.span import Budgets

SMALL = 8 << 20  # bytes of text up to which every line is read and repaired


@dataclass(frozen=True, slots=True)
class Analyzer:
    """A catalogue made ready to scan for; build one and use it for many logs."""

    catalog: Catalog
    table: AnchorTable
    engine: str
    search: Callable[[bytes], Hits]
    small: int = SMALL
    budgets: Budgets = Budgets()

    def analyze_lines(
        self,
        lines: Sequence[Line],
        facts: InputFacts,
        *,
        form: Form | None = None,
        stated: Stated | None = None,
        ignore: Sequence[str] = (),
        context: int = 0,
    ) -> Report:
        """Return the report of a log whose lines are in memory, with `context` lines around the answer's evidence."""
        run = self._run(lines, form or Form(), stated or Stated(), facts.wrappers)
        report = conclude(run, match(run, self.catalog), self.catalog, facts, version=__version__, ignore=ignore)
        return dataclasses.replace(report, excerpts=_excerpts(report, lines, context)) if context else report

    def findings(self, lines: Sequence[Line]) -> list[Finding]:
        """Return what matches, before causes absorb consequences: for the checks of signatures."""
        return match(self._run(lines, Form(), Stated(), ()), self.catalog)

    def _run(self, lines: Sequence[Line], form: Form, stated: Stated, wrappers: Sequence[str]) -> Run:
        events = parse(scan_lines(lines, self.search), self.table)
        known = {(event.line.number, event.line.part) for event in events}
        everything = sorted([*events, *find_unknown(lines, known)], key=lambda event: event.place)
        return assemble(
            everything, _extents(lines), form=form, stated=stated, table=self.catalog.models, wrappers=wrappers
        )

    def analyze(
        self,
        path: str,
        *,
        stdin: BinaryIO | None = None,
        stated: Stated | None = None,
        ignore: Sequence[str] = (),
        context: int = 0,
    ) -> Report:
        """Return the report of a file, or of standard input for "-". Raises InputError when it cannot be read."""
        with open_source(path, stdin=stdin) as source:
            data, rest = source.head(self.small)
            if rest is not None:
                return self._analyze_large(source, data, rest, stated=stated, ignore=ignore, context=context)
            lines, notes, wrappers, form = read_lines(data.decode("utf-8", "replace"))
            facts = InputFacts(
                name=source.name,
                n_bytes=source.n_bytes,
                n_lines=data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0),
                encoding=source.encoding,
                wrappers=(*source.layers, *wrappers),
                notes=(*source.notes, *notes),
            )
        return self.analyze_lines(lines, facts, form=form, stated=stated, ignore=ignore, context=context)

    def _analyze_large(
        self,
        source: Source,
        head: bytes,
        rest: Iterator[bytes],
        *,
        stated: Stated | None,
        ignore: Sequence[str],
        context: int,
    ) -> Report:
        """Return the report of a log that is not held in memory."""
        from diag.large.analyze import choose

        chosen = choose(
            chain((head,), rest),
            catalog=self.catalog,
            table=self.table,
            search=self.search,
            engine=self.engine,
            budgets=self.budgets,
        )
        facts = InputFacts(
            name=source.name,
            n_bytes=source.n_bytes,
            n_lines=chosen.n_lines,
            encoding=source.encoding,
            wrappers=(*source.layers, *chosen.wrappers),
            notes=(*source.notes, *chosen.notes),
        )
        run = assemble(
            chosen.events,
            _extents(chosen.lines),
            form=chosen.form,
            stated=stated or Stated(),
            table=self.catalog.models,
            wrappers=chosen.wrappers,
            bulk=chosen.bulk,
        )
        report = conclude(run, match(run, self.catalog), self.catalog, facts, version=__version__, ignore=ignore)
        return dataclasses.replace(report, excerpts=_excerpts(report, chosen.lines, context)) if context else report

    def analyze_text(self, text: str, name: str = "log") -> Report:
        """Return the report of bare log text, one line a line: examples and tests."""
        lines = [Line(number, 0, line) for number, line in enumerate(text.splitlines(), 1)]
        notes: tuple[Note, ...] = ()
        return self.analyze_lines(lines, InputFacts(name, len(text.encode()), len(lines), "utf-8", (), notes))


def analyzer(catalog: Catalog, engine: str | None = None) -> Analyzer:
    """Return the analyzer of a catalogue; `engine` forces "hyperscan" or "standard-library"."""
    texts = [
        TextCondition(f"{outline.id}/{name}", anchor, pattern)
        for outline in catalog.outlines
        for name, anchor, pattern in outline.texts
    ]
    table = build_table(WORDINGS, texts)
    name, search = literal_engine(table.anchors, engine)
    return Analyzer(catalog, table, name, search)


def _excerpts(report: Report, lines: Sequence[Line], context: int) -> tuple[Excerpt, ...]:
    """Return the answer's evidence with the lines around it, each line once."""
    shown = report.diagnoses[0].evidence if report.diagnoses else ()
    places = {(item.line, item.part) for item in shown}
    near: set[int] = set()
    for index, line in enumerate(lines):
        if (line.number, line.part) in places:
            near.update(range(max(0, index - context), min(len(lines), index + context + 1)))
    return tuple(
        Excerpt(
            lines[index].number,
            lines[index].part,
            lines[index].text,
            (lines[index].number, lines[index].part) in places,
        )
        for index in sorted(near)
    )


def _extents(lines: Sequence[Line]) -> dict[str | None, tuple[int, int]]:
    extents: dict[str | None, tuple[int, int]] = {}
    for line in lines:
        first, _ = extents.get(line.stream, (line.number, 0))
        extents[line.stream] = (first, line.number)
    return extents
