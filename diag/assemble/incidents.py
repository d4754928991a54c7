"""Runs of warnings, errors and raw lines."""

from collections.abc import Iterable, Mapping, Set

from diag.model.events import Event
from diag.model.events.crash import BacktraceFrame
from diag.model.events.device import AllocationFailed
from diag.model.events.draft import (
    CacheShared,
    CtxOtherRequired,
    DraftAccepted,
    DraftBlockDescribed,
    DraftSized,
    DraftStatistics,
    NgramInitialized,
    SpeculationAdded,
    SpeculationDetected,
)
from diag.model.events.event import HarmlessLine
from diag.model.events.request import (
    ContextShifted,
    ImageBatchDecoding,
    ImageDecoded,
    ImageStarted,
    RequestRefused,
    TaskCancelled,
    TaskFailed,
    TaskReleased,
)
from diag.model.events.server import (
    ChildExited,
    ContextCreationFailed,
    FlavourNamed,
    InterruptRepeated,
    LoadAbandoned,
    ModelLoadFailed,
)
from diag.model.run import Incident

# Failures that live in modules of otherwise informational events.
_ALARMS = (
    AllocationFailed,
    ChildExited,
    ContextCreationFailed,
    ContextShifted,
    InterruptRepeated,
    LoadAbandoned,
    ModelLoadFailed,
    RequestRefused,
    TaskCancelled,
    TaskFailed,
)
IMAGES = (ImageStarted, ImageBatchDecoding, ImageDecoded)
# Neither part of a failure nor the end of one: they stand between its lines.
_NEUTRAL = (HarmlessLine, CacheShared, CtxOtherRequired, TaskReleased, BacktraceFrame, FlavourNamed)
_QUIET_DRAFT = (
    DraftAccepted,
    DraftBlockDescribed,
    DraftSized,
    DraftStatistics,
    NgramInitialized,
    SpeculationAdded,
    SpeculationDetected,
)
_QUIET_MODULES = ("diag.model.events.server", "diag.model.events.device", "diag.model.events.request")


def is_quiet(event: Event) -> bool:
    """True for an event that healthy servers log and that ends a run of failures."""
    if isinstance(event, (*_ALARMS, *_NEUTRAL, *IMAGES)):
        return False
    return isinstance(event, _QUIET_DRAFT) or type(event).__module__ in _QUIET_MODULES


def is_neutral(event: Event) -> bool:
    """True for an event that is neither part of a run of failures nor its end."""
    return isinstance(event, _NEUTRAL)


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
        elif not isinstance(event, _NEUTRAL):
            if not current:
                current.extend(lead)
                lead.clear()
            current.append(event)
    close()
    return incidents
