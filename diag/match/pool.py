"""Events found by what conditions name them by."""

from collections.abc import Sequence

from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.model.run import Incident, Run, Session
from diag.model.signature import Condition


def key_of(signature_id: str, condition: Condition) -> str:
    """Return the name under which a condition's events are found: an event class, or signature/condition of a text."""
    return condition.event if condition.event is not None else f"{signature_id}/{condition.name}"


class Pool:
    """Some events, in line order."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self._named: dict[str, list[Event]] | None = None

    def named(self, key: str) -> Sequence[Event]:
        """Return the events of a key in line order."""
        if self._named is None:
            self._named = {}
            for event in self.events:
                name = event.condition if isinstance(event, TextMatched) else type(event).__name__
                self._named.setdefault(name, []).append(event)
        return self._named.get(key, ())


class Pools:
    """The pools of a run, each made when it is first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._sessions: dict[int, Pool] = {}
        self._incidents: dict[int, list[tuple[Incident, Pool]]] = {}
        self._holding: dict[int, dict[str, list[tuple[Incident, Pool]]]] = {}
        self._log: Pool | None = None

    def session(self, session: Session) -> Pool:
        """Return the events of a session."""
        if session.number not in self._sessions:
            self._sessions[session.number] = Pool(session.events)
        return self._sessions[session.number]

    def log(self) -> Pool:
        """Return the events of all sessions."""
        if self._log is None:
            self._log = Pool([event for session in self._run.sessions for event in session.events])
        return self._log

    def incidents(self, session: Session, key: str | None) -> Sequence[tuple[Incident, Pool]]:
        """Return the incidents of a session with their events; only those that hold an event of the key, if given."""
        number = session.number
        if number not in self._incidents:
            self._incidents[number] = [(incident, Pool(incident.events)) for incident in session.incidents]
            holding: dict[str, list[tuple[Incident, Pool]]] = {}
            for incident, pool in self._incidents[number]:
                names = {
                    event.condition if isinstance(event, TextMatched) else type(event).__name__
                    for event in incident.events
                }
                for name in names:
                    holding.setdefault(name, []).append((incident, pool))
            self._holding[number] = holding
        return self._incidents[number] if key is None else self._holding[number].get(key, ())
