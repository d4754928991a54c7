"""Run and findings to a Report."""

from collections.abc import Iterator, Mapping, Sequence

from diag.conclude.arithmetic import arithmetic
from diag.conclude.fingerprint import unknown_failures
from diag.conclude.fixes import advise
from diag.conclude.front_end import front_end_of, told_in
from diag.conclude.impact import impact
from diag.conclude.order import Folded, absorb, fold, ordered
from diag.conclude.quality import coverage, quality_answer, quality_diagnosis
from diag.conclude.spoken import with_flags
from diag.conclude.survival import SURVIVED, doubted, survived
from diag.conclude.verdict import verdict
from diag.conclude.wording import spell
from diag.model.catalog import Catalog, UpstreamItem
from diag.model.events import Event
from diag.model.events.crash import Aborted, AssertFailed, BackendFailed, ExceptionEscaped
from diag.model.events.event import TextMatched, UnknownError
from diag.model.events.position import PositionsRefused
from diag.model.events.request import RequestAnswered, RequestRefused, TaskFailed
from diag.model.events.server import ContextCreationFailed, ModelLoadFailed
from diag.model.finding import Evidence, Finding
from diag.model.line import InputFacts
from diag.model.report import Absorbed, Benign, Diagnosis, Moment, Positions, Report, Untold, UpstreamStatus
from diag.model.run import Run, Session
from diag.model.signature import FAULTS, UpstreamLink, Value
from diag.positions.rule import missed

# Known words, but of no known failure where no signature holds.
UNEXPLAINED = (
    Aborted,
    AssertFailed,
    BackendFailed,
    ContextCreationFailed,
    ExceptionEscaped,
    ModelLoadFailed,
    RequestRefused,
    TaskFailed,
)
MAX_EVIDENCE = 8  # lines of one diagnosis; the rest is counted

_DRAFTER_AREAS = ("speculative", "positions")


def conclude(
    run: Run,
    findings: Sequence[Finding],
    catalog: Catalog,
    facts: InputFacts,
    *,
    version: str = "",
    ignore: Sequence[str] = (),
) -> Report:
    """Return the report. Signatures named in `ignore` are left out as if they had not been found."""
    if not run.looks_like_llama and not findings:
        run = Run((), looks_like_llama=False)  # another program's failure words are no start of a server
    sessions = {session.number: session for session in run.sessions}
    kept = doubted([found for found in findings if found.signature not in ignore], sessions, catalog.signatures)
    folded = fold(kept, catalog.signatures)
    streams = {number: session.stream for number, session in sessions.items()}
    benign = [found for found in folded if found.signature.severity == "benign"]
    causes = ordered(
        absorb([found for found in folded if found.signature.severity != "benign"], streams, catalog.signatures)
    )
    explained = {found.session for found in causes if found.signature.severity in FAULTS}
    unknown = unknown_failures(
        [
            event
            for session in run.sessions
            for event in _strange(session, {found.signature for found in findings if found.session == session.number})
            if isinstance(event, UnknownError) or session.number not in explained
        ],
        [session.n_unknown for session in run.sessions],
    )
    diagnoses = [_diagnosis(found, sessions, catalog) for found in causes]
    standing = [found for found in causes if found.withdrawn_by is None]
    quality = quality_answer(
        run,
        blank=facts.blank or facts.n_lines == 0,
        faults=any(found.signature.severity in FAULTS for found in standing),
        n_unknown=len(unknown),
        has_info=[found.signature.id for found in standing],
    )
    if quality is not None and quality not in ignore and quality in catalog.signatures:
        diagnoses.insert(0, quality_diagnosis(catalog.signatures[quality], run, facts, catalog, len(unknown)))
    return Report(
        input=facts,
        sessions=run.sessions,
        diagnoses=tuple(with_flags(found, catalog.spellings) for found in diagnoses),
        benign=tuple(_benign(found) for found in benign),
        coverage=_coverage(run, diagnoses, len(unknown), catalog),
        unknown=unknown,
        is_llama_log=run.looks_like_llama or bool(folded),  # a signature that holds knows its line
        tool_version=version,
        catalog_hash=catalog.content_hash,
    )


def _coverage(run: Run, diagnoses: Sequence[Diagnosis], n_unknown: int, catalog: Catalog) -> tuple[Untold, ...]:
    """Return what the log does not tell; the build only where a fix or a verdict hangs on it."""
    faults = [item for item in diagnoses if item.severity in FAULTS]
    untold = coverage(
        run,
        has_fault=bool(faults),
        n_unknown=n_unknown,
        has_drafter_fault=any(item.confidence == "certain" and item.area in _DRAFTER_AREAS for item in faults),
    )
    hangs = any(item.verdict == "unknown-build" or any(fix.hangs_on_build for fix in item.fixes) for item in diagnoses)
    kept = [item for item in untold if hangs or item.kind != "build"]
    front_end = front_end_of(run.sessions[-1], catalog.front_ends) if run.sessions else None
    return tuple(told_in(kept, front_end))


def _strange(session: Session, held: set[str]) -> Iterator[Event]:
    """Yield the failures that no signature of `held` asks for, known wordings among them."""
    asked = {
        event.place[:2]
        for event in session.events
        if isinstance(event, TextMatched) and event.condition.partition("/")[0] in held
    }
    for event in session.events:
        if (_unexplained(event) or isinstance(event, UnknownError)) and event.place[:2] not in asked:
            yield event


def _unexplained(event: Event) -> bool:
    if isinstance(event, RequestAnswered):
        # 501 is a feature that is not switched on, 503 a server that still loads
        return event.status >= 500 and event.status not in (501, 503)
    return isinstance(event, UNEXPLAINED)


def _diagnosis(found: Folded, sessions: Mapping[int, Session], catalog: Catalog) -> Diagnosis:
    session = sessions[found.session]
    signature = found.signature
    first, last = found.findings[0], found.findings[-1]
    positions = _positions(found.findings, session, by_image=signature.applies.image == "required")
    values = _values(first, positions)
    judged, fixed_in = verdict(signature, session)

    def fill(text: str) -> str:
        return spell(text, values)

    cause = fill(signature.cause)
    later_ok = next(
        (
            other.number
            for other in sessions.values()
            if other.number > session.number and other.stream == session.stream and other.reached == "ready"
        ),
        None,
    )
    return Diagnosis(
        signature=signature.id,
        title=signature.title,
        area=signature.area,
        severity=signature.severity if found.withdrawn_by is None else "info",  # a retry cured it
        session=session.number,
        count=sum(finding.count for finding in found.findings),
        confidence=found.grade,
        verdict=judged,
        fixed_in=fixed_in,
        summary=cause.split(". ")[0].rstrip(".") + "." if cause else signature.title + ".",
        cause=cause,
        arithmetic=(
            *arithmetic(signature.area, values, positions, session),
            *((SURVIVED,) if signature.severity == "fatal" and survived(first, session) else ()),
        ),
        chain=tuple(step for step in (fill(step) for step in signature.chain) if step),
        impact=impact(found.findings, session, signature.severity, sessions.values()),
        first=_moment(first, session),
        last=_moment(last, session),
        evidence=_evidence(found),
        captures=values,
        positions=positions,
        consequences=_absorbed(found),
        fixes=advise(signature.fixes, session, fill, catalog.spellings, front_end_of(session, catalog.front_ends)),
        upstream=tuple(
            _upstream(link, catalog.upstream[link.ref]) for link in signature.upstream if link.ref in catalog.upstream
        ),
        withdrawn_by_line=found.withdrawn_by,
        later_session_ok=later_ok,
        not_to_confuse_with=signature.not_to_confuse_with,
    )


def _moment(finding: Finding, session: Session) -> Moment:
    """Return when it happened; a line without a clock (an assertion) has the time of the line before it."""
    event = next((item for item in finding.events if item.line.number == finding.trigger.line), finding.events[0])
    elapsed = event.elapsed_us
    if elapsed is None:
        before = (item for item in reversed(session.events) if item.place <= event.place)
        elapsed = next((item.elapsed_us for item in before if item.elapsed_us is not None), None)
    return Moment(event.line.number, elapsed, event.line.time)


def _positions(findings: Sequence[Finding], session: Session, *, by_image: bool) -> Positions | None:
    """Return the positions of the first refusal that stands in the findings' incidents, or None.

    `by_image`: the signature says that an image left the gap, which at low verbosity no other line shows.
    """
    refusals = [event for event in session.events if isinstance(event, PositionsRefused)]
    for finding in findings if refusals else ():
        spans = finding.incident
        near = [
            event
            for event in refusals
            if event in finding.events or (spans is not None and spans[0] <= event.line.number <= spans[1])
        ]
        if near:
            event = near[0]
            drafter = session.drafter
            gone = None
            left = event.left_by
            if left == "unknown" and by_image and event.refused_by == "draft" and (event.gap or 0) > 0:
                left = "image"
            if event.gap is not None and event.refused_by != "target" and left == "image":
                gone = missed(drafter.family, drafter.position_class, event.gap, session.build.number)
            return Positions(event.rule, event.x, event.y, event.gap, gone, event.refused_by, left)
    return None


def _values(finding: Finding, positions: Positions | None) -> dict[str, Value]:
    values: dict[str, Value] = dict(finding.captures)
    if positions is not None:
        for name in ("rule", "x", "y", "gap", "missed"):
            value = getattr(positions, name)
            if value is not None:
                values[name] = value
    return values


def _evidence(found: Folded) -> tuple[Evidence, ...]:
    """Return the lines that show it, in line order: all of the first occurrence, then those of its consequences."""
    seen: dict[tuple[int, int], Evidence] = {}
    for item in found.findings[0].evidence:
        seen.setdefault((item.line, item.part), item)
    for absorbed in found.absorbed:
        for item in absorbed.findings[0].evidence[:2]:
            seen.setdefault((item.line, item.part), Evidence(item.line, item.part, item.text, "context", item.stream))
    for finding in found.findings[1:]:
        seen.setdefault((finding.trigger.line, finding.trigger.part), finding.trigger)
    return tuple(sorted(list(seen.values())[:MAX_EVIDENCE], key=lambda item: (item.line, item.part)))


def _absorbed(found: Folded) -> tuple[Absorbed, ...]:
    """Return what followed; a kind that says less of the very lines that show the cause did not follow from it."""
    own = {item.line for finding in found.findings for item in finding.evidence if item.role == "trigger"}
    told = [(item, tuple(finding.trigger.line for finding in item.findings)) for item in found.absorbed]
    return tuple(
        Absorbed(item.signature.id, item.signature.title, lines) for item, lines in told if not own >= {*lines}
    )


def _upstream(link: UpstreamLink, item: UpstreamItem) -> UpstreamStatus:
    since = ""
    for state, date in (
        ("merged", item.merged),
        ("closed", item.closed),
        ("draft", item.draft_since),
        ("open", item.opened),
    ):
        if date is not None and state == item.state:
            since = f"{state} {'since ' if state in ('draft', 'open') else ''}{date.isoformat()}"
            break
    return UpstreamStatus(
        ref=item.ref,
        state=item.state,
        checked=item.checked,
        first_build=item.first_build,
        note=item.changes or item.title,
        relation=link.relation,
        title=item.title,
        since=since,
        arguments=item.arguments,
        seen=item.seen,
    )


def _benign(found: Folded) -> Benign:
    count = sum(finding.count for finding in found.findings)
    return Benign(found.signature.id, found.signature.title, found.signature.cause, found.findings[0].evidence, count)
