"""What the log does not hold: the answers about the log itself, and the coverage lines."""

import pytest

from diag.conclude.quality import coverage, quality_answer
from diag.model.form import Command, Form
from diag.model.run import Run
from tests.build import sessions

START = "0.00.003.321 I srv  llama_server: initializing ..."
NUMBER = (
    "0.00.003.512 I cmn  common_param: common_params_print_info: build 11434 (abc1234) with GNU 12.2.0 for Linux x86_64"
)
LV3 = "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)"
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
DRAFT = "0.00.010.000 I common_speculative_init_result: loading draft model '/models/small.gguf'"
TASK = "0.05.051.933 I slot launch_slot_: id  0 | task 0 | processing task, is_child = 0"
ACCEPTED = "0.05.063.756 I slot print_timing: id  0 | task 0 | draft acceptance = 1.00000 (   11 accepted /    11 generated), mean len =  3.75"
RELEASE = "0.05.063.819 I slot      release: id  0 | task 0 | stop processing: n_tokens = 61, truncated = 0"
CUDA = "load_tensors:        CUDA0 model buffer size =  4096.00 MiB"
DFLASH = "0.00.015.464 I common_speculative_impl: adding speculative implementation 'draft-dflash'"
EAGLE3 = "0.05.080.354 E spec      process: llama_process(ctx_dft) failed rc=-1 (n_tokens=38, ubatch_pos[0]=36)"
ANSWERED = "0.00.030.000 I srv  log_server_r: done request: POST /completion 127.0.0.1 200"
WHOLE = (NUMBER, LOADING, READY, CUDA, ANSWERED)


def run(*parts: str, form: Form | None = None) -> Run:
    found = sessions("\n".join(parts), form=form)
    return Run(found, looks_like_llama=bool(found))


def gaps(*parts: str, has_fault: bool = False, n_unknown: int = 0) -> list[str]:
    return [gap.cannot_tell for gap in coverage(run(*parts), has_fault=has_fault, n_unknown=n_unknown)]


@pytest.mark.parametrize(
    ("parts", "gap"),
    [
        ((START, LOADING, READY, CUDA), "the exact build"),
        ((NUMBER, LOADING, DRAFT, READY, CUDA), "the drafter's family"),
        ((NUMBER, LOADING, DFLASH, READY, CUDA, TASK, EAGLE3), "which drafter it is"),
        ((LOADING, READY, CUDA), "what happened before the first line"),
        ((NUMBER, LV3, LOADING, PROJECTOR, READY, CUDA, TASK, ACCEPTED, RELEASE), "acceptance of image turns against text turns"),
        ((NUMBER, LOADING), "how the server ended"),
        ((NUMBER, LOADING, READY, CUDA, TASK), "how the server ended"),
        ((NUMBER, LV3, LOADING, READY), "which devices were used"),
        ((NUMBER, LOADING, READY, CUDA), "whether a request was refused (400, 404, 501)"),
    ],
)  # fmt: skip
def test_what_the_log_does_not_hold_is_named(parts: tuple[str, ...], gap: str) -> None:
    assert gap in gaps(*parts)
    assert gap not in gaps(*WHOLE)


def test_a_log_that_holds_everything_has_no_gap() -> None:
    assert gaps(*WHOLE) == []


def test_every_gap_says_why_and_what_would_help() -> None:
    for gap in coverage(run(START, LV3, LOADING, DRAFT, PROJECTOR, READY, TASK), has_fault=False, n_unknown=2):
        assert gap.because
        assert gap.would_help


def test_unknown_failure_lines_stand_first() -> None:
    assert gaps(*WHOLE, n_unknown=2)[0] == "what the unknown failure lines mean"


def test_the_bounds_of_the_build_are_told() -> None:
    (gap,) = coverage(run(START, LOADING, READY, CUDA, ANSWERED), has_fault=False, n_unknown=0)
    assert "at least b11011" in gap.because


def test_devices_answers_and_the_end_are_asked_for_only_where_nothing_failed() -> None:
    assert gaps(NUMBER, LV3, LOADING, READY, TASK, has_fault=True) == []


def test_an_input_without_a_server_has_one_gap() -> None:
    assert [gap.cannot_tell for gap in coverage(Run((), False), has_fault=False, n_unknown=0)] == ["anything"]


def test_the_last_start_is_the_one_that_is_looked_at() -> None:
    form = Form(commands=(Command(1, "llama-server", ("llama-server",)),))
    assert run(NUMBER, LOADING, READY, NUMBER, LOADING, READY, CUDA, form=form).sessions[-1].number == 2
    assert gaps(NUMBER, LOADING, *WHOLE) == []


ANSWERS = [
    # (lines, nothing but white space, faults, unknown, other findings, answer)
    ((), True, False, 0, (), "empty-log"),
    ((), False, False, 0, (), "insufficient-log"),
    (WHOLE, False, False, 0, (), "no-failure-found"),
    (WHOLE, False, True, 0, ("a-fault",), None),
    ((NUMBER, LOADING), False, False, 0, (), "insufficient-log"),
    # a failure that nothing knows is never "no failure"
    (WHOLE, False, False, 1, (), "insufficient-log"),
    (WHOLE, False, True, 1, ("a-fault",), None),
    # what is told beside a healthy life is the answer
    (WHOLE, False, False, 0, ("an-observation",), None),
    (WHOLE, False, False, 1, ("an-observation",), "insufficient-log"),
]


@pytest.mark.parametrize(("parts", "blank", "faults", "n_unknown", "has_info", "answer"), ANSWERS)
def test_the_answer_about_the_log_itself(
    parts: tuple[str, ...], blank: bool, faults: bool, n_unknown: int, has_info: tuple[str, ...], answer: str | None
) -> None:
    given = run(*parts)
    assert quality_answer(given, blank=blank, faults=faults, n_unknown=n_unknown, has_info=has_info) == answer
