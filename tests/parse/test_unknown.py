"""Failure lines that nothing knows: they count, and a healthy log has none."""

import pytest

from diag.model.line import Line
from diag.parse.unknown import find_unknown
from tests.build import SAMPLES, report, sessions, woven


def unknown(*texts: str, level: str | None = None) -> list[str]:
    found = find_unknown([Line(number, 0, text, level=level) for number, text in enumerate(texts, 1)], set())
    return [event.text for event in found]


@pytest.mark.parametrize(
    "line",
    [
        "0.00.080.339 E ggml_new: a message of next year",
        "E srv    new_thing: a message of next year",
        "/srv/src/new.cpp:12: GGML_ASSERT(a == b) failed",
        "terminate called after throwing an instance of 'x'",
        "  what():  something that nobody knows",
        "fatal: cannot go on with this file",
        "fatal: cannot go on",
        "0.00.001.000 E x: odd",
        "Traceback (most recent call last):",
        "ROCm error: something that nobody knows",
        "Segmentation fault (core dumped)",
        "main: Assertion `x' failed.",
        "error: cannot open shared object",
        "llama-server: error: no such thing",
        "vk::Device::createFence: ErrorDeviceLost",
    ],
)
def test_a_failure_line_that_nothing_knows_counts(line: str) -> None:
    assert len(unknown(line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "0.00.080.339 I srv  x: all is well",
        "0.00.080.339 W srv  x: a warning is no failure",
        "0.00.080.339 D srv  x: out of memory was avoided",
        "0.00.080.339 I srv  x: fatal error is what the user asked about",
        "I srv    x: no error",
        "plain text",
        "",
        "   ",
        "0.00.080.339 E ",
        "srv  x: 0 errors",
    ],
)
def test_a_line_that_reports_no_failure_does_not_count(line: str) -> None:
    assert unknown(line) == []


def test_the_level_that_a_wrapper_carries_counts() -> None:
    assert unknown("something odd that nobody knows", level="E") == ["something odd that nobody knows"]
    assert unknown("GGML_ASSERT(x) failed", level="I") == []


def test_a_line_that_something_knows_does_not_count() -> None:
    texts = [
        "E ggml_new: the first odd message",
        "E ggml_new: the second odd message",
        "E ggml_new: the third odd message",
    ]
    places = [(1, 0), (1, 1), (2, 0)]
    lines = [Line(*place, f"0.00.000.001 {text}") for place, text in zip(places, texts, strict=True)]
    found = find_unknown(lines, {(1, 0), (2, 0)})
    assert [(event.line.number, event.line.part) for event in found] == [(1, 1)]


@pytest.mark.parametrize(
    "line",
    [
        'srv  log_server_r: request:  {"prompt":"why does it say GGML_ASSERT(x) failed? fatal error"}',
        'srv  log_server_r: response: {"content":"Segmentation fault (core dumped)"}',
        'Parsed message: {"role":"assistant","content":"terminate called; CUDA error: x"}',
        "srv  update_chat_: Parsing chat message: what does GGML_ASSERT(x) failed mean?",
    ],
)
def test_what_a_user_wrote_or_a_model_answered_is_no_failure(line: str) -> None:
    assert unknown(line) == []


def test_an_unknown_failure_is_never_called_healthy() -> None:
    log = (SAMPLES / "no-drafter-text-ok-b11434" / "log.txt").read_text(encoding="utf-8")
    assert report(log).diagnoses[0].signature == "no-failure-found"
    found = report(log + "0.09.000.000 E ggml_new: a message of next year\n")
    assert found.diagnoses[0].signature == "insufficient-log"
    assert [item.text for item in found.unknown] == ["ggml_new: a message of next year"]


HEALTHY = sorted(path.parent.name for path in SAMPLES.glob("*-ok*/expected.toml"))


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_sample_has_no_unknown_failure(name: str) -> None:
    log = (SAMPLES / name / "log.txt").read_text(encoding="utf-8")
    assert report(log).unknown == ()


# Every line of level W or E that a healthy server of the build was seen to print, with what needs no prefix.
NOISE = {
    "b8722": """
build_info: b8722-unknown
srv    load_model: speculative decoding is not supported by multimodal, it will be disabled
srv  log_server_r: done request: POST /completion 127.0.0.1 200
srv    operator(): operator(): cleaning up before exit...
llama_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |
~llama_context:        CPU compute buffer size is   6.6387 MiB, matches expectation of   6.6387 MiB
""",
    "b9464": """
0.00.022.568 W llama_context: n_ctx_seq (2048) < n_ctx_train (4096) -- the full capacity of the model will not be utilized
0.00.038.089 W srv          init: --cache-idle-slots requires --kv-unified, disabling
0.00.076.994 W srv   prompt_save:  - saving prompt with length 114, total state size = 0.057 MiB (draft: 0.016 MiB)
0.00.077.121 W slot update_slots: id  0 | task 27 | forcing full prompt re-processing due to lack of cache data
0.00.099.000 W common_speculative_init: no implementations specified for speculative decoding
""",
    "b9871": """
0.00.011.022 E llama_init_from_model: failed to initialize the context: dflash requires ctx_other to be set (this warning is normal during memory fitting)
0.00.011.030 W srv    load_model: [spec] failed to measure draft model memory: failed to create llama_context from model
""",
    "b10189": """
0.00.027.968 W srv  llama_server: -----------------
0.00.027.969 W srv  llama_server: CORS is set to allow all origins ('*') and no API key is set
0.00.027.969 W srv  llama_server: this can be a security risk (cross-origin attacks)
0.00.574.314 W load_hparams: Qwen-VL models require at minimum 1024 image tokens to function correctly on grounding tasks
0.01.046.626 W find_slot: non-consecutive token position 21 after 20 for sequence 0 with 49 new tokens
""",
    "b11434": """
0.00.004.770 W srv  llama_server: security: no API key is set and CORS allows all origins (see https://github.com/ggml-org/llama.cpp/pull/25655)
0.00.011.022 E llama_init_from_model: failed to initialize the context: eagle3 requires ctx_other to be set (this warning is normal during memory fitting)
0.00.011.030 W operator(): failed to measure the memory of the extra model, fitting without it: failed to create llama_context from model
""",
}


@pytest.mark.parametrize("build", NOISE)
def test_the_noise_of_a_healthy_build_is_known(build: str) -> None:
    found = [event for one in sessions(NOISE[build]) for event in one.events]
    assert [event for event in found if type(event).__name__ == "UnknownError"] == []


def test_unknown_failures_belong_to_the_stream_that_printed_them() -> None:
    log = woven(
        ("a", "0.00.001.000 E ggml_new: a message of next year"),
        ("b", "0.00.001.000 I srv  llama_server: model loaded"),
    )
    assert [event.line.stream for event in find_unknown(log, set())] == ["a"]
