"""A line taken apart: clock, level, slot, task, and where a user's own text begins."""

import pytest

from diag.model.line import Line
from diag.parse.prefix import split_prefix

DIALECTS = [
    # text, level, microseconds, what is left
    ("0.00.080.339 E decode: failed to initialize batch", "E", 80_339, "decode: failed to initialize batch"),
    ("0.01.186.068 I srv  llama_server: model loaded", "I", 1_186_068, "srv  llama_server: model loaded"),
    # minutes are not wrapped into hours: 75 min 3 s 4 ms 5 us
    ("75.03.004.005 W srv  update_slots: no tokens to decode", "W", 4_503_004_005, "srv  update_slots: no tokens to decode"),
    ("10080.00.000.001 D que    start_loop: x", "D", 604_800_000_001, "que    start_loop: x"),
    # the clock without a letter, and both without the message's own spaces
    ("0.00.000.001 main: model loaded", None, 1, "main: model loaded"),
    ("[0.00.000.001] I main: model loaded", "I", 1, "main: model loaded"),
    # --no-log-timestamps keeps the letter
    ("E srv        decode: failed to process speculative batch", "E", None, "srv        decode: failed to process speculative batch"),
    ("W find_slot: non-consecutive token position 21 after 20", "W", None, "find_slot: non-consecutive token position 21 after 20"),
    ("I  - the last position stored", "I", None, " - the last position stored"),
    # --no-log-prefix, old builds and continuation lines
    ("main: model loaded", None, None, "main: model loaded"),
    (" - the tokens for sequence 0 in the input batch have a starting position of Y = 36", None, None, " - the tokens for sequence 0 in the input batch have a starting position of Y = 36"),
    ("", None, None, ""),
    # prose and figures that only look like a prefix
    ("I think that the server is dead", None, None, "I think that the server is dead"),
    ("E = mc2", None, None, "E = mc2"),
    ("0.61.000.000 I seconds end at 59", None, None, "0.61.000.000 I seconds end at 59"),
    ("127.0.0.1 - - GET /health", None, None, "127.0.0.1 - - GET /health"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "level", "elapsed_us", "message"), DIALECTS)
def test_each_dialect_gives_clock_level_and_message(
    text: str, level: str | None, elapsed_us: int | None, message: str
) -> None:
    found = split_prefix(Line(1, 0, text))
    assert (found.level, found.elapsed_us, found.message) == (level, elapsed_us, message)


def test_what_only_a_wrapper_carries_is_kept() -> None:
    found = split_prefix(Line(1, 0, "srv        decode: failed", level="E", elapsed_us=320_856))
    assert (found.level, found.elapsed_us) == ("E", 320_856)


def test_the_lines_own_prefix_wins_over_the_wrappers() -> None:
    found = split_prefix(Line(1, 0, "0.00.000.007 W srv  x: y", level="I", elapsed_us=1))
    assert (found.level, found.elapsed_us) == ("W", 7)


@pytest.mark.parametrize(
    ("text", "slot_id", "task_id"),
    [
        ("0.00.063.819 I slot      release: id  0 | task 8 | stop processing: n_tokens = 61", 0, 8),
        ("slot launch_slot_: id 11 | task 4096 | processing task, is_child = 0", 11, 4096),
        ("slot   load_model: id  3 | task -1 | new slot, n_ctx = 2048", 3, None),  # a slot without a task
        ("srv    send_error: task id = 8, error: x", None, None),  # the message's own field, not a prefix
        ("srv  log: " + "x" * 90 + " id  0 | task 8 |", None, None),  # too far in to be a prefix
    ],
)
def test_slot_and_task_stand_at_the_head_of_a_line(text: str, slot_id: int | None, task_id: int | None) -> None:
    found = split_prefix(Line(1, 0, text))
    assert found.slot_and_task == (slot_id, task_id)


BODIES = [
    'srv  log_server_r: request:  {"messages": [{"role": "user", "content": "GGML_ASSERT(x) failed"}]}',
    '0.00.063.960 D srv  log_server_r: response: {"choices":[{"message":{"content":"CUDA error: x"}}]}',
    'Parsed message: {"role":"assistant","content":"fatal error"}',
    'slot launch_slot_: id  0 | task -1 | launching slot : {"id":0,"prompt":"Segmentation fault"}',
]


@pytest.mark.parametrize("text", BODIES)
def test_the_body_of_a_request_or_an_answer_begins_at_its_brace(text: str) -> None:
    found = split_prefix(Line(1, 0, text))
    assert found.message[found.body_at] == "{"
    assert "{" not in found.message[: found.body_at]


def test_a_line_without_a_body_is_all_message() -> None:
    found = split_prefix(Line(1, 0, "0.00.000.001 E srv    send_error: task id = 8, error: {not a body}"))
    assert found.body_at == len(found.message)
