"""Findings to a report: with small catalogues written for the test."""

from pathlib import Path

import pytest

from diag.model.catalog import Catalog
from diag.model.line import InputFacts
from diag.model.report import Report
from diag.pipeline import analyzer
from tests.build import lines, models, report, sample, signature_toml, tiny_catalog

START = "0.00.003.321 I srv  llama_server: initializing ..."
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
TASK = "0.05.072.938 I slot launch_slot_: id  0 | task 8 | processing task, is_child = 0"
RELEASE = "0.05.080.501 I slot      release: id  0 | task 8 | stop processing: n_tokens = 71, truncated = 0"
REFUSED = """0.05.080.339 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:
 - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 18
 - the tokens for sequence 0 in the input batch have a starting position of Y = 36
 it is required that the sequence positions remain consecutive: Y = X + 1"""
EAGLE3 = "0.05.080.354 E spec      process: llama_process(ctx_dft) failed rc=-1 (n_tokens=38, ubatch_pos[0]=36)"
MTP = "0.05.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)"
SYMPTOM = "0.05.080.381 E srv        decode: failed to process speculative batch"
MEMORY = "0.05.080.497 E decode: failed to find a memory slot for batch of size 512"
BENIGN = "0.00.011.022 E llama_init_from_model: failed to initialize the context: dflash requires ctx_other to be set (this warning is normal during memory fitting)"


def kind(name: str, event: str, *, scope: str = "incident", match: str = "", **keys: str) -> str:
    body = f'[[match]]\ngrade = "certain"\nscope = "{scope}"\nall = ["it"]\n{match}\n[when.it]\nevent = "{event}"\n'
    return signature_toml(name, body, **keys)


CAUSE = kind("the-cause", "DraftDecodeFailed", keys='consequences = ["the-symptom"]', cause="The drafter refused rc {rc}. Offset {offset} is lost. It stays refused.")  # fmt: skip
CONSEQUENCE = kind("the-symptom", "SpeculativeBatchFailed")
HARMLESS = kind("the-noise", "CtxOtherRequired", scope="session", severity="benign", area="benign")
RETRIED = kind("the-retry", "MemorySlotMissing", match='unless_later = ["done"]\n[when.done]\nevent = "TaskReleased"')


def concluded(folder: Path, log: str, *, ignore: tuple[str, ...] = (), **files: str) -> Report:
    catalog = tiny_catalog(folder, **files)
    ready = analyzer(Catalog(catalog.signatures, catalog.outlines, catalog.upstream, models()))
    given = lines(log)
    return ready.analyze_lines(given, InputFacts("log", len(log), len(given), "utf-8", (), ()), ignore=ignore)


def log(*parts: str) -> str:
    return "\n".join(parts)


def test_a_cause_carries_its_consequence_and_both_lines(tmp_path: Path) -> None:
    found = concluded(tmp_path, log(LOADING, READY, TASK, MTP, SYMPTOM), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    (diagnosis,) = found.diagnoses
    assert [(item.signature, item.lines) for item in diagnosis.consequences] == [("the-symptom", (5,))]
    assert [(item.line, item.role) for item in diagnosis.evidence] == [(4, "trigger"), (5, "context")]


def test_repeats_are_one_diagnosis_with_their_count_and_first_and_last_time(tmp_path: Path) -> None:
    again = MTP.replace("0.05", "0.09")
    found = concluded(tmp_path, log(LOADING, READY, TASK, MTP, TASK, again), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    (diagnosis,) = found.diagnoses
    assert diagnosis.count == 2
    assert (diagnosis.first.line, diagnosis.first.elapsed_us) == (4, 5_080_354)
    assert (diagnosis.last.line, diagnosis.last.elapsed_us) == (6, 9_080_354)


def test_texts_hold_the_figures_of_the_log_and_drop_what_it_does_not_tell(tmp_path: Path) -> None:
    found = concluded(tmp_path, log(LOADING, READY, TASK, MTP), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    assert found.diagnoses[0].cause == "The drafter refused rc -1. It stays refused."
    assert found.diagnoses[0].summary == "The drafter refused rc -1."


def test_a_benign_line_is_named_as_benign_and_is_no_diagnosis(tmp_path: Path) -> None:
    found = concluded(
        tmp_path, log(LOADING, BENIGN, READY, TASK, MTP), the_noise=HARMLESS, the_cause=CAUSE, the_symptom=CONSEQUENCE
    )
    assert [item.signature for item in found.diagnoses] == ["the-cause"]
    assert [(item.signature, item.evidence[0].line) for item in found.benign] == [("the-noise", 2)]


def test_what_is_ignored_is_as_if_it_were_not_found(tmp_path: Path) -> None:
    files = {"the_cause": CAUSE, "the_symptom": CONSEQUENCE}
    found = concluded(tmp_path, log(LOADING, READY, TASK, MTP, SYMPTOM), ignore=("the-cause",), **files)
    assert [item.signature for item in found.diagnoses] == ["the-symptom"]


def test_what_a_retry_cured_is_told_as_information(tmp_path: Path) -> None:
    found = concluded(tmp_path, log(LOADING, READY, TASK, MEMORY, RELEASE), the_retry=RETRIED)
    assert [(item.signature, item.severity, item.withdrawn_by_line) for item in found.diagnoses] == [
        ("the-retry", "info", 5)
    ]
    standing = concluded(tmp_path, log(LOADING, READY, TASK, MEMORY), the_retry=RETRIED)
    assert [(item.severity, item.withdrawn_by_line) for item in standing.diagnoses] == [("error", None)]


def test_the_same_fault_in_two_starts_is_two_and_the_last_stands_first(tmp_path: Path) -> None:
    start = (START, LOADING, READY, TASK, MTP)
    found = concluded(tmp_path, log(*start, *start), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    assert [(item.signature, item.session) for item in found.diagnoses] == [("the-cause", 2), ("the-cause", 1)]


def test_a_failed_start_followed_by_a_healthy_one_stays_and_is_marked(tmp_path: Path) -> None:
    found = concluded(
        tmp_path, log(START, LOADING, READY, TASK, MTP, START, LOADING, READY), the_cause=CAUSE, the_symptom=CONSEQUENCE
    )
    assert [(item.signature, item.later_session_ok) for item in found.diagnoses] == [("the-cause", 2)]


def test_positions_stand_beside_a_refused_batch_with_what_the_image_left(tmp_path: Path) -> None:
    found = concluded(
        tmp_path, log(LOADING, PROJECTOR, READY, TASK, REFUSED, EAGLE3), the_cause=CAUSE, the_symptom=CONSEQUENCE
    )
    positions = found.diagnoses[0].positions
    assert positions is not None
    assert (positions.rule, positions.x, positions.y, positions.gap) == ("consecutive", 18, 36, 17)
    # an EAGLE-3 cache stands one lower: 17 positions are an image of 16
    assert (positions.missed, positions.refused_by, positions.left_by) == (16, "draft", "image")
    assert found.diagnoses[0].captures["missed"] == 16


def test_without_a_refused_batch_there_are_no_positions(tmp_path: Path) -> None:
    found = concluded(tmp_path, log(LOADING, READY, TASK, MTP), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    assert found.diagnoses[0].positions is None


def test_many_repeats_show_few_lines(tmp_path: Path) -> None:
    found = concluded(tmp_path, log(LOADING, READY, *[TASK, MTP] * 40), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    assert found.diagnoses[0].count == 40
    assert len(found.diagnoses[0].evidence) == 8


def test_a_crash_that_nothing_explains_is_an_unknown_failure(tmp_path: Path) -> None:
    crash = "/srv/src/new.cpp:12: GGML_ASSERT(a == b) failed"
    found = concluded(tmp_path, log(LOADING, READY, TASK, crash), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    assert [item.line for item in found.unknown] == [4]
    explained = concluded(tmp_path, log(LOADING, READY, TASK, MTP, crash), the_cause=CAUSE, the_symptom=CONSEQUENCE)
    assert explained.unknown == ()


UPSTREAM = """
[[item]]
ref = "ggml-org/llama.cpp#1"
kind = "pull-request"
title = "A composed change"
state = "{state}"
checked = 2026-11-29
source = "composed"
{dates}
"""


@pytest.mark.parametrize(
    ("state", "dates", "since"),
    [
        ("merged", "opened = 2026-07-01\nmerged = 2026-09-24", "merged 2026-09-24"),
        ("draft", "opened = 2026-07-01\ndraft_since = 2026-07-08", "draft since 2026-07-08"),
        ("open", "opened = 2026-07-01", "open since 2026-07-01"),
        ("closed", "opened = 2026-07-01\nclosed = 2026-08-02", "closed 2026-08-02"),
        ("open", "", ""),
        ("unknown", "opened = 2026-07-01", ""),
    ],
)
def test_an_upstream_state_has_its_date(tmp_path: Path, state: str, dates: str, since: str) -> None:
    (tmp_path / "upstream.toml").write_text(UPSTREAM.format(state=state, dates=dates), encoding="utf-8")
    linked = CAUSE + '\n[[upstream]]\nref = "ggml-org/llama.cpp#1"\nrelation = "would-fix"\n'
    found = concluded(tmp_path, log(LOADING, READY, TASK, MTP), the_cause=linked, the_symptom=CONSEQUENCE)
    (status,) = found.diagnoses[0].upstream
    assert (status.ref, status.state, status.since, status.relation) == (
        "ggml-org/llama.cpp#1",
        state,
        since,
        "would-fix",
    )
    assert status.checked.isoformat() == "2026-11-29"


def test_an_empty_input_is_an_empty_log() -> None:
    found = report("")
    assert [(item.signature, item.confidence) for item in found.diagnoses] == [("empty-log", "certain")]
    assert not found.is_llama_log


def test_no_failure_found_stands_only_where_nothing_else_does() -> None:
    for name in ("no-drafter-text-ok-b11434", "mtp-one-axis-image-fails-b11434"):
        ids = [item.signature for item in report(sample(name)).diagnoses]
        assert ("no-failure-found" in ids) == (ids == ["no-failure-found"])


def test_a_report_names_the_catalogue_it_was_made_with() -> None:
    assert report("").catalog_hash == report(sample("no-drafter-text-ok-b11434")).catalog_hash != ""
