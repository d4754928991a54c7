"""The server process: its start, what it loads, how it stops."""

from dataclasses import dataclass

from diag.model.events.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class StartMarked(Event):
    """A line that only the beginning of a server process prints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPrinted(StartMarked):
    number: int
    commit: str | None = None
    compiler: str | None = None
    target: str | None = None  # "Linux x86_64", "Darwin arm64", "Windows AMD64"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildMentioned(Event):
    """The build number stands somewhere else than in a start line: in an answer's JSON, or below `--version`."""

    number: int
    commit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavourNamed(Event):
    """A line that only one fork or one wrapper of llama.cpp prints."""

    flavour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemInfoPrinted(StartMarked):
    backends: str | None = None  # the text after the thread counts


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbosityPrinted(StartMarked):
    verbosity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLoading(Event):
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftLoading(Event):
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MtpContextCreating(Event):
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorLoaded(Event):
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotsInitialized(Event):
    n_slots: int
    n_ctx_slot: int | None = None
    kv_unified: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAdded(Event):
    n_ctx: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLoaded(Event):
    """The target model is ready; a load failure before it is withdrawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening(Event):
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAbandoned(Event):
    """The server gives up its start (`exiting due to model loading error`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningUp(Event):
    """`cleaning up before exit`: a clean stop, but failing starts print it too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptRepeated(Event):
    """`Received second interrupt, terminating immediately.`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterStarted(Event):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentListed(Event):
    """One argument of the block in which a router prints how it starts a child."""

    flag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildExited(Event):
    name: str | None = None
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCreationFailed(Event):
    model: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLoadFailed(Event):
    """`error loading model: REASON`; printed twice by builds that fit memory first."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(Event):
    """Derived: a server process begins here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Event):
    """Derived: how the process stopped, as far as the log shows."""

    kind: str  # clean | assert | backend | exception | signal | killed | cut-off | running
    during: str  # loading | request | idle


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted(Event):
    """Derived: the input holds several starts of one stream."""

    count: int
