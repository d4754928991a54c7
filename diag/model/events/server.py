"""The server process: its start, what it loads, how it stops."""

from diag.model.events.event import Event
from diag.model.noun import fact


@fact
class StartMarked(Event):
    """A line that only the beginning of a server process prints."""


@fact
class BuildPrinted(StartMarked):
    number: int
    commit: str | None = None
    compiler: str | None = None
    target: str | None = None  # "Linux x86_64", "Darwin arm64", "Windows AMD64"


@fact
class BuildMentioned(Event):
    """The build number stands somewhere else than in a start line: in an answer's JSON, or below `--version`."""

    number: int
    commit: str | None = None


@fact
class FlavourNamed(Event):
    """A line that only one fork or one wrapper of llama.cpp prints."""

    flavour: str


@fact
class SystemInfoPrinted(StartMarked):
    backends: str | None = None  # the text after the thread counts


@fact
class VerbosityPrinted(StartMarked):
    verbosity: int


@fact
class ModelLoading(Event):
    path: str


@fact
class DraftLoading(Event):
    path: str


@fact
class MtpContextCreating(Event):
    path: str | None = None


@fact
class ProjectorLoaded(Event):
    path: str


@fact
class SlotsInitialized(Event):
    n_slots: int
    n_ctx_slot: int | None = None
    kv_unified: str | None = None


@fact
class SlotAdded(Event):
    n_ctx: int


@fact
class ModelLoaded(Event):
    """The target model is ready; a load failure before it is withdrawn."""


@fact
class Listening(Event):
    url: str | None = None


@fact
class LoadAbandoned(Event):
    """The server gives up its start (`exiting due to model loading error`)."""


@fact
class CleaningUp(Event):
    """`cleaning up before exit`: a clean stop, but failing starts print it too."""


@fact
class InterruptRepeated(Event):
    """`Received second interrupt, terminating immediately.`"""


@fact
class RouterStarted(Event):
    pass


@fact
class ArgumentListed(Event):
    """The head (no word) or one word of the block in which a router prints how it starts a child."""

    word: str | None = None


@fact
class ChildExited(Event):
    name: str | None = None
    status: int


@fact
class ContextCreationFailed(Event):
    model: str | None = None
    reason: str | None = None


@fact
class ModelLoadFailed(Event):
    """`error loading model: REASON`; printed twice by builds that fit memory first."""

    reason: str


@fact
class FlagGiven(Event):
    """Derived: a flag of the session's command line, wherever that stands; one event a flag."""

    flag: str  # by its one name, whichever spelling was given
    value: str  # "" for a flag without one


@fact
class WrapperMet(Event):
    """Derived: the lines came wrapped, by a container, a service manager or a front end; one event a wrapper."""

    name: str  # as the report's `wrappers` names it


@fact
class SessionStarted(Event):
    """Derived: a server process begins here."""


@fact
class SessionEnded(Event):
    """Derived: how the process stopped, as far as the log shows."""

    kind: str  # clean | assert | backend | exception | signal | killed | cut-off | running
    during: str  # loading | request | idle


@fact
class LinesSkipped(Event):
    """Derived: lines before this one were only counted, an informational one among them."""


@fact
class Restarted(Event):
    """Derived: the input holds several starts of one stream."""

    count: int
