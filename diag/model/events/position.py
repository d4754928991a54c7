"""Batches that a context refused, and the positions that made it refuse."""

from diag.model.events.event import Event
from diag.model.line import Line
from diag.model.noun import fact


@fact
class PositionFragment(Event):
    """One of the four lines of the position message; the parser joins them to PositionsRefused."""

    part: str  # header | x | y | rule
    sequence: int | None = None
    x: int | None = None
    y: int | None = None
    rule: str | None = None


@fact
class PositionsRefused(Event):
    """The position check of a context refused a batch. Fields are None where a cut paste lost the line.

    x: last position in the cache; y: first position of the batch; gap: y - x - 1 as logged.
    relation: ahead (y > x + 1), next (y = x + 1), equal (y = x), behind (y < x).
    The rest is worked out over the session: how often the same x came back, and whether the target or the draft
    context refused.
    """

    rule: str | None = None  # consecutive | mrope-token | mrope-embedding
    x: int | None = None
    y: int | None = None
    gap: int | None = None
    relation: str | None = None
    sequence: int | None = None
    fragments: tuple[Line, ...] = ()  # the lines of the message that are in the log
    refused_by: str = "unknown"  # draft | target | unknown
    left_by: str = "unknown"  # image | lag | loop | stale | unknown
    repeats: int = 1  # refusals of this session with the same x
    x_constant: bool = False  # several refusals, all with the same x and growing y


@fact
class BatchRefused(Event):
    """`failed to initialize batch`: always follows the reason."""


@fact
class DecodeReturned(Event):
    """`llama_decode: failed to decode, ret = N` (absent where llama_process is used)."""

    ret: int


@fact
class InvalidInputBatch(Event):
    """`Invalid input batch.`: the target's context refused."""

    ret: int | None = None


@fact
class MemorySlotMissing(Event):
    """`failed to find a memory slot for batch of size N`: return code 1."""

    n_tokens: int


@fact
class KvSpaceMissing(Event):
    """The server halves the batch because the cache is full."""

    n_batch: int
    ret: int | None = None


@fact
class TokenPositionJumped(Event):
    """`find_slot: non-consecutive token position P after Q`: normal for images on hybrid targets."""

    position: int
    after: int
    sequence: int | None = None
    n_tokens: int


@fact
class TokenInvalid(Event):
    """`invalid token[i] = n`: another refusal that ends in the same lines."""

    index: int
    token: int
