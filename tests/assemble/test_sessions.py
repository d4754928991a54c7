"""Where one server process ends and the next begins."""

import pytest

from diag.model.events.server import Restarted
from diag.model.form import Form
from diag.model.run import Session
from tests.build import lines, session, sessions, woven

START = "0.00.003.321 I srv  llama_server: initializing ..."
VERBOSITY = (
    "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)"
)
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
TASK = "5.00.051.933 I slot launch_slot_: id  0 | task 0 | processing task, is_child = 0"
RELEASE = "5.00.063.819 I slot      release: id  0 | task 0 | stop processing: n_tokens = 61, truncated = 0"
CLEANUP = "5.00.099.452 I srv    operator(): operator(): cleaning up before exit..."
CUDA = "  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes"


def spans(found: tuple[Session, ...]) -> list[tuple[int, int]]:
    return [(one.first_line, one.last_line) for one in found]


def log(*lines: str) -> str:
    return "\n".join(lines)


def test_one_process_is_one_session_however_many_start_lines_it_prints() -> None:
    one = session(log(START, VERBOSITY, LOADING, READY, TASK, RELEASE, CLEANUP))
    assert (one.number, one.started, one.reached, one.first_line, one.last_line) == (1, True, "ready", 1, 7)


def test_a_log_without_any_start_line_is_a_session_that_was_not_seen_to_start() -> None:
    one = session(log(TASK, RELEASE))
    assert (one.started, one.reached) == (False, "ready")


def test_text_that_no_server_prints_is_no_session() -> None:
    assert sessions("the quick brown fox\njumps over it") == ()


def test_lines_of_no_event_at_the_edges_belong_to_the_session_too() -> None:
    assert spans(sessions(log("$ llama-server", START, LOADING, READY, "bye"))) == [(1, 5)]


def test_a_start_line_after_a_start_that_got_as_far_as_loading_begins_the_next_session() -> None:
    found = sessions(log(START, LOADING, READY, START, LOADING))
    assert spans(found) == [(1, 3), (4, 5)]
    assert [one.reached for one in found] == ["ready", "loading"]


def test_old_builds_without_a_clock_are_cut_at_their_start_lines() -> None:
    old = ("build_info: b8722-unknown", "srv    load_model: loading model '/models/a.gguf'", "main: model loaded")
    assert spans(sessions(log(*old, *old, *old))) == [(1, 3), (4, 6), (7, 9)]


def test_a_start_refused_before_loading_and_its_repetition_are_two_sessions() -> None:
    again = START.replace("0.00.003.321", "0.00.003.100")
    assert spans(sessions(log(START, VERBOSITY, again, VERBOSITY))) == [(1, 2), (3, 4)]


def test_a_clock_that_falls_by_more_than_a_second_is_another_process_even_without_a_start_line() -> None:
    assert spans(sessions(log(TASK, RELEASE, LOADING, READY))) == [(1, 2), (3, 4)]


def test_a_clock_that_falls_by_less_is_two_threads_of_one_process() -> None:
    early = RELEASE.replace("5.00.063.819", "4.59.100.000")
    assert len(sessions(log(TASK, early))) == 1


def test_each_stream_has_its_own_sessions() -> None:
    found = sessions(
        woven(
            ("8081", START),
            ("8082", START),
            ("8081", LOADING),
            ("8082", LOADING),
            ("8082", READY),
            ("8081", "0.00.030.000 E srv    load_model: failed to load model, '/models/a.gguf'"),
        )
    )
    assert [(one.stream, one.first_line, one.last_line, one.reached) for one in found] == [
        ("8081", 1, 6, "loading"),
        ("8082", 2, 5, "ready"),
    ]


def test_device_lines_above_a_start_line_belong_to_the_start_below_them() -> None:
    found = sessions(log(START, LOADING, READY, CLEANUP, "ggml_cuda_init: found 1 CUDA devices:", CUDA, START, LOADING))
    assert [len(one.devices) for one in found] == [0, 1]
    assert spans(found) == [(1, 4), (5, 8)]


def test_device_lines_at_the_head_of_a_log_belong_to_its_first_session() -> None:
    one = session(log(CUDA, START, LOADING, READY))
    assert (one.first_line, [device.name for device in one.devices]) == (1, ["CUDA0"])


def test_a_start_behind_another_says_how_many_came_before() -> None:
    found = sessions(log(START, LOADING, READY, START, LOADING, READY, START, LOADING, READY))
    counts = [[event.count for event in one.events if isinstance(event, Restarted)] for one in found]
    assert counts == [[], [1], [2]]


def test_starts_of_another_stream_are_no_restarts() -> None:
    found = sessions(woven(("8081", log(START, LOADING)), ("8082", log(START, LOADING))))
    assert not [event for one in found for event in one.events if isinstance(event, Restarted)]


GIVEN_UP = "main: exiting due to model loading error"
OLD_BUILD = "build: 6870 (215a58fd) with clang version 19.1.5 for x86_64-pc-windows-msvc"
OLD_LOADING = "srv    load_model: loading model 'C:\\m\\a.gguf'"


@pytest.mark.parametrize(
    "end", [GIVEN_UP, "error: invalid argument: --no-such-flag", log(OLD_LOADING, "llama-server exited (code 139)")]
)
@pytest.mark.parametrize("start", [OLD_BUILD, OLD_LOADING])
def test_what_starts_behind_an_end_is_another_process_also_where_the_first_was_not_seen_to_start(
    end: str, start: str
) -> None:
    n_lines = end.count("\n") + 1
    assert spans(sessions(log(end, CUDA, start, "main: model loaded"))) == [(1, n_lines), (n_lines + 1, n_lines + 3)]


def test_an_exit_code_above_everything_else_is_the_head_of_a_paste() -> None:
    assert len(sessions(log("llama-server exited with code 1", OLD_BUILD, OLD_LOADING))) == 1


def test_what_starts_behind_a_typed_command_is_another_process() -> None:
    form = Form(typed_lines=(2,))
    failed = "error loading model: unknown model architecture: 'x'"
    again = [failed, "", CUDA, OLD_BUILD, OLD_LOADING]
    assert spans(sessions(lines(log(*again)), form=form)) == [(1, 2), (3, 5)]
    assert spans(sessions(lines(log(*again)))) == [(1, 5)]


def test_a_typed_command_below_the_mere_version_ends_no_process() -> None:
    form = Form(typed_lines=(2,))
    assert spans(sessions(lines(log(CUDA, "", OLD_BUILD, OLD_LOADING)), form=form)) == [(1, 4)]


def test_a_command_between_two_processes_lines_that_carry_their_names_cuts_neither() -> None:
    form = Form(typed_lines=(3,))
    one = woven(("8081", START), ("8081", "slot 0"), ("8081", ""), ("8081", LOADING))
    assert len(sessions(one, form=form)) == 1


def test_a_session_holds_only_its_own_tasks() -> None:
    found = sessions(log(START, LOADING, READY, TASK, RELEASE, START, LOADING, READY))
    assert [len(one.tasks) for one in found] == [1, 0]


def test_the_events_of_a_session_stand_in_the_order_of_their_places() -> None:
    one = session(log(START, LOADING, READY, TASK, RELEASE, CLEANUP))
    assert [event.place for event in one.events] == sorted(event.place for event in one.events)
