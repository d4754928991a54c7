"""The stages in order, and nothing else."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

from diag import __version__
from diag.assemble.assemble import assemble
from diag.assemble.choose import choose_sessions
from diag.conclude.conclude import conclude
from diag.conclude.excerpts import excerpts_of
from diag.match.match import match
from diag.model.catalog import Catalog
from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.model.finding import Finding
from diag.model.form import Form
from diag.model.line import InputFacts, Line, Note
from diag.model.noun import noun
from diag.model.report import Report
from diag.model.run import Run
from diag.model.stated import Stated
from diag.parse.bodies import outside_bodies
from diag.parse.drift import find_drift
from diag.parse.parse import parse
from diag.parse.prose import only_prose
from diag.parse.table import AnchorTable, TextCondition, build_table
from diag.parse.unknown import find_unknown
from diag.parse.wordings import WORDINGS
from diag.read.colours import strip_colours
from diag.read.range import Progress
from diag.read.repair import read_lines, reads_line_by_line
from diag.read.source import Source, in_blocks, open_source
from diag.read.turned import is_turned, mirrored
from diag.scan.engine import Hits, literal_engine
from diag.scan.lines import scan_lines

if TYPE_CHECKING:  # what ordinary logs can do without is imported where it is used
    from diag.large.analyze import Chosen
    from diag.large.ranges import Crew, Divided, Done, Task
    from diag.profile import Profile
    from diag.scan.span import Budgets

DEFAULT_VERBOSITY = 3  # what llama-server logs without -lv, from b9246 on
PATTERN_LIMIT_S = 0.1  # for a line and a pattern of a folder that the user named
SMALL = 8 << 20  # bytes of text up to which every line is read where copying or wrapping left something to repair
PLAIN = 512 << 10  # and where nothing is to repair: a longer log is read as the largest are, in their memory
_HEAD = 64 << 10  # bytes by which that is told
_STARTS = 240  # of a log up to SMALL that many are kept after the first ten: fewer lines a start, but hardly one folded


@noun
class Analyzer:
    """A catalogue made ready to scan for; build one and use it for many logs."""

    catalog: Catalog
    table: AnchorTable
    engine: str
    search: Callable[[bytes], Hits]
    small: int = SMALL
    plain: int = PLAIN
    budgets: "Budgets | None" = None  # how much of a large log is kept; None = the usual
    profile: "Profile | None" = None  # where the time went is counted in it
    watch: Callable[[Iterator[bytes], Progress], Iterator[bytes]] | None = None  # sees the blocks of a large log pass
    crew: "Crew | None" = None  # reads ranges of a large file beside this process
    n_ranges: int = 1

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Return what counts the time spent inside it, where a profile is asked for."""
        return self.profile.stage(name) if self.profile is not None else nullcontext()

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
        if is_turned(lines):
            top = facts.n_lines + 1
            given = mirrored(lines, top), mirrored(facts, top)
            form = mirrored(form, top)
            report = self.analyze_lines(*given, form=form, stated=stated, ignore=ignore, context=context)
            return mirrored(report, top)
        with self.stage("exact match"):
            events = self._events(lines, form or Form())
            if only_prose(events, len(lines)):
                events = []
        with self.stage("assemble"):
            run = self._run(events, lines, form or Form(), stated or Stated(), facts.wrappers)
        report = self._concluded(run, facts, ignore)
        known = {(event.line.number, event.line.part) for event in events}
        verbose = any((session.verbosity or 0) > DEFAULT_VERBOSITY for session in run.sessions)
        return dataclasses.replace(
            report,
            drift=find_drift(lines, known, warnings_only=verbose),
            excerpts=excerpts_of(report, lines, context) if context else (),
        )

    def _concluded(self, run: Run, facts: InputFacts, ignore: Sequence[str]) -> Report:
        late = [(text.name, text.late) for text in self.table.timed if text.late]
        if late:
            notes = [Note(f"{name}: its pattern ran out of time on {len(lines)} lines") for name, lines in late]
            facts = dataclasses.replace(facts, notes=(*facts.notes, *notes))
            for _, lines in late:
                lines.clear()
        with self.stage("match"):
            findings = match(run, self.catalog)
        with self.stage("conclude"):
            return conclude(run, findings, self.catalog, facts, version=__version__, ignore=ignore)

    def findings(self, log: str | Sequence[Line]) -> list[Finding]:
        """Return what matches in a pasted text or in lines, before causes absorb consequences: for checks."""
        if not isinstance(log, str):
            return match(self._run(self._events(log, Form()), log, Form(), Stated(), ()), self.catalog)
        lines, _, wrappers, form = read_lines(log)
        return match(self._run(self._events(lines, form), lines, form, Stated(), wrappers), self.catalog)

    def events(self, log: str) -> list[Event]:
        """Return what the lines of a pasted text state, in their order: for checks."""
        lines, _, _, form = read_lines(log)
        return self._events(lines, form)

    def _events(self, lines: Sequence[Line], form: Form) -> list[Event]:
        lines = outside_bodies(lines)
        events = parse(scan_lines(lines, self.search), self.table)
        known = {(event.line.number, event.line.part) for event in events}
        # a typed command is no line of the log, but a signature may ask for a word of it
        stream = lines[0].stream if lines else None
        typed = [
            Line(command.line, 0, f"{command.runner} {command.text}".strip(), stream=stream)
            for command in form.commands
        ]
        asked = [event for event in parse(scan_lines(typed, self.search), self.table) if isinstance(event, TextMatched)]
        asked = [event for event in asked if (event.line.number, event.line.part) not in known]
        # a line that only a signature's text knows stays unknown unless that signature holds
        known = {(event.line.number, event.line.part) for event in events if not isinstance(event, TextMatched)}
        return sorted([*events, *asked, *find_unknown(lines, known)], key=lambda event: event.place)

    def _run(
        self, events: Sequence[Event], lines: Sequence[Line], form: Form, stated: Stated, wrappers: Sequence[str]
    ) -> Run:
        run = assemble(
            events,
            _extents(lines),
            form=form,
            stated=stated,
            table=self.catalog.models,
            spellings=self.catalog.spellings,
            wrappers=wrappers,
        )
        return choose_sessions(run, stated.session)

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
            if source.surely_larger_than(self.small):
                return self._analyze_large(source, source.blocks(), stated=stated, ignore=ignore, context=context)
            with self.stage("read"):
                data, rest = source.head(self.small)
            if rest is not None or (len(data) > self.plain and reads_line_by_line(_head(data))):
                held = [data]
                del data  # the head is not held while the rest is read
                blocks = chain(in_blocks(held), rest or ())
                reader = self._with_more_starts() if rest is None else self
                return reader._analyze_large(source, blocks, stated=stated, ignore=ignore, context=context)
            text = data.decode("utf-8", "replace")
            with self.stage("read"):
                lines, notes, wrappers, form = read_lines(text)
            facts = InputFacts(
                name=source.name,
                n_bytes=source.n_bytes,
                n_lines=data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0),
                encoding=source.encoding,
                wrappers=(*source.layers, *wrappers),
                notes=(*source.notes, *notes),
                blank=_is_blank(lines, text),
            )
        return self.analyze_lines(lines, facts, form=form, stated=stated, ignore=ignore, context=context)

    def _with_more_starts(self) -> "Analyzer":
        from diag.scan.span import Budgets

        budgets = self.budgets or Budgets()
        budgets = dataclasses.replace(budgets, last_spans=max(budgets.last_spans, _STARTS), most=self.small)
        return dataclasses.replace(self, budgets=budgets)

    def _analyze_large(
        self,
        source: Source,
        blocks: Iterator[bytes],
        *,
        stated: Stated | None,
        ignore: Sequence[str],
        context: int,
    ) -> Report:
        """Return the report of a log that is not held in memory."""
        divided = None
        if self.crew is not None:
            from diag.large.ranges import divide

            divided = divide(source, self.crew, self.n_ranges, watch=self.watch)
        if divided is None and self.watch is not None:
            blocks = self.watch(blocks, source)
        chosen = self.choose(blocks, divided)
        read = divided or source
        facts = InputFacts(
            name=source.name,
            n_bytes=read.n_bytes,
            n_lines=chosen.n_lines,
            encoding=read.encoding,
            wrappers=(*source.layers, *chosen.wrappers),
            notes=(*read.notes, *chosen.notes),
        )
        return self.analyze_chosen(chosen, facts, stated=stated, ignore=ignore, context=context)

    def choose(self, blocks: Iterable[bytes], divided: "Divided | None" = None) -> "Chosen":
        """Return what matters of a log given in blocks cut at line ends, whatever its size."""
        from diag.large.analyze import choose

        return choose(
            blocks,
            catalog=self.catalog,
            table=self.table,
            search=self.search,
            engine=self.engine,
            budgets=self.budgets,
            profile=self.profile,
            divided=divided,
        )

    def read_range(self, task: "Task") -> "Done":
        """Return what matters of a range of a large file, for the process that divided it."""
        from diag.large.analyze import read_range

        return read_range(
            task,
            catalog=self.catalog,
            table=self.table,
            search=self.search,
            engine=self.engine,
            budgets=self.budgets,
        )

    def analyze_chosen(
        self,
        chosen: "Chosen",
        facts: InputFacts,
        *,
        stated: Stated | None = None,
        ignore: Sequence[str] = (),
        context: int = 0,
    ) -> Report:
        """Return the report of a log of which only some lines were kept."""
        with self.stage("assemble"):
            run = assemble(
                chosen.events,
                _extents(chosen.lines),
                form=chosen.form,
                stated=stated or Stated(),
                table=self.catalog.models,
                spellings=self.catalog.spellings,
                wrappers=chosen.wrappers,
                bulk=chosen.bulk,
            )
            run = choose_sessions(run, (stated or Stated()).session)
        report = self._concluded(run, facts, ignore)
        return dataclasses.replace(report, excerpts=excerpts_of(report, chosen.lines, context)) if context else report

    def analyze_text(self, text: str, name: str = "log") -> Report:
        """Return the report of a text as it would be pasted: examples and tests."""
        lines, notes, wrappers, form = read_lines(text)
        n_lines, blank = len(text.splitlines()), _is_blank(lines, text)
        facts = InputFacts(name, len(text.encode()), n_lines, "utf-8", wrappers, tuple(notes), blank)
        return self.analyze_lines(lines, facts, form=form)


def analyzer(catalog: Catalog, engine: str | None = None) -> Analyzer:
    """Return the analyzer of a catalogue; `engine` forces "hyperscan" or "standard-library"."""
    texts = [
        TextCondition(f"{outline.id}/{name}", anchor, pattern, limit, None if limit is None else [])
        for outline in catalog.outlines
        for limit in (None if outline.shipped else PATTERN_LIMIT_S,)
        for name, anchor, pattern in outline.texts
    ]
    table = build_table(WORDINGS, texts)
    name, search = literal_engine(table.anchors, engine)
    return Analyzer(catalog, table, name, search)


def _head(data: bytes) -> str:
    """Return the first whole lines of a text."""
    return data[: data.rfind(b"\n", 0, _HEAD) + 1 or _HEAD].decode("utf-8", "replace")


def _is_blank(lines: Sequence[Line], text: str) -> bool:
    """Return whether the text has nothing to see; a typed command is no line of the log, but to be seen."""
    return not any(line.text.strip() for line in lines) and not strip_colours(text.removeprefix("\ufeff")).strip()


def _extents(lines: Sequence[Line]) -> dict[str | None, tuple[int, int]]:
    extents: dict[str | None, tuple[int, int]] = {}
    for line in lines:
        first, _ = extents.get(line.stream, (line.number, 0))
        extents[line.stream] = (first, line.number)
    return extents
