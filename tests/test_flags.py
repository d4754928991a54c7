"""The flag table against facts read by hand in llama.cpp sources, and on real servers where a comment says so."""

import copy
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from diag.model.flag_rows import flag_table
from diag.model.flags import FlagTable, split_value

DOCUMENT = tomllib.loads((Path(__file__).parents[1] / "signatures" / "flags.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def table() -> FlagTable:
    return flag_table(DOCUMENT)


@pytest.mark.parametrize(
    ("name", "build", "expected"),
    [
        ("--no-mmap", 9871, True),
        ("--no-mmap", 10605, True),
        ("--no-mmap", 10870, None),  # between the snapshots 10867 and 10878
        ("--no-mmap", 11434, False),  # a real b11434 answers: invalid argument: --no-mmap
        ("--no_mmap", 11434, False),
        ("--mlock", 11434, False),
        ("-dio", 11434, False),
        ("-dio", 7488, False),
        ("-dio", 9871, True),
        ("--load-mode", 9871, False),
        ("--load-mode", 10103, False),
        ("-lm none", 10189, True),
        ("--load-mode", 11434, True),
        ("--load-mode", 12000, True),  # newer than the newest snapshot: taken to be like it
        ("--draft-max", 8722, True),
        ("--draft-max", 8992, False),
        ("--draft", 11434, False),  # a real b11434 answers: the argument has been removed
        ("--spec-draft-n-max", 8722, False),
        ("--spec-draft-n-max", 8900, None),
        ("--spec-draft-n-max", 9093, True),
        ("--spec-draft-p-min", 8722, False),
        ("--draft-p-min", 8722, True),
        ("--draft-p-min", 11434, True),
        ("-md", 11434, True),
        ("-cd", 9093, True),
        ("-cd", 9246, False),
        ("--clear-idle", 8722, True),
        ("--clear-idle", 9093, False),
        ("--cache-idle-slots", 9093, True),
        ("--spec-type", 7845, False),
        ("--spec-type", 7955, True),
        ("--no-spec-draft-backend-sampling", 9246, False),
        ("--no-spec-draft-backend-sampling", 9464, True),
        ("--cache-ram", 6666, False),
        ("--cache-ram", 6916, True),
        ("--ctx-checkpoints", 6666, False),
        ("--swa-checkpoints", 6666, True),
        ("--fit", 7213, False),
        ("--fit", 7488, True),
        ("--no-kv-unified", 7845, False),
        ("--image-max-tokens", 7213, True),
        ("--mmproj", 4579, False),
        ("--mmproj", 5682, True),
        ("--log-jsonl", 10705, False),
        ("--log-jsonl", 10825, True),
        ("--reasoning-preserve", 9745, False),
        ("--no-jinja", 7213, True),
        ("--context-shift", 4579, False),
        ("--no-context-shift", 4579, True),
        ("-ub", 2249, False),
        ("-ub", 3642, True),
        ("--draft-ns", 11434, False),  # found in public texts, in no source
        ("LLAMA_ARG_SPEC_TYPE", 8329, False),
        ("LLAMA_ARG_SPEC_TYPE=draft-mtp", 9246, True),
        ("LLAMA_ARG_MODEL_DRAFT", 8722, True),
        ("LLAMA_ARG_MODEL_DRAFT", 9093, False),
        ("LLAMA_ARG_DRAFT_MAX", 11434, False),
        ("GGML_CUDA_NO_PINNED=1", 9246, True),
        ("GGML_METAL_NO_RESIDENCY", 4291, False),
        ("GGML_VK_SERIALIZE_SUBMISSIONS", 10189, False),
        ("GGML_VK_SERIALIZE_SUBMISSIONS", 10333, True),
        ("GGML_VK_MAX_NODES_PER_SUBMIT", 9745, False),
        ("GGML_VK_MAX_NODES_PER_SUBMIT", 9871, True),
        ("HSA_OVERRIDE_GFX_VERSION", 2249, True),
        ("-DGGML_CUDA_FA_ALL_QUANTS=ON", 11434, True),
        ("-DLLAMA_CURL=ON", 11434, False),  # CMake still takes it, warns and ignores it
        ("-DLLAMA_OPENSSL=ON", 6451, False),
    ],
)
def test_a_build_has_a_name_when_its_source_has_it(
    table: FlagTable, name: str, build: int, expected: bool | None
) -> None:
    assert table.available(name, build) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("-c", True),  # in every snapshot
        ("--no-mmap", None),
        ("--load-mode", None),
        ("--draft-ns", False),
        ("HIP_VISIBLE_DEVICES", True),
        ("GGML_CUDA_NO_PINNED", True),
    ],
)
def test_without_a_build_only_what_all_snapshots_agree_on_is_known(
    table: FlagTable, name: str, expected: bool | None
) -> None:
    assert table.available(name, None) is expected


@pytest.mark.parametrize(
    ("name", "build", "expected"),
    [
        ("--no-mmap", 11434, "--load-mode none"),
        ("--no-mmap", 9871, None),
        ("--no-mmap", None, "--load-mode none"),
        ("--mlock", 11434, "--load-mode mlock"),
        ("-dio", 11434, "--load-mode dio"),
        ("--load-mode none", 9871, "--no-mmap"),
        ("-lm dio", 9871, "--direct-io"),
        ("--load-mode none", 10189, None),
        ("--draft-n", 9093, "--spec-draft-n-max"),
        ("--spec-draft-n-max 8", 8722, None),  # a value that the table does not know is not carried over
        ("--spec-draft-n-min", 8722, "--draft-min"),
        ("--ctx-size-draft", 11434, None),
        ("LLAMA_ARG_NO_MMAP", 11434, "LLAMA_ARG_LOAD_MODE=none"),
        ("LLAMA_ARG_DRAFT_MAX", 9246, "LLAMA_ARG_SPEC_DRAFT_N_MAX"),
        ("LLAMA_LOG_FILE", 11434, "LLAMA_ARG_LOG_FILE"),
    ],
)
def test_a_missing_name_is_replaced_by_what_that_build_has(
    table: FlagTable, name: str, build: int | None, expected: str | None
) -> None:
    assert table.replacement(name, build) == expected


@pytest.mark.parametrize(
    ("name", "value", "build", "expected"),
    [
        ("--spec-type", "ngram-mod", 8722, True),
        ("--spec-type", "draft-mtp", 9093, False),
        ("--spec-type", "draft-mtp", 9180, None),
        ("--spec-type", "ngram-mod", 9180, True),
        ("--spec-type", "draft-mtp", 9246, True),
        ("--spec-type", "draft-mtp,ngram-mod", 9246, True),
        ("--spec-type", "mtp", 11434, False),  # a real b11434 answers: unknown speculative type: mtp
        ("--spec-type", "draft-dflash", 9745, False),
        ("--spec-type", "draft-dflash", 9871, True),
        ("--spec-type", "draft-dspark", 10103, False),
        ("--spec-type", "draft-dspark", 10189, True),
        ("-fa", "on", 5682, False),  # a bare switch there
        ("-fa", "on", 6000, None),
        ("-fa", "off", 6341, True),
        ("-sm", "tensor", 8722, False),
        ("-sm", "tensor", 8799, True),
        ("--load-mode", "auto", 10333, False),
        ("--load-mode", "auto", 10456, True),
        ("--load-mode", "none", 9871, False),
        ("-ctk", "q8_0", 11434, True),
        ("-ctk", "q6_K", 11434, False),
        ("--port", "9931", 11434, True),  # not restricted
    ],
)
def test_a_value_is_accepted_when_the_build_lists_it(
    table: FlagTable, name: str, value: str, build: int, expected: bool | None
) -> None:
    assert table.accepts(name, value, build) is expected


@pytest.mark.parametrize(
    ("name", "build", "expected"),
    [
        ("--spec-draft-p-min", 9246, "0.0"),
        ("--draft-p-min", 8722, "0.75"),
        ("--draft-p-min", 9200, None),
        ("--draft-max", 8722, "16"),
        ("--spec-draft-n-max", 9246, "3"),
        ("--port", 11434, "8080"),
        ("--fit", 7488, "on"),
        ("--flash-attn", 4579, "off"),
        ("--flash-attn", 11434, "auto"),
        ("--cache-ram", 11434, "8192"),
        ("--load-mode", 10189, "mmap"),
        ("--load-mode", 11434, "auto"),
        ("--load-mode", 9871, None),
        ("--swa-checkpoints", 6666, "3"),
        ("--ctx-checkpoints", 8185, "8"),
        ("--checkpoint-every-n-tokens", 8329, "8192"),
        ("--checkpoint-min-step", 9464, "256"),
        ("--ctx-checkpoints", 11434, "32"),
        ("--log-timestamps", 9093, "off"),
        ("--log-timestamps", 9246, "on"),
    ],
)
def test_a_default_is_the_one_in_force_in_that_build(
    table: FlagTable, name: str, build: int, expected: str | None
) -> None:
    assert table.default(name, build) == expected


def test_no_mmap_warns_from_the_load_mode_refactor_until_it_goes(table: FlagTable) -> None:
    (row,) = [flag for flag in table.flags if flag.name == "--no-mmap"]
    assert (row.deprecated_after, row.deprecated_from) == (10103, 10189)
    assert row.life.holds(10867) is True
    assert row.life.holds(11434) is False


@pytest.mark.parametrize(
    ("name", "build", "expected"),
    [("-fa", 5682, False), ("-fa", 6000, None), ("-fa", 6341, True), ("--no-mmap", 9871, False), ("-c", None, True)],
)
def test_a_flag_takes_a_value_or_not_by_build(
    table: FlagTable, name: str, build: int | None, expected: bool | None
) -> None:
    assert table.takes_value(name, build) is expected


def test_advice_for_a_range_of_builds_is_checked_against_each_snapshot_in_it(table: FlagTable) -> None:
    assert table.lacking("--no-mmap", last=10867) == ()
    assert table.lacking("--no-mmap", first=10605, last=11010) == (10878, 11010)
    assert table.lacking("--load-mode none", first=10034, last=10189) == (10034, 10103)
    assert table.lacking("-c") == ()


def test_the_first_snapshot_with_a_flag_can_be_told(table: FlagTable) -> None:
    assert table.since("--load-mode") == 10189
    assert table.since("-c") is None
    assert table.since("--draft-ns") is None


def test_an_option_of_another_program_is_not_taken_for_the_servers(table: FlagTable) -> None:
    assert table.programs("--gpus all") == ("docker run",)
    assert not table.knows("--gpus")
    assert table.programs("--ubatch-size") == ()


def test_every_row_names_snapshots_and_every_default_its_source(table: FlagTable) -> None:
    assert table.checked == date(2026, 11, 30)
    builds = [snapshot.build for snapshot in table.snapshots]
    assert builds[0] == 2249
    assert builds[-1] == 11434
    assert all(default.by in builds and f"b{default.by}" in default.source for default in table.defaults)
    assert all(known.by in builds for flag in table.flags for known in flag.values)


def test_every_replacement_is_itself_in_the_newest_build(table: FlagTable) -> None:
    newest = table.snapshots[-1].build
    heirs = {flag.replacement for flag in table.flags} | {row.replacement for row in table.environment}
    assert sorted(heir for heir in heirs if heir and table.available(heir, newest) is not True) == []


def test_a_flag_that_another_row_points_to_is_in_the_table(table: FlagTable) -> None:
    named = {other for flag in table.flags for other in (*flag.same_as, flag.negates) if other}
    named |= {row.flag for row in table.environment if row.flag}
    assert [name for name in sorted(named) if not table.knows(name)] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "colour"),
        ({"introduced_by": 12345}, "12345 is no snapshot"),
        ({"last_seen": 9871}, "last_seen and removed_by go together"),
        ({"introduced_after": 2249}, "needs either introduced_after or seen_from_start"),
        ({"aliases": ["--load-mode"]}, "two rows for the same builds"),
    ],
)
def test_a_wrong_row_is_refused_with_its_reason(change: dict[str, Any], message: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    row = next(row for row in document["flag"] if row["name"] == "--ctx-size")
    row.update(change)
    with pytest.raises(ValueError, match=message):
        flag_table(document)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--load-mode none", ("--load-mode", "none")),
        ("--spec_type=draft-mtp", ("--spec-type", "draft-mtp")),
        ("-lv 4", ("-lv", "4")),
        ("GGML_VK_DISABLE_F16=1", ("GGML_VK_DISABLE_F16", "1")),
        ("-ub", ("-ub", None)),
    ],
)
def test_a_name_is_split_from_its_value(text: str, expected: tuple[str, str | None]) -> None:
    assert split_value(text) == expected
