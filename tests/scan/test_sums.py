"""Acceptance lines summed from the bytes behind their literal, in every form a build has printed."""

import pytest

from diag.model.selection import Sums
from diag.scan.sums import sum_accepted, sum_told

LITERAL = b"draft acceptance = "


def _summed(text: bytes, literal: bytes = LITERAL) -> Sums:
    ends, at = [], text.find(literal)
    while at >= 0:
        ends.append(at + len(literal))
        at = text.find(literal, at + 1)
    return sum_accepted(text, ends)


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        # accepted / (mean length - 1) drafts: 30 / (2.5 - 1) = 20
        (b"draft acceptance = 0.50000 (   30 accepted /    60 generated), mean len =  2.50", (1, 30, 60, 20.0, 1)),
        (b"draft acceptance = 0.5 ( 30 accepted / 60 generated), mean acceptance length =  2.50", (1, 30, 60, 20.0, 1)),
        (b"draft acceptance = 0.00000 (    0 accepted /    60 generated)", (1, 0, 60, 0.0, 0)),
        (b"draft acceptance = 0.00000 (    0 accepted /    60 generated), mean len =  1.00", (1, 0, 60, 0.0, 1)),
        (b'{"msg":"draft acceptance = 0.5 ( 1 accepted / 2 generated)"}', (1, 1, 2, 0.0, 0)),
        (b"draft acceptance = none", (0, 0, 0, 0.0, 0)),
    ],
)
def test_a_line_is_summed(text: bytes, sums: tuple[int, int, int, float, int]) -> None:
    found = _summed(b"slot print_timing: " + text + b"\nnext line\n")
    assert (found.n_accepted_lines, found.accepted, found.drafted, found.cycles, found.n_measured) == sums


def test_lines_add_up() -> None:
    row = b"x draft acceptance = 0.5 ( 3 accepted / 6 generated), mean len = 2.00\n"
    found = _summed(row * 1000)
    assert (found.n_accepted_lines, found.accepted, found.drafted, found.cycles) == (1000, 3000, 6000, 3000.0)


def test_nothing_gives_nothing() -> None:
    assert sum_accepted(b"any text", ()) == Sums()
    assert sum_told(0, ()) == Sums()


def test_lines_read_one_by_one_give_the_same_sums() -> None:
    assert sum_told(2, [(30, 60, 2.5), (4, 8, None), (0, 5, 1.0)]) == Sums(2, 3, 34, 73, 20.0, 2)
