"""The gate of the examples: what a signature's own examples must show, with catalogues written for the test."""

from pathlib import Path

import pytest

from diag.examples import HOSTILE, check_examples, unseen_conditions
from diag.pipeline import analyzer
from tests.build import tiny_catalog

MTP = "0.05.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)"
SYMPTOM = "0.05.080.381 E srv        decode: failed to process speculative batch"
BOTH = f"{MTP}\n{SYMPTOM}"


def text(
    name: str,
    event: str,
    log: str,
    *,
    rival: str = "nothing of interest",
    why: str = "it is another line",
    keys: str = "",
    captures: str = "{}",
    severity: str = "error",
) -> str:
    return f"""
id = "{name}"
title = "A composed failure kind"
area = "server"
severity = "{severity}"
{keys}
[[match]]
grade = "likely"
all = ["it"]
[when.it]
event = "{event}"
[cause]
text = "It was composed for a test."
chain = ["It was composed for a test"]
[[example]]
expect = "match"
provenance = "composed"
captures = {captures}
log = '''
{log}
'''
[[example]]
expect = "no-match"
why = "{why}"
provenance = "composed"
log = '''
{rival}
'''
"""


def faults(folder: Path, only: tuple[str, ...] | None = None, **files: str) -> list[str]:
    return check_examples(analyzer(tiny_catalog(folder, **files)), only)


def test_examples_that_say_the_truth_have_no_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, a=text("a", "DraftDecodeFailed", MTP, captures='{ rc = -1, drafter = "mtp" }')) == []


def test_an_example_that_does_not_match_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path, a=text("a", "DraftDecodeFailed", SYMPTOM)) == [
        "server/a.toml: example 1 - it must match; found nothing"
    ]


def test_a_rival_that_matches_is_a_fault(tmp_path: Path) -> None:
    found = faults(tmp_path, a=text("a", "DraftDecodeFailed", MTP, rival=f"something\n{MTP}"))
    assert found == ["server/a.toml: example 2 - it must not match, but likely at line 2"]


def test_a_rival_says_why(tmp_path: Path) -> None:
    found = faults(tmp_path, a=text("a", "DraftDecodeFailed", MTP, why=""))
    assert found == ["server/a.toml: example 2 - a no-match example says why"]


@pytest.mark.parametrize(
    ("captures", "reason"),
    [("{ rc = 1 }", "capture rc is -1, not 1"), ("{ nobody = 1 }", "capture nobody is None, not 1")],
)
def test_a_capture_that_is_another_is_a_fault(tmp_path: Path, captures: str, reason: str) -> None:
    found = faults(tmp_path, a=text("a", "DraftDecodeFailed", MTP, captures=captures))
    assert found == [f"server/a.toml: example 1 - {reason}"]


UNDECLARED = "server/a.toml: example 1 - b matches too, and neither consequences nor not_to_confuse_with says so"


@pytest.mark.parametrize(
    ("of_a", "of_b", "declared"),
    [
        ("", "", False),
        ('consequences = ["b"]', "", True),
        ("", 'consequences = ["a"]', True),
        ('not_to_confuse_with = ["b"]', "", True),
        ("", 'not_to_confuse_with = ["a"]', True),
    ],
)
def test_another_kind_that_matches_too_must_be_declared_on_either_side(
    tmp_path: Path, of_a: str, of_b: str, declared: bool
) -> None:
    found = faults(
        tmp_path,
        ("a",),
        a=text("a", "DraftDecodeFailed", BOTH, keys=of_a),
        b=text("b", "SpeculativeBatchFailed", SYMPTOM, keys=of_b),
    )
    assert found == ([] if declared else [UNDECLARED])


def test_a_consequence_of_a_consequence_is_declared(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        ("a",),
        a=text("a", "DraftDecodeFailed", BOTH, keys='consequences = ["c"]'),
        b=text("b", "SpeculativeBatchFailed", SYMPTOM),
        c=text("c", "MemorySlotMissing", MTP, keys='consequences = ["b"]'),
    )
    assert found == []


@pytest.mark.parametrize("severity", ["benign", "info"])
def test_a_kind_that_is_no_fault_may_stand_beside_any(tmp_path: Path, severity: str) -> None:
    found = faults(
        tmp_path,
        ("a",),
        a=text("a", "DraftDecodeFailed", BOTH),
        b=text("b", "SpeculativeBatchFailed", SYMPTOM, severity=severity),
    )
    assert found == []


def test_only_the_named_signatures_are_run(tmp_path: Path) -> None:
    wrong = text("a", "DraftDecodeFailed", SYMPTOM)
    assert faults(tmp_path, ("b",), a=wrong, b=text("b", "DraftDecodeFailed", MTP)) == [
        "server/b.toml: example 1 - a matches too, and neither consequences nor not_to_confuse_with says so"
    ]


def test_hostile_text_is_long_enough_to_make_a_bad_pattern_run_away() -> None:
    assert all(len(hostile) >= 8000 for hostile in HOSTILE)


def test_a_text_that_no_example_holds_is_named(tmp_path: Path) -> None:
    spare = '[when.spare]\nanchor = "never printed"\ntext = "never printed"\n[when.held]\nanchor = "speculative batch"\ntext = "speculative batch"\n'
    one = text("a", "DraftDecodeFailed", BOTH, captures="{ rc = -1 }")
    one = one.replace('all = ["it"]', 'all = ["it"]\nnone = ["spare", "held"]').replace("[cause]", f"{spare}[cause]")
    catalog = tiny_catalog(tmp_path, a=one)
    assert unseen_conditions(catalog, analyzer(catalog)) == ["a/spare"]
