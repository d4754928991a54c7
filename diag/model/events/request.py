"""Slots and tasks: what a request did."""

from dataclasses import dataclass

from diag.model.events.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStarted(Event):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotSelected(Event):
    by: str  # LRU | LCP similarity | id
    similarity: float | None = None
    f_keep: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptStarted(Event):
    n_ctx_slot: int
    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixKept(Event):
    """How many tokens of the cache the task goes on with."""

    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingHeader(Event):
    """Builds up to b9113 name slot and task once, above bare timing lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptEvaluated(Event):
    ms: float
    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensGenerated(Event):
    ms: float
    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReleased(Event):
    n_tokens: int
    truncated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCancelled(Event):
    id_task: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFailed(Event):
    """`send_error: task id = N, error: TEXT`: the client of that task got an error."""

    id_task: int | None = None
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRefused(Event):
    """`got exception: {...}`: the HTTP layer answered with an error before a slot worked on it."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAnswered(Event):
    method: str
    path: str
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageStarted(Event):
    """An image chunk enters the encoder or the target."""

    idx: int | None = None  # token index in the prompt where the chunk starts, from b9670 at -lv 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageBatchDecoding(Event):
    batch: int
    n_batches: int
    n_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDecoded(Event):
    ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextShifted(Event):
    n_keep: int
    n_left: int
    n_discard: int
