"""Devices, backends, the system and memory, as the lines of each backend tell them."""

import pytest

from diag.assemble.hardware import backend_of
from diag.model.form import Form, Statement
from diag.model.run import Device, Session, Source
from diag.model.stated import Stated
from tests.build import session

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"


def one(*parts: str, **given: object) -> Session:
    return session("\n".join((*parts, LOADING)), **given)  # type: ignore[arg-type]  # form, stated


DEVICES = [
    # (line, name, backend, arch, integrated, MiB)
    ("  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes", "CUDA0", "cuda", "8.6", None, None),
    ("  Device 1: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes, VRAM: 24135 MiB", "CUDA1", "cuda", "8.6", None, 24135),
    ("  Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32", "ROCm0", "rocm", "gfx1100", None, None),
    ("  Device 0: AMD Radeon Graphics, gfx1151 (0x1151), VMM: no, Wave Size: 32, VRAM: 98304 MiB", "ROCm0", "rocm", "gfx1151", True, 98304),
    ("  Device 0: AMD Instinct MI100, gfx908:sramecc+:xnack- (0x908), VMM: no, Wave Size: 64", "ROCm0", "rocm", "gfx908", None, None),
    ("ggml_vulkan: 0 = AMD Radeon Graphics (RADV GFX1151) (radv) | uma: 1 | fp16: 1 | warp size: 64", "Vulkan0", "vulkan", "gfx1151", True, None),
    ("ggml_vulkan: 1 = NVIDIA GeForce RTX 4070 (NVIDIA) | uma: 0 | fp16: 1 | warp size: 32", "Vulkan1", "vulkan", None, None, None),
    ("ggml_metal_device_init: GPU name:   Apple M3 Max", "MTL0", "metal", None, True, None),
    ("ggml_metal_init: found device: Apple M1", "MTL0", "metal", None, True, None),
    ("| 0| [level_zero:gpu:0]|                Intel Arc A770 Graphics|  12.55|    512|    1024|   32| 16225M|            1.6|", "SYCL0", "sycl", None, None, None),
    ("0.00.002.040 I   - CUDA0   : NVIDIA GeForce RTX 3090 (24135 MiB, 23800 MiB free)", "CUDA0", "cuda", None, None, 24135),
    ("0.00.002.040 I   - CPU     : AMD EPYC (24105 MiB, 24105 MiB free)", "CPU", "cpu", None, None, 24105),
    ("llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 3090) (0000:01:00.0) - 23800 MiB free", "CUDA0", "cuda", None, None, None),
    ("llama_model_load_from_file_impl: using device Vulkan0 (Intel(R) UHD Graphics 770) - 12000 MiB free", "Vulkan0", "vulkan", None, True, None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name", "backend", "arch", "integrated", "memory_mib"), DEVICES)
def test_each_backend_announces_its_device(
    line: str, name: str, backend: str, arch: str | None, integrated: bool | None, memory_mib: int | None
) -> None:
    (device,) = one(line).devices
    assert (device.name, device.backend, device.arch, device.integrated, device.memory_mib, device.line) == (
        name, backend, arch, integrated, memory_mib, 1,
    )  # fmt: skip


ANNOUNCED = "  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes"
LISTED = "0.00.002.040 I   - CUDA0   : NVIDIA GeForce RTX 3090 (24135 MiB, 23800 MiB free)"


def test_a_device_announced_twice_stands_once_with_all_its_facts() -> None:
    found = one(ANNOUNCED, LISTED).devices
    assert found == (
        Device("CUDA0", "NVIDIA GeForce RTX 3090", "cuda", arch="8.6", memory_mib=24135, free_mib=23800, line=1),
    )


def test_two_devices_stand_in_the_order_they_were_announced() -> None:
    assert [device.name for device in one(ANNOUNCED.replace("Device 0", "Device 1"), ANNOUNCED).devices] == [
        "CUDA1",
        "CUDA0",
    ]


@pytest.mark.parametrize(
    ("name", "backend"),
    [("CUDA0", "cuda"), ("CUDA_Host", "cuda"), ("ROCm1", "rocm"), ("HIP", "rocm"), ("Vulkan0", "vulkan"), ("MTL0", "metal"),
     ("Metal", "metal"), ("SYCL0", "sycl"), ("RPC[10.0.0.1:50052]", "rpc"), ("CPU_Mapped", "cpu"), ("BLAS", "blas"), ("xyz", None)],
)  # fmt: skip
def test_a_device_or_buffer_name_tells_its_backend(name: str, backend: str | None) -> None:
    assert backend_of(name) == backend


@pytest.mark.parametrize(
    ("line", "backends"),
    [
        ("load_backend: loaded CUDA backend from /app/libggml-cuda.so", ("cuda",)),
        ("ggml_cuda_init: found 1 ROCm devices:", ("rocm",)),
        ("ggml_vulkan: Found 1 Vulkan devices:", ("vulkan",)),
        ("load_tensors:        CUDA0 model buffer size =  4096.00 MiB", ("cuda",)),
        ("ROCm error: invalid device function", ("rocm",)),
        ("ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8192.00 MiB on device 0: cudaMalloc failed: out of memory", ("cuda",)),
        ("ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8192.00 MiB on device 0: hipMalloc failed: out of memory", ("rocm",)),
        ("ggml_metal_device_init: recommendedMaxWorkingSetSize  = 22906.50 MB", ("metal",)),
        ("system_info: n_threads = 1 (n_threads_batch = 1) / 2 | CPU : SSE3 = 1 | ", ("cpu",)),
        ("system_info: n_threads = 8 (n_threads_batch = 8) / 16 | CUDA : ARCHS = 860 | USE_GRAPHS = 1 | CPU : SSE3 = 1 | ", ("cuda", "cpu")),
        ("nothing of a backend", ()),
    ],
)  # fmt: skip
def test_lines_that_tell_the_backend(line: str, backends: tuple[str, ...]) -> None:
    assert one(line).backends == backends


def test_graphics_backends_stand_before_the_processor() -> None:
    cpu = "load_tensors:   CPU_Mapped model buffer size =   100.00 MiB"
    assert one(cpu, "load_tensors:        CUDA0 model buffer size =  4096.00 MiB").backends == ("cuda", "cpu")


def test_the_option_wins_and_the_form_fills_in() -> None:
    form = Form(backends=Statement(5, "HIP, CPU"))
    assert one(form=form).backends == ("rocm", "cpu")
    assert one("ggml_vulkan: Found 1 Vulkan devices:", form=form).backends == ("vulkan",)
    assert one(form=form, stated=Stated(backend="cuda")).backends == ("cuda",)
    assert one(form=form).sources["backends"] == Source("issue-form", 5, "HIP, CPU")


@pytest.mark.parametrize(
    ("line", "system"),
    [
        ("common_params_print_info: build 11434 (abc1234) with GNU 12.2.0 for Linux x86_64", "linux"),
        ("build: 6123 (79c1160b) with Apple clang version 17.0.0 for arm64-apple-darwin24.6.0", "macos"),
        ("build: 6123 (79c1160b) with MSVC 19.44.35213.0 for x64", "windows"),
        ("build: 6123 (79c1160b) with Clang 19.1.5 for Windows x86_64", "windows"),
        ("ggml_metal_device_init: GPU name:   Apple M3 Max", "macos"),
        ("srv    load_model: loading model 'C:\\models\\a.gguf'", "windows"),
        ("nothing of a system", None),
    ],
)
def test_the_system_shows_in_the_build_line_the_device_or_the_path(line: str, system: str | None) -> None:
    assert one(line).os == system


def test_the_system_of_the_form_and_of_the_option() -> None:
    form = Form(os=Statement(4, "Other? (Please let us know in description), Mac"))
    assert one(form=form).os == "macos"
    assert one(form=form, stated=Stated(os="linux")).os == "linux"


def test_memory_is_kept_by_device_and_the_last_print_counts() -> None:
    memory = one(
        "load_tensors:        CUDA0 model buffer size =  4096.00 MiB",
        "llama_kv_cache:      CUDA0 KV buffer size =   100.00 MiB",
        "llama_kv_cache:      CUDA0 KV buffer size =   224.50 MiB",
        "llama_context:      CUDA0 compute buffer size =   300.25 MiB",
        "llama_context:        CPU compute buffer size =     8.00 MiB",
        "ggml_metal_device_init: recommendedMaxWorkingSetSize  = 1048.576 MB",
    ).memory
    assert memory.model_mib == {"CUDA0": 4096.0}
    assert memory.kv_mib == {"CUDA0": 224.5}
    assert memory.compute_mib == {"CUDA0": 300.25, "CPU": 8.0}
    assert memory.working_set_mib == pytest.approx(1000.0)  # Metal counts in units of 1000
