"""Slots and tasks: what a request did."""

from diag.model.events.event import Event
from diag.model.noun import fact


@fact
class TaskStarted(Event):
    pass


@fact
class SlotSelected(Event):
    by: str  # LRU | LCP similarity | id
    similarity: float | None = None
    f_keep: float | None = None


@fact
class PromptStarted(Event):
    n_ctx_slot: int
    n_tokens: int


@fact
class PrefixKept(Event):
    """How many tokens of the cache the task goes on with."""

    n_tokens: int


@fact
class TimingHeader(Event):
    """Builds up to b9113 name slot and task once, above bare timing lines."""


@fact
class PromptRestored(Event):
    """The slot's cache is swapped for another conversation's from the prompt cache."""

    f_keep: float  # part of that conversation which the new prompt goes on with


@fact
class PromptEvaluated(Event):
    ms: float
    n_tokens: int


@fact
class TokensGenerated(Event):
    ms: float
    n_tokens: int


@fact
class TaskReleased(Event):
    n_tokens: int
    truncated: int = 0


@fact
class TaskCancelled(Event):
    id_task: int


@fact
class TaskFailed(Event):
    """`send_error: task id = N, error: TEXT`: the client of that task got an error."""

    id_task: int | None = None
    error: str


@fact
class RequestRefused(Event):
    """`got exception: {...}`: the HTTP layer answered with an error before a slot worked on it."""

    error: str


@fact
class RequestAnswered(Event):
    method: str
    path: str
    status: int


@fact
class ImageStarted(Event):
    """An image chunk enters the encoder or the target."""

    idx: int | None = None  # token index in the prompt where the chunk starts, from b9670 at -lv 4


@fact
class ImageBatchDecoding(Event):
    batch: int
    n_batches: int
    n_tokens: int


@fact
class ImageDecoded(Event):
    ms: float | None = None


@fact
class ContextShifted(Event):
    n_keep: int
    n_left: int
    n_discard: int
