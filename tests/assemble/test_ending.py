"""How a session stopped."""

import pytest

from diag.model.run import Ending
from tests.build import session, sessions

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
TASK = "0.05.051.933 I slot launch_slot_: id  0 | task 0 | processing task, is_child = 0"
RELEASE = "0.05.063.819 I slot      release: id  0 | task 0 | stop processing: n_tokens = 61, truncated = 0"
CLEANUP = "0.05.099.452 I srv    operator(): operator(): cleaning up before exit..."
ASSERT = "/srv/src/llama.cpp/src/llama-context.cpp:1151: GGML_ASSERT(lid < n) failed"
CUDA = "CUDA error: an illegal memory access was encountered"
WHAT = "terminate called after throwing an instance of 'std::runtime_error'"
EXIT = "llm-1 exited with code {}"

TABLE = [
    # (lines, kind, during, line, exit code)
    ((LOADING, READY), "running", "idle", 2, None),
    ((LOADING, READY, TASK, RELEASE), "running", "idle", 4, None),
    ((LOADING, READY, TASK), "cut-off", "request", 3, None),
    ((LOADING,), "cut-off", "loading", 1, None),
    ((LOADING, READY, TASK, RELEASE, CLEANUP), "clean", "idle", 5, None),
    ((LOADING, CLEANUP), "clean", "loading", 2, None),
    ((LOADING, READY, TASK, "Received second interrupt, terminating immediately."), "signal", "request", 4, None),
    ((LOADING, "srv  llama_server: exiting due to model loading error"), "clean", "loading", 2, None),
    (("error: invalid argument: --no-such-flag",), "clean", "loading", 1, None),
    ((LOADING, READY, TASK, ASSERT), "assert", "request", 4, None),
    ((LOADING, ASSERT), "assert", "loading", 2, None),
    ((LOADING, READY, ASSERT), "assert", "idle", 3, None),
    ((LOADING, READY, TASK, CUDA, "/srv/src/ggml-cuda.cu:92: CUDA error"), "backend", "request", 4, None),
    ((LOADING, READY, WHAT, "  what():  vk::Queue::submit: ErrorDeviceLost"), "exception", "idle", 3, None),
    ((LOADING, READY, TASK, "Segmentation fault (core dumped)"), "signal", "request", 4, None),
    ((LOADING, READY, "Out of memory: Killed process 4242 (llama-server) total-vm:41943040kB"), "killed", "idle", 3, None),
    ((LOADING, READY, "llama.service: Main process exited, code=killed, status=9/KILL"), "killed", "idle", 3, None),
    # the first fatal line counts; what follows is its consequence
    ((LOADING, READY, TASK, ASSERT, "Aborted (core dumped)", EXIT.format(134)), "assert", "request", 4, 134),
    ((LOADING, READY, EXIT.format(0)), "clean", "idle", 3, 0),
    ((LOADING, READY, EXIT.format(1)), "cut-off", "idle", 3, 1),
    ((LOADING, READY, TASK, EXIT.format(139)), "signal", "request", 4, 139),
    ((LOADING, READY, TASK, EXIT.format(137)), "killed", "request", 4, 137),
    ((LOADING, READY, EXIT.format(143)), "clean", "idle", 3, 143),
    # the closing line of the process stands before the exit code of its wrapper
    ((LOADING, READY, CLEANUP, EXIT.format(0)), "clean", "idle", 3, 0),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "kind", "during", "line", "exit_code"), TABLE)
def test_the_last_words_of_a_process(
    parts: tuple[str, ...], kind: str, during: str, line: int, exit_code: int | None
) -> None:
    assert session("\n".join(parts)).ending == Ending(kind, during, line, exit_code)


def test_a_backend_error_that_the_server_survives_is_not_its_end() -> None:
    again = (TASK.replace("task 0", "task 5"), RELEASE.replace("task 0", "task 5"))
    assert session("\n".join((LOADING, READY, TASK, CUDA, *again))).ending.kind not in ("backend", "assert")


def test_a_task_that_only_begins_below_an_assert_proves_no_life() -> None:
    # assert lines bypass the logger's thread, so what was logged before them may stand below
    ending = session("\n".join((LOADING, READY, ASSERT, TASK))).ending
    assert (ending.kind, ending.line) == ("assert", 3)


def test_a_closing_line_above_a_later_task_belongs_to_something_else() -> None:
    assert session("\n".join((LOADING, READY, CLEANUP, TASK, RELEASE))).ending.kind == "running"


def test_an_open_end_before_the_next_start_is_no_running_server() -> None:
    first, last = sessions(
        "\n".join((LOADING, READY, "0.00.003.321 I srv  llama_server: initializing ...", LOADING, READY))
    )
    assert (first.ending.kind, first.ending.during) == ("cut-off", "idle")
    assert last.ending.kind == "running"


def test_an_assert_that_bypassed_the_logger_is_the_end_although_lines_follow() -> None:
    ending = session(
        "\n".join((LOADING, ASSERT, "0.00.012.471 I common_init_result: fitting params to device memory ..."))
    ).ending
    assert (ending.kind, ending.line) == ("assert", 2)
