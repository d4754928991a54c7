"""The rows below a diagnosis: acceptance, requests, unknown and harmless lines, what the log does not tell."""

from collections.abc import Sequence

from diag.model.report import Benign, Diagnosis, Report
from diag.model.run import Session
from diag.render.plain import acceptance_words, message_of, visible

FAULTS = ("fatal", "error", "degraded")
_ENDED = {
    "clean": "stopped in order",
    "assert": "aborted",
    "backend": "died of a backend error",
    "exception": "died of an exception",
    "signal": "ended by a signal",
    "killed": "killed",
    "cut-off": "the log stops here",
    "running": "not in the log: still running, or gone without a word (kill -9, a crash)",
}
_STATUS = {
    400: "the request was malformed",
    401: "no or wrong API key",
    403: "not allowed",
    404: "no such path",
    501: "a feature that is not switched on",
    503: "still loading, or no free slot",
}

Rows = list[tuple[str, str]]


def faults_of(report: Report) -> list[Diagnosis]:
    """Return the diagnoses that are failures and stand."""
    return [item for item in report.diagnoses if item.severity in FAULTS and item.withdrawn_by_line is None]


def rows_of(report: Report, session: Session | None, *, gaps: int, full: bool) -> Rows:
    """Return label and text of each row, in the order they are shown."""
    rows: Rows = []
    faults = faults_of(report)
    if session is not None:
        accepted = acceptance_words(session)
        if accepted:
            rows.append(("Accepted", " · ".join(accepted)))
        if not any(item.severity in ("fatal", "error") for item in faults):
            rows.extend(_health(session))
    rows.extend(_unknown(report, faults, full=full))
    benign = _merged([item for item in report.benign if full or _may_mislead(item, faults)])
    if benign:
        shown = benign if full else benign[:2]
        more = f" and {len(benign) - len(shown)} more" if len(benign) > len(shown) else ""
        rows.append(("Harmless", "; ".join(shown) + more))
    if report.drift and full:
        shapes = "; ".join(f"{item.count} x {visible(item.shape)} (line {item.line})" for item in report.drift)
        rows.append(("Unread", shapes))
    if report.coverage:
        told = [f"{gap.cannot_tell} ({gap.would_help})" for gap in report.coverage[:gaps]]
        rows.append(("Not told", "; ".join(told)))
    return rows


def _unknown(report: Report, faults: Sequence[Diagnosis], *, full: bool) -> Rows:
    """Return the failure lines that nothing knows; below a named fault they mostly follow from it."""
    first = min((item.first.line for item in faults), default=None)
    wanted = [item for item in report.unknown if full or first is None or item.line < first]
    rows: Rows = []
    for failure in wanted[: 5 if full else 2]:
        times = f" ({failure.count} times)" if failure.count > 1 else ""
        text = message_of(failure.text)[:160]
        rows.append(("Unknown", f"line {failure.line}: {text}{times} [fingerprint {failure.fingerprint}]"))
    return rows


def _may_mislead(item: Benign, faults: Sequence[Diagnosis]) -> bool:
    """True for a harmless line that a reader could take for the fault: no fault is there, it looks like an error, or it
    stands just above the fault."""
    if not faults:
        return True
    evidence = item.evidence[0]
    return message_of(evidence.text).startswith("E ") or 0 <= faults[0].first.line - evidence.line <= 5


def _merged(items: Sequence[Benign]) -> list[str]:
    """Return each harmless kind once, with the lines it first stands in, by session."""
    lines: dict[str, list[int]] = {}
    for item in items:
        lines.setdefault(item.title, []).append(item.evidence[0].line)
    return [
        f"{title} (line{'s' if len(found) > 1 else ''} {', '.join(str(line) for line in found[:4])}"
        f"{' ...' if len(found) > 4 else ''})"
        for title, found in lines.items()
    ]


def _health(session: Session) -> Rows:
    rows: Rows = []
    if session.n_slots is not None or session.n_ctx_slot is not None:
        slots = f"{session.n_slots} slot{'s' if session.n_slots != 1 else ''}" if session.n_slots is not None else ""
        context = f"{session.n_ctx_slot} tokens of context each" if session.n_ctx_slot is not None else ""
        rows.append(("Slots", ", ".join(part for part in (slots, context) if part)))
    requests = _requests(session)
    if requests:
        rows.append(("Requests", requests))
    rows.append(("Ended", _ended(session)))
    return rows


def _ended(session: Session) -> str:
    ending = session.ending
    said = _ENDED[ending.kind]
    if ending.kind == "clean" and ending.during == "loading":
        said = "gave up while loading"
    elif ending.kind == "cut-off" and ending.exit_code is not None:
        said = f"exit code {ending.exit_code}"
    # an open end is where the log ends, not where something was last understood
    line = session.last_line if ending.kind in ("cut-off", "running") else ending.line
    return f"{said} (line {line})" if line else said


def _requests(session: Session) -> str:
    parts: list[str] = []
    finished = [task for task in session.tasks if task.outcome == "finished"]
    # of a large log some requests are only counted, and of others the end was not read
    if session.n_requests > len(session.tasks) or any(task.outcome == "unseen" for task in session.tasks):
        parts.append(f"{session.n_requests} in all")
    elif session.tasks:
        parts.append(f"{len(finished)} of {len(session.tasks)} finished")
    generated = [task for task in finished if task.generated_ms and task.n_generated]
    evaluated = [task for task in finished if task.prompt_ms and task.n_evaluated]
    seconds = sum(task.prompt_ms or 0.0 for task in evaluated) / 1000
    if seconds:
        parts.append(f"prompts at {sum(task.n_evaluated or 0 for task in evaluated) / seconds:.1f} tokens/s")
    seconds = sum(task.generated_ms or 0.0 for task in generated) / 1000
    if seconds:
        parts.append(f"answers at {sum(task.n_generated or 0 for task in generated) / seconds:.1f} tokens/s")
    for status, (count, line) in sorted(session.answers.items()):
        if status >= 400:
            meaning = f": {_STATUS[status]}" if status in _STATUS else ""
            parts.append(f"{count} answered {status} (line {line}{meaning})")
    return ", ".join(parts)
