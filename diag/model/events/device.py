"""Models as loaded, devices, and memory figures."""

from diag.model.events.event import Event
from diag.model.noun import fact


@fact
class ModelDescribed(Event):
    """One `print_info:` or metadata line; the first model of a session is the target, a second one the drafter."""

    key: str  # arch, general.name, rope type, n_layer, n_layer_all, n_ctx_train, n_vocab, file type, ...
    value: str


@fact
class ContextDescribed(Event):
    """One `llama_context:` line: n_ctx, n_batch, n_ubatch, n_seq_max, flash_attn ..."""

    key: str
    value: str


@fact
class DeviceListed(Event):
    """One GPU or CPU as a backend announces it."""

    name: str  # CUDA0, ROCm0, Vulkan0, MTL0, CPU; "Device 0" lines give the index only
    description: str
    backend: str | None = None  # cuda | rocm | vulkan | metal | sycl | cpu | ...
    arch: str | None = None  # gfx1151, compute capability 8.6, MTLGPUFamilyApple9
    integrated: bool | None = None
    memory_mib: float | None = None
    free_mib: float | None = None


@fact
class BackendLoaded(Event):
    backend: str


@fact
class BufferSized(Event):
    """A buffer that was allocated, or the cache that was created."""

    device: str
    kind: str  # model | KV | RS | compute | output
    mib: float


@fact
class KvCacheCreated(Event):
    mib: float
    n_cells: int
    n_layers: int
    k_type: str | None = None
    v_type: str | None = None


@fact
class WorkingSetPrinted(Event):
    mb: float  # recommendedMaxWorkingSetSize, in MB as Metal prints it


@fact
class LayersOffloaded(Event):
    n_offloaded: int
    n_layers: int


@fact
class AllocationFailed(Event):
    """A backend or the host refused a buffer."""

    device: str | None = None
    mib: float | None = None
    n_bytes: int | None = None
