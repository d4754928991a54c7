"""The user's refreshed states over the shipped registry: which wins, and what becomes of a damaged file."""

import datetime as dt
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from diag.catalog.compiled import open_catalog
from diag.catalog.overlay import read_overlay, with_overlay, write_overlay
from diag.model.catalog import Catalog, UpstreamItem
from diag.model.refresh import Sighting

OLD = dt.date(2026, 9, 1)
NEW = dt.date(2026, 12, 10)
REF = "ggml-org/llama.cpp#7"


def shipped(checked: dt.date) -> Catalog:
    item = UpstreamItem(
        REF, "issue", "own words", "open", checked, title_exact=False, changes="kept", source="a survey"
    )
    return Catalog({}, (), {REF: item})


def sighting(checked: dt.date, **fields: Any) -> Sighting:
    return Sighting(REF, "issue", "Exact title", "closed", checked, opened=OLD, closed=OLD, **fields)


@pytest.mark.parametrize(
    ("shipped_on", "seen_on", "state"),
    [(OLD, NEW, "closed"), (NEW, OLD, "open"), (NEW, NEW, "closed")],
    ids=["seen later", "shipped later", "same day: what was seen counts"],
)
def test_the_newer_check_wins(tmp_path: Path, shipped_on: dt.date, seen_on: dt.date, state: str) -> None:
    path = tmp_path / "upstream.json"
    write_overlay(path, {REF: sighting(seen_on)})
    assert with_overlay(shipped(shipped_on), path).upstream[REF].state == state


def test_what_was_seen_replaces_state_title_and_dates_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "upstream.json"
    write_overlay(path, {REF: sighting(NEW, moved_to="a/b#9"), "not/registered#1": sighting(NEW)})
    found = with_overlay(shipped(OLD), path)
    assert list(found.upstream) == [REF]
    item = found.upstream[REF]
    assert (item.title, item.title_exact, item.closed, item.opened, item.checked) == (
        "Exact title",
        True,
        OLD,
        OLD,
        NEW,
    )
    assert (item.changes, item.source) == ("kept", "GitHub API, 2026-12-10; moved to a/b#9; before: a survey")
    assert found.notes == ()


def test_a_second_sighting_does_not_pile_up_in_the_source() -> None:
    item = shipped(OLD).upstream[REF]
    twice = sighting(NEW).applied(sighting(OLD, moved_to="a/b#9").applied(item))
    assert twice.source == "GitHub API, 2026-12-10; before: a survey"


def test_what_is_written_is_read_back_whole_and_is_the_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "upstream.json"
    rows = {
        REF: sighting(NEW, url="http://127.0.0.1/x", etag='W/"a"', moved_to="a/b#9"),
        "a/b@b1": Sighting("a/b@b1", "release", "b1 ☃", "merged", NEW, merged=OLD),
    }
    write_overlay(path, rows)
    assert read_overlay(path) == (rows, ())
    assert [name.name for name in path.parent.iterdir()] == ["upstream.json"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_no_file_is_no_matter(tmp_path: Path) -> None:
    assert read_overlay(tmp_path / "none.json") == ({}, ())


GOOD_ROW = {"kind": "issue", "title": "t", "state": "closed", "checked": "2026-12-10"}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\x00\xff",
        b"[]",
        b"{}",
        b'{"format": 2, "items": {}}',
        b'{"format": 1, "items": []}',
        b"[" * 100_000,
    ],
    ids=["empty", "cut", "bytes", "a list", "no format", "of a later version", "items a list", "deep"],
)
def test_a_damaged_file_is_ignored_with_a_note(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "upstream.json"
    path.write_bytes(raw)
    found = with_overlay(shipped(OLD), path)
    assert found.upstream[REF].state == "open"
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"{path}: ")


def test_a_folder_in_its_place_is_ignored_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "upstream.json").mkdir()
    assert len(with_overlay(shipped(OLD), tmp_path / "upstream.json").notes) == 1


@pytest.mark.parametrize(
    "row",
    [
        None,
        [],
        {},
        {**GOOD_ROW, "title": 5},
        {**GOOD_ROW, "title": ""},
        {**GOOD_ROW, "state": "half"},
        {**GOOD_ROW, "kind": ["issue"]},
        {**GOOD_ROW, "checked": "yesterday"},
        {**GOOD_ROW, "closed": 5},
        {**GOOD_ROW, "etag": 5},
    ],
)
def test_a_damaged_entry_is_left_out_and_the_others_count(tmp_path: Path, row: Any) -> None:
    path = tmp_path / "upstream.json"
    path.write_text(json.dumps({"format": 1, "items": {"a/b#1": row, REF: GOOD_ROW}}), encoding="ascii")
    found = with_overlay(shipped(OLD), path)
    assert found.upstream[REF].state == "closed"
    assert found.notes == (f"{path}: 1 damaged entry ignored",)


def test_the_kept_catalogue_follows_the_file(home: Path) -> None:
    folder, path = home / "signatures", home / "upstream.json"
    folder.mkdir()

    def opened() -> Catalog:
        return open_catalog([folder], lambda _: shipped(OLD), overlay=path)

    assert [opened().upstream[REF].state for _ in range(2)] == ["open", "open"]
    write_overlay(path, {REF: sighting(NEW)})
    assert [opened().upstream[REF].state for _ in range(2)] == ["closed", "closed"]
    path.write_bytes(b"{")
    assert [len(opened().notes) for _ in range(2)] == [1, 1]
    path.unlink()
    assert (opened().upstream[REF].state, opened().notes) == ("open", ())
