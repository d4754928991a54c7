"""Runs of warnings, errors and raw lines."""

from collections.abc import Iterable, Mapping, Set

from diag.model.events import Event
from diag.model.events.tone import IMAGES, is_neutral, is_quiet
from diag.model.run import Incident


def group_incidents(
    events: Iterable[Event], repeats: Mapping[int, int] | None = None, passed: Set[int] = frozenset()
) -> list[Incident]:
    """Return the incidents of one session in order; the image lines that lead into one belong to it.

    `repeats`: line of an incident -> further incidents like it of which no line is kept. `passed`: lines to pass over.
    """
    incidents: list[Incident] = []
    lead: list[Event] = []
    current: list[Event] = []

    def close() -> None:
        if current:
            more = sum(repeats.get(number, 0) for number in {event.line.number for event in current}) if repeats else 0
            incidents.append(Incident(tuple(current), 1 + more))
            current.clear()

    for event in events:
        if event.line.number in passed:
            continue
        if is_quiet(event):
            close()
            lead.clear()
        elif isinstance(event, IMAGES):
            (current or lead).append(event)
        elif not is_neutral(event):
            if not current:
                current.extend(lead)
                lead.clear()
            current.append(event)
    close()
    return incidents
