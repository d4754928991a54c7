"""How many starts of a log are kept."""

import pytest

from diag.scan.span import Budgets, Span, fold


def _spans(*sizes: int) -> list[Span]:
    return [Span(number, number + 1, 0, 0, 0, n_bytes=size) for number, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "left", "why"),
    [
        ([1] * 6, [0, 1, 2, 3, 4, 5], "all within number and bytes"),
        ([1] * 9, [0, 1, 2, 6, 7, 8], "too many: the middle goes"),
        ([40, 40, 40], [0, 2], "too large: the first and the newest stay"),
        ([10, 10, 10, 30, 30, 30], [0, 1, 2, 4, 5], "too large: those behind the first ones go, the oldest before"),
        ([200, 200], [0, 1], "two always stay"),
    ],
)
def test_starts_in_the_middle_are_left_out(sizes: list[int], left: list[int], why: str) -> None:
    spans = _spans(*sizes)
    n_folded = fold(spans, Budgets(first_spans=3, last_spans=3, most=100))
    assert ([span.start for span in spans], n_folded) == (left, len(sizes) - len(left)), why
