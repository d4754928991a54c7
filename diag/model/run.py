"""What a log tells when its events are put together: sessions, their facts, tasks and incidents."""

from collections.abc import Mapping
from dataclasses import field

from diag.model.events import Event
from diag.model.noun import noun


@noun
class Source:
    """Where a fact comes from."""

    origin: str  # log | command-line | option | issue-form | wording | table | file-name
    line: int | None = None
    text: str = ""


LAUNCHERS = ("llama-swap", "jan", "lemonade")  # flavours that a person may state: they start upstream's own program


@noun
class Build:
    number: int | None = None
    commit: str | None = None
    flavour: str = "upstream"  # upstream | ik_llama.cpp | ollama | a fork's name | fork
    at_least: int | None = None  # bounds from wordings, where the number is not printed; upstream builds only
    at_most: int | None = None

    @property
    def is_upstream(self) -> bool:
        """True where upstream's numbers hold: its own program, also when another one starts it."""
        return self.flavour == "upstream" or self.flavour in LAUNCHERS

    @property
    def low(self) -> int | None:
        """The earliest build it can be."""
        return self.number if self.number is not None else self.at_least

    @property
    def high(self) -> int | None:
        """The latest build it can be."""
        return self.number if self.number is not None else self.at_most


@noun
class Device:
    name: str
    description: str = ""
    backend: str | None = None
    arch: str | None = None
    integrated: bool | None = None
    memory_mib: int | None = None
    free_mib: int | None = None  # when it was announced, before this start took any
    line: int | None = None


@noun
class Target:
    name: str | None = None
    path: str | None = None
    arch: str | None = None
    rope: str | None = None  # one-axis | mrope
    hybrid: bool | None = None


@noun
class DrafterEvidence:
    line: int | None
    part: int
    text: str
    says: str  # what the line says of the drafter, in words
    family: str | None = None
    weight: int = 0  # failing line 4, start line 3, architecture table 2, flags 1


@noun
class Drafter:
    """The drafter of a session.

    family: one-axis-separate | mrope-separate | shared-cache (the three MTP families), dflash | eagle3 |
    independent-draft | ngram | none | unknown.
    """

    family: str = "unknown"
    position_class: str = "unknown"  # one-axis-separate | mrope-separate | shared-cache | none | unknown
    kind: str = (
        "unknown"  # mtp | dflash | eagle3 | simple | ngram | none | unknown: what decides the failing line's form
    )
    spec_types: tuple[str, ...] = ()
    params: Mapping[str, int | float] = field(default_factory=dict)
    path: str | None = None
    confidence: str = "unknown"  # certain | likely | possible | unknown
    evidence: tuple[DrafterEvidence, ...] = ()
    conflict: str | None = None  # where two evidences disagree, both named


@noun
class Acceptance:
    """Draft acceptance of one class of turns; sums are exact."""

    requests: int = 0
    drafted: int = 0
    accepted: int = 0
    cycles: float = 0.0  # draft rounds, where mean lengths were printed: accepted / (mean_len - 1) summed
    measured_len: int = 0  # requests whose mean length was printed

    def __add__(self, other: "Acceptance") -> "Acceptance":
        """Return both together."""
        return Acceptance(
            self.requests + other.requests,
            self.drafted + other.drafted,
            self.accepted + other.accepted,
            self.cycles + other.cycles,
            self.measured_len + other.measured_len,
        )


@noun
class Task:
    slot_id: int | None
    task_id: int | None
    first_line: int
    last_line: int
    outcome: str  # finished | failed | cancelled | open
    image: str = "unknown"  # yes | no | cached | unknown
    n_prompt: int | None = None
    n_generated: int | None = None
    n_kept: int | None = None  # tokens of the cache it went on with, as logged or as the counts imply
    n_evaluated: int | None = None  # prompt tokens that had to be evaluated
    n_end: int | None = None  # tokens in the slot when it was released; None also after a context shift
    prompt_ms: float | None = None
    generated_ms: float | None = None
    accepted: int | None = None
    drafted: int | None = None
    accepted_line: int | None = None  # where its acceptance stands
    mean_len: float | None = None
    error: str | None = None
    error_line: int | None = None


@noun
class Incident:
    """A run of warnings, errors and raw lines of one session with no informational event between."""

    events: tuple[Event, ...]
    count: int = 1  # with those like it that a large log only counts

    @property
    def first_line(self) -> int:
        return self.events[0].line.number

    @property
    def last_line(self) -> int:
        return self.events[-1].line.number


@noun
class Ending:
    kind: str  # clean | assert | backend | exception | signal | killed | cut-off | running
    during: str  # loading | request | idle
    line: int | None = None
    exit_code: int | None = None


@noun
class Memory:
    """Megabytes as the session printed them; None where it did not."""

    model_mib: Mapping[str, float] = field(default_factory=dict)  # by device
    kv_mib: Mapping[str, float] = field(default_factory=dict)
    compute_mib: Mapping[str, float] = field(default_factory=dict)
    working_set_mib: float | None = None


@noun
class Session:
    number: int
    stream: str | None
    first_line: int
    last_line: int
    events: tuple[Event, ...]
    incidents: tuple[Incident, ...]
    build: Build
    ending: Ending
    started: bool  # a start line is in the log; without one the head may be cut off
    reached: str  # start | loading | ready: how far it got
    os: str | None = None
    backends: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()
    target: Target = Target()
    drafter: Drafter = Drafter()
    image_input: str = "unknown"  # seen | possible | excluded | unknown
    projector: str | None = None
    verbosity: int | None = None
    flags: Mapping[str, str] = field(default_factory=dict)
    command: str | None = None
    n_slots: int | None = None
    n_ctx_slot: int | None = None
    context: Mapping[str, str] = field(default_factory=dict)  # n_ctx, n_batch, n_ubatch ... as printed
    memory: Memory = Memory()
    tasks: tuple[Task, ...] = ()
    acceptance: Mapping[str, Acceptance] = field(default_factory=dict)  # text | image | unknown
    answers: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # HTTP status -> how often, first line
    n_requests: int = 0  # with those that a large log only counts
    failed: tuple[int, ...] = ()  # lines of failed requests, where a large log only counts them
    n_failed_behind: int = 0  # those behind the last of these lines
    n_unknown: Mapping[str, int] = field(default_factory=dict)  # the same of failure lines that nothing knows, by shape
    image_sign: str = ""  # how image turns were told, or why they could not be
    turns_until: int | None = None  # the line up to which a large log was read for classes of turns; None = to its end
    sources: Mapping[str, Source] = field(default_factory=dict)
    crashed_backend: str | None = None


@noun
class Run:
    sessions: tuple[Session, ...]
    looks_like_llama: bool  # at least one line that only llama.cpp or its wrappers print
