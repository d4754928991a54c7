"""Lines that belong to a request or an answer which the server logged over several lines."""

import pytest

from diag.parse.bodies import outside_bodies
from tests.build import lines, sessions, woven

OPEN = "0.00.063.960 D srv  log_server_r: request:  {"
MODEL = "0.00.064.100 D Parsing chat message: I said"
INSIDE = "/srv/src/new.cpp:12: GGML_ASSERT(a == b) failed"
NEXT = "0.00.064.000 I slot      release: id  0 | task 8 | stop processing: n_tokens = 61, truncated = 0"


def kept(*texts: str) -> list[int]:
    return [line.number for line in outside_bodies(lines("\n".join(texts)))]


def test_what_goes_on_a_logged_request_is_left_out_until_the_next_clock() -> None:
    assert kept(OPEN, INSIDE, '"}', NEXT, INSIDE) == [1, 4, 5]


def test_what_a_model_wrote_over_several_lines_is_left_out() -> None:
    assert kept(MODEL, INSIDE, INSIDE, NEXT) == [1, 4]


@pytest.mark.parametrize(
    "head",
    [
        "0.00.080.339 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:",
        "0.00.080.339 I init: chat template, example_format: '<|im_start|>system",
        "0.00.080.339 D srv  x: no body of anybody",
    ],
)
def test_what_goes_on_a_message_of_the_server_is_kept(head: str) -> None:
    assert kept(OPEN.replace("{", "{}"), NEXT, head, " - a line that goes on") == [1, 2, 3, 4]


def test_lines_of_another_stream_are_no_part_of_the_body() -> None:
    given = woven(("a", OPEN), ("b", INSIDE), ("a", INSIDE), ("a", NEXT))
    assert [line.number for line in outside_bodies(given)] == [1, 2, 4]


def test_a_log_without_clocks_keeps_everything() -> None:
    assert kept("srv  log_server_r: request:  {", INSIDE) == [1, 2]


def test_a_crash_that_a_user_quotes_is_no_crash_of_the_server() -> None:
    log = "0.00.025.535 I srv  llama_server: model loaded\n" + "\n".join((OPEN, INSIDE, '"}', NEXT))
    (one,) = sessions(log)
    assert not [event for event in one.events if type(event).__name__ in ("AssertFailed", "UnknownError")]
