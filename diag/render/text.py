"""Report for people: rich text that reads at 80 columns."""

import datetime as dt
import io
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from diag.model.report import Benign, Diagnosis, FixAdvice, Report, UpstreamStatus
from diag.model.run import Session
from diag.render.plain import (
    acceptance_words,
    build_words,
    drafter_words,
    impact_words,
    message_of,
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


@dataclass(frozen=True, slots=True)
class Room:
    """How much of each part is shown."""

    fixes: int
    upstream: int
    evidence: int
    gaps: int = 2
    terse: bool = False  # without the first fix's cost and check
    full: bool = False


_FULL = Room(99, 99, 99, 99, full=True)
_ROOMS = (Room(3, 3, 6), Room(3, 2, 5), Room(2, 2, 5), Room(2, 1, 4), Room(2, 1, 4, 1, True), Room(1, 1, 4, 1))


def render(
    report: Report, *, width: int = 80, color: bool = False, full: bool = False, today: dt.date | None = None
) -> str:
    """Return the report as text, with ANSI colours or without.

    The first diagnosis is shown whole and the others in short, on one screen where that can be; `full` shows every
    fix, thread and line of every diagnosis. With `today`, old states of threads are said to be old.
    """
    if full:
        return _render(report, width, color, _FULL, today)
    for room in _ROOMS:
        text = _render(report, width, color, room, today)
        if text.count("\n") < SCREEN:
            break
    return text


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
    for index, diagnosis in enumerate(report.diagnoses):
        console.print()
        _diagnosis(console, report, diagnosis, short=index > 0 and not room.full, room=room)
    _tail(console, report, room)
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


def _session_of(report: Report) -> Session | None:
    wanted = report.diagnoses[0].session if report.diagnoses else 0
    found = next((session for session in report.sessions if session.number == wanted), None)
    return found or (report.sessions[-1] if report.sessions else None)


def _diagnosis(console: Console, report: Report, diagnosis: Diagnosis, *, short: bool, room: Room) -> None:
    mark, style = _MARK.get(diagnosis.severity, ("·", ""))
    quality = diagnosis.area == "log-quality"
    console.print(Text.assemble((f"{mark} {diagnosis.severity}  ", style), (diagnosis.title, "bold")))
    confidence = "" if quality else f" · {diagnosis.confidence}"
    console.print(Text(f"  {diagnosis.signature}{confidence}", style="cyan"))
    words = impact_words(diagnosis)
    if len(report.sessions) > 1 and diagnosis.session:
        words.insert(0, f"start {diagnosis.session} of {len(report.sessions)}")
    if words:
        console.print(Padding(Text(" · ".join(words)), (0, 0, 0, 2)))
    if report.excerpts and not short:
        _excerpts(console, report)
    else:
        _evidence(console, diagnosis, short=short, room=room)
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
        _row(console, "Follows", "; ".join(item.title for item in diagnosis.consequences))


def _evidence(console: Console, diagnosis: Diagnosis, *, short: bool, room: Room) -> None:
    lines = [item for item in diagnosis.evidence if room.full or not _only_announces(item.text)]
    if not lines:
        return
    shown = lines[: 2 if short else room.evidence]
    if not short:
        console.print()
    for item in shown:
        row = Text(f"{item.line:>6} │ ", style="dim")
        row.append(_cropped(message_of(item.text), console.width - 9), style="" if item.role == "trigger" else "dim")
        console.print(row, no_wrap=True, overflow="ellipsis")
    if len(lines) > len(shown) and not short:
        console.print(Text(f"       │ … {len(lines) - len(shown)} more", style="dim"))


def _excerpts(console: Console, report: Report) -> None:
    console.print()
    before = None
    for item in report.excerpts:
        if before is not None and item.line > before + 1:
            console.print(Text("       ⋮", style="dim"))
        row = Text(f"{item.line:>6} {'▸' if item.evidence else '│'} ", style="dim")
        row.append(_cropped(message_of(item.text), console.width - 9), style="" if item.evidence else "dim")
        console.print(row, no_wrap=True, overflow="ellipsis")
        before = item.line


def _only_announces(text: str) -> bool:
    """True for the first line of the position message, whose figures stand below it."""
    return text.rstrip().endswith("have inconsistent sequence positions:")


def _cropped(text: str, room: int) -> str:
    """Return the text in one line's room; a continuation line keeps its end, where the figure stands."""
    if len(text) <= room:
        return text
    return "…" + text[-(room - 1) :] if text[:1] == " " else text[: room - 1] + "…"


def _fixes(console: Console, fixes: Iterable[FixAdvice], room: Room) -> None:
    full = room.full
    usable = [fix for fix in fixes if full or fix.applies is not False]
    if usable:
        console.print()
    for number, fix in enumerate(usable[: room.fixes], 1):
        text = Text(visible(fix.do))
        if fix.applies is None and fix.when:
            text.append(f" [if {fix.when}]", style="dim")
        elif fix.applies is False:
            text.append(f" [does not apply: {fix.because}]", style="dim")
        if fix.cost and not room.terse and (number == 1 or full):
            text.append(f" Cost: {visible(fix.cost)}")
        if fix.verify and not room.terse and (number == 1 or full):
            text.append(f" Check: {visible(fix.verify)}")
        if fix.evidence and full:
            text.append(f" ({', '.join(short_ref(ref) for ref in fix.evidence)}; {fix.checked})", style="dim")
        _row(console, f"Fix {number}", text)
        if fix.command and number == 1:
            console.print(Padding(Text(f"$ {visible(fix.command)}", style="green"), (0, 0, 0, 8)))


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


def _tail(console: Console, report: Report, room: Room) -> None:
    full = room.full
    rows: list[tuple[str, str]] = []
    session = _session_of(report)
    if session is not None:
        accepted = acceptance_words(session)
        if accepted:
            rows.append(("Accepted", " · ".join(accepted)))
        if not any(item.severity in ("fatal", "error") for item in report.diagnoses):
            rows.extend(_health(session))
    for failure in report.unknown[: 5 if full else 2]:
        times = f" ({failure.count} times)" if failure.count > 1 else ""
        rows.append(
            ("Unknown", f"line {failure.line}: {message_of(failure.text)[:160]}{times} [{failure.fingerprint}]")
        )
    benign = [item for item in report.benign if full or _may_mislead(item, report)]
    if benign:
        names = [f"{item.title} (line {item.evidence[0].line})" for item in benign]
        shown = names if full else names[:2]
        more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        rows.append(("Harmless", "; ".join(shown) + more))
    if report.drift and full:
        shapes = "; ".join(f"{item.count} x {visible(item.shape)} (line {item.line})" for item in report.drift)
        rows.append(("Unread", shapes))
    if report.coverage:
        gaps = report.coverage[: room.gaps]
        rows.append(("Not told", "; ".join(f"{gap.cannot_tell} ({gap.would_help})" for gap in gaps)))
    if rows:
        console.print()
    for label, text in rows:
        _row(console, label, text)


def _may_mislead(item: Benign, report: Report) -> bool:
    """True for a harmless line that a reader could take for the fault: no fault is there, it looks like an error, or it
    stands just above the fault."""
    faults = [found for found in report.diagnoses if found.severity in ("fatal", "error", "degraded")]
    if not faults:
        return True
    evidence = item.evidence[0]
    return message_of(evidence.text).startswith("E ") or 0 <= faults[0].first.line - evidence.line <= 5


def _health(session: Session) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    if session.n_slots is not None or session.n_ctx_slot is not None:
        slots = f"{session.n_slots} slot{'s' if session.n_slots != 1 else ''}" if session.n_slots is not None else ""
        context = f"{session.n_ctx_slot} tokens of context each" if session.n_ctx_slot is not None else ""
        rows.append(("Slots", ", ".join(part for part in (slots, context) if part)))
    finished = [task for task in session.tasks if task.outcome == "finished"]
    if session.tasks:
        text = f"{len(finished)} of {len(session.tasks)} finished"
        timed = [task for task in finished if task.generated_ms and task.n_generated]
        if timed:
            tokens = sum(task.n_generated or 0 for task in timed)
            seconds = sum(task.generated_ms or 0.0 for task in timed) / 1000
            if seconds:
                text += f", {tokens / seconds:.1f} tokens/s generated"
        rows.append(("Requests", text))
    rows.append(("Ended", f"{session.ending.kind}{f' (line {session.ending.line})' if session.ending.line else ''}"))
    return rows


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
