"""What the log does not hold: the log-quality answers and the coverage lines."""

from collections.abc import Sequence

from diag.conclude.fixes import advise
from diag.conclude.front_end import front_end_of
from diag.conclude.wording import spell
from diag.model.boundaries import FIRST_QUIET, LAST_STATUS_SHOWN
from diag.model.catalog import Catalog
from diag.model.finding import Evidence
from diag.model.line import InputFacts
from diag.model.report import Diagnosis, Impact, Moment, Untold
from diag.model.run import Run, Session
from diag.model.signature import Signature, Value


def coverage(run: Run, *, has_fault: bool, n_unknown: int, has_drafter_fault: bool = False) -> list[Untold]:
    """Return what could not be decided and what would decide it, in the order a person would mend it.

    `has_drafter_fault`: an answer that is certain says what is wrong with the drafter, so clues that disagree about it
    (a head driven as a plain draft) are told there.
    """
    untold: list[Untold] = []
    if not run.sessions:
        help_then = "post the server's own output (stderr: `2>&1`)"
        return [Untold("anything", "no line of llama-server is in the input", help_then, "server")]
    session = run.sessions[-1]
    if n_unknown:
        untold.append(
            Untold(
                "what the unknown failure lines mean",
                f"{n_unknown} failure lines match no known message",
                "`--full` names them, with fingerprints to search for; post the lines around",
                "failures",
            )
        )
    build = session.build
    source = session.sources.get("build")
    if build.number is not None and source is not None and source.origin != "log":
        low, high = build.at_least or 0, build.at_most or 99_999
        if not low <= build.number <= high:
            said = f"b{build.number} was stated, but wordings of the log are of {_bounds(session)}"
            untold.append(Untold("which build it is", said, "check `llama-server --version`", "stated-build"))
    if build.number is None and build.is_upstream:
        untold.append(_untold_build(session))
    if session.drafter.family == "unknown" and (session.drafter.kind != "unknown" or session.drafter.evidence):
        help_then = "run with `-lv 4`, or give the command line"
        untold.append(Untold("the drafter's family", "no line names it", help_then, "drafter", by_verbosity=True))
    if session.drafter.conflict and not has_drafter_fault:
        help_then = "give the command line and the draft file's name"
        untold.append(Untold("which drafter it is", session.drafter.conflict, help_then, "drafter"))
    if not session.started and session.reached != "start":
        untold.append(
            Untold(
                "what happened before the first line",
                "the start of the server is not in the log",
                "post the log from the start",
                "start",
            )
        )
    unknown = session.acceptance.get("unknown")
    if unknown is not None and unknown.requests:
        turns = "acceptance of image turns against text turns"
        if session.turns_until is not None:
            because = f"of so large a log turns are told apart up to line {session.turns_until} only"
            untold.append(Untold(turns, because, "give the part in question as a log of its own", "acceptance"))
        else:
            untold.append(Untold(turns, session.image_sign, "run with `-lv 4`", "acceptance", by_verbosity=True))
    if session.ending.kind == "cut-off" and session.ending.exit_code is None and not has_fault:
        where = {
            "loading": "while the model was loaded",
            "request": "in the middle of a request",
            "idle": "without a clean stop",
        }
        untold.append(
            Untold(
                "how the server ended",
                f"the log stops {where[session.ending.during]}",
                "the exit code, the shell's last line, and `dmesg` or the event log",
                "ending",
            )
        )
    statuses_shown = bool(session.answers) or (build.high or 99_999) <= LAST_STATUS_SHOWN
    if not has_fault and session.reached == "ready" and not statuses_shown:
        untold.append(
            Untold(
                "whether a request was refused (400, 404, 501)",
                "newer builds log no HTTP status at default verbosity",
                "note what the client got",
                "statuses",
            )
        )
    if not has_fault and session.backends in ((), ("cpu",)) and session.verbosity is not None and session.verbosity < 4:
        because = "device lines are hidden below verbosity 4"
        untold.append(Untold("which devices were used", because, "run with `-lv 4`", "devices", by_verbosity=True))
    return untold


def _untold_build(session: Session) -> Untold:
    high = session.build.high
    bounds = _bounds(session)
    wordings = f"; wordings say {bounds}" if bounds else ""
    if high is not None and high < FIRST_QUIET:
        because = f"the first lines, which name it, are not in the log{wordings}"
        return Untold("the exact build", because, "post the first lines, or add `llama-server --version`", "build")
    because = f"the build line is hidden below verbosity 4{wordings}"
    help_then = "run with `-lv 4`, or add `llama-server --version`"
    return Untold("the exact build", because, help_then, "build", by_verbosity=True)


def _bounds(session: Session) -> str:
    """Return between which builds the log's wordings were in use; "" where they bound nothing."""
    build = session.build
    parts = []
    if build.at_least is not None:
        parts.append(f"at least b{build.at_least}")
    if build.at_most is not None:
        parts.append(f"at most b{build.at_most}")
    return ", ".join(parts)


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
        fixes=advise(signature.fixes, session, str, catalog.spellings, front_end) if session is not None else (),
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
