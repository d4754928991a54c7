"""upstream.toml changed in place: the lines of changed keys, and no byte beside them."""

import datetime as dt
import difflib
import os
import tomllib
from pathlib import Path

import pytest

from diag.catalog.edit import edit_file, edited, items_of
from diag.catalog.locate import shipped
from diag.errors import CatalogError
from diag.model.refresh import Sighting

REAL = (shipped("signatures") / "upstream.toml").read_text(encoding="utf-8")
TODAY = dt.date(2026, 12, 10)
PATCH = "ggml-org/llama.cpp#25144"

SMALL = """# head
[[item]]  # the first
ref = "a/b#1"  # of a fork
kind = "issue"
title = 'own "words"'
title_exact = false   # not seen
state   = "open" # really
changes = "state = \\"x\\""
families = []
checked = 2026-09-01
source = "a survey"
[[item.event]]
date = 2026-08-01
what = "state = open"

# between
[[item]]
ref = "a/b#2"
kind = "issue"
title = "two"
state = "closed"
closed = 2026-08-02
changes = "c"
checked = 2026-09-01
source = "a survey"
"""


def seen(ref: str, **fields: object) -> Sighting:
    row = {"kind": "issue", "title": "Exact", "state": "open", "checked": TODAY, **fields}
    return Sighting(ref, **row)  # type: ignore[arg-type]


def difference(old: str, new: str) -> list[str]:
    rows = difflib.unified_diff(old.split("\n"), new.split("\n"), n=0, lineterm="")
    return [f"{line[0]} {line[1:]}" for line in rows if line[0] in "+-" and line[:3] not in ("+++", "---")]


def test_only_changed_keys_change_and_comments_stay_behind_them() -> None:
    new = edited(
        SMALL, {"a/b#1": seen("a/b#1", state="closed", opened=dt.date(2026, 7, 1), closed=dt.date(2026, 12, 1))}
    )
    assert difference(SMALL, new) == [
        "- title = 'own \"words\"'",
        "- title_exact = false   # not seen",
        '- state   = "open" # really',
        '+ title = "Exact"',
        "+ title_exact = true   # not seen",
        '+ state   = "closed" # really',
        "+ opened = 2026-07-01",
        "+ closed = 2026-12-01",
        "- checked = 2026-09-01",
        '- source = "a survey"',
        "+ checked = 2026-12-10",
        '+ source = "GitHub API, 2026-12-10; before: a survey"',
    ]


def test_a_key_that_no_longer_holds_goes() -> None:
    new = edited(SMALL, {"a/b#2": seen("a/b#2", title="two")})
    assert "closed = " not in new
    assert items_of(new)["a/b#2"].state == "open"


def test_line_ends_of_windows_stay() -> None:
    new = edited(SMALL.replace("\n", "\r\n"), {"a/b#1": seen("a/b#1", opened=dt.date(2026, 7, 1))})
    assert new.count("\n") == new.count("\r\n") == SMALL.count("\n") + 1


def test_titles_are_written_so_that_they_are_read_back() -> None:
    title = 'a "quoted" \\ path, \x7f and ☃'
    assert items_of(edited(SMALL, {"a/b#1": seen("a/b#1", title=title)}))["a/b#1"].title == title


def test_the_real_file_changes_in_the_lines_of_the_item_alone(tmp_path: Path) -> None:
    path = tmp_path / "upstream.toml"
    path.write_bytes(REAL.encode())
    path.chmod(0o640)
    old = items_of(REAL)[PATCH]
    merged = dt.date(2026, 12, 9)
    sighting = seen(PATCH, kind="pull-request", title=old.title, state="merged", opened=old.opened, merged=merged)
    assert edit_file(path, {PATCH: sighting, "not/registered#1": seen("not/registered#1")})
    new = path.read_bytes().decode()
    changed = difference(REAL, new)
    assert [line.split(" =")[0] for line in changed] == [
        "- state",
        "+ state",
        "+ merged",
        "- checked",
        "- source",
        "+ checked",
        "+ source",
    ]
    assert '+ state = "merged"' in changed
    assert "+ merged = 2026-12-09" in changed
    before, after = tomllib.loads(REAL), tomllib.loads(new)
    assert [item for item in after["item"] if item["ref"] != PATCH] == [
        item for item in before["item"] if item["ref"] != PATCH
    ]
    assert after["question"] == before["question"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o640
    assert [name.name for name in tmp_path.iterdir()] == ["upstream.toml"]


def test_every_item_of_the_real_file_can_be_changed_and_changed_back_keeps_all_else() -> None:
    items = items_of(REAL)
    sightings = {
        ref: Sighting(ref, item.kind, "Exact", "closed", TODAY, opened=TODAY, closed=TODAY)
        for ref, item in items.items()
    }
    new = items_of(edited(REAL, sightings))
    assert list(new) == list(items)
    assert {(item.state, item.checked, item.opened, item.closed, item.merged) for item in new.values()} == {
        ("closed", TODAY, TODAY, TODAY, None)
    }
    assert [(item.changes, item.related, item.events, item.first_build) for item in new.values()] == [
        (item.changes, item.related, item.events, item.first_build) for item in items.values()
    ]


def test_nothing_to_change_leaves_the_file_untouched(tmp_path: Path) -> None:
    path = tmp_path / "upstream.toml"
    path.write_text(SMALL, encoding="utf-8")
    before = path.stat()
    assert not edit_file(path, {"x/y#1": seen("x/y#1")})
    assert path.stat() == before


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[item]\n", "not TOML"),
        (SMALL.replace('state = "closed"', 'state = "half"'), "one of open, draft"),
        (
            SMALL.replace('title = "two"', 'title = """\ntwo"""'),
            "the file is written in a way that cannot be changed in place",
        ),
        (SMALL.replace('[[item]]\nref = "a/b#2"', '[[ item ]]\nref = "a/b#2"'), "a/b#2 is written in a way"),
    ],
    ids=["broken", "not valid", "a string of several lines", "another spelling"],
)
def test_a_file_that_cannot_be_changed_safely_is_not_written(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "upstream.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError) as caught:
        edit_file(path, {"a/b#2": seen("a/b#2")})
    assert reason in str(caught.value)
    assert path.read_text(encoding="utf-8") == text
    assert [name.name for name in tmp_path.iterdir()] == ["upstream.toml"]
