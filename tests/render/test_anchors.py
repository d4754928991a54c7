"""Literals and patterns in other tools' languages."""

import json
import re

import pytest

from diag.model.comparison import Anchor
from diag.render.anchors import render_anchors

ROWS = [
    Anchor("failed (rc=", r"failed \(rc=(?P<rc>-?\d+)\)", "A"),
    Anchor("model a.b", r"^model a\.b", "x/y"),
    Anchor("failed (rc=", r"failed \(rc=1(?! again)\)", "x/z"),
]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rg", "failed \\(rc=\nmodel a\\.b"),
        ("grep", "failed (rc=\nmodel a.b"),
        ("re2", "(?:failed \\(rc=|model a\\.b)"),
        ("logql", "|~ `failed \\(rc=|model a\\.b`"),
        ("lucene", 'message:("failed (rc=" OR "model a.b")'),
    ],
)
def test_each_language_gets_every_literal_once(language: str, text: str) -> None:
    assert render_anchors(ROWS, language) == text


def test_a_pattern_that_would_not_hold_in_a_raw_line_is_its_literal() -> None:
    # no group names; `^` means the message, not the line; RE2 has no look-ahead
    assert render_anchors(ROWS, "re2", patterns=True) == r"(?:failed \(rc=(?:-?\d+)\)|model a\.b|failed \(rc=)"


def test_ripgrep_matches_bytes_when_it_gets_patterns() -> None:
    assert render_anchors(ROWS, "rg", patterns=True).splitlines()[0] == r"(?-u)failed \(rc=(?:-?\d+)\)"


def test_json_keeps_pattern_and_owner() -> None:
    assert json.loads(render_anchors(ROWS, "json"))[1] == {
        "anchor": "model a.b", "pattern": r"^model a\.b", "name": "x/y",
    }  # fmt: skip


@pytest.mark.parametrize("mark", list(".+*?()|[]{}^$\\-/=,:#"))
def test_marks_with_a_meaning_are_escaped(mark: str) -> None:
    row = Anchor(f"before{mark}after", "", "x")
    assert re.fullmatch(render_anchors([row], "rg"), row.literal)
