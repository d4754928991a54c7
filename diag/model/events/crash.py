"""How a process died, as its last words or a wrapper's tell."""

from diag.model.events.event import Event
from diag.model.noun import fact


@fact
class AssertFailed(Event):
    """`FILE:LINE: GGML_ASSERT(EXPRESSION) failed`, and C's own `Assertion ... failed`."""

    file: str | None = None
    source_line: int | None = None
    expression: str


@fact
class Aborted(Event):
    """`FILE:LINE: TEXT` of GGML_ABORT."""

    file: str
    source_line: int
    text: str


@fact
class BackendFailed(Event):
    """`CUDA error: MESSAGE`, `ROCm error: MESSAGE` and the like."""

    backend: str  # cuda | rocm | vulkan | metal | sycl | musa | cann
    message: str


@fact
class BackendErrorPlace(Event):
    """The lines below a CUDA or ROCm error: current device, function, file."""

    device: int | None = None
    function: str | None = None


@fact
class ExceptionEscaped(Event):
    """`terminate called after throwing ...` or its `what():`."""

    what: str | None = None


@fact
class SignalReported(Event):
    """A shell, service manager or debugger names the signal."""

    signal: str  # SIGSEGV | SIGABRT | SIGKILL | SIGILL | SIGBUS | ...


@fact
class ExitReported(Event):
    """A wrapper prints the exit status of the server."""

    code: int  # as printed, 64-bit forms included


@fact
class OomKilled(Event):
    """The kernel or a container runtime says that memory ran out and the process was killed."""


@fact
class FlagRejected(Event):
    """The command line was refused before anything was loaded."""

    flag: str
    reason: str | None = None


@fact
class BacktraceFrame(Event):
    index: int
    function: str | None = None
