"""Described prompts and the target's numbering."""

import pytest

from diag.errors import InputError
from diag.positions.prompt import Segment, Target, local_numbers, parse_prompt, place, target_numbers


def test_a_prompt_is_read_word_by_word():
    assert parse_prompt("text:3 image:4  text:2\timage:7x5") == (
        Segment("text", 3),
        Segment("image", 4, (4, 1)),
        Segment("text", 2),
        Segment("image", 35, (7, 5)),
    )


def test_neighbouring_text_is_one_segment():
    assert parse_prompt("text:3 text:4 image:1 image:1") == (
        Segment("text", 7), Segment("image", 1, (1, 1)), Segment("image", 1, (1, 1)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("word", "one_axis", "mrope"),
    [("image:4", 4, 4), ("image:7x7", 49, 7), ("image:7x5", 35, 7), ("image:5X7", 35, 7), ("text:9", 9, 9)],
)
def test_an_image_spans_its_rows_on_one_axis_and_its_longer_side_on_mrope(word, one_axis, mrope):
    (segment,) = parse_prompt(word)
    assert (segment.span(Target.ONE_AXIS), segment.span(Target.MROPE)) == (one_axis, mrope)


@pytest.mark.parametrize(
    ("prompt", "target", "expected"),
    [
        ("text:3 image:4 text:3", Target.MROPE, "0 1 2 [3 3 3 3] 7 8 9"),
        ("text:3 image:4 text:3", Target.ONE_AXIS, "0 1 2 [3 4 5 6] 7 8 9"),
        ("text:2 image:2x2 text:2", Target.MROPE, "0 1 [2 2 2 2] 4 5"),
        ("text:21 image:7x7 text:2", Target.MROPE, "0 1 2 .. 20 [21 x 49 rows] 28 29"),
        ("image:2 image:2 text:1", Target.MROPE, "[0 0] [2 2] 4"),
    ],
)
def test_the_target_numbers_images_in_brackets(prompt, target, expected):
    assert target_numbers(place(parse_prompt(prompt), target)) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [("text:3 image:4 text:3", "0 1 2 3 4 5"), ("image:4", ""), ("text:20 image:9 text:80", "0 1 2 .. 99")],
)
def test_draft_local_numbers_leave_the_image_out(prompt, expected):
    assert local_numbers(parse_prompt(prompt)) == expected


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("text", "'text' is not a part of a prompt"),
        ("audio:3", "'audio:3' is not a part of a prompt"),
        ("text:3,image:4", "'text:3,image:4' needs whole numbers above 0"),
        ("text:", "needs whole numbers"),
        ("text:0", "needs whole numbers above 0"),
        ("text:-1", "needs whole numbers above 0"),
        ("text:1_000", "needs whole numbers"),
        ("text:٣", "needs whole numbers"),
        ("text:3x4", "needs whole numbers"),
        ("image:7x", "needs whole numbers"),
        ("image:x7", "needs whole numbers"),
        ("image:7x7x7", "needs whole numbers"),
        ("image:0x7", "needs whole numbers"),
        ("text:9999999 text:1", "more than 9999999 rows"),
        ("image:99999x99999", "more than 9999999 rows"),
        ("text:1 image:1 " * 33, "66 segments"),
        ("text:" + "9" * 5000, "needs whole numbers"),
        ("\x1b[31mtext:3", "is not a part of a prompt"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_one_clear_sentence(prompt, says):
    with pytest.raises(InputError) as caught:
        parse_prompt(prompt)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < 160
