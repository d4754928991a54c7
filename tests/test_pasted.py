"""Short logs as people hand them over: what stands round the lines, or was done to them, changes no answer."""

import json

import pytest

from diag.model.report import Report
from tests.build import ready


def answer(text: str) -> str:
    return report(text).diagnoses[0].signature


def report(text: str) -> Report:
    return ready().analyze_text(text)


UNKNOWN_LOOKS = {
    "an answer of curl in a fence": (
        '```\n$ curl -s localhost:8080/completion -d \'{"prompt":"hi"}\' | jq .content\n"' + "G" * 48 + '"\n```\n',
        "garbage-output",
    ),
    "an rpc-server's log in a fence": (
        "```shell\nNever expose the RPC server to an open network!\ncreate_backend: using CUDA backend\n"
        "Starting RPC server v2.0.0\nAccepted client connection, free_mem=11500000000, total_mem=12500000000\n"
        "Client connection closed\n```\n",
        "rpc-connection-closed",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN_LOOKS)
def test_a_fence_whose_lines_look_like_no_log_is_read_all_the_same(name: str) -> None:
    text, expected = UNKNOWN_LOOKS[name]
    assert answer(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "llama-server -m /models/a.gguf -c 4096\n",
        "```\nllama-server -m /models/a.gguf\n```\n",
        "### Name and Version\n\nversion: 6297 (1cf123a3)\n",
        "### Relevant log output\n\n_No response_\n",
        "<details>\n</details>\n",
        "<!-- nothing -->\n",
        "-- Boot 0123456789abcdef --\n",
        'Script started on 2026-01-13 10:02:14+01:00 [COMMAND="bash"]\n',
    ],
)
def test_a_text_with_anything_to_see_is_not_called_empty(text: str) -> None:
    assert answer(text) == "insufficient-log"


@pytest.mark.parametrize("text", ["", "\n", "  \n\n", "\ufeff\n", "\x1b[0m\n"])
def test_a_text_with_nothing_to_see_is_called_empty(text: str) -> None:
    assert answer(text) == "empty-log"


def test_composes_exit_line_belongs_to_the_process_whose_lines_carry_its_name() -> None:
    found = report(
        "llama-1  | ggml_cuda_init: found 2 ROCm devices:\n"
        "llama-1  |   Device 0: AMD Radeon RX 9070 XT, gfx1201 (0x1201), VMM: no, Wave Size: 32\n"
        "llama-1  |   Device 1: AMD Radeon Graphics, gfx1036 (0x1036), VMM: no, Wave Size: 32\n"
        "llama-1 exited with code 139\n"
    )
    assert [one.stream for one in found.sessions] == ["llama-1"]
    assert found.diagnoses[0].signature == "rocm-multi-gpu-igpu-crash"


def test_compose_is_known_from_one_line_of_the_servers_also_before_lines_that_nobody_knows() -> None:
    found = report(
        "llama-1  | Failed to connect to rpc1:50052\n"
        "llama-1  | llama_model_load: error loading model: failed to find RPC device\n"
    )
    assert [one.stream for one in found.sessions] == ["llama-1"]
    assert found.diagnoses[0].signature == "rpc-connect-failed"
    assert found.diagnoses[0].evidence[0].text == "Failed to connect to rpc1:50052"


def test_a_command_in_the_text_round_two_blocks_of_a_log_cuts_nothing() -> None:
    loading = "srv    load_model: loading model '/models/a.gguf'"
    found = report(
        "I see\n```\nllama_model_load: error loading model: unknown model architecture: 'x'\n```\nwith\n"
        f"```\nllama-server -m /models/a.gguf\n```\nThe log:\n```\nbuild: 6870 (215a58fd) with cc for x86_64\n{loading}\n"
        "llama_model_load: error loading model: unknown model architecture: 'x'\n```\n"
    )
    assert len(found.sessions) == 1


def test_a_failed_start_is_not_taken_back_by_the_successful_one_below_it() -> None:
    found = report(
        "gguf_init_from_file: failed to open GGUF file 'a.gguf'\n"
        "main: exiting due to model loading error\n"
        "PS C:\\l> .\\llama-server.exe -m C:\\m\\a.gguf\n"
        "ggml_vulkan: Found 1 Vulkan devices:\n"
        "build: 6870 (215a58fd) with clang version 19.1.5 for x86_64-pc-windows-msvc\n"
        "main: loading model\n"
        "srv    load_model: loading model 'C:\\m\\a.gguf'\n"
        "main: model loaded\n"
        "main: server is listening on http://127.0.0.1:8080 - starting the main loop\n"
    )
    assert [one.first_line for one in found.sessions] == [1, 4]
    assert found.diagnoses[0].signature == "model-file-missing"
    assert found.diagnoses[0].evidence[0].line == 1


def test_the_servers_words_in_a_field_of_somebody_elses_record_are_read() -> None:
    record = {
        "event": "llm call failed",
        "level": "error",
        "exc": "BadRequestError(\"Error code: 400 - {'error': {'message': 'request (12011 tokens) exceeds the available "
        "context size (8192 tokens), try increasing it'}}\")",
    }
    assert answer(json.dumps(record)) == "prompt-exceeds-context"


def test_a_line_that_a_narrow_window_cut_once_inside_a_word_is_whole_again() -> None:
    found = report(
        "llama_model_load: error loading model: error loading model architecture: unknown model archi\n"
        "tecture: 'step4'\n"
    )
    assert (found.diagnoses[0].signature, found.diagnoses[0].evidence[0].line) == ("unknown-model-architecture", 1)
