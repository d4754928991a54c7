"""The registries of threads, architectures and acceptance figures load and hold together."""

import datetime
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SIGNATURES = Path(__file__).resolve().parent.parent / "signatures"
THREAD = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[1-9][0-9]*")
RELEASE = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+@(?:b[1-9][0-9]*|v[0-9]+\.[0-9]+\.[0-9]+)")
STATES = {"open", "draft", "merged", "closed", "unknown"}
FAMILIES = {"one-axis-separate", "mrope-separate", "shared-cache", "dflash", "eagle3", "independent-draft", "ngram"}
LINKS = ("related", "supersedes", "superseded_by", "fixes")
Table = dict[str, Any]


def read(name: str) -> Table:
    with (SIGNATURES / name).open("rb") as file:
        return tomllib.load(file)


UPSTREAM = read("upstream.toml")
MODELS = read("models.toml")
MEASUREMENTS = read("measurements.toml")
ITEMS: dict[str, Table] = {item["ref"]: item for item in UPSTREAM["item"]}
ARCHITECTURES: dict[str, Table] = {row["name"]: row for row in MODELS["architecture"]}
LLAMA = "ggml-org/llama.cpp#"

# threads and releases that verdicts, fixes and the timeline are named by
NAMED = [
    *(
        f"{LLAMA}{number}"
        for number in (
            25144,
            24669,
            11875,
            22105,
            25129,
            26108,
            27342,
            27408,
            28587,
            28715,
            29385,
            24816,
            24340,
            23398,
            28007,
            27931,
            25618,
            27858,
            16890,
            22439,
            22838,
            22673,
            23286,
            18039,
            24645,
            24520,
            24707,
            24593,
            24922,
            25078,
            25449,
            26814,
            27005,
            27862,
            28159,
            28173,
            28166,
            27941,
            28433,
            28630,
            27819,
            27833,
            28890,
            29019,
            29773,
            29761,
            29622,
            30111,
            26508,
            29811,
            28158,
            27572,
            27852,
            25972,
        )
    ),
    "z-lab/llama.cpp-fork#5",
    "z-lab/llama.cpp-fork#1",
    "TheTom/llama-cpp-turboquant#344",
    "spiritbuun/buun-llama-cpp#58",
    "ikawrakow/ik_llama.cpp#1781",
    "charlie12345/ROCmFPX#71",
    "charlie12345/ROCmFPX#72",
    "Anbeeld/beellama.cpp#101",
    "Anbeeld/beellama.cpp#104",
    *(f"ggml-org/llama.cpp@{tag}" for tag in ("b10896", "b10906", "b11163", "b11236", "b11319", "v0.6.0")),
]


def test_every_reference_is_well_formed_and_stands_once() -> None:
    counts = Counter(item["ref"] for item in UPSTREAM["item"])
    assert [ref for ref, count in counts.items() if count > 1] == []
    for ref, item in ITEMS.items():
        form = RELEASE if item["kind"] == "release" else THREAD
        assert form.fullmatch(ref), ref
        assert item["kind"] in {"pull-request", "issue", "release"}, ref


@pytest.mark.parametrize("ref", NAMED)
def test_the_registry_holds_the_thread_or_release(ref: str) -> None:
    assert ref in ITEMS


@pytest.mark.parametrize("ref", sorted(ITEMS))
def test_an_item_states_what_it_is_and_where_that_comes_from(ref: str) -> None:
    item = ITEMS[ref]
    dates = {"opened", "draft_since", "merged", "closed", "checked"}
    known = {
        "ref",
        "kind",
        "title",
        "title_exact",
        "month_only",
        "state",
        "first_build",
        "changes",
        "families",
        "source",
        *dates,
        *LINKS,
    }
    known |= {"argument", "event"}
    assert set(item) <= known
    assert item["state"] in STATES
    assert isinstance(item["title_exact"], bool)
    assert item["source"].strip()
    assert item["title"].strip() or not item["title_exact"]
    assert item.get("changes", "some").strip()
    assert set(item["families"]) <= FAMILIES
    assert isinstance(item.get("first_build", 1), int)
    if item["state"] == "draft":
        assert item["kind"] == "pull-request"
    if "merged" in item:
        assert item["state"] == "merged"
    if "closed" in item:
        assert item["state"] == "closed"
    for argument in item.get("argument", []):
        assert set(argument) == {"side", "text", "by"}
        assert argument["side"] in {"patch now", "batch refactor first"}


@pytest.mark.parametrize("ref", sorted(ITEMS))
def test_the_dates_of_an_item_are_in_order(ref: str) -> None:
    item = ITEMS[ref]
    assert type(item["checked"]) is datetime.date
    for late in ("draft_since", "merged", "closed"):
        if late in item:
            assert item.get("opened", item[late]) <= item[late] <= item["checked"]
    if not item.get("month_only", False):
        assert item.get("opened", item["checked"]) <= item["checked"]
    days = [event["date"] for event in item.get("event", [])]
    assert days == sorted(days)
    assert all(set(event) == {"date", "what"} for event in item.get("event", []))
    assert all(item.get("opened", day) <= day for day in days)


def test_links_lead_to_items_of_the_file_and_agree_in_both_directions() -> None:
    for ref, item in ITEMS.items():
        for link in LINKS:
            assert set(item.get(link, [])) <= set(ITEMS), ref
        for other in item.get("supersedes", []):
            assert ref in ITEMS[other].get("superseded_by", []), (ref, other)
        for other in item.get("superseded_by", []):
            assert ref in ITEMS[other].get("supersedes", []), (ref, other)
    for question in UPSTREAM["question"]:
        assert set(question["refs"]) <= set(ITEMS)


def test_a_merged_build_is_the_first_build_of_its_release_item() -> None:
    for ref, item in ITEMS.items():
        tag = ref.rpartition("@")[2]
        if item["kind"] == "release" and tag.startswith("b"):
            assert item["first_build"] == int(tag[1:])
    expected = {
        "28587": 10896,
        "28715": 10906,
        "24669": 11163,
        "29385": 11236,
        "24340": 9745,
        "23398": 9549,
        "22105": 9831,
        "22673": 9180,
    }
    assert {number: ITEMS[LLAMA + number]["first_build"] for number in expected} == expected


def test_the_newest_state_wins_over_an_older_one() -> None:
    batch = ITEMS[LLAMA + "24669"]
    assert batch["state"] == "merged"
    assert batch["merged"] == datetime.date(2026, 9, 24)
    assert any(event["date"] == datetime.date(2026, 8, 29) and "draft" in event["what"] for event in batch["event"])
    patch = ITEMS[LLAMA + "25144"]
    assert (patch["state"], patch["draft_since"]) == ("draft", datetime.date(2026, 7, 8))
    assert "first_build" not in patch


@pytest.mark.parametrize("number", ["25144", "24669"])
def test_both_sides_of_the_argument_are_heard(number: str) -> None:
    assert {argument["side"] for argument in ITEMS[LLAMA + number]["argument"]} == {"patch now", "batch refactor first"}


def test_architectures_are_unique_dated_and_sourced() -> None:
    assert len(ARCHITECTURES) == len(MODELS["architecture"])
    for name, row in ARCHITECTURES.items():
        assert row["rope"] in {"none", "norm", "neox", "mrope", "imrope", "conditional"}, name
        positions = {"mrope": "mrope", "imrope": "mrope", "conditional": "conditional"}.get(row["rope"], "one-axis")
        assert row["positions"] == positions, name
        assert (row["rope"] == "conditional") == ("condition" in row) == ("rope_default" in row), name
        assert isinstance(row["hybrid"], bool), name
        assert row["source"], name
        assert type(row["checked"]) is datetime.date, name
        assert ("mtp_family" in row) == ("mtp_seen" in row), name
        assert row.get("mtp_since", 0) <= row.get("mtp_seen", 0), name
        assert row.get("layer_input_since", 0) <= row.get("layer_input_seen", 0), name
        for key in ("mtp_ref", "layer_input_ref"):
            assert row.get(key, LLAMA + "24340") in ITEMS, name


@pytest.mark.parametrize(
    ("name", "rope", "hybrid", "mtp_family"),
    [
        ("step35", "neox", False, "one-axis-separate"),
        ("glm-dsa", "norm", False, "one-axis-separate"),
        ("deepseek4", "norm", True, "one-axis-separate"),
        ("nemotron_h_moe", "none", True, "one-axis-separate"),
        ("glm4moe", "conditional", False, "one-axis-separate"),
        ("bailingmoe3", "conditional", True, "one-axis-separate"),
        ("qwen35", "imrope", True, "mrope-separate"),
        ("qwen35moe", "imrope", True, "mrope-separate"),
        ("qwen4exp", "imrope", True, "mrope-separate"),
        ("gemma4", "neox", False, "shared-cache"),
        ("glm5-next", "none", True, None),
        ("eagle3", "norm", False, None),
        ("dflash", "conditional", False, None),
        ("qwen2vl", "mrope", False, None),
    ],
)
def test_an_architecture_has_its_rope_and_drafter_family(
    name: str, rope: str, hybrid: bool, mtp_family: str | None
) -> None:
    row = ARCHITECTURES[name]
    assert (row["rope"], row["hybrid"], row.get("mtp_family")) == (rope, hybrid, mtp_family)


def test_step35_can_not_feed_eagle3_or_dflash() -> None:
    assert "layer_input_seen" not in ARCHITECTURES["step35"]
    assert ARCHITECTURES["qwen35"]["layer_input_since"] == 9723


@pytest.mark.parametrize(
    ("file_name", "architecture"),
    [
        ("Step-3.7-flash-Q8_0-00001-of-00005.gguf", "step35"),
        ("Qwen3.6-27B-Q6_K.gguf", "qwen35"),
        ("Qwen3.6-35B-A3B-MTP-UD-Q5_K_XL.gguf", "qwen35moe"),
        ("Qwen3.8-27B-UD-Q4_K_XL.gguf", "qwen35"),
        ("Qwen3.8-Flash-Next-UD-IQ4_XS.gguf", "qwen4exp"),
        ("Qwen3.8-27B-DFlash2-Q4_K_M.gguf", "dflash"),
        ("gemma-4-12B-it-qat-UD-Q4_K_XL.gguf", "gemma4"),
        ("mtp-gemma-4-12b-it-Q8_0.gguf", "gemma4-assistant"),
        ("gemma-4-26B-A4B-it-speculator.eagle3-Q8_0.gguf", "eagle3"),
        ("Qwen3.6-27B-mmproj-BF16.gguf", "clip"),
        ("llama-3.1-8b-instruct-Q4_K_M.gguf", None),
    ],
)
def test_the_first_file_name_pattern_that_matches_gives_the_hint(file_name: str, architecture: str | None) -> None:
    hits = [row["architecture"] for row in MODELS["model_name"] if re.search(row["pattern"], file_name)]
    assert (hits[0] if hits else None) == architecture


def test_other_model_tables_are_unique_dated_and_sourced() -> None:
    for table, key in (
        ("drafter", "name"),
        ("family", "name"),
        ("position_rule", "name"),
        ("spec_type", "name"),
        ("model_name", "pattern"),
    ):
        rows = MODELS[table]
        assert len({row[key] for row in rows}) == len(rows), table
        assert all(row["source"] and type(row["checked"]) is datetime.date for row in rows), table
    assert {row["name"] for row in MODELS["family"]} == FAMILIES
    assert {row["family"] for row in MODELS["spec_type"]} <= FAMILIES | {"by architecture"}
    assert {row["architecture"] for row in MODELS["model_name"]} <= set(ARCHITECTURES)
    assert all(ref in ITEMS for row in MODELS["family"] for ref in row.get("refs", []))


def test_measurements_are_unique_and_their_rates_follow_from_their_counts() -> None:
    rows: list[Table] = MEASUREMENTS["measurement"]
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["provenance"] in {"published", "recorded", "user-document"}, row["id"]
        assert row["family"] in FAMILIES, row["id"]
        assert row["source"], row["id"]
        assert row["date"] <= row["checked"], row["id"]
        assert row.get("ref", LLAMA + "24669") in ITEMS, row["id"]
        for turn in ("text", "image"):
            low, high = row.get(f"{turn}_rate", [0.0, 1.0])
            assert 0.0 <= low <= high <= 1.0, row["id"]
            drafted = row.get(f"{turn}_drafted", 0)
            if drafted:
                assert row[f"{turn}_accepted"] / drafted == pytest.approx(low, abs=0.001), row["id"]
        assert "text_rate" in row or "image_rate" in row or "no rate given" in row["note"] or "length" in row["note"], (
            row["id"]
        )


def test_missing_figures_are_stated_with_a_day() -> None:
    for row in MEASUREMENTS["statement"]:
        assert row["text"]
        assert type(row["checked"]) is datetime.date
        assert set(row["refs"]) <= set(ITEMS)


@pytest.mark.parametrize("name", ["upstream.toml", "models.toml", "measurements.toml"])
def test_no_path_of_a_private_machine_is_in_a_registry(name: str) -> None:
    text = (SIGNATURES / name).read_text(encoding="utf-8")
    assert not re.search(r"(?:^|[\s\"'])/(?:home|root|tmp|work|Users)/", text)
