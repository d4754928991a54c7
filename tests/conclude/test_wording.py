"""Texts of signatures with the log's own figures filled in."""

import pytest

from diag.conclude.wording import spell


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("Nothing to fill in.", "Nothing to fill in."),
        ("X is {x}.", "X is 19."),
        ("X is {x} and Y is {y}.", "X is 19 and Y is 36."),
        # a sentence that names a figure the log does not hold is left out
        ("X is {x}. The image has {missed} positions.", "X is 19."),
        ("The image has {missed} positions. X is {x}.", "X is 19."),
        ("X is {x} and {missed} are missed.", ""),
        ("X is {x}; {missed} are missed; Y is {y}.", "X is 19; Y is 36."),
        ("It fails! {missed} are missed? X is {x}.", "It fails! X is 19."),
        ("Version 1.5 of {x}.", "Version 1.5 of 19."),  # a point within a figure ends no sentence
    ],
)
def test_figures_are_filled_in_and_what_lacks_one_is_dropped(text: str, spelled: str) -> None:
    assert spell(text, {"x": 19, "y": 36}) == spelled


def test_a_figure_of_zero_is_a_figure() -> None:
    assert spell("Y is {y}.", {"y": 0}) == "Y is 0."


def test_a_captured_text_is_not_filled_in_again() -> None:
    assert spell("It said {text}.", {"text": "{x}", "x": 19}) == "It said {x}."
