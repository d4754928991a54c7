"""The registry by reference, by topic and in time."""

import dataclasses
import datetime as dt

import pytest

from diag.errors import InputError
from diag.lookup.upstream import (
    chosen,
    cited_by,
    concerns,
    find_items,
    grouped,
    landed_between,
    looks_like_ref,
    questions_about,
    related_to,
    timeline,
)
from diag.model.catalog import Catalog, DatedEvent, Question, UpstreamItem
from diag.model.signature import Condition, Fix, Match, Signature, UpstreamLink

DAY = dt.date(2026, 10, 1)


def item(ref: str, **facts: object) -> UpstreamItem:
    values = {"kind": "pull-request", "title": "t", "state": "open", "checked": DAY, **facts}
    return UpstreamItem(ref=ref, **values)  # type: ignore[arg-type]


def signature(name: str, area: str, **facts: object) -> Signature:
    condition = {"failed": Condition("failed", "TaskFailed")}
    return Signature(name, name, area, "error", (Match("likely"),), condition, "c", (), **facts)  # type: ignore[arg-type]


ITEMS = (
    item("ggml-org/llama.cpp#5", families=("dflash",), state="merged", merged=dt.date(2026, 3, 2), first_build=9100),
    item("ggml-org/llama.cpp#6", families=("dflash", "eagle3"), first_build=9200, state="merged"),
    item("fork/llama.cpp#5", related=("ggml-org/llama.cpp#6",)),
    item("fork/llama.cpp#7"),
    item("other/llama.cpp#7", state="closed", closed=dt.date(2026, 4, 1)),
    item("ggml-org/llama.cpp@b9100", kind="release", state="merged", merged=dt.date(2026, 3, 2), first_build=9100),
)
CATALOG = Catalog(
    signatures={
        "port-in-use": signature("port-in-use", "server", references=("fork/llama.cpp#5",)),
        "gap": signature("gap", "positions", upstream=(UpstreamLink("fork/llama.cpp#7", "report"),)),
        "gap-too": signature("gap-too", "vision", fixes=(Fix("report", "Tell them.", evidence=("fork/llama.cpp#7",)),)),
    },
    outlines=(),
    upstream={one.ref: one for one in ITEMS},
    questions=(Question("Q?", ("fork/llama.cpp#7",), DAY, "A.", "open", DAY, "s"),),
)


def test_a_bare_number_is_no_other_repositorys_thread() -> None:
    with pytest.raises(InputError, match=r"'7' is not in the registry.*; there is fork/llama.cpp#7"):
        find_items(CATALOG, "7")


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("5", ["ggml-org/llama.cpp#5"]),
        ("#5", ["ggml-org/llama.cpp#5"]),
        ("fork/llama.cpp#5", ["fork/llama.cpp#5"]),
        ("FORK/llama.cpp#5", ["fork/llama.cpp#5"]),
        ("b9100", ["ggml-org/llama.cpp@b9100"]),
        ("https://github.com/ggml-org/llama.cpp/pull/6", ["ggml-org/llama.cpp#6"]),
        ("https://github.com/ggml-org/llama.cpp/releases/tag/b9100", ["ggml-org/llama.cpp@b9100"]),
    ],
)
def test_a_reference_is_understood_as_people_write_it(text: str, refs: list[str]) -> None:
    assert [found.ref for found in find_items(CATALOG, text)] == refs


@pytest.mark.parametrize("text", ["4711", "fork/llama.cpp#6", "b1", "", "no ref", "5\x1b[2J"])
def test_an_unknown_reference_is_one_clear_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        find_items(CATALOG, text)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "answer"), [("25144", True), ("#5", True), ("a/b#5", True), ("v1.0.0", True), ("port-in-use", False)]
)
def test_references_are_told_from_ids(text: str, answer: bool) -> None:
    assert looks_like_ref(text) is answer


def test_an_item_concerns_its_families_else_the_signatures_that_rest_on_it() -> None:
    found = {ref: (one.topic, one.centre) for ref, one in concerns(CATALOG).items()}
    assert found == {
        "ggml-org/llama.cpp#5": ("dflash", True),
        "ggml-org/llama.cpp#6": ("several families", True),
        "fork/llama.cpp#5": ("server", False),
        "fork/llama.cpp#7": ("positions", True),
        "other/llama.cpp#7": ("other", False),
        "ggml-org/llama.cpp@b9100": ("other", False),
    }


def test_without_filters_only_the_centre_is_chosen() -> None:
    assert [one.ref for one in chosen(CATALOG)] == ["ggml-org/llama.cpp#5", "ggml-org/llama.cpp#6", "fork/llama.cpp#7"]
    assert len(chosen(CATALOG, everything=True)) == len(ITEMS)


def test_filters_look_at_the_whole_registry() -> None:
    assert [one.ref for one in chosen(CATALOG, state="closed")] == ["other/llama.cpp#7"]
    assert [one.ref for one in chosen(CATALOG, family="eagle3")] == ["ggml-org/llama.cpp#6"]
    assert [one.ref for one in chosen(CATALOG, kind="release")] == ["ggml-org/llama.cpp@b9100"]


def test_topics_of_the_centre_come_first_and_the_rest_last() -> None:
    groups = grouped(chosen(CATALOG, everything=True), concerns(CATALOG))
    assert [topic for topic, _ in groups] == ["several families", "dflash", "positions", "server", "other"]


def test_the_timeline_is_ordered_and_history_replaces_a_bare_date() -> None:
    one = item(
        "ggml-org/llama.cpp#9",
        opened=dt.date(2026, 1, 1),
        draft_since=dt.date(2026, 1, 5),
        events=(DatedEvent(dt.date(2026, 1, 3), "argued"), DatedEvent(dt.date(2026, 1, 5), "became a draft because")),
    )
    steps = timeline([ITEMS[0], one])
    assert [(step.date.day, step.what, step.told) for step in steps] == [
        (1, "opened", False),
        (3, "argued", True),
        (5, "became a draft because", True),
        (2, "merged (b9100)", False),
    ]


def test_what_points_to_an_item_is_found() -> None:
    assert [one.ref for one in related_to(CATALOG, ITEMS[1])] == ["fork/llama.cpp#5"]
    assert cited_by(CATALOG, ITEMS[3]) == ["gap", "gap-too"]
    assert [one.text for one in questions_about(CATALOG, [ITEMS[3]])] == ["Q?"]
    assert questions_about(CATALOG, [ITEMS[0]]) == []


@pytest.mark.parametrize(
    ("after", "up_to", "family", "refs"),
    [
        (9099, 9100, "dflash", ["ggml-org/llama.cpp#5"]),
        (9100, 9200, "dflash", ["ggml-org/llama.cpp#6"]),  # the good build already has b9100
        (9000, 9300, "eagle3", ["ggml-org/llama.cpp#6"]),
        (9000, 9300, None, ["ggml-org/llama.cpp#5", "ggml-org/llama.cpp#6"]),
        (9000, 9300, "ngram", []),
    ],
)
def test_changes_between_two_builds(after: int, up_to: int, family: str | None, refs: list[str]) -> None:
    assert [one.ref for one in landed_between(CATALOG, after, up_to, family)] == refs


def test_a_merge_without_a_build_lies_between_no_builds() -> None:
    bare = dataclasses.replace(ITEMS[0], first_build=None)
    catalog = dataclasses.replace(CATALOG, upstream={bare.ref: bare})
    assert landed_between(catalog, 0, 99999, "dflash") == []
