"""Signatures by what a person types, and the figures that were published."""

import dataclasses

import pytest

from diag.errors import InputError
from diag.lookup.measurements import missing_figures, published
from diag.lookup.signatures import chosen, find_signature, matching, nearest
from diag.model.catalog import Catalog
from diag.model.signature import Condition, Match, Signature


def signature(name: str, area: str = "server", severity: str = "error", aliases: tuple[str, ...] = ()) -> Signature:
    condition = {"failed": Condition("failed", "TaskFailed")}
    return Signature(name, name, area, severity, (Match("likely"),), condition, "c", (), aliases=aliases)


CATALOG = Catalog(
    signatures={
        one.id: one
        for one in (
            signature("port-in-use", aliases=("address-taken",)),
            signature("dflash-image-position-gap", "positions"),
            signature("banner", "benign", "benign"),
        )
    },
    outlines=(),
    upstream={},
)


@pytest.mark.parametrize("name", ["port-in-use", "PORT-IN-USE", " port-in-use ", "address-taken"])
def test_an_id_or_an_alias_is_found(name: str) -> None:
    assert find_signature(CATALOG, name).id == "port-in-use"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("port-in-used", ["port-in-use"]),
        ("adress-taken", ["port-in-use"]),  # an alias stands for its id
        ("image-gap", ["dflash-image-position-gap"]),  # all its words occur
        ("zzz", []),
    ],
)
def test_a_mistyped_id_gets_the_nearest(name: str, near: list[str]) -> None:
    assert nearest(CATALOG, name) == near


def test_an_unknown_id_names_the_nearest_or_the_list() -> None:
    with pytest.raises(InputError, match="did you mean port-in-use"):
        find_signature(CATALOG, "port-in-used")
    with pytest.raises(InputError, match="diag signatures list"):
        find_signature(CATALOG, "zzz\x1b[2J")


@pytest.mark.parametrize("name", ["25144", "#25144", "b9871", "ggml-org/llama.cpp#25144"])
def test_a_thread_is_pointed_to_the_command_that_shows_it(name: str) -> None:
    with pytest.raises(InputError, match="diag upstream"):
        find_signature(CATALOG, name)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("port", ["port-in-use"]),
        ("in use", ["port-in-use"]),  # a hyphen counts as a blank
        ("Address-Taken", ["port-in-use"]),
        ("gap image", ["dflash-image-position-gap"]),  # all its words, in another order
        ("banner port", []),
        (" ", []),
    ],
)
def test_a_text_finds_the_kinds_that_hold_it(text: str, ids: list[str]) -> None:
    assert [one.id for one in matching(CATALOG, text)] == ids


def test_what_people_call_it_finds_what_ids_call_it() -> None:
    named = ("vulkan-oom", "no-room-for-image")
    kinds = dataclasses.replace(CATALOG, signatures={name: signature(name) for name in named})
    assert [one.id for one in matching(kinds, "out of memory")] == ["vulkan-oom"]


def test_a_text_areas_and_severities_narrow_the_list() -> None:
    assert [one.id for one in chosen(CATALOG, areas=["server"], text="port")] == ["port-in-use"]
    assert chosen(CATALOG, areas=["positions"], text="port") == []
    assert len(chosen(CATALOG, text=" ")) == 3


def test_areas_and_severities_narrow_the_list() -> None:
    assert [one.id for one in chosen(CATALOG, areas=["server", "benign"])] == ["port-in-use", "banner"]
    assert [one.id for one in chosen(CATALOG, areas=["server", "benign"], severities=["benign"])] == ["banner"]
    assert len(chosen(CATALOG)) == 3


def figure(family: str, **facts: object) -> dict[str, object]:
    return {
        "family": family, "provenance": "published", "backend": "CUDA", "date": "2026-01-01", "checked": "2026-11-30",
        "text_rate": [0.5, 0.5], **facts,
    }  # fmt: skip


ROWS = (
    figure("dflash", id="text-only"),
    figure("dflash", id="recorded", provenance="recorded"),
    figure("dflash", id="no-figure", text_rate=None),
    figure("eagle3", id="other"),
    figure("dflash", id="old-image", image_rate=[0.1, 0.2]),
    figure("dflash", id="new-image", image_rate=[0.3, 0.4], date="2026-05-01"),
)


def test_figures_with_image_turns_come_first_and_recorded_ones_not_at_all() -> None:
    found = published(dataclasses.replace(CATALOG, measurements=ROWS), ["dflash"])
    assert [row["id"] for row in found] == ["new-image", "old-image", "text-only"]


def test_a_figure_that_nobody_published_is_said_to_be_missing_until_there_is_one() -> None:
    without = dataclasses.replace(CATALOG, measurements=ROWS)
    (sentence,) = missing_figures(without, {"dflash": "DFlash"})
    assert "DFlash on Metal" in sentence
    assert "2026-11-30" in sentence
    found = dataclasses.replace(CATALOG, measurements=(*ROWS, figure("dflash", backend="Metal")))
    assert missing_figures(found, {}) == []
