"""Operating system, backends and devices of a session."""

import re
from collections.abc import Sequence

from diag.late import late
from diag.model.events import Event
from diag.model.events.crash import BackendFailed
from diag.model.events.device import AllocationFailed, BackendLoaded, BufferSized, DeviceListed, WorkingSetPrinted
from diag.model.events.server import BuildPrinted, ModelLoading, SystemInfoPrinted
from diag.model.form import Form
from diag.model.run import Device, Memory, Source

_BACKEND_OF_NAME = (
    ("cuda", "cuda"),
    ("rocm", "rocm"),
    ("hip", "rocm"),
    ("vulkan", "vulkan"),
    ("mtl", "metal"),
    ("metal", "metal"),
    ("sycl", "sycl"),
    ("musa", "musa"),
    ("cann", "cann"),
    ("opencl", "opencl"),
    ("rpc", "rpc"),
    ("blas", "blas"),
    ("cpu", "cpu"),
)
# Graphics that share the system's memory. gfx names as ROCm prints them.
_INTEGRATED = late(
    r"\bgfx(?:90c|902|1013|1033|1035|1036|1037|1103|115[0-3])\b|Radeon\(TM\) Graphics$|\bUHD\b|\bIris\b|Apple M\d"
    r"|Radeon (?:6[1-9]0M|7[4-8]0M|8[0-9]{2}[05]S|8[4-9]0M)"
)
# What tells the backends, and what the system.
_BACKEND = (
    BackendFailed, BackendLoaded, DeviceListed, BufferSized, AllocationFailed, WorkingSetPrinted, SystemInfoPrinted,
)  # fmt: skip
_SYSTEM = (BuildPrinted, WorkingSetPrinted, DeviceListed, ModelLoading)
_GFX = late(r"\bgfx\d\w{2,4}\b", re.IGNORECASE)


def backend_of(name: str) -> str | None:
    """Return the backend that a device or buffer name belongs to (CUDA0 -> cuda, MTL0 -> metal), or None."""
    lowered = name.lower()
    return next((backend for prefix, backend in _BACKEND_OF_NAME if lowered.startswith(prefix)), None)


def read_devices(events: Sequence[Event]) -> tuple[Device, ...]:
    """Return the devices in the order they were announced; a device announced twice stands once, with all facts."""
    found: dict[tuple[str | None, str], Device] = {}
    for event in events:
        if not isinstance(event, DeviceListed):
            continue
        backend = event.backend or backend_of(event.name)
        name = event.name if not event.name.isdigit() else f"{_DEVICE_PREFIX.get(backend or '', 'GPU')}{event.name}"
        gfx = _GFX.search(event.description)
        arch = event.arch or (gfx[0].lower() if gfx else None)
        old = found.get((backend, name))
        memory, free = event.memory_mib, event.free_mib
        found[backend, name] = Device(
            name=name,
            description=event.description or (old.description if old else ""),
            backend=backend,
            arch=arch or (old.arch if old else None),
            integrated=_integrated(event, arch) or (old.integrated if old else None),
            memory_mib=int(memory) if memory is not None else (old.memory_mib if old else None),
            free_mib=int(free) if free is not None else (old.free_mib if old else None),
            line=old.line if old else event.line.number,
        )
    return tuple(found.values())


_DEVICE_PREFIX = {"cuda": "CUDA", "rocm": "ROCm", "vulkan": "Vulkan", "sycl": "SYCL", "metal": "MTL"}


def _integrated(event: DeviceListed, arch: str | None) -> bool | None:
    if event.backend == "vulkan" and "| uma: 1" in event.line.text:
        return True
    return True if _INTEGRATED.search(f"{event.description} {arch or ''}".strip()) else None


def read_backends(events: Sequence[Event], form: Form, stated: str | None) -> tuple[tuple[str, ...], Source | None]:
    """Return the backends that the log shows in use or loaded, GPU ones first, and where they are known from."""
    if stated:
        return (stated,), Source("option", None, f"--backend {stated}")
    found: dict[str, Source] = {}

    def note(name: str | None, event: Event) -> None:
        backend = backend_of(name) if name else None
        if backend is not None:
            found.setdefault(backend, Source("log", event.line.number, event.line.text.strip()[:200]))

    for event in events:
        if not isinstance(event, _BACKEND):
            continue
        if isinstance(event, BackendFailed | BackendLoaded):
            note(event.backend, event)
        elif isinstance(event, DeviceListed):
            note(event.backend or event.name, event)
        elif isinstance(event, BufferSized):
            note(event.device, event)
        elif isinstance(event, AllocationFailed):
            note(
                "cuda"
                if "cudaMalloc" in event.line.text
                else "rocm"
                if "hipMalloc" in event.line.text
                else event.device,
                event,
            )
        elif isinstance(event, WorkingSetPrinted):
            note("metal", event)
        elif isinstance(event, SystemInfoPrinted) and event.backends:
            for section in re.findall(r"(?:^ ?|\| )([A-Za-z]+) : ", event.backends):
                note(section, event)
    if "rocm" in found and "cuda" in found and "cudaMalloc" in found["cuda"].text:
        del found["cuda"]  # HIP builds print cudaMalloc too
    if not found and form.backends is not None:
        names = [backend_of(part.strip()) for part in re.split(r"[,;/\n]", form.backends.text)]
        stated_names = tuple(dict.fromkeys(name for name in names if name))
        return stated_names, Source("issue-form", form.backends.line, form.backends.text.splitlines()[0])
    ordered = sorted(found, key=lambda name: name in ("cpu", "blas"))
    return tuple(ordered), (found[ordered[0]] if ordered else None)


def read_os(events: Sequence[Event], form: Form, stated: str | None) -> tuple[str | None, Source | None]:
    """Return linux | macos | windows and where it is known from; (None, None) when the log does not show it."""
    if stated:
        return stated, Source("option", None, f"--os {stated}")
    for event in events:
        if not isinstance(event, _SYSTEM):
            continue
        source = Source("log", event.line.number, event.line.text.strip()[:200])
        if isinstance(event, BuildPrinted) and event.target:
            target = event.target.lower()
            if "darwin" in target or "apple" in target:
                return "macos", source
            if "windows" in target or "msvc" in (event.compiler or "").lower() or target.startswith("x64"):
                return "windows", source
            if "linux" in target:
                return "linux", source
        if isinstance(event, WorkingSetPrinted) or (isinstance(event, DeviceListed) and event.backend == "metal"):
            return "macos", source
        if isinstance(event, ModelLoading) and re.match(r"[A-Za-z]:\\|\\\\", event.path):
            return "windows", source
    if form.os is not None:
        lowered = form.os.text.lower()
        for name, system in (
            ("mac", "macos"),
            ("darwin", "macos"),
            ("windows", "windows"),
            ("linux", "linux"),
            ("ubuntu", "linux"),
        ):
            if name in lowered:
                return system, Source("issue-form", form.os.line, form.os.text.splitlines()[0])
    return None, None


def read_memory(events: Sequence[Event]) -> Memory:
    """Return the buffers as printed, by device; one printed again (fitting, then the real load) replaces itself."""
    sizes: dict[str, dict[str, float]] = {"model": {}, "KV": {}, "compute": {}}
    working_set = None
    for event in events:
        if isinstance(event, BufferSized) and event.kind in sizes:
            sizes[event.kind][event.device] = event.mib
        elif isinstance(event, WorkingSetPrinted):
            working_set = event.mb * 1_000_000 / 1_048_576
    return Memory(sizes["model"], sizes["KV"], sizes["compute"], working_set)
