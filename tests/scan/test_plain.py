"""The standard library's engine finds what a search for each literal finds."""

import random

import pytest

from diag.scan.plain import plain_ends

LITERALS = [
    b"failed",
    b"failed to",
    b"led t",
    b"7 E ",
    b"0 E ",
    b"ret = -1",
    b"a",
    b"aaaa",
    b"aaaaa",
    b"\nerror",
    b"code 404",
]
ROWS = [
    b"0.00.123.457 E srv  update_slots: failed to decode, ret = -1",
    b"0.00.123.450 E srv  update_slots: failed to decode, ret = -2",
    b"error: aaaaaaaa code 404 code 405",
    b"error",
    b"",
    b"x" * 3000 + b" failed to aaaaaaa 7 E " + b"y" * 3000 + b"code 404",
]


def _one_by_one(text: bytes) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index, literal in enumerate(LITERALS):
        ends = [at + len(literal) for at in range(len(text)) if text.startswith(literal, at)]
        if ends:
            found[index] = ends
    return found


@pytest.mark.parametrize("n_rows", [0, 1, 6, 400], ids=["nothing", "one row", "a short text", "a large one"])
def test_every_occurrence_is_found(n_rows: int) -> None:
    chosen = random.Random(n_rows).choices(ROWS, k=n_rows)
    text = b"\n".join(chosen)
    assert plain_ends(LITERALS)(text) == _one_by_one(text)


def test_what_is_remembered_of_lines_alike_does_not_mix_their_figures() -> None:
    rows = [b"0.00.%03d.%03d E srv: code %d, failed" % (n % 1000, n * 7 % 1000, 400 + n % 10) for n in range(3000)]
    search = plain_ends(LITERALS)
    for _ in range(2):
        text = b"\n".join(rows)
        assert search(text) == _one_by_one(text)
        rows.reverse()


def test_no_literals_find_nothing() -> None:
    assert plain_ends([])(b"x" * 100_000) == {}
