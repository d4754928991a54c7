"""What each request did, and whether an image was in it."""

import pytest

from diag.model.run import Task
from tests.build import session

LV4 = "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 4 (adjust with the `-lv N` CLI arg)"
LV3 = LV4.replace("verbosity = 4", "verbosity = 3")
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
JUMP = "0.01.046.626 W find_slot: non-consecutive token position 21 after 20 for sequence 0 with 49 new tokens"


def begins(n: int, slot: int = 0) -> str:
    return f"0.00.051.933 I slot launch_slot_: id  {slot} | task {n} | processing task, is_child = 0"


def keeps(n: int, kept: int, slot: int = 0) -> str:
    return f"0.00.051.934 I slot   operator(): id  {slot} | task {n} | cached n_tokens = {kept}, memory_seq_rm [{kept}, end)"


def image(n: int, at: int, slot: int = 0) -> str:
    return (
        f"0.00.188.546 I slot encode_mtmd_: id  {slot} | task {n} | encoding mtmd batch from idx = {at}, n_chunks = 1"
    )


def timed(n: int, evaluated: int, generated: int, slot: int = 0) -> str:
    head = f"0.00.063.730 I slot print_timing: id  {slot} | task {n} | "
    return (
        f"{head}prompt eval time =      10.00 ms /    {evaluated} tokens (    0.13 ms per token,  7479.67 tokens per second)\n"
        f"{head}       eval time =      20.00 ms /    {generated} tokens (    0.37 ms per token,  2676.18 tokens per second)"
    )


def ends(n: int, tokens: int, slot: int = 0, truncated: int = 0) -> str:
    return f"0.00.063.819 I slot      release: id  {slot} | task {n} | stop processing: n_tokens = {tokens}, truncated = {truncated}"


def restored(f_keep: float) -> str:
    return f"0.00.070.000 I srv          load:  - found better prompt with f_keep = {f_keep:.3f}, f_sim = 0.875"


def tasks(*parts: str) -> tuple[Task, ...]:
    return session("\n".join(parts)).tasks


def images(*parts: str) -> list[str]:
    return [task.image for task in tasks(*parts)]


SEES_IMAGES = (LV4, LOADING, PROJECTOR, READY)
PICTURED = (begins(0), keeps(0, 0), image(0, 13), timed(0, 90, 24), ends(0, 113))


def test_a_finished_task_has_its_figures() -> None:
    (task,) = tasks(LOADING, READY, begins(7), keeps(7, 8), timed(7, 38, 24), ends(7, 69))
    assert (task.slot_id, task.task_id, task.outcome, task.first_line, task.last_line) == (0, 7, "finished", 3, 7)
    assert (task.n_kept, task.n_evaluated, task.n_generated, task.n_end) == (8, 38, 24, 69)
    assert (task.prompt_ms, task.generated_ms) == (10.0, 20.0)


def test_the_kept_tokens_follow_from_the_counts_where_no_line_says_them() -> None:
    # a released slot holds kept + evaluated + generated tokens but one: 69 = 8 + 38 + 24 - 1
    (task,) = tasks(LOADING, READY, begins(7), timed(7, 38, 24), ends(7, 69))
    assert task.n_kept == 8


def test_of_the_kept_tokens_printed_after_each_batch_the_first_counts() -> None:
    (task,) = tasks(LOADING, READY, begins(7), keeps(7, 8), keeps(7, 46), ends(7, 69))
    assert task.n_kept == 8


def test_a_context_shift_leaves_the_end_unknown() -> None:
    (task,) = tasks(LOADING, READY, begins(7), timed(7, 38, 24), ends(7, 69, truncated=1))
    assert (task.n_end, task.n_kept) == (None, None)


ERROR = "0.00.080.497 E srv    send_error: task id = 7, error: decode() failed: failed to process speculative batch"
CANCEL = "0.00.080.528 W srv          stop: cancel task, id_task = 7"


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        ((begins(7),), "open"),
        ((begins(7), ends(7, 69)), "finished"),
        ((begins(7), CANCEL), "cancelled"),
        # the server releases and cancels a task whose client got the error
        ((begins(7), ERROR, ends(7, 69), CANCEL), "failed"),
        # a client that goes away when the answer is there
        ((begins(7), ends(7, 69), CANCEL), "finished"),
    ],
)
def test_the_outcome_of_a_task(lines: tuple[str, ...], outcome: str) -> None:
    assert [task.outcome for task in tasks(LOADING, READY, *lines)] == [outcome]


def test_an_error_is_kept_with_its_line() -> None:
    (task,) = tasks(LOADING, READY, begins(7), ERROR)
    assert (task.error, task.error_line) == ("decode() failed: failed to process speculative batch", 4)


def test_two_slots_at_work_at_once_do_not_mix() -> None:
    found = tasks(LOADING, READY, begins(1, 0), begins(2, 1), timed(2, 5, 6, slot=1), timed(1, 3, 4), ends(2, 10, 1))
    assert [(task.slot_id, task.n_evaluated, task.n_generated, task.outcome) for task in found] == [
        (0, 3, 4, "open"),
        (1, 5, 6, "finished"),
    ]


def test_bare_timing_lines_of_old_builds_belong_to_the_header_above_them() -> None:
    # copied from a b8722 log
    (task,) = tasks(
        "build_info: b8722-unknown",
        "srv    load_model: loading model '/models/target-llama.gguf'",
        "main: model loaded",
        "slot launch_slot_: id  0 | task 0 | processing task, is_child = 0",
        "slot print_timing: id  0 | task 0 | ",
        "prompt eval time =       1.66 ms /    67 tokens (    0.02 ms per token, 40337.15 tokens per second)",
        "       eval time =      24.23 ms /    48 tokens (    0.50 ms per token,  1981.18 tokens per second)",
        "      total time =      25.89 ms /   115 tokens",
        "draft acceptance rate = 0.95833 (   23 accepted /    24 generated)",
        "statistics draft: #calls(b,g,a) = 1 24 23, #gen drafts = 24, #acc drafts = 23, #gen tokens = 24, #acc tokens = 23, dur(b,g,a) = 0.001, 9.703, 0.000 ms",
        "slot      release: id  0 | task 0 | stop processing: n_tokens = 114, truncated = 0",
    )
    assert (task.n_evaluated, task.n_generated, task.accepted, task.drafted, task.outcome) == (
        67,
        48,
        23,
        24,
        "finished",
    )


def test_without_a_projector_every_turn_is_text() -> None:
    assert images(LOADING, READY, begins(0), ends(0, 10), begins(1), ends(1, 10)) == ["no", "no"]


def test_at_default_verbosity_a_turn_beside_a_projector_is_unknown() -> None:
    assert images(LV3, LOADING, PROJECTOR, READY, begins(0), ends(0, 61)) == ["unknown"]


def test_where_images_leave_lines_silence_is_text() -> None:
    assert images(*SEES_IMAGES, begins(0), keeps(0, 0), ends(0, 61)) == ["no"]


@pytest.mark.parametrize(
    "sign",
    [
        image(1, 13),
        "0.00.193.893 I decoding image batch 1/1, n_tokens_batch = 49",
        "0.00.197.203 I image decoded (batch 1/1) in 3 ms",
        JUMP,
        "0.00.190.000 W spec      process: target embeddings of size 64 do not fit the draft input width 32, the draft receives zero rows for them",
    ],
)
def test_an_image_line_within_a_task_makes_it_an_image_turn(sign: str) -> None:
    assert images(*SEES_IMAGES, begins(1), sign, ends(1, 113)) == ["yes"]


def test_the_image_lines_of_old_builds_show_at_default_verbosity() -> None:
    old = ("0.00.002.030 I log_info: verbosity = 3", LOADING, PROJECTOR, READY)
    found = images(
        *old, begins(0), "0.00.070.526 I srv  process_chun: processing image...", ends(0, 113), begins(1), ends(1, 30)
    )
    assert found[0] == "yes"


def test_a_turn_whose_kept_prefix_holds_the_image_is_cached() -> None:
    assert images(*SEES_IMAGES, *PICTURED, begins(1), keeps(1, 113), timed(1, 38, 24), ends(1, 174)) == [
        "yes",
        "cached",
    ]


def test_the_image_stays_in_the_prefix_turn_after_turn() -> None:
    later = (begins(1), keeps(1, 113), timed(1, 38, 24), ends(1, 174), begins(2), keeps(2, 174), ends(2, 230))
    assert images(*SEES_IMAGES, *PICTURED, *later) == ["yes", "cached", "cached"]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (0, "no"),
        (8, "no"),  # fewer tokens than the smallest image has
        (13, "no"),  # up to the image, which starts at token 13
        (90, "cached"),
    ],
)
def test_a_prefix_that_ends_before_the_image_holds_none(kept: int, expected: str) -> None:
    assert images(*SEES_IMAGES, *PICTURED, begins(1), keeps(1, kept), ends(1, 174))[1] == expected


def test_a_prefix_of_unknown_length_behind_an_image_is_unknown() -> None:
    assert images(*SEES_IMAGES, *PICTURED, begins(1), ends(1, 174, truncated=1))[1] == "unknown"


def test_a_prefix_of_another_slot_holds_none_of_this_slots_images() -> None:
    found = images(*SEES_IMAGES, *PICTURED, begins(1, slot=1), keeps(1, 30, slot=1), ends(1, 60, slot=1))
    assert found == ["yes", "no"]


def test_a_conversation_swapped_in_from_the_prompt_cache_brings_its_image() -> None:
    between = (begins(1), keeps(1, 0), timed(1, 30, 10), ends(1, 39))
    # 113 tokens of task 0 come back whole: f_keep = 1
    swapped = (restored(1.0), begins(2), keeps(2, 113), timed(2, 20, 10), ends(2, 142))
    assert images(*SEES_IMAGES, *PICTURED, *between, *swapped) == ["yes", "no", "cached"]


def test_a_text_conversation_swapped_in_behind_an_image_is_text() -> None:
    text = (begins(0), keeps(0, 0), timed(0, 46, 16), ends(0, 61))
    picture = (begins(1), keeps(1, 0), image(1, 13), timed(1, 90, 24), ends(1, 113))
    swapped = (restored(1.0), begins(2), keeps(2, 61), timed(2, 20, 10), ends(2, 90))
    assert images(*SEES_IMAGES, *text, *picture, *swapped) == ["no", "yes", "no"]


BY_AGE = "0.00.441.845 I slot get_availabl: id  0 | task -1 | selected slot by LRU, t_last = 4352934203"


def test_a_slot_taken_by_age_goes_on_with_the_conversation_whose_length_it_keeps() -> None:
    # recorded on b11434 at default verbosity, M-RoPE: two text turns of one conversation around one image turn and its next
    text = (BY_AGE, begins(0), timed(0, 358, 24), ends(0, 381))
    picture = (BY_AGE, begins(16), JUMP, timed(16, 88, 25), ends(16, 112))
    again = (BY_AGE, begins(32), timed(32, 33, 24), ends(32, 437))  # keeps 437 - 33 - 24 + 1 = 381 tokens
    pictured = (BY_AGE, begins(48), timed(48, 33, 24), ends(48, 168))  # keeps 168 - 33 - 24 + 1 = 112 tokens
    start = (LV3, LOADING, PROJECTOR, READY)
    assert images(*start, *text, *picture, *again, *pictured) == ["no", "yes", "no", "cached"]


def test_a_prefix_of_no_earlier_length_is_unknown_where_both_classes_went_before() -> None:
    text = (BY_AGE, begins(0), timed(0, 358, 24), ends(0, 381))
    picture = (BY_AGE, begins(16), JUMP, timed(16, 88, 25), ends(16, 112))
    other = (BY_AGE, begins(32), timed(32, 33, 24), ends(32, 256))  # keeps 200
    assert images(LV3, LOADING, PROJECTOR, READY, *text, *picture, *other)[-1] == "unknown"


def test_the_figures_in_an_answers_body_are_not_counted_beside_the_servers_own_line() -> None:
    own = "0.00.063.800 I slot print_timing: id  0 | task 0 | draft acceptance = 0.34375 (   11 accepted /    32 generated), mean len =  2.00"
    body = '0.00.063.900 D srv  log_server_r: response: {"timings":{"draft_n":32,"draft_n_accepted":11}}'
    found = tasks(LOADING, READY, begins(0), timed(0, 5, 24), own, ends(0, 28), body)
    assert [(task.accepted, task.drafted) for task in found] == [(11, 32)]


def test_nor_where_an_old_builds_own_line_has_no_prefix() -> None:
    header = "slot print_timing: id  0 | task 0 | "
    bare = "draft acceptance rate = 0.34375 (   11 accepted /    32 generated)"
    body = 'srv  update_chat_: Parsed message: {"timings":{"draft_n":32,"draft_n_accepted":11}}'
    answer = 'srv  log_server_r: response: {"timings":{"draft_n":32,"draft_n_accepted":11}}'
    found = tasks(LOADING, READY, begins(0), header, bare, ends(0, 28), body, answer)
    assert [(task.accepted, task.drafted) for task in found] == [(11, 32)]


def test_the_kept_sign_says_how_image_turns_were_told() -> None:
    assert "no projector" in session("\n".join((LOADING, READY))).image_sign
    assert "cannot be told" in session("\n".join((LV3, LOADING, PROJECTOR, READY))).image_sign
    assert "their lines" in session("\n".join(SEES_IMAGES)).image_sign
