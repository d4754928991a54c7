"""Report for people: rich text that reads at 80 columns."""

import datetime as dt
from collections.abc import Iterable, Sequence
from textwrap import wrap

from rich.text import Text

from diag.model.noun import noun
from diag.model.report import Diagnosis, FixAdvice, Report
from diag.model.run import Session
from diag.render.evidence import print_evidence, print_excerpts
from diag.render.facts import faults_of, rows_of
from diag.render.page import Page
from diag.render.plain import (
    build_words,
    drafter_words,
    impact_words,
    short_ref,
    stale_words,
    target_words,
    title_of,
    verdict_words,
    visible,
)
from diag.render.threads import also_reported, ranked, status_words

_MARK = {
    "fatal": ("✗", "bold red"),
    "error": ("✗", "bold red"),
    "degraded": ("!", "bold yellow"),
    "info": ("·", "bold cyan"),
}
_RELATION = {
    "would-fix": "would fix:",
    "fixed-by": "fixed by",
    "introduced-by": "came with",
    "report": "report",
    "related": "see also",
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
    Room(1, 1, 4, 1, 1, terse=True),
)


def render(
    report: Report, *, width: int = 80, color: bool = False, full: bool = False, today: dt.date | None = None
) -> str:
    """Return the report as text, with ANSI colours or without.

    The first diagnosis is shown whole and the others in short, on one screen where that can be; `full` shows every
    fix, thread and line of every diagnosis. With `today`, old states of threads are said to be old.
    """
    if full:
        return _page(report, width, color, _FULL, today).text()
    # what is shown is decided at 80 columns, so that a narrow terminal wraps and does not hide
    pages = ((room, _page(report, 80, color, room, today)) for room in _ROOMS)
    room, page = next(((room, page) for room, page in pages if len(page.rows) <= SCREEN), (_ROOMS[-1], None))
    return (page if page is not None and width == 80 else _page(report, width, color, room, today)).text()


def _page(report: Report, width: int, color: bool, room: Room, today: dt.date | None) -> Page:
    page = Page(width, color)
    _head(page, report)
    _overview(page, report)
    shown = report.diagnoses if report.is_llama_log or not report.input.n_lines else ()
    again = _again(shown) if not room.full else {}
    for index, diagnosis in enumerate(shown):
        if index in again and again[index] is None:
            continue
        page.gap()
        _diagnosis(page, report, diagnosis, short=index > 0 and not room.full, room=room)
        if again.get(index):
            _row(page, "Again", again[index] or "")
    rows = rows_of(report, _session_of(report), gaps=room.gaps, full=room.full)
    if rows:
        page.gap()
    for label, text in rows:
        _row(page, label, text)
    stale = stale_words(report, today, None if room.full else 1)
    if stale:
        _row(page, "Status", stale, style="dim")
    return page


def _head(page: Page, report: Report) -> None:
    facts = report.input
    session = _session_of(report)
    name = visible(facts.name.replace("\\", "/").rsplit("/", 1)[-1]) if facts.name != "-" else "standard input"
    starts = len(report.sessions)
    parts = [f"{facts.n_lines} line{'s' if facts.n_lines != 1 else ''}"]
    if starts > 1:
        parts.append(f"{starts} starts")
    page.put(Text.assemble((name, "bold"), "  ", (" · ".join(parts), "dim")))
    if session is None:
        return
    _row(page, "build", build_words(session.build))
    _row(page, "target", target_words(session))
    _row(page, "drafter", drafter_words(session.drafter))
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
        _row(page, "device", "; ".join(devices[:3]) or ", ".join(session.backends))
    for note in facts.notes[:3]:
        where = f" (line {note.line})" if note.line is not None else ""
        _row(page, "note", f"{visible(note.what)}{where}")


def _overview(page: Page, report: Report) -> None:
    """Print the verdict where no diagnosis is one: a log of another program, harmless lines, remarks."""
    if not report.is_llama_log and report.input.n_lines and not report.input.blank:
        page.gap()
        page.put(Text("? no line of this is from llama.cpp", style="bold"))
        return
    if faults_of(report) or not report.diagnoses:
        return
    first = report.diagnoses[0]
    if first.signature == "insufficient-log" and report.benign and not report.unknown:
        page.gap()
        page.put(Text.assemble(("✓ harmless  ", "bold green"), (report.benign[0].title, "bold")))
        lines = report.input.n_lines
        where = "this line" if lines == 1 else f"these {lines} lines"
        rest = f"Nothing in {where} is a failure; if something did fail, its lines are not here."
        _row(page, "Why", f"{visible(report.benign[0].why)} {rest}")
    elif first.area != "log-quality":
        remarks = len(report.diagnoses)
        page.gap()
        page.put(Text(f"✓ no failure found; {remarks} remark{'s' if remarks > 1 else ''}", style="bold green"))


def _again(diagnoses: Sequence[Diagnosis]) -> dict[int, str | None]:
    """Return, by place, where a kind came again in other starts (with the first of them), and None for the others."""
    first: dict[str, int] = {}
    starts: dict[int, list[Diagnosis]] = {}
    told: dict[int, str | None] = {}
    for index, diagnosis in enumerate(diagnoses):
        place = first.setdefault(diagnosis.signature, index)
        if place != index:
            starts.setdefault(place, []).append(diagnosis)
            told[index] = None
    for place, others in starts.items():
        named = ", ".join(f"{item.session} (line {item.first.line})" for item in others[:4])
        rest = f" and {len(others) - 4} more" if len(others) > 4 else ""
        told[place] = f"in start{'s' if len(others) > 1 else ''} {named}{rest}"
    return told


def _session_of(report: Report) -> Session | None:
    wanted = report.diagnoses[0].session if report.diagnoses else 0
    found = next((session for session in report.sessions if session.number == wanted), None)
    return found or (report.sessions[-1] if report.sessions else None)


def _diagnosis(page: Page, report: Report, diagnosis: Diagnosis, *, short: bool, room: Room) -> None:
    mark, style = _MARK.get(diagnosis.severity, ("·", ""))
    lead = f"{mark} {diagnosis.severity}"
    if short and _same_lines(report.diagnoses[0], diagnosis):
        lead = "? or"  # another reading of the lines that the first answer rests on
    quality = diagnosis.area == "log-quality"
    page.put(Text(title_of(diagnosis), style="bold"), first=Text(f"{lead}  ", style=style))
    confidence = "" if quality else f" · {diagnosis.confidence}"
    start = f" · start {diagnosis.session} of {len(report.sessions)}" if len(report.sessions) > 1 else ""
    page.put(Text(f"  {diagnosis.signature}{confidence}{start if diagnosis.session else ''}", style="cyan"))
    words = impact_words(diagnosis) if not quality else []
    if words:
        page.put(Text(" · ".join(words)), first=Text("  "))
    if diagnosis.evidence and not short:
        page.gap()
    if report.excerpts and not short:
        print_excerpts(page, report.excerpts)
    else:
        most, rows = (2, 1) if short else (room.evidence, room.rows)
        print_evidence(page, diagnosis.evidence, most=most, rows=rows, full=room.full)
    if short:
        best = next((fix for fix in diagnosis.fixes if fix.applies is not False), None)
        if best is not None:
            _row(page, "Fix", visible(best.do))
        return
    why = visible(diagnosis.cause)
    arithmetic = visible(" ".join(diagnosis.arithmetic))
    _row(page, "Why", f"{why} {arithmetic}".strip(), gap=bool(diagnosis.evidence))
    verdict = verdict_words(diagnosis)
    if verdict:
        _row(page, "Build", verdict)
    n_fixes = _fixes(page, diagnosis.fixes, room)
    session = _session_of(report)
    home_first = session is None or session.build.flavour == "upstream"
    n_threads = _upstream(page, diagnosis, room, home_first=home_first)
    more = [
        f"{n} {name}{ending if n > 1 else ''}"
        for n, name, ending in ((n_fixes, "fix", "es"), (n_threads, "thread", "s"))
        if n
    ]
    if more:
        _row(page, "More", f"{', '.join(more)}: --full", style="dim")
    if diagnosis.consequences and room.full:
        told = (
            f"{item.signature} (line {', '.join(str(line) for line in item.lines[:4])})"
            for item in diagnosis.consequences
        )
        _row(page, "Follows", "; ".join(told))


def _same_lines(first: Diagnosis, other: Diagnosis) -> bool:
    """True where neither is certain and a line that shows one shows the other too."""
    if "certain" in (first.confidence, other.confidence) or first.session != other.session:
        return False
    lines = {item.line for item in first.evidence if item.role == "trigger"}
    return any(item.line in lines for item in other.evidence if item.role == "trigger")


def _fixes(page: Page, fixes: Iterable[FixAdvice], room: Room) -> int:
    """Print the fixes there is room for; return how many are left out."""
    full = room.full
    usable = [fix for fix in fixes if full or fix.applies is not False]
    if usable:
        page.gap()
    for number, fix in enumerate(usable[: room.fixes], 1):
        text = Text(visible(fix.do))
        if fix.applies is None and fix.only_if and (full or len(fix.only_if) <= _SHORT):
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
        _row(page, f"Fix {number}", text)
        if fix.command and number == 1:
            _command(page, fix.command)
    return max(0, len(usable) - room.fixes)


def _command(page: Page, command: str) -> None:
    """Print a command so that it can be pasted into a shell: what is too long goes on behind a backslash."""
    rows = wrap(visible(command), max(20, page.width - 15), break_long_words=False, break_on_hyphens=False)
    for index, row in enumerate(rows):
        sign = "$ " if index == 0 else "  "
        last = index == len(rows) - 1
        page.rows.append(Text.assemble(" " * 11, (f"{sign}{row}" if last else f"{sign}{row} \\", "green")))


def _upstream(page: Page, diagnosis: Diagnosis, room: Room, *, home_first: bool) -> int:
    """Print the threads there is room for; return how many are left out."""
    if not diagnosis.upstream or (not room.full and all(item.state == "unknown" for item in diagnosis.upstream)):
        return 0  # what nobody has looked at helps nobody
    page.gap()
    known, unknown = ranked(diagnosis.upstream, home_first=home_first)
    rows = [f"{_RELATION[item.relation]} {short_ref(item.ref)} {status_words(item)}" for item in known[: room.upstream]]
    rest = len(known) - len(rows)
    if room.full or room.upstream > 1:
        rows += [also_reported(unknown)] if unknown else []
    else:
        rest += len(unknown)
    for index, text in enumerate(rows):
        _row(page, "Upstream" if index == 0 else "", text)
    argued = next((item for item in known if item.arguments), None)
    if argued is not None and room.full:
        for argument in argued.arguments:
            _row(page, "", f"{argument.side}: {argument.text}", style="dim")
    return rest


def _row(page: Page, label: str, text: str | Text, *, gap: bool = False, style: str = "") -> None:
    if gap:
        page.gap()
    page.labelled(label, text if isinstance(text, Text) else Text(text, style=style))
