"""Where one server process ends and the next begins."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from diag.model.events import Event
from diag.model.events.device import BackendLoaded, DeviceListed
from diag.model.events.request import TaskCancelled, TaskFailed, TaskStarted
from diag.model.events.server import Listening, ModelLoaded, ModelLoading, SlotsInitialized, StartMarked

CLOCK_FALL_US = 1_000_000  # threads log out of order by less; a process that starts again falls by more


@dataclass(slots=True)
class Cut:
    """The events of one process, before they are put together."""

    stream: str | None
    events: list[Event] = field(default_factory=list)
    started: bool = False  # a start line opened it
    reached: str = "start"  # start | loading | ready
    clock_us: int = -1  # highest clock so far


def cut_sessions(events: Iterable[Event]) -> list[Cut]:
    """Return one Cut a process, ordered by its first line. Events are in file order.

    A process begins with a start line once the one before it has got as far as loading, or where the clock falls.
    Device lines that backends print before the start line belong to the process that follows them.
    """
    cuts: list[Cut] = []
    open_cuts: dict[str | None, Cut] = {}
    for event in events:
        stream = event.line.stream
        cut = open_cuts.get(stream)
        if cut is None or _begins(cut, event):
            fresh = Cut(stream)
            if cut is not None:
                fresh.events = _take_heralds(cut)
            cuts.append(fresh)
            open_cuts[stream] = cut = fresh
        cut.events.append(event)
        _advance(cut, event)
    cuts = [cut for cut in cuts if cut.events]
    return sorted(cuts, key=lambda cut: cut.events[0].place)


def _begins(cut: Cut, event: Event) -> bool:
    if event.elapsed_us is not None and event.elapsed_us < cut.clock_us - CLOCK_FALL_US:
        return True
    if isinstance(event, StartMarked):
        clock_back = event.elapsed_us is not None and event.elapsed_us < cut.clock_us
        return cut.reached != "start" or (clock_back and any(isinstance(old, type(event)) for old in cut.events))
    return isinstance(event, ModelLoading) and cut.reached == "ready" and (event.elapsed_us or 0) < max(cut.clock_us, 1)


def _take_heralds(cut: Cut) -> list[Event]:
    heralds: list[Event] = []
    while cut.events and isinstance(cut.events[-1], DeviceListed | BackendLoaded):
        heralds.insert(0, cut.events.pop())
    return heralds


def _advance(cut: Cut, event: Event) -> None:
    if isinstance(event, StartMarked):
        cut.started = True
    if event.elapsed_us is not None:
        cut.clock_us = max(cut.clock_us, event.elapsed_us)
    if isinstance(event, ModelLoaded | Listening | TaskStarted | TaskFailed | TaskCancelled):
        cut.reached = "ready"
    elif isinstance(event, ModelLoading | SlotsInitialized) and cut.reached == "start":
        cut.reached = "loading"
