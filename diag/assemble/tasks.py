"""Slots and tasks: what each request did, and whether an image was in it."""

import dataclasses
from collections.abc import Sequence

from diag.model.events import Event
from diag.model.events.draft import DraftAccepted
from diag.model.events.position import PositionsRefused, TokenPositionJumped
from diag.model.events.request import (
    ImageBatchDecoding,
    ImageDecoded,
    ImageStarted,
    PrefixKept,
    PromptEvaluated,
    PromptStarted,
    TaskCancelled,
    TaskFailed,
    TaskReleased,
    TaskStarted,
    TimingHeader,
    TokensGenerated,
)
from diag.model.run import Task

IMAGE_LINES = (ImageStarted, ImageBatchDecoding, ImageDecoded)


class _Open:
    """A task while its lines are read."""

    def __init__(self, slot_id: int | None, task_id: int | None, line: int) -> None:
        self.task = Task(slot_id, task_id, line, line, "open")
        self.image_sign = False
        self.image_at: int | None = None  # token index where the first image starts

    def set(self, line: int, **changes: object) -> None:
        self.task = dataclasses.replace(self.task, last_line=max(line, self.task.last_line), **changes)  # type: ignore[arg-type]


def read_tasks(events: Sequence[Event], *, image_input: str, images_visible: bool) -> list[Task]:
    """Return the tasks of a session by first line.

    `image_input` is the session's (seen | possible | excluded | unknown). `images_visible`: an image would have left a
    line at this verbosity and build; only then does silence mean a text turn.
    """
    done: list[_Open] = []
    by_id: dict[int, _Open] = {}
    last_timed: _Open | None = None

    def find(slot_id: int | None, task_id: int | None, line: int, *, create: bool) -> _Open | None:
        if task_id is not None and task_id in by_id:
            return by_id[task_id]
        if task_id is not None and create:
            opened = _Open(slot_id, task_id, line)
            by_id[task_id] = opened
            done.append(opened)
            return opened
        running = [item for item in by_id.values() if item.task.outcome == "open"]
        if slot_id is not None:
            running = [item for item in running if item.task.slot_id == slot_id]
        return running[0] if len(running) == 1 and task_id is None else None

    for event in events:
        line = event.line.number
        if isinstance(event, TaskStarted):
            find(event.slot_id, event.task_id, line, create=True)
        elif isinstance(event, TimingHeader | PromptEvaluated | TokensGenerated | PromptStarted | PrefixKept):
            item = find(event.slot_id, event.task_id, line, create=True)
            if item is None and not isinstance(event, TimingHeader):
                item = last_timed  # bare timing lines follow their header
            if item is not None:
                last_timed = item
                item.set(line, **_figures(event))
        elif isinstance(event, DraftAccepted):
            item = find(event.slot_id, event.task_id, line, create=True) or last_timed
            if item is None or item.task.drafted is not None:
                item = _Open(event.slot_id, None, line)
                item.set(line, outcome="finished")
                done.append(item)
            item.set(line, accepted=event.accepted, drafted=event.drafted, mean_len=event.mean_len)
        elif isinstance(event, TaskReleased):
            item = find(event.slot_id, event.task_id, line, create=False)
            if item is not None and item.task.outcome == "open":
                item.set(line, outcome="finished")
        elif isinstance(event, TaskFailed):
            item = by_id.get(event.id_task) if event.id_task is not None else None
            if item is not None:
                item.set(line, outcome="failed", error=event.error, error_line=line)
        elif isinstance(event, TaskCancelled):
            item = by_id.get(event.id_task)
            if item is not None and item.task.outcome == "open":
                item.set(line, outcome="cancelled")
        elif isinstance(event, IMAGE_LINES):
            item = find(event.slot_id, event.task_id, line, create=False)
            if item is not None:
                item.image_sign = True
                if isinstance(event, ImageStarted) and event.idx is not None and item.image_at is None:
                    item.image_at = event.idx
        elif (isinstance(event, TokenPositionJumped) and event.sequence is not None) or (
            isinstance(event, PositionsRefused) and event.left_by == "image" and event.sequence is not None
        ):
            item = find(event.sequence, None, line, create=False)
            if item is not None:
                item.image_sign = True
    return [_classify(item, done[:index], image_input, images_visible) for index, item in enumerate(done)]


def _figures(event: Event) -> dict[str, object]:
    if isinstance(event, PromptStarted):
        return {"n_prompt": event.n_tokens}
    if isinstance(event, PrefixKept):
        return {"n_kept": event.n_tokens}
    if isinstance(event, PromptEvaluated):
        return {"prompt_ms": event.ms}
    if isinstance(event, TokensGenerated):
        return {"generated_ms": event.ms, "n_generated": event.n_tokens}
    return {}


def _classify(item: _Open, before: Sequence[_Open], image_input: str, images_visible: bool) -> Task:
    """Return the task with its image class: yes | cached (an image stands in the kept prefix) | no | unknown."""
    image = "unknown"
    if item.image_sign:
        image = "yes"
    elif image_input == "excluded":
        image = "no"
    elif images_visible:
        image = "no"
        previous = next((old for old in reversed(before) if old.task.slot_id == item.task.slot_id), None)
        if previous is not None and previous.task.image in ("yes", "cached"):
            kept = item.task.n_kept
            if kept is None:
                image = "unknown"
            elif kept > (previous.image_at or 0):
                image = "cached"
                item.image_at = previous.image_at
    item.task = dataclasses.replace(item.task, image=image)
    return item.task
