"""Report for people: rich text that reads at 80 columns."""

import datetime as dt
import io
from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from diag.model.noun import noun
from diag.model.report import Diagnosis, FixAdvice, Report, UpstreamStatus
from diag.model.run import Session
from diag.render.evidence import print_evidence, print_excerpts
from diag.render.facts import faults_of, rows_of
from diag.render.plain import (
    build_words,
    drafter_words,
    impact_words,
    short_ref,
    stale_words,
    target_words,
    verdict_words,
    visible,
)

_MARK = {
    "fatal": ("✗", "bold red"),
    "error": ("✗", "bold red"),
    "degraded": ("!", "bold yellow"),
    "info": ("·", "bold cyan"),
}
SCREEN = 40  # lines
_SHORT = 70  # letters of a condition that a short report still shows


@noun
class Room:
    """How much of each part is shown."""

    fixes: int
    upstream: int
    evidence: int
    rows: int = 2  # of one evidence line
    gaps: int = 2
    terse: bool = False  # without the first fix's cost and check
    full: bool = False


_FULL = Room(99, 99, 99, 99, 99, full=True)
_ROOMS = (
    Room(3, 3, 6),
    Room(3, 2, 5),
    Room(3, 1, 5, 1),
    Room(2, 1, 4, 1, 1),
    Room(2, 1, 4, 1, 1, terse=True),
    Room(1, 1, 4, 1, 1),
)


def render(
    report: Report, *, width: int = 80, color: bool = False, full: bool = False, today: dt.date | None = None
) -> str:
    """Return the report as text, with ANSI colours or without.

    The first diagnosis is shown whole and the others in short, on one screen where that can be; `full` shows every
    fix, thread and line of every diagnosis. With `today`, old states of threads are said to be old.
    """
    if full:
        return _render(report, width, color, _FULL, today)
    # what is shown is decided at 80 columns, so that a narrow terminal wraps and does not hide
    room = next((room for room in _ROOMS if _render(report, 80, False, room, today).count("\n") < SCREEN), _ROOMS[-1])
    return _render(report, width, color, room, today)


def _render(report: Report, width: int, color: bool, room: Room, today: dt.date | None) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    _head(console, report)
    _overview(console, report)
    for index, diagnosis in enumerate(report.diagnoses if report.is_llama_log or not report.input.n_lines else ()):
        console.print()
        _diagnosis(console, report, diagnosis, short=index > 0 and not room.full, room=room)
    rows = rows_of(report, _session_of(report), gaps=room.gaps, full=room.full)
    if rows:
        console.print()
    for label, text in rows:
        _row(console, label, text)
    stale = stale_words(report, today, None if room.full else 1)
    if stale:
        _row(console, "Status", stale, style="dim")
    output = console.file
    assert isinstance(output, io.StringIO)
    return "\n".join(line.rstrip() for line in output.getvalue().rstrip("\n").split("\n"))


def _head(console: Console, report: Report) -> None:
    facts = report.input
    session = _session_of(report)
    name = visible(facts.name.replace("\\", "/").rsplit("/", 1)[-1]) if facts.name != "-" else "standard input"
    starts = len(report.sessions)
    parts = [f"{facts.n_lines} line{'s' if facts.n_lines != 1 else ''}"]
    if starts > 1:
        parts.append(f"{starts} starts")
    console.print(Text.assemble((name, "bold"), "  ", (" · ".join(parts), "dim")))
    if session is None:
        return
    _row(console, "build", build_words(session.build))
    _row(console, "target", target_words(session))
    _row(console, "drafter", drafter_words(session.drafter))
    devices = [
        " ".join(
            part
            for part in (
                device.name,
                visible(device.description),
                device.arch or "",
                "(integrated)" if device.integrated else "",
            )
            if part
        )
        for device in session.devices
        if device.backend != "cpu"
    ]
    if devices or [backend for backend in session.backends if backend != "cpu"]:
        _row(console, "device", "; ".join(devices[:3]) or ", ".join(session.backends))
    for note in facts.notes[:3]:
        where = f" (line {note.line})" if note.line is not None else ""
        _row(console, "note", f"{visible(note.what)}{where}")


def _overview(console: Console, report: Report) -> None:
    """Print the verdict where no diagnosis is one: a log of another program, harmless lines, remarks."""
    if not report.is_llama_log and report.input.n_lines and not report.input.blank:
        console.print()
        console.print(Text("? no line of this is from llama.cpp", style="bold"))
        return
    if faults_of(report) or not report.diagnoses:
        return
    first = report.diagnoses[0]
    if first.signature == "insufficient-log" and report.benign and not report.unknown:
        console.print()
        console.print(Text.assemble(("✓ harmless  ", "bold green"), (report.benign[0].title, "bold")))
        lines = report.input.n_lines
        where = "this line" if lines == 1 else f"these {lines} lines"
        _row(
            console,
            "Why",
            f"{visible(report.benign[0].why)} Nothing in {where} is a failure; if something did fail, its lines are not here.",
        )
    elif first.area != "log-quality":
        remarks = len(report.diagnoses)
        console.print()
        console.print(Text(f"✓ no failure found; {remarks} remark{'s' if remarks > 1 else ''}", style="bold green"))


def _session_of(report: Report) -> Session | None:
    wanted = report.diagnoses[0].session if report.diagnoses else 0
    found = next((session for session in report.sessions if session.number == wanted), None)
    return found or (report.sessions[-1] if report.sessions else None)


def _diagnosis(console: Console, report: Report, diagnosis: Diagnosis, *, short: bool, room: Room) -> None:
    mark, style = _MARK.get(diagnosis.severity, ("·", ""))
    quality = diagnosis.area == "log-quality"
    heading = Table.grid(padding=(0, 2, 0, 0))
    heading.add_column(no_wrap=True)
    heading.add_column(ratio=1)
    heading.add_row(Text(f"{mark} {diagnosis.severity}", style=style), Text(diagnosis.title, style="bold"))
    console.print(heading)
    confidence = "" if quality else f" · {diagnosis.confidence}"
    console.print(Text(f"  {diagnosis.signature}{confidence}", style="cyan"))
    words = impact_words(diagnosis) if not quality else []
    if len(report.sessions) > 1 and diagnosis.session:
        words.insert(0, f"start {diagnosis.session} of {len(report.sessions)}")
    if words:
        console.print(Padding(Text(" · ".join(words)), (0, 0, 0, 2)))
    if diagnosis.evidence and not short:
        console.print()
    if report.excerpts and not short:
        print_excerpts(console, report.excerpts)
    else:
        most, rows = (2, 1) if short else (room.evidence, room.rows)
        print_evidence(console, diagnosis.evidence, most=most, rows=rows, full=room.full)
    if short:
        best = next((fix for fix in diagnosis.fixes if fix.applies is not False), None)
        if best is not None:
            _row(console, "Fix", visible(best.do))
        return
    why = visible(diagnosis.cause)
    arithmetic = visible(" ".join(diagnosis.arithmetic))
    _row(console, "Why", f"{why} {arithmetic}".strip(), gap=bool(diagnosis.evidence))
    verdict = verdict_words(diagnosis)
    if verdict:
        _row(console, "Build", verdict)
    _fixes(console, diagnosis.fixes, room)
    _upstream(console, diagnosis, room)
    if diagnosis.consequences and room.full:
        told = (
            f"{item.signature} (line {', '.join(str(line) for line in item.lines[:4])})"
            for item in diagnosis.consequences
        )
        _row(console, "Follows", "; ".join(told))


def _fixes(console: Console, fixes: Iterable[FixAdvice], room: Room) -> None:
    full = room.full
    usable = [fix for fix in fixes if full or fix.applies is not False]
    if usable:
        console.print()
    for number, fix in enumerate(usable[: room.fixes], 1):
        text = Text(visible(fix.do))
        if fix.applies is None and (full or len(fix.only_if) <= _SHORT):
            text.append(f" Only if {fix.only_if}.", style="dim")
        elif fix.applies is False:
            text.append(f" [does not apply: {fix.because}]", style="dim")
        if fix.cost and not room.terse and (number == 1 or full):
            text.append(f" Cost: {visible(fix.cost)}")
        if fix.verify and not room.terse and (number == 1 or full):
            text.append(f" Check: {visible(fix.verify)}")
        if fix.evidence and full:
            text.append(f" ({', '.join(short_ref(ref) for ref in fix.evidence)}; {fix.checked})", style="dim")
        if fix.front_end:
            text.append(f"\n{visible(fix.front_end)}.", style="bold")
        _row(console, f"Fix {number}", text)
        if fix.command and number == 1:
            console.print(Padding(Text(f"$ {visible(fix.command)}", style="green"), (0, 0, 0, 11)))
    hidden = len(usable) - room.fixes
    if hidden > 0:
        _row(console, "", f"{hidden} more: --full", style="dim")


def _upstream(console: Console, diagnosis: Diagnosis, room: Room) -> None:
    if not diagnosis.upstream:
        return
    console.print()
    order = {"would-fix": 0, "fixed-by": 1, "report": 2, "introduced-by": 3, "related": 4}
    items = sorted(diagnosis.upstream, key=lambda item: (order.get(item.relation, 5), item.state != "open"))
    for index, item in enumerate(items[: room.upstream]):
        _row(console, "Upstream" if index == 0 else "", _status(item))
    rest = len(items) - room.upstream
    if rest > 0:
        _row(console, "", f"{rest} more: diag explain {diagnosis.signature}", style="dim")
    argued = next((item for item in items if item.arguments), None)
    if argued is not None and room.full:
        for argument in argued.arguments:
            _row(console, "", f"{argument.side}: {argument.text}", style="dim")


def _status(item: UpstreamStatus) -> str:
    state = item.since or item.state
    build = f", in b{item.first_build}" if item.first_build is not None and item.state == "merged" else ""
    return f"{short_ref(item.ref)} {state}{build} (checked {item.checked}): {item.title}"


def _row(console: Console, label: str, text: str | Text, *, gap: bool = False, style: str = "") -> None:
    if gap:
        console.print()
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=10, no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_row(
        Text(f"  {label}" if label[:1].isupper() or not label else label, style="bold"),
        text if isinstance(text, Text) else Text(text, style=style),
    )
    console.print(grid)
