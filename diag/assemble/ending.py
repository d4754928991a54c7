"""How a session stopped."""

from collections.abc import Sequence

from diag.model.events import Event
from diag.model.events.crash import (
    Aborted,
    AssertFailed,
    BackendFailed,
    BacktraceFrame,
    ExceptionEscaped,
    ExitReported,
    FlagRejected,
    OomKilled,
    SignalReported,
)
from diag.model.events.request import PromptEvaluated, TaskReleased, TaskStarted, TokensGenerated
from diag.model.events.server import CleaningUp, InterruptRepeated, Listening, LoadAbandoned
from diag.model.run import Ending, Task

_WORK = (TaskReleased, PromptEvaluated, TokensGenerated, Listening)
_DEADLY = (AssertFailed, Aborted, BackendFailed, ExceptionEscaped, OomKilled, SignalReported)
_SIGNAL_EXITS = {132: "signal", 134: "signal", 135: "signal", 136: "signal", 137: "killed", 139: "signal", 143: "clean"}


def read_ending(events: Sequence[Event], tasks: Sequence[Task], reached: str, *, last: bool) -> Ending:
    """Return the ending. `last`: no later session of the stream follows, so an open end may be a server still running.

    The first fatal line counts: what follows an assert (signal, exit code) is its consequence.
    """
    open_tasks = [task for task in tasks if task.outcome == "open"]
    during = "loading" if reached != "ready" else "request" if open_tasks else "idle"
    exit_code = next((event.code for event in events if isinstance(event, ExitReported)), None)
    fatal = _fatal(events)
    if fatal is not None:
        kind, event = fatal
        return Ending(kind, during, event.line.number, exit_code)
    for event in reversed(events):
        if isinstance(event, InterruptRepeated):
            return Ending("signal", during, event.line.number, exit_code)
        if isinstance(event, CleaningUp):
            return Ending("clean", during if reached != "ready" else "idle", event.line.number, exit_code)
        if isinstance(event, LoadAbandoned | FlagRejected):
            return Ending("clean", "loading", event.line.number, exit_code)
        if isinstance(event, TaskStarted):
            break
    if exit_code is not None:
        event = next(event for event in events if isinstance(event, ExitReported))
        return Ending(
            _SIGNAL_EXITS.get(exit_code, "clean" if exit_code == 0 else "cut-off"), during, event.line.number, exit_code
        )
    last_line = events[-1].line.number if events else None
    if reached == "ready" and not open_tasks and last:
        return Ending("running", "idle", last_line, None)
    return Ending("cut-off", during, last_line, None)


def _fatal(events: Sequence[Event]) -> tuple[str, Event] | None:
    last_work = max((index for index, event in enumerate(events) if isinstance(event, _WORK)), default=-1)
    last_frame = max((index for index, event in enumerate(events) if isinstance(event, BacktraceFrame)), default=-1)
    for index, event in enumerate(events):
        if not isinstance(event, _DEADLY):
            continue
        kind = None
        if isinstance(event, AssertFailed | Aborted):
            kind = "assert"
        elif isinstance(event, BackendFailed):
            kind = "backend"
        elif isinstance(event, ExceptionEscaped):
            kind = "exception"
        elif isinstance(event, OomKilled) or (isinstance(event, SignalReported) and event.signal.endswith("KILL")):
            kind = "killed"
        elif isinstance(event, SignalReported):
            kind = "signal"
        # A backend error that the server survives (it goes on to answer) is not its end. Assert lines bypass the logger
        # thread, so a start of a task may stand below the assert that ended it: only finished work counts, and not
        # where the backtrace of the abort follows it.
        if kind is not None and (index > last_work or (kind == "assert" and last_frame > last_work)):
            return kind, event
    return None
