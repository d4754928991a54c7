"""A log of any size -> a Run, in one pass over its blocks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain

from diag.assemble.bulk import Bulk
from diag.large.ranges import Divided, Done, Task
from diag.large.repeats import repeats_of
from diag.large.tell import Teller
from diag.model.catalog import Catalog
from diag.model.events import Event
from diag.model.events.request import TaskStarted
from diag.model.events.server import LinesSkipped
from diag.model.form import Form
from diag.model.line import Line, Note
from diag.model.noun import noun
from diag.model.selection import Selection
from diag.parse.bodies import outside_bodies
from diag.parse.roles import FOLLOW, QUIET, TURNS, literals_of, scanned_literals
from diag.parse.table import AnchorTable
from diag.profile import Profile
from diag.read.repair import logical_lines, read_lines
from diag.read.source import open_source
from diag.read.unwrap import Unwrapper
from diag.scan.engine import Hits
from diag.scan.scanned import Outlook, Scanned, selection_of
from diag.scan.select import Selector
from diag.scan.span import Budgets

_SAMPLE = 64 << 10  # bytes from which wrappers are told
_PART = 1000  # kept lines parsed at a time: a part's text is copied for the search


@noun
class Chosen:
    """What is left of a large log."""

    lines: tuple[Line, ...]
    events: tuple[Event, ...]
    bulk: Bulk
    n_lines: int
    form: Form
    wrappers: tuple[str, ...]
    notes: tuple[Note, ...]


def choose(
    blocks: Iterable[bytes],
    *,
    catalog: Catalog,
    table: AnchorTable,
    search: Callable[[bytes], Hits],
    engine: str,
    budgets: Budgets | None = None,
    profile: Profile | None = None,
    divided: Divided | None = None,
) -> Chosen:
    """Return what the blocks hold that matters; `divided`: they are only looked at, and the file is read in ranges."""
    blocks = profile.blocks(iter(blocks)) if profile is not None else iter(blocks)
    first = list(_until(blocks, _SAMPLE))
    sniffed = _Sniffed(b"".join(first)[:_SAMPLE])
    reader = Teller(catalog, table, search, sniffed.lines)
    if profile is not None:
        reader.tell = profile.timed("exact match", reader.tell)  # type: ignore[method-assign]  # only to measure
    budgets = budgets or Budgets()

    def selector(outlook: Outlook | None = None) -> Selector:
        return _selector(table, engine, reader, sniffed, budgets, outlook)

    with profile.stage("scan") if profile is not None else nullcontext():
        if divided is None:
            scanned = _scan(chain(first, blocks), selector())
        else:
            scanned = _scan_divided(divided, selector, literals_of(table, (TaskStarted,)), reader, sniffed, budgets)
        selection = selection_of(scanned)
    with profile.stage("exact match") if profile is not None else nullcontext():
        reader.forget()  # what was remembered of single lines, and then their bytes, make room for their events
        lines, gaps = _lines(selection, sniffed.lines)
        selection = replace(selection, lines=tuple((number, b"") for number, _ in selection.lines))
        told = [event for some in _in_parts(outside_bodies(lines)) for event in reader.events(some)]
        repeats, cut = repeats_of(selection, lines, told, reader)
    events = sorted([*told, *gaps], key=lambda event: event.place)
    return Chosen(
        lines=tuple(lines),
        events=tuple(events),
        bulk=Bulk(repeats, selection.stretches, cut),
        n_lines=selection.n_lines,
        form=sniffed.form,
        wrappers=sniffed.unwrapper.wrappers,
        notes=(*sniffed.unwrapper.notes, *_notes(selection)),
    )


def read_range(
    task: Task,
    *,
    catalog: Catalog,
    table: AnchorTable,
    search: Callable[[bytes], Hits],
    engine: str,
    budgets: Budgets | None = None,
) -> Done:
    """Return what a range of a file holds. InputError when the file cannot be read."""
    with open_source(task.path) as source:
        sniffed = _Sniffed(next(source.blocks(), b""))
        reader = Teller(catalog, table, search, sniffed.lines)
        text = source.range(task.start, task.end)
        scanned = _scan(text.blocks(), _selector(table, engine, reader, sniffed, budgets or Budgets(), task.outlook))
    return Done(scanned, text.n_bytes, text.damage)


def _scan(blocks: Iterable[bytes], selector: Selector) -> Scanned:
    for block in blocks:
        selector.feed(block)
    return selector.finish()


def _scan_divided(
    divided: Divided,
    new: Callable[[], Selector],
    literals: Sequence[bytes],
    reader: Teller,
    sniffed: "_Sniffed",
    budgets: Budgets,
) -> Scanned:
    selector = new()
    if sniffed.n_streams == 1:
        for block in divided.blocks(literals, reader):
            selector.feed(block)
            divided.look(selector.outlook)
        scanned = divided.joined(selector.finish(), budgets)
        if not scanned.several:
            return scanned
    # where several servers write in turn, what goes on in one of them does not end at a line of another
    return _scan(divided.whole(), new())


def _selector(
    table: AnchorTable,
    engine: str,
    reader: Teller,
    sniffed: "_Sniffed",
    budgets: Budgets,
    outlook: Outlook | None,
) -> Selector:
    return Selector(
        scanned_literals(table, wrapped=sniffed.wrapped),
        engine,
        reader,
        quiet=literals_of(table, QUIET),
        turns=literals_of(table, TURNS),
        follow=literals_of(table, FOLLOW),
        several_streams=sniffed.n_streams > 1,
        budgets=budgets,
        outlook=outlook,
    )


def _in_parts(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    for at in range(0, len(lines), _PART):
        yield lines[at : at + _PART]


def _until(blocks: Iterator[bytes], n_bytes: int) -> Iterator[bytes]:
    while n_bytes > 0 and (block := next(blocks, None)) is not None:
        n_bytes -= len(block)
        yield block


class _Sniffed:
    """What the head of a log tells of its wrappers."""

    def __init__(self, head: bytes) -> None:
        text = head[:_SAMPLE].decode("utf-8", "replace")
        _, _, _, self.form = read_lines(text)
        rows = text.split("\n")[:800]
        self.unwrapper = Unwrapper(rows)
        lines = [line for number, row in enumerate(rows, 1) for line in self.lines(number, row)]
        self.n_streams = len({line.stream for line in lines if line.text})
        self.wrapped = bool(self.unwrapper.wrappers)

    def lines(self, number: int, text: str) -> list[Line]:
        """Return the logical lines of a physical one."""
        return logical_lines(self.unwrapper, number, text)


def _lines(selection: Selection, unwrap: Callable[[int, str], list[Line]]) -> tuple[list[Line], list[LinesSkipped]]:
    """Return the kept lines as logical ones, and a mark in each stream where lines that end an incident are missing."""
    lines: list[Line] = []
    gaps: list[LinesSkipped] = []
    seen: set[str | None] = set()
    waiting: dict[str | None, int] = {}  # stream that was seen -> first line left out since
    last = 0
    for number, raw in selection.lines:
        found = unwrap(number, raw.decode("utf-8", "replace"))
        if last and selection.ends_incidents(last, number):
            waiting = {stream: waiting.get(stream, last + 1) for stream in seen}
        for line in found:
            if line.stream in waiting:
                gaps.append(LinesSkipped(line=Line(waiting.pop(line.stream), 0, "", line.stream)))
            seen.add(line.stream)
        lines.extend(found)
        last = number
    return lines, gaps


def _notes(selection: Selection) -> Iterator[Note]:
    if selection.lines and len(selection.lines) < selection.n_lines:
        yield Note(
            f"a large log: {len(selection.lines):,} of {selection.n_lines:,} lines read word for word, the others "
            "searched for every known message and counted"
        )
    if selection.n_folded:
        n = selection.n_folded + len(selection.stretches)
        yield Note(f"{selection.n_folded:,} of {n:,} starts left out: some between the first ones and the last")
    for anchor, n, line in selection.floods:
        yield Note(f"{anchor!r} stands in {n:,} lines; from here on it was only counted", line)
    if selection.n_shapes_left_out:
        yield Note(f"{selection.n_shapes_left_out:,} incidents of rare combinations left out")
