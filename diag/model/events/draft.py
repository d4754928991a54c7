"""The drafter: which one it is, what it accepted, how it failed."""

from diag.model.events.event import Event
from diag.model.noun import fact


@fact
class SpeculationAdded(Event):
    type: str  # draft-mtp, draft-dflash, draft-eagle3, draft-simple, ngram-mod, ...


@fact
class SpeculationDetected(Event):
    """`auto-detected speculative type`: taken from the draft file's metadata."""

    type: str


@fact
class DraftSized(Event):
    n_max: int
    n_min: int
    p_min: float


@fact
class DraftBlockDescribed(Event):
    block_size: int
    mask_token_id: int
    n_extract: int


@fact
class NgramInitialized(Event):
    type: str


@fact
class CtxOtherRequired(Event):
    """`NAME requires ctx_other to be set`: normal while memory is fitted, fatal when the context is really created."""

    name: str  # dflash | eagle3 | Gemma4Assistant
    during_fitting: bool = False  # the line carries the words "normal during memory fitting"


@fact
class CacheShared(Event):
    """A draft layer reads a layer of the target's cache (Gemma 4 assistant)."""

    layer: int
    with_layer: int


@fact
class DraftAccepted(Event):
    """Acceptance of one finished request."""

    accepted: int
    drafted: int
    mean_len: float | None = None


@fact
class DraftStatistics(Event):
    """Running totals of one implementation since the start."""

    type: str
    n_drafts: int
    drafted: int
    accepted: int


@fact
class DraftDecodeFailed(Event):
    """The draft context refused or failed a batch that `process()` gave it."""

    drafter: str  # mtp | dflash | eagle3 | simple | unknown, as the form of the line tells
    rc: int | None = None  # -1 = batch refused (positions, tokens), 1 = no memory slot, below -1 = compute
    head: int | None = None
    pos: int | None = None  # first row of the whole batch; may belong to another slot
    n_tokens: int | None = None
    offset: int | None = None


@fact
class DraftStepFailed(Event):
    """A step of the drafting loop was refused; generation goes on without the draft."""

    step: int | None = None
    rc: int


@fact
class DraftFlushFailed(Event):
    """Forks: a deferred flush or fused injection into the draft context was refused."""

    what: str  # deferred flush | fused inject
    rc: int


@fact
class SpeculativeBatchFailed(Event):
    """`failed to process speculative batch`: a symptom; the lines before it decide."""


@fact
class PostDecodeFailed(Event):
    """`post-decode callback failed`: the drafter refused an image batch."""


@fact
class DraftLagWarned(Event):
    """`ctx_dft pos_max=P < N-k=M`: unreliable when the prompt holds an image."""

    pos_max: int
    expected: int


@fact
class DraftVocabRefused(Event):
    """Target and draft vocabularies differ; only an independent draft model is compared."""


@fact
class DraftInputZeroed(Event):
    """A plain draft of another width gets zero rows for image embeddings."""

    n_embd_target: int
    n_embd_draft: int


@fact
class AcceptanceMeasured(Event):
    """Derived: acceptance of one class of turns of a session."""

    turn: str  # text | image | unknown
    requests: int
    drafted: int
    accepted: int
    rate: float
    text_rate: float | None = None  # of the same session
    ratio: float | None = None  # rate / text_rate
