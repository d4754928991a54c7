"""A build between those whose day is known."""

import datetime as dt

import pytest

from diag.model.builds import DatedBuild
from diag.model.catalog import UpstreamItem
from diag.model.registry import BuildPlace
from diag.render.builds import build_dict, render_build

A = DatedBuild(9000, dt.date(2026, 5, 1), "package a")
B = DatedBuild(9100, dt.date(2026, 5, 11), "package b")


def item(ref: str, kind: str, build: int, title: str = "T", *, exact: bool = True) -> UpstreamItem:
    return UpstreamItem(ref, kind, title, "merged", dt.date(2026, 10, 10), first_build=build, title_exact=exact)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (BuildPlace(9000, A, A, A.date, (), ()), "Of 2026-05-01 (package a)."),
        (
            BuildPlace(9050, A, B, dt.date(2026, 5, 6), (), ()),
            "Between b9000 (2026-05-01) and b9100 (2026-05-11), so about 2026-05-06.",
        ),
        (BuildPlace(9200, B, None, None, (), ()), "After b9100 (2026-05-11), the newest build whose day is known."),
        (BuildPlace(10, None, A, None, (), ()), "Before b9000 (2026-05-01), the oldest build whose day is known."),
        (BuildPlace(10, None, None, None, (), ()), "No build whose day is known."),
    ],
)
def test_a_build_is_placed(place: BuildPlace, says: str) -> None:
    text = " ".join(render_build(place).split())
    assert says in text
    assert text.count("nothing that the registry knows") == 2


def test_what_landed_and_what_came_is_told_by_build() -> None:
    landed = (item("ggml-org/llama.cpp#1", "pull-request", 9010, exact=False),)
    coming = (item("ggml-org/llama.cpp@b9060", "release", 9060, "Something"),)
    place = BuildPlace(9050, A, B, dt.date(2026, 5, 6), landed, coming)
    rows = render_build(place).splitlines()
    assert "  b9010   #1 T *" in rows
    assert "  b9060   Something" in rows
    document = build_dict(place)
    assert document["before"] == {"build": 9000, "date": "2026-05-01", "source": "package a"}
    assert document["about"] == "2026-05-06"
    assert document["landed"] == [{"ref": "ggml-org/llama.cpp#1", "first_build": 9010, "title": "T"}]
