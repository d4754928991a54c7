"""Lines of llama-server that nothing knows, counted by shape."""

import pytest

from diag.parse.drift import MAX_SHAPES, find_drift
from tests.build import lines


def shapes(*texts: str, known: set[int] | None = None, warnings_only: bool = False) -> list[tuple[str, int, int]]:
    """Return (shape, how often, first line) of the texts; `known` are numbers of lines that something knows."""
    found = find_drift(lines("\n".join(texts)), {(number, 0) for number in known or ()}, warnings_only=warnings_only)
    return [(item.shape, item.count, item.line) for item in found]


def test_what_differs_from_line_to_line_makes_no_new_shape() -> None:
    assert shapes(
        "0.00.001.000 I srv    load_model: a new word of 12 for '/models/a.gguf'",
        "0.00.002.000 I srv    load_model: a new word of 7 for '/models/b.gguf'",
        "0.00.003.000 I slot      release: id  3 | task 9 | another word at 0x55ff",
    ) == [("a new word of # for '...'", 2, 1), ("another word at #", 1, 3)]


def test_lines_that_differ_in_digits_alone_may_still_differ_in_shape() -> None:
    head = "0.00.001.000 W srv  x:"
    assert shapes(f"{head} 2x55 of it", f"{head} 0x55 of it", f"{head} 3x44 of it", f"{head} 0x66 of it") == [
        ("#x# of it", 2, 1),
        ("# of it", 2, 2),
    ]


@pytest.mark.parametrize(
    ("line", "counted", "with_warnings_only"),
    [
        ("0.00.001.000 W srv  x: a new warning", True, True),
        ("0.00.001.000 W anything: a new warning", True, True),  # a warning of a library counts too
        ("0.00.001.000 I srv  x: a new word", True, False),
        ("0.00.001.000 I load_tensors: a library's word", False, False),
        ("0.00.001.000 E srv  x: a failure is an unknown failure, no drift", False, False),
        ("0.00.001.000 D srv  x: a developer's word", False, False),
        ("srv  x: a line without a level", False, False),
        ("plain text", False, False),
    ],
)
def test_which_lines_count(line: str, counted: bool, with_warnings_only: bool) -> None:
    assert bool(shapes(line)) is counted
    assert bool(shapes(line, warnings_only=True)) is with_warnings_only


def test_a_line_that_something_knows_is_no_drift() -> None:
    line = "0.00.001.000 W srv  x: a new warning"
    assert shapes(line, line, known={1}) == [("srv x: a new warning".removeprefix("srv x: "), 1, 2)]


def test_routine_lines_without_a_fact_are_no_drift() -> None:
    assert (
        shapes("0.00.063.751 I slot print_timing: id  0 | task 0 |       total time =      11.76 ms /    62 tokens")
        == []
    )


def test_what_a_user_wrote_is_no_part_of_a_shape() -> None:
    ((shape, _, _),) = shapes('0.00.001.000 W srv  x: request:  {"prompt":"my secret"}')
    assert "secret" not in shape


def test_the_most_frequent_shapes_stand_first_and_the_list_is_short() -> None:
    many = [f"0.00.001.000 W srv  x: new word {'a' * size}" for size in range(1, 30)]
    found = shapes(*many, many[4], many[4])
    assert len(found) == MAX_SHAPES
    assert found[0] == ("new word aaaaa", 3, 5)
    assert [item[2] for item in found[1:]] == [number for number in range(1, 21) if number != 5]
