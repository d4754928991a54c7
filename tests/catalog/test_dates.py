"""The gates of the registry's days, and when a build came out."""

import datetime as dt

import pytest

from diag.catalog.dates import check_dates, stale_threads
from diag.model.builds import about, dated_builds, neighbours
from diag.model.catalog import Catalog, UpstreamItem
from diag.model.flags import Snapshot
from diag.model.signature import Condition, Match, Signature, UpstreamLink

SNAPSHOTS = (
    Snapshot(2249, "old", "2024-02"),
    Snapshot(9000, "a", "2026-05-01"),
    Snapshot(9100, "b", "2026-05-11"),
)


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def item(ref: str, **facts: object) -> UpstreamItem:
    values = {"kind": "pull-request", "title": "t", "state": "open", "checked": day("2026-10-10"), **facts}
    return UpstreamItem(ref=ref, **values)  # type: ignore[arg-type]


def faults(*items: UpstreamItem, signatures: tuple[Signature, ...] = ()) -> list[str]:
    catalog = Catalog({one.id: one for one in signatures}, (), {one.ref: one for one in items})
    return check_dates(catalog, SNAPSHOTS)


MERGED = {"state": "merged", "opened": day("2026-05-02"), "merged": day("2026-05-06"), "first_build": 9050}


def test_days_that_can_be_have_no_fault() -> None:
    assert faults(item("a/b#1", **MERGED), item("a/b#2", opened=day("2026-05-03"))) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({**MERGED, "merged": day("2026-05-01")}, "merged 2026-05-01 before it was opened, 2026-05-02"),
        ({**MERGED, "merged": day("2026-10-11")}, "merged 2026-10-11 after it was last seen, 2026-10-10"),
        ({**MERGED, "merged": day("2026-05-27")}, "merged 2026-05-27, but b9050 is of 2026-05-06"),
        ({"opened": day("2026-10-11")}, "last seen 2026-10-10 before it was opened, 2026-10-11"),
        ({"merged": day("2026-05-06")}, "has a day of its merge and the state open"),
        ({"closed": day("2026-05-06")}, "has a day on which it was closed and the state open"),
        ({"month_only": True}, "month_only, but its day is 2026-10-10"),
        ({"title": ""}, "an empty title is no exact one"),
    ],
)
def test_a_day_that_cannot_be_is_a_fault(facts: dict[str, object], reason: str) -> None:
    assert any(fault == f"upstream.toml: a/b#1 - {reason}" for fault in faults(item("a/b#1", **facts)))


def test_a_thread_cannot_be_seen_before_one_of_a_lower_number_was_opened() -> None:
    (fault,) = faults(item("a/b#5", opened=day("2026-06-02")), item("a/b#7", checked=day("2026-06-01")))
    assert fault == "upstream.toml: a/b#7 - last seen 2026-06-01, but #5 was opened later, on 2026-06-02"


def test_a_month_counts_to_its_last_day_and_repositories_count_apart() -> None:
    older = item("a/b#5", opened=day("2026-06-02"))
    assert faults(older, item("a/b#7", checked=day("2026-06-01"), month_only=True)) == []
    assert faults(older, item("c/d#7", checked=day("2026-06-01"))) == []


def test_a_title_in_own_words_may_not_repeat_the_kind_that_links_it() -> None:
    condition = {"it": Condition("it", "TaskFailed")}
    kind = Signature("k", "Kind", "cuda", "error", (Match("likely"),), condition, "c", (), upstream=(UpstreamLink("a/b#1", "report"),))  # fmt: skip
    (fault,) = faults(item("a/b#1", title="Kind", title_exact=False), signatures=(kind,))
    assert "only repeats the kind's" in fault
    assert faults(item("a/b#1", title="Kind"), signatures=(kind,)) == []


def test_a_builds_day_lies_between_those_of_its_neighbours() -> None:
    dated = dated_builds(SNAPSHOTS)
    assert [one.build for one in dated] == [9000, 9100]  # of the oldest only the month is known
    assert about(9050, dated) == day("2026-05-06")
    assert about(9100, dated) == day("2026-05-11")
    assert about(8999, dated) is None
    assert about(9101, dated) is None
    assert neighbours(8000, dated) == (None, dated[0])
    assert neighbours(9101, dated) == (dated[1], None)


def test_a_merge_dates_a_build_and_a_package_made_after_it_gives_way() -> None:
    home = item("ggml-org/llama.cpp#1", **{**MERGED, "first_build": 9100, "merged": day("2026-05-10")})
    fork = item("a/b#1", **{**MERGED, "first_build": 9050})
    assert [(one.build, str(one.date)) for one in dated_builds(SNAPSHOTS, [home, fork])] == [
        (9000, "2026-05-01"),
        (9100, "2026-05-10"),
    ]
    late = item("ggml-org/llama.cpp#2", **{**MERGED, "first_build": 9101, "merged": day("2026-05-10")})
    assert [one.build for one in dated_builds(SNAPSHOTS, [late])] == [9000, 9101]


def test_only_what_may_still_move_grows_stale() -> None:
    items = [
        item("a/b#1", checked=day("2026-01-01")),
        item("a/b#2", checked=day("2025-12-31"), state="draft"),
        item("a/b#3", checked=day("2026-01-02")),
        item("a/b#4", checked=day("2026-01-01"), state="merged"),
    ]
    catalog = Catalog({}, (), {one.ref: one for one in items})
    stale = stale_threads(catalog, day("2026-04-02"), 90)  # 91 days after the first of January
    assert [one.ref for one in stale] == ["a/b#2", "a/b#1"]
