"""What the scan of a large log does with each anchor."""

import re

import pytest

from diag.model.literal import GATED, LOOK, SIGN, Literal
from diag.parse.roles import GATES, scanned_literals
from tests.build import ready


def _literals() -> list[Literal]:
    return scanned_literals(ready().table, wrapped=False)


def test_every_anchor_is_looked_for_or_the_line_ends_that_its_wordings_have() -> None:
    texts, table = {literal.text for literal in _literals()}, ready().table
    missing = [rows for anchor, rows in zip(table.anchors, table.wordings, strict=True) if anchor not in texts]
    assert all(row.end.encode() + b"\n" in texts for rows in missing for row in rows)


@pytest.mark.parametrize("anchor", sorted(GATES))
def test_a_gate_that_asks_for_a_figure_is_asked_at_every_line(anchor: bytes) -> None:
    (literal,) = [one for one in _literals() if one.text == anchor and one.role in (GATED, SIGN, LOOK) and one.gates]
    assert literal.exact


def test_what_hyperscan_looks_for_in_place_of_an_anchor_holds_it() -> None:
    # a pattern that could match without the anchor would call back for lines that nothing asks for
    patterns = {literal.text: literal.pattern for literal in _literals() if literal.pattern}
    assert patterns
    for text, pattern in patterns.items():
        for part in pattern.split(b")|("):
            assert re.escape(text).replace(b"\\ ", b" ").replace(b"\\=", b"=") in part.replace(b"\\ ", b" "), pattern
