"""Where a figure of the log goes in a text."""

from diag.model.figures import filled, places


def test_the_names_of_a_text_are_what_stands_in_braces() -> None:
    assert places("X is {x} and Y is {y}; {x} again") == ["x", "y", "x"]
    assert places("none, not even {} or { x }") == []
    assert places("one in {two {braces} and }") == ["braces"]


def test_a_value_is_not_read_for_places_of_its_own() -> None:
    assert filled("{a} {b}", {"a": "{b}", "b": 2}) == "{b} 2"


def test_other_braces_stay_as_they_are() -> None:
    assert filled("{} { x } {x}} {{x} {", {"x": 1}) == "{} { x } 1} {1 {"
