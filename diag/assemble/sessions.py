"""Where one server process ends and the next begins."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import field

from diag.model.events import Event
from diag.model.events.crash import ExitReported, FlagRejected, OomKilled, SignalReported
from diag.model.events.device import BackendLoaded, DeviceListed
from diag.model.events.event import TextMatched
from diag.model.events.request import TaskCancelled, TaskFailed, TaskStarted
from diag.model.events.server import (
    LinesSkipped,
    Listening,
    LoadAbandoned,
    ModelLoaded,
    ModelLoading,
    SlotsInitialized,
    StartMarked,
)
from diag.model.noun import record

CLOCK_FALL_US = 1_000_000  # threads log out of order by less; a process that starts again falls by more
_HERALDS = (DeviceListed, BackendLoaded)
_BEFORE_WORK = (StartMarked, LinesSkipped, *_HERALDS)
_BEHIND_COMMAND = (StartMarked, ModelLoading, *_HERALDS)
_OVER = (LoadAbandoned, FlagRejected)
_ENDS = (ExitReported, SignalReported, OomKilled)
_READY = (ModelLoaded, Listening, TaskStarted, TaskFailed, TaskCancelled)
_LOADING = (ModelLoading, SlotsInitialized)


@record
class Cut:
    """The events of one process, before they are put together."""

    stream: str | None
    events: list[Event] = field(default_factory=list)
    started: bool = False  # a start line opened it
    reached: str = "start"  # start | loading | ready
    clock_us: int = -1  # highest clock so far
    worked: bool = False  # it did more than to name its build and devices
    matched: bool = False  # a line of it is one that a signature asks for
    ended: bool = False  # it, or what watched it, said that it ended
    last_line: int = 0


def cut_sessions(events: Iterable[Event], commands: Sequence[int] = ()) -> list[Cut]:
    """Return one Cut a process, ordered by its first line. Events are in file order.

    A process begins with a start line once the one before it has got as far as loading or has ended, or where the clock
    falls. Device lines that backends print before the start line belong to the process that follows them.
    `commands`: the lines, in order, that hold a command somebody typed between the log's lines; what starts behind one
    is another process, where no wrapper names the process of a line.
    """
    typed = frozenset(
        commands
    )  # a signature may ask for a word of a command, which is no line of the process before it
    cuts: list[Cut] = []
    open_cuts: dict[str | None, Cut] = {}
    for event in events:
        stream = event.line.stream
        cut = open_cuts.get(stream)
        if cut is None or _begins(cut, event) or _follows_command(cut, event, commands):
            fresh = Cut(stream)
            if cut is not None:
                fresh.events = _take_heralds(cut)
            cuts.append(fresh)
            open_cuts[stream] = cut = fresh
        cut.events.append(event)
        if event.line.number not in typed:
            _advance(cut, event)
    cuts = [cut for cut in cuts if cut.events]
    return sorted(cuts, key=lambda cut: cut.events[0].place)


def _begins(cut: Cut, event: Event) -> bool:
    if event.elapsed_us is not None and event.elapsed_us < cut.clock_us - CLOCK_FALL_US:
        return True
    if isinstance(event, StartMarked):
        clock_back = event.elapsed_us is not None and event.elapsed_us < cut.clock_us
        return (
            cut.reached != "start"
            or cut.ended
            or (clock_back and any(isinstance(old, type(event)) for old in cut.events))
        )
    if not isinstance(event, ModelLoading):
        return False
    return cut.ended or (cut.reached == "ready" and (event.elapsed_us or 0) < max(cut.clock_us, 1))


def _follows_command(cut: Cut, event: Event, commands: Sequence[int]) -> bool:
    if not commands or not (cut.worked or cut.matched) or cut.stream is not None:
        return False
    if not isinstance(event, _BEHIND_COMMAND):
        return False
    return bisect_right(commands, cut.last_line) < bisect_right(commands, event.line.number - 1)


def _take_heralds(cut: Cut) -> list[Event]:
    heralds: list[Event] = []
    while cut.events and isinstance(cut.events[-1], _HERALDS):
        heralds.insert(0, cut.events.pop())
    return heralds


def _advance(cut: Cut, event: Event) -> None:
    if isinstance(event, StartMarked):
        cut.started = True
    cut.last_line = event.line.number
    # An exit code that stands above everything else is the head of a paste, not the end of what came before it.
    if isinstance(event, _OVER):
        cut.ended = True
    elif isinstance(event, _ENDS):
        cut.ended = cut.ended or cut.worked
    elif isinstance(event, TextMatched):
        cut.matched = True
    elif not isinstance(event, _BEFORE_WORK):
        cut.worked = True
    if event.elapsed_us is not None:
        cut.clock_us = max(cut.clock_us, event.elapsed_us)
    if cut.reached == "ready":
        return
    if isinstance(event, _READY):
        cut.reached = "ready"
    elif isinstance(event, _LOADING):
        cut.reached = "loading"
