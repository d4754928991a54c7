"""Finds the signatures that hold."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from diag.match.condition import holding
from diag.match.pool import Pool, Pools, key_of
from diag.model.catalog import Catalog, Outline
from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.model.events.position import PositionsRefused
from diag.model.events.tone import is_quiet
from diag.model.finding import Evidence, Finding
from diag.model.noun import names_of
from diag.model.run import Incident, Run, Session
from diag.model.signature import Match, Signature, Value

# What the whole report decides, not one session's lines.
CONCLUDED = ("no-failure-found", "insufficient-log", "empty-log")
_BASE_FIELDS = set(names_of(Event))


def match(run: Run, catalog: Catalog) -> list[Finding]:
    """Return a finding for each incident, session or log in which a signature holds, in the order of the sessions."""
    findings: list[Finding] = []
    pools = Pools(run)
    for session in run.sessions:
        names = {
            event.condition if isinstance(event, TextMatched) else type(event).__name__ for event in session.events
        }
        for outline in _that_may_hold(catalog.outlines, names):
            signature = catalog.signatures[outline.id]
            refuted, undecided = _applies(signature, session)
            if not refuted:
                found = _in_session(signature, session, pools)
                findings.extend(dataclasses.replace(one, undecided=undecided) if undecided else one for one in found)
    return findings


def _that_may_hold(outlines: Sequence[Outline], names: set[str]) -> Iterator[Outline]:
    """Yield those of which one of the matches finds its events: classes, and texts as signature/condition."""
    for outline in outlines:
        for every, some in outline.rules:
            if names.issuperset(every) and not (some and names.isdisjoint(some)):
                if outline.id not in CONCLUDED:
                    yield outline
                break


def _applies(signature: Signature, session: Session) -> tuple[bool, tuple[str, ...]]:
    """Return whether a known fact contradicts the signature, and which facts it asks for are unknown."""
    applies = signature.applies
    undecided: list[str] = []
    if applies.families:
        drafter = session.drafter
        silent = drafter.family == "none" and drafter.confidence != "certain"  # nothing says so but what is missing
        if drafter.family == "unknown" or drafter.confidence == "possible" or silent:
            undecided.append("family")
        elif drafter.family not in applies.families:
            return True, ()
    if applies.image == "required":
        if session.image_input == "excluded":
            return True, ()
        if session.image_input == "unknown":
            undecided.append("image")
    flavour = session.build.flavour
    if applies.flavours and flavour != "upstream" and flavour not in applies.flavours:
        return True, ()
    gpus = [backend for backend in session.backends if backend not in ("cpu", "blas", "rpc")]
    if applies.backends and gpus and not set(gpus) & set(applies.backends):
        return True, ()
    if any(found.introduced or found.fixed for found in applies.builds) and session.build.low is None:
        undecided.append("build")
    return False, tuple(undecided)


def _in_session(signature: Signature, session: Session, pools: Pools) -> Iterator[Finding]:
    """Yield one finding an incident, or one for the session; for each the first `match` that holds gives the grade."""
    taken: set[int] = set()
    for rule in signature.matches:
        if rule.scope == "incident":
            for incident, pool in pools.incidents(session, _first_key(signature, rule)):
                if id(incident) in taken:
                    continue
                found = _evaluate(signature, rule, session, pools, incident, pool)
                if found is not None:
                    taken.add(id(incident))
                    yield found
            continue
        if taken:
            continue
        found = _evaluate(signature, rule, session, pools, None, None)
        if found is not None:
            yield found
            return


def _first_key(signature: Signature, rule: Match) -> str | None:
    """Return the key that every incident holds in which the rule holds; None where it asks for no event of its own."""
    for name in rule.all_of:
        condition = signature.conditions[name]
        if condition.within in (None, "incident"):
            return key_of(signature.id, condition)
    return None


def _evaluate(
    signature: Signature, rule: Match, session: Session, pools: Pools, incident: Incident | None, own: Pool | None
) -> Finding | None:
    whole = pools.session(session)

    def pool_of(within: str) -> Pool:
        if within == "log":
            return pools.log()
        return own if own is not None and within == "incident" else whole

    held: dict[str, list[Event]] = {}

    def decide(name: str, *, default: str) -> list[Event]:
        condition = signature.conditions[name]
        held[name] = holding(signature.id, condition, pool_of(condition.within or default), held)
        return held[name]

    for name in (*rule.all_of, *rule.sequence):
        if not decide(name, default=rule.scope):
            return None
    if rule.any_of:
        found_any = [name for name in rule.any_of if decide(name, default=rule.scope)]
        if not found_any:
            return None
    if any(decide(name, default=rule.scope) for name in rule.none_of):
        return None
    if rule.sequence and not _in_order([held[name] for name in rule.sequence]):
        return None
    shown = _shown(rule, signature, held)
    if not shown:
        return None
    events = [event for event, _ in shown]
    last = events[-1].place
    withdrawn = None
    for name in rule.unless_later:
        later = [
            event for event in holding(signature.id, signature.conditions[name], whole, held) if event.place > last
        ]
        if later:
            withdrawn = later[0].line.number
            break
    return Finding(
        signature=signature.id,
        session=session.number,
        grade=rule.grade,
        evidence=tuple(item for event, role in shown for item in _evidence(event, role)),
        events=tuple(events),
        captures=_captures(rule, held),
        count=incident.count if incident is not None else _occurrences(events[0], held, session),
        incident=(incident.first_line, incident.last_line) if incident is not None else None,
        withdrawn_by=withdrawn,
    )


def _in_order(groups: Sequence[Sequence[Event]]) -> bool:
    at = (-1, -1, -1)
    for group in groups:
        following = next((event for event in group if event.place > at), None)
        if following is None:
            return False
        at = following.place
    return True


def _shown(rule: Match, signature: Signature, held: Mapping[str, Sequence[Event]]) -> list[tuple[Event, str]]:
    """Return the first event of each condition that made the match, in line order, with its role."""
    shown: dict[int, tuple[Event, str]] = {}
    for name in (*rule.all_of, *rule.any_of, *rule.sequence):
        for event in held.get(name, ())[:1]:
            wider = signature.conditions[name].within in ("session", "log") and rule.scope == "incident"
            shown.setdefault(id(event), (event, "context" if wider or is_quiet(event) else "trigger"))
    return sorted(shown.values(), key=lambda item: item[0].place)


def _evidence(event: Event, role: str) -> list[Evidence]:
    lines = event.fragments if isinstance(event, PositionsRefused) and event.fragments else (event.line,)
    return [Evidence(line.number, line.part, line.text.rstrip(), role, line.stream) for line in lines]


def _captures(rule: Match, held: Mapping[str, Sequence[Event]]) -> dict[str, Value]:
    """Return named groups and event fields; the condition named first wins where two give one name."""
    captures: dict[str, Value] = {}
    for name in (*rule.all_of, *rule.sequence, *rule.any_of):
        for event in held.get(name, ())[:1]:
            if isinstance(event, TextMatched):
                for key, text in event.captures:
                    captures.setdefault(key, _number(text))
                continue
            for field in names_of(type(event)):
                value = getattr(event, field)
                if field not in _BASE_FIELDS and isinstance(value, str | int | float) and value is not None:
                    captures.setdefault(field, value)
    return captures


def _number(text: str) -> Value:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _occurrences(first: Event, held: Mapping[str, Sequence[Event]], session: Session) -> int:
    """Return in how many incidents the trigger stands; a message printed twice while loading counts once."""
    events = next((group for group in held.values() if any(event is first for event in group)), [first])
    places = {event.place for event in events}
    holding_incidents = sum(
        incident.count for incident in session.incidents if any(event.place in places for event in incident.events)
    )
    ready = session.reached == "ready"
    return max(1, holding_incidents) if ready else 1
