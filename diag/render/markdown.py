"""Report as Markdown, to paste into an issue or a chat."""

from collections.abc import Sequence

from diag.model.finding import Evidence
from diag.model.noun import noun
from diag.model.report import Diagnosis, FixAdvice, Report, UpstreamStatus
from diag.model.run import Acceptance, Session
from diag.model.statistics import FLOOR, mean_accepted_length, rate, wilson_interval
from diag.render.inert import cell, code, fence, link, prose
from diag.render.plain import (
    build_words,
    drafter_words,
    impact_words,
    message_of,
    target_words,
    title_of,
    verdict_words,
)
from diag.render.threads import N_NAMED, ranked, status_words

LIMIT = 60_000  # characters; GitHub refuses a comment of more than 65,536
_FOOT = 400  # kept for the note on what was left out and the last line

Block = list[str]
"""Lines that belong together: a paragraph, a list, a table, a fence."""


@noun
class Room:
    """How much of each part of the answer is shown."""

    fixes: int
    upstream: int
    evidence: int
    refused: bool  # fixes that do not apply too


_SHORT, _FULL = Room(3, 3, 8, refused=False), Room(99, 99, 99, refused=True)


def render(report: Report, *, full: bool = False) -> str:
    """Return the report as Markdown of at most LIMIT characters, the verdict in its first line.

    Without `full` it shows the first diagnosis with the fixes that may apply, and the rest folded and in short. Text of
    the log stands in fences and code spans only. The one HTML element is <details>. No line ends in a blank.
    """
    room = _FULL if full else _SHORT
    blocks = [*_answer(report, room), *_acceptance(report), _missing(report)]
    folded = _details(report, room, full=full)
    foot = f"_rule-based, llama-diag {prose(report.tool_version)}, signatures {prose(report.catalog_hash)}_"
    kept, n_left = _fitting(blocks, LIMIT - _FOOT)
    if folded and not n_left:
        frame = [["<details>", "<summary>Facts, notes and everything else</summary>"], ["</details>"]]
        used = sum(len(line) + 1 for block in [*kept, *frame] for line in [*block, ""])
        inner, n_left = _fitting(folded, LIMIT - _FOOT - used)
        kept += [frame[0], *inner, frame[1]]
    if n_left:
        kept.append(
            [f"{n_left} parts are left out to stay below {LIMIT:,} characters; the text and JSON formats have all."]
        )
    kept.append([foot])
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in kept)


def _fitting(blocks: Sequence[Block], room: int) -> tuple[list[Block], int]:
    """Return the blocks that fit, whole ones only, and how many did not."""
    kept: list[Block] = []
    left = 0
    for block in blocks:
        size = sum(len(line) + 1 for line in block) + 1
        if not block:
            continue
        if size > room:
            left += 1
            continue
        room -= size
        kept.append(block)
    return kept, left


def _answer(report: Report, room: Room) -> list[Block]:
    if not report.diagnoses:
        text = "No known failure in the log" if report.is_llama_log else "This is not a llama.cpp log"
        return [[f"**{text}**"], *([_where(report, report.sessions[-1])] if report.sessions else [])]
    diagnosis = report.diagnoses[0]
    session = next((item for item in report.sessions if item.number == diagnosis.session), None)
    blocks = [_verdict(diagnosis), _impact(report, diagnosis)]
    if session is not None:
        blocks.append(_where(report, session))
    blocks.append(_excerpts(report) if report.excerpts else _evidence(diagnosis.evidence, room.evidence))
    blocks.append([f"**Why:** {prose(' '.join([diagnosis.cause, *diagnosis.arithmetic]))}"])
    verdict = verdict_words(diagnosis)
    if verdict:
        blocks.append([f"**Build:** {prose(verdict)}"])
    home_first = session is None or session.build.flavour == "upstream"
    return [*blocks, *_fixes(diagnosis.fixes, room), *_upstream(diagnosis, room, home_first=home_first)]


def _verdict(diagnosis: Diagnosis) -> Block:
    return [f"**{diagnosis.severity}: {prose(title_of(diagnosis))}**"]


def _impact(report: Report, diagnosis: Diagnosis) -> Block:
    words = [code(diagnosis.signature)]
    if diagnosis.area != "log-quality":
        words.append(diagnosis.confidence)
    if len(report.sessions) > 1 and diagnosis.session:
        words.append(f"start {diagnosis.session} of {len(report.sessions)}")
    return [" · ".join([*words, *(prose(phrase) for phrase in impact_words(diagnosis))])]


def _where(report: Report, session: Session) -> Block:
    name = report.input.name.replace("\\", "/").rsplit("/", 1)[-1]
    source = "standard input" if name == "-" else code(name)
    devices = [
        " ".join(part for part in (device.name, device.description, device.arch or "") if part)
        for device in session.devices
        if device.backend != "cpu"
    ]
    rows = [
        f"- log: {source}, {report.input.n_lines} lines",
        f"- build: {prose(build_words(session.build))}",
        f"- target: {prose(target_words(session))}",
        f"- drafter: {prose(drafter_words(session.drafter))}",
    ]
    if devices or [backend for backend in session.backends if backend != "cpu"]:
        rows.append(f"- device: {prose('; '.join(devices[:4]) or ', '.join(session.backends))}")
    return rows


def _evidence(lines: Sequence[Evidence], most: int) -> Block:
    if not lines:
        return []
    shown = [f"{item.line:>6} | {message_of(item.text)}" for item in lines[:most]]
    more = [f"       | ... {len(lines) - most} more"] if len(lines) > most else []
    return fence([*shown, *more])


def _excerpts(report: Report) -> Block:
    """Return the evidence with the lines round it; `>` marks the evidence."""
    shown: list[str] = []
    before = None
    for item in report.excerpts[:400]:
        if before is not None and item.line > before + 1:
            shown.append("       ...")
        shown.append(f"{item.line:>6} {'>' if item.evidence else '|'} {message_of(item.text)}")
        before = item.line
    return fence(shown)


def _fixes(fixes: Sequence[FixAdvice], room: Room) -> list[Block]:
    usable = [fix for fix in fixes if room.refused or fix.applies is not False][: room.fixes]
    if not usable:
        return []
    rows = ["**Fixes**", ""]
    for number, fix in enumerate(usable, 1):
        indent = " " * (len(str(number)) + 2)
        rows.append(f"{number}. {prose(fix.do)}")
        name, _, words = fix.front_end.partition(": ")
        for label, text in ((name, words), ("Condition", _condition(fix)), ("Cost", fix.cost), ("Check", fix.verify)):
            if text:
                rows.append(f"{indent}- {label}: {prose(text)}")
        if fix.evidence:
            day = f"; last seen {fix.checked}" if fix.checked is not None else ""
            rows.append(f"{indent}- Source: {', '.join(link(ref) for ref in fix.evidence)}{day}")
        if fix.command:
            rows += ["", *(f"{indent}{line}" for line in fence([fix.command], "sh", 4000)), ""]
    while not rows[-1]:
        rows.pop()
    return [rows]


def _condition(fix: FixAdvice) -> str:
    if fix.applies is False:
        return f"does not apply here: {fix.because or fix.when}"
    if not fix.when:
        return ""
    if fix.applies is None and not fix.only_if:
        return fix.because
    if fix.applies is None:
        return f"only if {fix.only_if} ({fix.because})" if fix.because else f"only if {fix.only_if}"
    return f"{fix.when}: holds here, {fix.because}" if fix.because else f"{fix.when}: holds here"


def _upstream(diagnosis: Diagnosis, room: Room, *, home_first: bool = True) -> list[Block]:
    if not diagnosis.upstream:
        return []
    known, unknown = ranked(diagnosis.upstream, home_first=home_first)
    rows = ["**Upstream**", "", *(_status(item) for item in known[: room.upstream])]
    if room.refused:
        rows += [f"  - {prose(said.side)}: {prose(said.text)}" for item in known[:1] for said in item.arguments]
    if unknown:
        word = "reported" if all(item.relation == "report" for item in unknown) else "named"
        more = f" and {len(unknown) - N_NAMED} more" if len(unknown) > N_NAMED else ""
        names = ", ".join(link(item.ref) for item in unknown[:N_NAMED])
        rows.append(f"- also {word}: {names}{more} (state not known)")
    if len(known) > room.upstream:
        rows.append(f"- {len(known) - room.upstream} more: {code(f'diag explain {diagnosis.signature}')}")
    return [rows]


def _status(item: UpstreamStatus) -> str:
    return f"- {link(item.ref)} ({item.relation}): {prose(status_words(item))}"


def _acceptance(report: Report) -> list[Block]:
    """Return the acceptance of the answer's session as a table; nothing where nothing was drafted."""
    session = _session_of(report)
    rows: list[str] = []
    for turn in ("text", "image", "unknown") if session is not None else ():
        assert session is not None
        sums = session.acceptance.get(turn, Acceptance())
        share, interval, length = rate(sums), wilson_interval(sums.accepted, sums.drafted), mean_accepted_length(sums)
        if share is None or interval is None:
            continue
        few = " (too few to say)" if sums.drafted < FLOOR else ""
        mean = f"{length:.2f}" if length is not None else "–"
        turns = "not told apart" if turn == "unknown" else turn
        rows.append(
            f"| {turns} | {sums.requests} | {sums.accepted} / {sums.drafted} | {share:.2f}{few} "
            f"| {interval[0]:.2f} to {interval[1]:.2f} | {mean} |"
        )
    if not rows:
        return []
    head = [
        "| turns | requests | accepted / drafted | rate | 95 % interval | mean length |",
        "|---|---|---|---|---|---|",
    ]
    return [["**Draft acceptance**", "", *head, *rows]]


def _missing(report: Report) -> Block:
    rows = [f"- [ ] {prose(f'{gap.cannot_tell}: {gap.would_help}')}" for gap in report.coverage]
    return ["**Missing in this log**", "", *rows] if rows else []


def _details(report: Report, room: Room, *, full: bool) -> list[Block]:
    blocks: list[Block] = []
    for diagnosis in report.diagnoses[1:]:
        blocks += [_verdict(diagnosis), _impact(report, diagnosis)]
        blocks.append(_evidence(diagnosis.evidence, room.evidence if full else 2))
        if full:
            blocks.append([f"**Why:** {prose(' '.join([diagnosis.cause, *diagnosis.arithmetic]))}"])
            blocks += [*_fixes(diagnosis.fixes, room), *_upstream(diagnosis, room)]
        else:
            blocks += _fixes(diagnosis.fixes, Room(1, 0, 0, refused=False))
    if report.diagnoses and report.diagnoses[0].consequences:
        rows = [
            f"- {prose(item.title)} (line {item.lines[0]})" for item in report.diagnoses[0].consequences if item.lines
        ]
        blocks.append(["**What followed from it**", "", *rows])
    if report.unknown:
        blocks.append(["**Failure lines that nothing here knows**"])
        blocks.append(
            fence(f"{item.line:>6} | {message_of(item.text)}  [{item.fingerprint}]" for item in report.unknown[:20])
        )
    session = _session_of(report)
    if session is not None:
        blocks.append(_facts(session))
    if report.benign:
        rows = [f"- {prose(item.title)} (line {item.evidence[0].line})" for item in report.benign if item.evidence]
        blocks.append(["**Harmless lines**", "", *rows])
    if report.input.notes:
        rows = [
            f"- {prose(note.what)}{f' (line {note.line})' if note.line is not None else ''}"
            for note in report.input.notes[:50]
        ]
        blocks.append(["**Notes on reading**", "", *rows])
    return [block for block in blocks if block]


def _facts(session: Session) -> Block:
    """Return a table of the session's facts with where each is known from."""
    devices = [
        f"{device.name} {device.description} {device.arch or ''}"
        + (f", {device.memory_mib} MiB" if device.memory_mib else "")
        for device in session.devices
    ]
    facts = [
        ("build", build_words(session.build), "build"),
        ("system", session.os or "", "os"),
        ("backends", ", ".join(session.backends), "backends"),
        ("devices", "; ".join(" ".join(device.split()) for device in devices), "devices"),
        ("target", target_words(session), "target"),
        ("drafter", drafter_words(session.drafter), "drafter"),
        ("slots", _slots(session), "slots"),
        (
            "command line",
            f"`{session.command}`" if session.command and "`" not in session.command else session.command or "",
            "command",
        ),
        ("image turns", session.image_sign if session.drafter.family not in ("none", "unknown") else "", ""),
        ("ended", f"{session.ending.kind}{f' (line {session.ending.line})' if session.ending.line else ''}", ""),
    ]
    rows = ["| fact | value | known from |", "|---|---|---|"]
    for name, value, key in facts:
        source = session.sources.get(key)
        line = f", line {source.line}" if source is not None and source.line is not None else ""
        if value:
            rows.append(f"| {name} | {cell(value)} | {f'{source.origin}{line}' if source is not None else '–'} |")
    return rows


def _slots(session: Session) -> str:
    parts = [f"{session.n_slots}" if session.n_slots is not None else ""]
    parts.append(f"{session.n_ctx_slot} tokens of context each" if session.n_ctx_slot is not None else "")
    return ", ".join(part for part in parts if part)


def _session_of(report: Report) -> Session | None:
    wanted = report.diagnoses[0].session if report.diagnoses else 0
    found = next((session for session in report.sessions if session.number == wanted), None)
    return found or (report.sessions[-1] if report.sessions else None)
