"""The gates that need no log."""

import functools
from pathlib import Path

import pytest

from diag.catalog.check import check
from diag.catalog.load import load_flags
from diag.catalog.locate import shipped
from diag.model.flags import FlagTable
from tests.build import signature_toml, tiny_catalog

FIX = '[[fix]]\nkind = "flag"\ndo = "{do}"\nevidence = ["a/b#1"]\nchecked = 2026-11-29\n{more}'
SAFE = FIX.format(do="Do something else.", more="")
EVENT = '[[match]]\ngrade = "likely"\nall = ["it"]\n[when.it]\nevent = "{event}"\n{more}\n'
TEXT = "[[match]]\ngrade = \"likely\"\nall = [\"it\"]\n[when.it]\nanchor = \"{anchor}\"\ntext = '''{text}'''\n"


@functools.cache
def flags() -> FlagTable:
    return load_flags(shipped("signatures"))


def faults(folder: Path, body: str, **given: str) -> list[str]:
    return check(tiny_catalog(folder, kind=signature_toml("kind", body, **given)), flags())


def test_a_right_signature_has_no_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, EVENT.format(event="DraftDecodeFailed", more='where = { drafter = "mtp" }') + SAFE) == []
    assert faults(tmp_path, TEXT.format(anchor="some words", text=r"some words of (?P<x>\d+)") + SAFE) == []


def test_a_fault_names_its_file(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, EVENT.format(event="Nonsense", more="") + SAFE)
    assert fault == "server/kind.toml: when.it - no event 'Nonsense'"


@pytest.mark.parametrize(
    ("event", "more", "reason"),
    [
        ("Nonsense", "", "no event 'Nonsense'"),
        ("DraftDecodeFailed", "where = { nonsense = 1 }", "DraftDecodeFailed has no field 'nonsense'"),
        ("DraftDecodeFailed", 'where = { rc = { same_as = "nobody.rc" } }', "same_as names no condition"),
    ],
)
def test_an_event_and_its_fields_must_be_there(tmp_path: Path, event: str, more: str, reason: str) -> None:
    assert any(reason in fault for fault in faults(tmp_path, EVENT.format(event=event, more=more) + SAFE))


def test_a_field_that_all_events_share_may_be_asked_for(tmp_path: Path) -> None:
    assert faults(tmp_path, EVENT.format(event="DraftDecodeFailed", more='where = { level = "E" }') + SAFE) == []


@pytest.mark.parametrize(
    ("anchor", "text", "reason"),
    [
        ("short", "short x", "8 or more"),
        ("with 'quotes' in it", "with 'quotes' in it", "8 or more"),
        ("some words", ".* some words", "begins with a wildcard"),
        ("some words", r"\S+ some words", "begins with a wildcard"),
        ("some words", r"some words (a+)+b", "nests quantifiers"),
        ("some words", r"some words .* and .*", "more than one .*"),
        ("some words", r"(?:some words)?", "matches nothing at all"),
        ("some words", r"some words (", "does not compile"),
    ],
)
def test_a_pattern_must_be_fast_and_its_anchor_survive_what_wrappers_do(
    tmp_path: Path, anchor: str, text: str, reason: str
) -> None:
    assert any(reason in fault for fault in faults(tmp_path, TEXT.format(anchor=anchor, text=text) + SAFE))


@pytest.mark.parametrize("key", ["consequences", "not_to_confuse_with"])
def test_other_kinds_that_are_named_must_be_there(tmp_path: Path, key: str) -> None:
    body = EVENT.format(event="DraftDecodeFailed", more="") + SAFE
    assert faults(tmp_path, body, keys=f'{key} = ["nobody"]') == [f"server/kind.toml: {key} - no signature 'nobody'"]


def test_an_upstream_reference_must_be_registered(tmp_path: Path) -> None:
    body = (
        EVENT.format(event="DraftDecodeFailed", more="") + SAFE + '[[upstream]]\nref = "a/b#1"\nrelation = "report"\n'
    )
    assert faults(tmp_path, body) == ["server/kind.toml: upstream - a/b#1 is not in upstream.toml"]


def test_a_failure_needs_a_fix_and_a_benign_line_does_not(tmp_path: Path) -> None:
    body = EVENT.format(event="DraftDecodeFailed", more="")
    assert faults(tmp_path, body) == ["server/kind.toml: fix - a failure needs at least one"]
    (tmp_path / "server" / "kind.toml").unlink()
    assert faults(tmp_path, body, severity="benign", area="benign") == []


def test_a_text_may_only_ask_for_figures_that_a_condition_captures(tmp_path: Path) -> None:
    body = TEXT.format(anchor="some words", text=r"some words of (?P<x>\d+)") + SAFE
    assert faults(tmp_path, body, cause="It was {x} of a test.") == []
    (fault,) = faults(tmp_path, body, cause="It was {y} of a test.")
    assert fault.startswith("server/kind.toml: {y} - no condition captures it")


def test_the_positions_of_a_refusal_may_be_asked_for(tmp_path: Path) -> None:
    body = EVENT.format(event="PositionsRefused", more="") + SAFE
    assert faults(tmp_path, body, cause="Here {missed} of {gap} positions are missed.") == []


@pytest.mark.parametrize(
    ("do", "more", "reason"),
    [
        ("Start with `--no-such-flag`.", "", "no build has --no-such-flag"),
        # --load-mode came after b9871, --no-mmap went before b11434
        ("Start with `--load-mode none`.", "[fix.when]\nbuild_below = 9872\n", "no --load-mode"),
        ("Start with `--no-mmap`.", "[fix.when]\nbuild_from = 11434\n", "no --no-mmap"),
    ],
)
def test_no_flag_is_advised_on_a_build_that_does_not_have_it(tmp_path: Path, do: str, more: str, reason: str) -> None:
    body = EVENT.format(event="DraftDecodeFailed", more="") + FIX.format(do=do, more=more)
    assert any(reason in fault for fault in faults(tmp_path, body))


@pytest.mark.parametrize(
    ("do", "more"),
    [
        ("Start with `--load-mode none`.", "[fix.when]\nbuild_from = 11434\n"),
        ("Start with `--no-mmap`.", "[fix.when]\nbuild_below = 9872\n"),
        ("Drop `--no-mmap`.", "[fix.when]\nbuild_from = 11434\n"),
    ],
)
def test_a_flag_that_the_builds_have_or_that_is_to_be_dropped_is_right(tmp_path: Path, do: str, more: str) -> None:
    assert faults(tmp_path, EVENT.format(event="DraftDecodeFailed", more="") + FIX.format(do=do, more=more)) == []


UPGRADE = FIX.replace('kind = "flag"', 'kind = "upgrade"')


@pytest.mark.parametrize(
    "do",
    [
        "Update to b9654 or later.",
        "Use the merged MTP: b9180 or later, and b9654 or later for images.",
        "Use b10749 or later, or a build before b10741.",
        "Update past b9484.",
        "Update to a current llama.cpp runtime.",
        "Update llama.cpp, or the engine inside the app that runs it.",
        "Update the fork past its build 11207.",
        "Take the fork's PR 56 (2026-08-06) or later.",
        "Take commit 4c4131bf8 (2026-08-18) of the fork or later.",
        "Take the branch of 2026-09-18 or later.",
        "Take v0.3.0 of the fork or later.",
    ],
)
def test_an_upgrade_that_names_what_is_newer_is_right(tmp_path: Path, do: str) -> None:
    assert faults(tmp_path, EVENT.format(event="DraftDecodeFailed", more="") + UPGRADE.format(do=do, more="")) == []


@pytest.mark.parametrize(
    ("do", "reason"),
    [
        ("Try a newer build.", "an upgrade says what is updated"),
        ("Update first.", "an upgrade says what is updated"),
        ("Update to see the error at once.", "an upgrade says what is updated"),
        ("Use a build before b9128.", "an upgrade says what is updated"),
        ("Update llama.cpp or try another backend.", "'another backend' is no upgrade"),
        ("Update llama.cpp; a Vulkan build works.", "'Vulkan build' is no upgrade"),
    ],
)
def test_an_upgrade_that_is_none_has_another_kind(tmp_path: Path, do: str, reason: str) -> None:
    body = EVENT.format(event="DraftDecodeFailed", more="") + UPGRADE.format(do=do, more="")
    assert any(reason in fault for fault in faults(tmp_path, body))


def test_only_the_named_signatures_are_checked(tmp_path: Path) -> None:
    body = EVENT.format(event="DraftDecodeFailed", more="")
    found = tiny_catalog(tmp_path, a=signature_toml("a", body), b=signature_toml("b", body))
    assert check(found, flags(), only=["b"]) == ["server/b.toml: fix - a failure needs at least one"]
