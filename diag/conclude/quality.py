"""What the log does not hold: the log-quality answers and the coverage lines."""

from collections.abc import Sequence

from diag.conclude.fixes import advise
from diag.conclude.front_end import front_end_of
from diag.conclude.wording import spell
from diag.model.catalog import Catalog
from diag.model.finding import Evidence
from diag.model.line import InputFacts
from diag.model.report import Diagnosis, Gap, Impact, Moment
from diag.model.run import Run, Session
from diag.model.signature import Signature, Value

LAST_STATUS_SHOWN = 9113  # last build read that logs each request's status at default verbosity
FIRST_HIDDEN = 9246  # build from which the default verbosity hides the build line; source: recorded logs


def coverage(run: Run, *, has_fault: bool, n_unknown: int, has_drafter_fault: bool = False) -> list[Gap]:
    """Return what could not be decided and what would decide it, in the order a person would mend it.

    `has_drafter_fault`: an answer that is certain says what is wrong with the drafter, so clues that disagree about it
    (a head driven as a plain draft) are told there.
    """
    gaps: list[Gap] = []
    if not run.sessions:
        return [
            Gap("anything", "no line of llama-server is in the input", "post the server's own output (stderr: `2>&1`)")
        ]
    session = run.sessions[-1]
    if n_unknown:
        gaps.append(
            Gap(
                "what the unknown failure lines mean",
                f"{n_unknown} failure lines match no known message",
                "search for the fingerprint, and post the lines around it",
            )
        )
    build = session.build
    source = session.sources.get("build")
    if build.number is not None and source is not None and source.origin != "log":
        low, high = build.at_least or 0, build.at_most or 99_999
        if not low <= build.number <= high:
            wordings = _bounds(session).removeprefix("; wordings say")
            said = f"b{build.number} was stated, but wordings of the log are of{wordings}"
            gaps.append(Gap("which build it is", said, "check `llama-server --version`"))
    if build.number is None and build.is_upstream:
        gaps.append(_build_gap(session))
    if session.drafter.family == "unknown" and (session.drafter.kind != "unknown" or session.drafter.evidence):
        gaps.append(Gap("the drafter's family", "no line names it", "run with `-lv 4`, or give the command line"))
    if session.drafter.conflict and not has_drafter_fault:
        gaps.append(
            Gap("which drafter it is", session.drafter.conflict, "give the command line and the draft file's name")
        )
    if not session.started and session.reached != "start":
        gaps.append(
            Gap(
                "what happened before the first line",
                "the start of the server is not in the log",
                "post the log from the start",
            )
        )
    unknown = session.acceptance.get("unknown")
    if unknown is not None and unknown.requests:
        gaps.append(Gap("acceptance of image turns against text turns", session.image_sign, "run with `-lv 4`"))
    if session.ending.kind == "cut-off" and session.ending.exit_code is None and not has_fault:
        where = {
            "loading": "while the model was loaded",
            "request": "in the middle of a request",
            "idle": "without a clean stop",
        }
        gaps.append(
            Gap(
                "how the server ended",
                f"the log stops {where[session.ending.during]}",
                "the exit code, the shell's last line, and `dmesg` or the event log",
            )
        )
    statuses_shown = bool(session.answers) or (build.high or 99_999) <= LAST_STATUS_SHOWN
    if not has_fault and session.reached == "ready" and not statuses_shown:
        gaps.append(
            Gap(
                "whether a request was refused (400, 404, 501)",
                "newer builds log no HTTP status at default verbosity",
                "note what the client got",
            )
        )
    if not has_fault and session.backends in ((), ("cpu",)) and session.verbosity is not None and session.verbosity < 4:
        gaps.append(Gap("which devices were used", "device lines are hidden below verbosity 4", "run with `-lv 4`"))
    return gaps


def _build_gap(session: Session) -> Gap:
    high = session.build.high
    if high is not None and high < FIRST_HIDDEN:
        because = f"the first lines, which name it, are not in the log{_bounds(session)}"
        return Gap("the exact build", because, "post the first lines, or add `llama-server --version`")
    because = f"the build line is hidden below verbosity 4{_bounds(session)}"
    return Gap("the exact build", because, "run with `-lv 4`, or add `llama-server --version`")


def _bounds(session: Session) -> str:
    build = session.build
    parts = []
    if build.at_least is not None:
        parts.append(f"at least b{build.at_least}")
    if build.at_most is not None:
        parts.append(f"at most b{build.at_most}")
    return f"; wordings say {', '.join(parts)}" if parts else ""


def quality_answer(run: Run, *, blank: bool, faults: bool, n_unknown: int, has_info: Sequence[str]) -> str | None:
    """Return the id of the log-quality kind that is the answer, or None where the findings answer.

    empty-log: nothing but white space. insufficient-log: lines, but none that a server's life can be told from, or
    failure lines that nothing knows. no-failure-found: a server's life without a fault.
    """
    if blank:
        return "empty-log"
    if faults:
        return None
    if not run.sessions or n_unknown:
        return "insufficient-log"
    if has_info:
        return None
    lived = any(session.reached == "ready" for session in run.sessions)
    return "no-failure-found" if lived else "insufficient-log"


def quality_diagnosis(signature: Signature, run: Run, facts: InputFacts, catalog: Catalog, n_unknown: int) -> Diagnosis:
    """Return the diagnosis of a log-quality kind: what the log is, as far as it goes."""
    session = run.sessions[-1] if run.sessions else None
    front_end = front_end_of(session, catalog.front_ends) if session is not None else None
    line = session.first_line if session is not None else 1
    nothing: tuple[Evidence, ...] = ()
    values: dict[str, Value] = {"n_lines": facts.n_lines}
    if n_unknown:
        values["unexplained"] = f"{n_unknown} failure line{'s' if n_unknown > 1 else ''}"
    else:
        values["n_silent_lines"] = facts.n_lines
    cause = spell(signature.cause, values)
    return Diagnosis(
        signature=signature.id,
        title=signature.title,
        area=signature.area,
        severity=signature.severity,
        session=session.number if session is not None else 0,
        count=1,
        confidence="certain" if signature.id == "empty-log" else "likely",
        verdict="affects",
        fixed_in=None,
        summary=cause.split(". ")[0].rstrip(".") + ".",
        cause=cause,
        arithmetic=(),
        chain=signature.chain,
        impact=_impact_of_quality(session),
        first=Moment(line),
        last=Moment(session.last_line if session is not None else line),
        evidence=nothing,
        captures={},
        positions=None,
        consequences=(),
        fixes=advise(signature.fixes, session, str, front_end) if session is not None else (),
        upstream=(),
    )


def _impact_of_quality(session: Session | None) -> Impact:
    """Return what a log without a fault shows of the server."""
    if session is None:
        return Impact()
    finished = [task for task in session.tasks if task.outcome == "finished"]
    alive = "alive" if session.reached == "ready" and session.ending.kind in ("clean", "running") else "unknown"
    return Impact(
        alive, "ok" if finished else "unknown", finished[0].last_line if finished else None, 0, session.n_requests
    )
