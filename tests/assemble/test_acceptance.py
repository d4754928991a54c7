"""Draft acceptance by class of turn: sums are exact and every wording counts."""

import pytest

from diag.assemble.acceptance import sum_acceptance
from diag.model.events.draft import AcceptanceMeasured
from diag.model.run import Acceptance, Session, Task
from tests.build import session

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
LV4 = "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 4 (adjust with the `-lv N` CLI arg)"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"


def task(image: str, accepted: int | None, drafted: int | None, mean_len: float | None = None) -> Task:
    return Task(0, 1, 1, 1, "finished", image, accepted=accepted, drafted=drafted, mean_len=mean_len)


def request(n: int, line: str, *signs: str) -> str:
    return "\n".join(
        (
            f"0.00.051.933 I slot launch_slot_: id  0 | task {n} | processing task, is_child = 0",
            f"0.00.051.934 I slot   operator(): id  0 | task {n} | cached n_tokens = 0, memory_seq_rm [0, end)",
            *signs,
            line.format(n=n),
            f"0.00.063.819 I slot      release: id  0 | task {n} | stop processing: n_tokens = 61, truncated = 0",
        )
    )


def turn(n: int, accepted: int, drafted: int, *signs: str) -> str:
    return request(
        n,
        "0.00.063.756 I slot print_timing: id  0 | task {n} | draft acceptance = 0.50000 ("
        + f"{accepted:5} accepted / {drafted:5} generated), mean len =  2.00",
        *signs,
    )


def image(n: int) -> str:
    return f"0.00.188.546 I slot encode_mtmd_: id  0 | task {n} | encoding mtmd batch from idx = 13, n_chunks = 1"


def one(*parts: str) -> Session:
    return session("\n".join(parts))


def test_every_class_of_turns_is_there_even_when_nothing_was_drafted() -> None:
    assert sum_acceptance([]) == {"text": Acceptance(), "image": Acceptance(), "unknown": Acceptance()}


def test_sums_are_exact() -> None:
    sums = sum_acceptance([task("no", 1, 3), task("no", 2, 3), task("yes", 0, 5), task("unknown", 4, 4)])
    assert [
        (sums[name].requests, sums[name].accepted, sums[name].drafted) for name in ("text", "image", "unknown")
    ] == [
        (2, 3, 6),
        (1, 0, 5),
        (1, 4, 4),
    ]


def test_a_cached_image_counts_as_an_image_turn() -> None:
    sums = sum_acceptance([task("cached", 1, 3)])
    assert (sums["image"].requests, sums["text"].requests) == (1, 0)


def test_a_task_that_drafted_nothing_is_no_request() -> None:
    assert sum_acceptance([task("no", None, None)])["text"].requests == 0


def test_the_rounds_follow_from_the_printed_mean_length() -> None:
    # mean len = 1 + accepted / rounds: 11 accepted at 3.75 are 4 rounds, 7 at 2.0 are 7
    sums = sum_acceptance([task("no", 11, 11, 3.75), task("no", 7, 20, 2.0), task("no", 0, 135, 1.0)])
    assert sums["text"].cycles == pytest.approx(11)
    assert sums["text"].measured_len == 3


WORDINGS = {
    "up to b9113": "draft acceptance rate = 0.95833 (   23 accepted /    24 generated)",
    "b9246 to b9509": "0.00.075.971 I slot print_timing: id  0 | task {n} | draft acceptance = 0.95833 (   23 accepted /    24 generated)",
    "b9670 to b9811": "0.00.075.971 I slot print_timing: id  0 | task {n} | draft acceptance = 0.95833 (   23 accepted /    24 generated), mean acceptance length =  2.24, acceptance rate per position = (0.61)",
    "b9830 on": "0.00.075.971 I slot print_timing: id  0 | task {n} | draft acceptance = 0.95833 (   23 accepted /    24 generated), mean len =  2.24",
}


@pytest.mark.parametrize("era", WORDINGS)
def test_each_wording_of_the_line_counts(era: str) -> None:
    found = one(LOADING, READY, request(0, WORDINGS[era])).acceptance["text"]
    assert (found.requests, found.accepted, found.drafted) == (1, 23, 24)


@pytest.mark.parametrize(
    "answer",
    [
        '{{"timings":{{"predicted_ms":12.5,"draft_n":63,"draft_n_accepted":42}}}}',
        '{{"timings": {{"draft_n": 63, "draft_n_accepted": 42}}}}',
        "draft_n = 63, draft_n_accepted = 42",
    ],
)
def test_the_figures_of_a_pasted_answer_count(answer: str) -> None:
    found = one(LOADING, READY, answer.format()).acceptance["text"]
    assert (found.requests, found.accepted, found.drafted) == (1, 42, 63)


def test_text_and_image_turns_are_told_apart() -> None:
    found = one(LV4, LOADING, PROJECTOR, READY, turn(0, 10, 20), turn(1, 1, 20, image(1)), turn(2, 12, 20)).acceptance
    assert [(name, found[name].requests, found[name].accepted, found[name].drafted) for name in found] == [
        ("text", 2, 22, 40),
        ("image", 1, 1, 20),
        ("unknown", 0, 0, 0),
    ]


def test_a_measured_class_is_an_event_at_its_first_line() -> None:
    session_ = one(LV4, LOADING, PROJECTOR, READY, turn(0, 10, 20), turn(1, 1, 20, image(1)))
    measured = {event.turn: event for event in session_.events if isinstance(event, AcceptanceMeasured)}
    assert set(measured) == {"text", "image"}
    text, picture = measured["text"], measured["image"]
    assert (text.requests, text.drafted, text.accepted, text.rate, text.text_rate, text.ratio) == (
        1,
        20,
        10,
        0.5,
        None,
        None,
    )
    assert (picture.rate, picture.text_rate, picture.ratio) == (0.05, 0.5, pytest.approx(0.1))
    assert (text.line.number, picture.line.number) == (7, 12)


def test_without_text_turns_there_is_nothing_to_compare_with() -> None:
    session_ = one(LV4, LOADING, PROJECTOR, READY, turn(1, 1, 20, image(1)))
    (event,) = [event for event in session_.events if isinstance(event, AcceptanceMeasured)]
    assert (event.turn, event.text_rate, event.ratio) == ("image", None, None)


def test_text_turns_that_accepted_nothing_give_no_ratio() -> None:
    session_ = one(LV4, LOADING, PROJECTOR, READY, turn(0, 0, 20), turn(1, 1, 20, image(1)))
    (event,) = [e for e in session_.events if isinstance(e, AcceptanceMeasured) and e.turn == "image"]
    assert (event.text_rate, event.ratio) == (0.0, None)
