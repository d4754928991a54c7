"""Who was hit, how often, and what still works."""

from bisect import bisect_left
from collections.abc import Collection, Sequence

from diag.model.events.position import PositionsRefused
from diag.model.events.request import TaskFailed
from diag.model.events.server import RouterStarted
from diag.model.finding import Finding
from diag.model.report import Impact
from diag.model.run import Incident, Session, Task

_DEAD = ("assert", "backend", "exception", "signal", "killed")


def impact(findings: Sequence[Finding], session: Session, severity: str, sessions: Collection[Session] = ()) -> Impact:
    """Return the impact of the occurrences of one signature in one session.

    `sessions`: those of the whole log. A router goes on serving its other models when a child dies.
    """
    # evidence may begin at the start lines; what fails stands at its end
    first = findings[0].incident[0] if findings[0].incident is not None else findings[0].evidence[-1].line
    failed = [task for task in session.tasks if task.outcome == "failed" and task.error_line is not None]
    spans = [finding.incident for finding in findings if finding.incident is not None]
    if spans:
        # clients that were waiting in other slots get the same error in the same incident
        lost = [task for task in failed if any(low <= (task.error_line or 0) <= high for low, high in spans)]
    else:
        lost = [task for task in failed if (task.error_line or 0) >= first]
    finished_later = [task for task in session.tasks if task.outcome == "finished" and task.first_line > first]
    text = [task for task in finished_later if task.image in ("no", "unknown")]
    died = session.ending.kind in _DEAD and (severity == "fatal" or not finished_later)
    routed = any(_routes(other) for other in sessions if other.stream != session.stream)
    if died:
        lost += [task for task in session.tasks if task.outcome == "open"]
        server = "dead"
    elif session.reached != "ready":
        server = "dead" if severity == "fatal" else "unknown"
    elif finished_later or session.ending.kind in ("clean", "running"):
        server = "alive"
    else:
        server = "alive" if lost and session.ending.during != "request" else "unknown"
    if server == "dead" and routed:
        server = "alive"
    if text:
        text_requests, proof = "ok", text[0].last_line
    elif server == "dead":
        text_requests, proof = "fail", None
    else:
        text_requests, proof = "unknown", None
    n_lost = _count_lost(findings, session) if any(incident.count > 1 for incident in session.incidents) else len(lost)
    return Impact(server, text_requests, proof, n_lost, session.n_requests, _innocent(findings, lost, session))


def _routes(session: Session) -> bool:
    """True for a router that was not seen to die."""
    return session.ending.kind not in _DEAD and any(isinstance(event, RouterStarted) for event in session.events)


def _count_lost(findings: Sequence[Finding], session: Session) -> int:
    """Return how many requests failed in the incidents of the findings, those that were only counted among them."""
    if findings[0].incident is None:
        first = findings[0].evidence[-1].line
        if session.failed:
            return len(session.failed) - bisect_left(session.failed, first) + session.n_failed_behind
        return sum(
            incident.count * len(_failed(incident)) for incident in session.incidents if incident.last_line >= first
        )
    spans = {finding.incident for finding in findings}
    return sum(
        incident.count * len(_failed(incident))
        for incident in session.incidents
        if (incident.first_line, incident.last_line) in spans
    )


def _failed(incident: Incident) -> set[int | None]:
    return {event.id_task for event in incident.events if isinstance(event, TaskFailed)}


def _innocent(findings: Sequence[Finding], lost: Sequence[Task], session: Session) -> int:
    """Return how many of the lost requests ran in other slots than the refused ones.

    A sequence of the server is a slot. One refused batch fails every request that had rows in it.
    """
    spans = [finding.incident for finding in findings if finding.incident is not None]
    refused = {
        event.sequence
        for event in session.events
        if isinstance(event, PositionsRefused)
        and event.sequence is not None
        and any(low <= event.line.number <= high for low, high in spans)
    }
    if any(incident.count > 1 for incident in session.incidents):
        return 0  # which slot an incident hit that is only counted is not known
    return sum(task.slot_id is not None and task.slot_id not in refused for task in lost) if refused else 0
