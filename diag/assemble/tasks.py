"""Slots and tasks: what each request did, and whether an image was in it."""

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
from diag.model.noun import names_of, record
from diag.model.run import Task

# An image is one chunk that is kept whole or evaluated again, so a shorter kept prefix holds none. The smallest image
# of a supported projector has this many rows.
N_IMAGE_TOKENS = 16

_TIMED = (TimingHeader, PromptEvaluated, TokensGenerated, PromptStarted, PrefixKept)
_SIGNS = (*IMAGES, DraftInputZeroed)
_ASKED = (
    PromptRestored, SlotSelected, TaskStarted, *_TIMED, DraftAccepted, TaskReleased, TaskFailed, TaskCancelled, *_SIGNS,
    TokenPositionJumped, PositionsRefused,
)  # fmt: skip


@record
class _Open:
    """A task while its lines are read."""

    slot_id: int | None
    task_id: int | None
    first_line: int
    last_line: int
    outcome: str = "open"
    image: str = "unknown"
    n_prompt: int | None = None
    n_generated: int | None = None
    n_kept: int | None = None
    n_evaluated: int | None = None
    n_end: int | None = None
    prompt_ms: float | None = None
    generated_ms: float | None = None
    accepted: int | None = None
    drafted: int | None = None
    accepted_line: int | None = None
    mean_len: float | None = None
    error: str | None = None
    error_line: int | None = None
    image_sign: bool = False
    image_at: int | None = None  # token index where the first image starts
    image_by: int | None = None  # token index by which an image has surely ended
    f_keep: float | None = None  # set when the slot's cache was swapped in from the prompt cache
    by_age: bool = False  # taken for being idle longest, so what it keeps is the prompt cache's and not its own

    def reach(self, line: int) -> None:
        """Go on to a line."""
        self.last_line = max(line, self.last_line)

    def end(self, line: int, outcome: str) -> None:
        """End at a line."""
        self.reach(line)
        self.outcome = outcome

    def closed(self) -> Task:
        """Return the task as it was read."""
        return Task(**{name: getattr(self, name) for name in names_of(Task)})


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
            opened = _Open(slot_id, task_id, line, line)
            by_id[task_id] = opened
            done.append(opened)
            return opened
        running = [item for item in by_id.values() if item.outcome == "open"]
        if slot_id is not None:
            running = [item for item in running if item.slot_id == slot_id]
        return running[0] if len(running) == 1 and task_id is None else None

    for event in events:
        if not isinstance(event, _ASKED):
            continue
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
        elif isinstance(event, _TIMED):
            item = find(event.slot_id, event.task_id, line, create=True)
            if item is None and not isinstance(event, TimingHeader):
                item = last_timed  # bare timing lines follow their header
            if item is not None:
                last_timed = item
                item.reach(line)
                _note_figures(event, item)
        elif isinstance(event, DraftAccepted):
            if has_own_lines and _of_answer(event):
                continue
            item = find(event.slot_id, event.task_id, line, create=True) or last_timed
            if item is None or item.drafted is not None:
                item = _Open(event.slot_id, None, line, line, "finished")
                done.append(item)
            item.reach(line)
            item.accepted, item.drafted, item.mean_len = event.accepted, event.drafted, event.mean_len
            item.accepted_line = line
        elif isinstance(event, TaskReleased):
            item = find(event.slot_id, event.task_id, line, create=False)
            if item is not None and item.outcome == "open":
                item.end(line, "finished")
                item.n_end = event.n_tokens if not event.truncated else None
        elif isinstance(event, TaskFailed):
            item = by_id.get(event.id_task) if event.id_task is not None else None
            if item is not None:
                item.end(line, "failed")
                item.error, item.error_line = event.error, line
        elif isinstance(event, TaskCancelled):
            item = by_id.get(event.id_task)
            if item is not None and item.outcome == "open":
                item.end(line, "cancelled")
        elif isinstance(event, _SIGNS):
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
    for index, item in enumerate(done):
        _classify(item, done[:index], image_input, images_visible)
    return [item.closed() for item in done]


def _of_answer(event: DraftAccepted) -> bool:
    """Return whether the figures stand in an answer (`draft_n`) and not in a line of the server's own."""
    return "draft_n" in event.line.text


def _note_figures(event: Event, item: _Open) -> None:
    if isinstance(event, PromptStarted):
        item.n_prompt = event.n_tokens
    elif isinstance(event, PrefixKept):
        # printed again after each batch of the prompt; only the first is what the cache held
        item.n_kept = event.n_tokens if item.n_kept is None else item.n_kept
    elif isinstance(event, PromptEvaluated):
        item.prompt_ms, item.n_evaluated = event.ms, event.n_tokens
    elif isinstance(event, TokensGenerated):
        item.generated_ms, item.n_generated = event.ms, event.n_tokens


def _classify(item: _Open, before: Sequence[_Open], image_input: str, images_visible: bool) -> None:
    """Settle the task's image class: yes | cached (an image stands in the kept prefix) | no | unknown."""
    kept = item.n_kept = _n_kept(item)
    if item.image_sign:
        item.image = "yes"
        if item.n_end is not None and item.n_generated is not None:
            item.image_by = item.n_end - item.n_generated + 1  # the end of the prompt
    elif image_input == "excluded":
        item.image = "no"
    elif images_visible:
        if item.f_keep or item.by_age:
            # a whole conversation comes back, unless a line says which part of it is gone on with
            item.image = _of_kept(item, _restored_from(before, kept, item.f_keep or 1.0) or before, kept)
        else:
            same_slot = [old for old in before if old.slot_id == item.slot_id]
            item.image = _of_kept(item, same_slot[-1:], kept)


def _of_kept(item: _Open, origins: Sequence[_Open], kept: int | None) -> str:
    """Return the class of a task without an image of its own, by the conversations its kept prefix may be of."""
    doubtful = [old for old in origins if old.image != "no"]
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
    if kept is None or origin.image == "unknown":
        return None
    if origin.image_at is not None:
        return kept > origin.image_at  # an image is kept whole or not at all
    return True if origin.image_by is not None and kept >= origin.image_by else None


def _restored_from(before: Sequence[_Open], kept: int | None, f_keep: float) -> list[_Open]:
    """Return the tasks whose conversation the prompt cache can have given back: kept is f_keep of its length."""
    if kept is None:
        return list(before)
    length = kept / f_keep
    return [old for old in before if old.n_end is not None and abs(old.n_end - length) <= 1 + length * 0.002]


def _n_kept(task: _Open) -> int | None:
    """Return the kept tokens, from the log or from the counts around them.

    A released slot holds kept + evaluated + generated tokens but one: the last token is sampled and not stored.
    """
    if task.n_kept is not None:
        return task.n_kept
    if task.n_end is None or task.n_evaluated is None or task.n_generated is None:
        return None
    return max(0, task.n_end - task.n_evaluated - task.n_generated + 1)
