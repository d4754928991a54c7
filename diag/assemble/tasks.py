"""Slots and tasks: what each request did, and whether an image was in it."""

import dataclasses
from collections.abc import Sequence

from diag.model.events import Event
from diag.model.events.draft import DraftAccepted, DraftInputZeroed
from diag.model.events.position import PositionsRefused, TokenPositionJumped
from diag.model.events.request import (
    ImageStarted,
    PrefixKept,
    PromptEvaluated,
    PromptRestored,
    PromptStarted,
    SlotSelected,
    TaskCancelled,
    TaskFailed,
    TaskReleased,
    TaskStarted,
    TimingHeader,
    TokensGenerated,
)
from diag.model.events.tone import IMAGES
from diag.model.run import Task

# An image is one chunk that is kept whole or evaluated again, so a shorter kept prefix holds none. The smallest image
# of a supported projector has this many rows.
N_IMAGE_TOKENS = 16


class _Open:
    """A task while its lines are read."""

    def __init__(self, slot_id: int | None, task_id: int | None, line: int) -> None:
        self.task = Task(slot_id, task_id, line, line, "open")
        self.image_sign = False
        self.image_at: int | None = None  # token index where the first image starts
        self.image_by: int | None = None  # token index by which an image has surely ended
        self.f_keep: float | None = None  # set when the slot's cache was swapped in from the prompt cache
        self.by_age = False  # taken for being idle longest, so what it keeps is the prompt cache's and not its own

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
    f_keep: float | None = None
    by_age = False
    # at -lv 4 and 5 the answer's own figures stand in the log too
    has_own_lines = any(isinstance(event, DraftAccepted) and not _of_answer(event) for event in events)

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
        if isinstance(event, PromptRestored):
            f_keep = event.f_keep
        elif isinstance(event, SlotSelected):
            by_age = event.by == "LRU"
        elif isinstance(event, TaskStarted):
            item = find(event.slot_id, event.task_id, line, create=True)
            if item is not None:
                item.f_keep, item.by_age = f_keep, by_age
                f_keep, by_age = None, False
        elif isinstance(event, TimingHeader | PromptEvaluated | TokensGenerated | PromptStarted | PrefixKept):
            item = find(event.slot_id, event.task_id, line, create=True)
            if item is None and not isinstance(event, TimingHeader):
                item = last_timed  # bare timing lines follow their header
            if item is not None:
                last_timed = item
                item.set(line, **_figures(event, item.task))
        elif isinstance(event, DraftAccepted):
            if has_own_lines and _of_answer(event):
                continue
            item = find(event.slot_id, event.task_id, line, create=True) or last_timed
            if item is None or item.task.drafted is not None:
                item = _Open(event.slot_id, None, line)
                item.set(line, outcome="finished")
                done.append(item)
            item.set(
                line,
                accepted=event.accepted,
                drafted=event.drafted,
                mean_len=event.mean_len,
                accepted_line=event.line.number,
            )
        elif isinstance(event, TaskReleased):
            item = find(event.slot_id, event.task_id, line, create=False)
            if item is not None and item.task.outcome == "open":
                item.set(line, outcome="finished", n_end=event.n_tokens if not event.truncated else None)
        elif isinstance(event, TaskFailed):
            item = by_id.get(event.id_task) if event.id_task is not None else None
            if item is not None:
                item.set(line, outcome="failed", error=event.error, error_line=line)
        elif isinstance(event, TaskCancelled):
            item = by_id.get(event.id_task)
            if item is not None and item.task.outcome == "open":
                item.set(line, outcome="cancelled")
        elif isinstance(event, (*IMAGES, DraftInputZeroed)):
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


def _of_answer(event: DraftAccepted) -> bool:
    """Return whether the figures stand in an answer (`draft_n`) and not in a line of the server's own."""
    return "draft_n" in event.line.text


def _figures(event: Event, task: Task) -> dict[str, object]:
    if isinstance(event, PromptStarted):
        return {"n_prompt": event.n_tokens}
    if isinstance(event, PrefixKept):
        # printed again after each batch of the prompt; only the first is what the cache held
        return {"n_kept": event.n_tokens} if task.n_kept is None else {}
    if isinstance(event, PromptEvaluated):
        return {"prompt_ms": event.ms, "n_evaluated": event.n_tokens}
    if isinstance(event, TokensGenerated):
        return {"generated_ms": event.ms, "n_generated": event.n_tokens}
    return {}


def _classify(item: _Open, before: Sequence[_Open], image_input: str, images_visible: bool) -> Task:
    """Return the task with its image class: yes | cached (an image stands in the kept prefix) | no | unknown."""
    image = "unknown"
    kept = _n_kept(item.task)
    if item.image_sign:
        image = "yes"
        if item.task.n_end is not None and item.task.n_generated is not None:
            item.image_by = item.task.n_end - item.task.n_generated + 1  # the end of the prompt
    elif image_input == "excluded":
        image = "no"
    elif images_visible:
        image = "no"
        if item.f_keep or item.by_age:
            # a whole conversation comes back, unless a line says which part of it is gone on with
            image = _of_kept(item, _restored_from(before, kept, item.f_keep or 1.0) or before, kept)
        else:
            same_slot = [old for old in before if old.task.slot_id == item.task.slot_id]
            image = _of_kept(item, same_slot[-1:], kept)
    item.task = dataclasses.replace(item.task, image=image, n_kept=kept)
    return item.task


def _of_kept(item: _Open, origins: Sequence[_Open], kept: int | None) -> str:
    """Return the class of a task without an image of its own, by the conversations its kept prefix may be of."""
    doubtful = [old for old in origins if old.task.image != "no"]
    if not doubtful or (kept is not None and kept < N_IMAGE_TOKENS):
        return "no"
    answers = {_holds_image(old, kept) for old in doubtful} | ({False} if len(doubtful) < len(origins) else set())
    if answers == {False}:
        return "no"
    if answers == {True}:
        item.image_at, item.image_by = doubtful[0].image_at, doubtful[0].image_by
        return "cached"
    return "unknown"


def _holds_image(origin: _Open, kept: int | None) -> bool | None:
    """Return whether the first `kept` tokens of a conversation hold its image; None when that cannot be told."""
    if kept is None or origin.task.image == "unknown":
        return None
    if origin.image_at is not None:
        return kept > origin.image_at  # an image is kept whole or not at all
    return True if origin.image_by is not None and kept >= origin.image_by else None


def _restored_from(before: Sequence[_Open], kept: int | None, f_keep: float) -> list[_Open]:
    """Return the tasks whose conversation the prompt cache can have given back: kept is f_keep of its length."""
    if kept is None:
        return list(before)
    length = kept / f_keep
    return [old for old in before if old.task.n_end is not None and abs(old.task.n_end - length) <= 1 + length * 0.002]


def _n_kept(task: Task) -> int | None:
    """Return the kept tokens, from the log or from the counts around them.

    A released slot holds kept + evaluated + generated tokens but one: the last token is sampled and not stored.
    """
    if task.n_kept is not None:
        return task.n_kept
    if task.n_end is None or task.n_evaluated is None or task.n_generated is None:
        return None
    return max(0, task.n_end - task.n_evaluated - task.n_generated + 1)
