"""What tone an event has: a failure, a healthy server's routine, or neither."""

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
from diag.model.events.event import Event, HarmlessLine
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
    kind = type(event)
    known = _known.get(kind)
    if known is None:
        known = _known[kind] = _is_quiet(kind)
    return known


_known: dict[type[Event], bool] = {}


def _is_quiet(kind: type[Event]) -> bool:
    if issubclass(kind, (*_ALARMS, *_NEUTRAL, *IMAGES)):
        return False
    return issubclass(kind, _QUIET_DRAFT) or kind.__module__ in _QUIET_MODULES


def is_neutral(event: Event) -> bool:
    """True for an event that is neither part of a run of failures nor its end."""
    return isinstance(event, _NEUTRAL)
