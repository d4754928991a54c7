"""Which drafter a session runs, from the fewest lines that tell it."""

import pytest

from diag.assemble.clues import kind_of_type
from diag.model.form import Command, Form
from diag.model.run import Drafter
from tests.build import session

START = "0.00.003.321 I srv  llama_server: initializing ..."
B9464 = "0.00.002.000 I common_params_print_info: build 9464 (unknown) with GNU 12.2.0 for Linux x86_64"
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
DRAFT = "0.00.010.000 I common_speculative_init_result: loading draft model '/models/{name}.gguf'"
MTP_CONTEXT = "0.00.015.464 I common_speculative_init_result: creating MTP draft context against the target model '/models/a.gguf'"
ADDED = "0.00.015.464 I common_speculative_impl: adding speculative implementation '{type}'"
DETECTED = "0.00.015.464 I spec common_specu: auto-detected speculative type '{type}' from the draft model metadata"
ARCH = "0.00.007.000 I print_info: arch                  = {arch}"
ROPE = "0.00.007.001 I print_info: rope type             = {rope}"
BLOCK = "0.00.015.464 I common_speculative_impl_draft_dflash: - block_size=16, mask_token_id=248319, n_extract=8"
SIZED = "0.00.015.500 I spec common_specu: - n_max=3, n_min=0, p_min=0.00, n_embd=64, backend_sampling=1"
SHARED = "0.00.012.000 I llama_kv_cache: layer   1: sharing with layer 3. k = 0x559265ffe700, v = 0x55926601e700"
CTX_OTHER = "0.00.011.022 E llama_init_from_model: failed to initialize the context: {name} requires ctx_other to be set (this warning is normal during memory fitting)"
JUMP = "0.01.046.626 W find_slot: non-consecutive token position 21 after 20 for sequence 0 with 49 new tokens"
ZEROED = "0.00.090.000 W spec      process: target embeddings of size 64 do not fit the draft input width 32, the draft receives zero rows for them and drafts after multimodal input will be poor"

FAILED = {
    "mtp": "0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)",
    "dflash": "0.00.080.354 E process: llama_process(ctx_dft) failed rc=-1 (n_tokens=36, offset=0)",
    "eagle3": "0.00.080.354 E spec      process: llama_process(ctx_dft) failed rc=-1 (n_tokens=38, ubatch_pos[0]=36)",
    "simple": "0.00.080.354 E spec      process: failed to decode draft batch, ret = -1",
}
REFUSED = """0.00.080.339 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:
 - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19
 - the tokens for sequence 0 in the input batch have a starting position of Y = {y}
 {rule}
0.00.080.352 E decode: failed to initialize batch"""
CONSECUTIVE = REFUSED.format(y=36, rule="it is required that the sequence positions remain consecutive: Y = X + 1")
MROPE = REFUSED.format(y=12, rule="for M-RoPE, it is required that the position satisfies: X < Y")

TASK = """0.00.051.933 I slot launch_slot_: id  0 | task 0 | processing task, is_child = 0
0.00.063.750 I slot print_timing: id  0 | task 0 |        eval time =       5.61 ms /    {n} tokens (    0.37 ms per token,  2676.18 tokens per second)
0.00.063.819 I slot      release: id  0 | task 0 | stop processing: n_tokens = 61, truncated = 0"""
ACCEPTED = "0.00.063.756 I slot print_timing: id  0 | task 0 | draft acceptance = 1.00000 (   11 accepted /    11 generated), mean len =  3.75"


def drafter(*parts: str, command: str | None = None) -> Drafter:
    commands = (Command(1, command, tuple(command.split())),) if command else ()
    return session("\n".join(parts), form=Form(commands=commands)).drafter


TABLE = [
    # (lines, family, position class, kind, confidence)
    pytest.param((CONSECUTIVE, FAILED["mtp"]), "one-axis-separate", "one-axis-separate", "mtp", "certain", id="failing line of MTP, one-axis rule"),
    pytest.param((MROPE, FAILED["mtp"]), "mrope-separate", "mrope-separate", "mtp", "certain", id="failing line of MTP, M-RoPE rule"),
    pytest.param((FAILED["mtp"],), "one-axis-separate", "one-axis-separate", "mtp", "possible", id="failing line of MTP alone: an M-RoPE head would have taken the jump"),
    pytest.param((FAILED["mtp"].replace("head=0", "head=2"),), "one-axis-separate", "one-axis-separate", "mtp", "likely", id="failing line of a chained head, as only one-axis models have them"),
    pytest.param((FAILED["mtp"].replace("rc=-1", "rc=1"),), "unknown", "unknown", "mtp", "unknown", id="failing line of MTP for want of room"),
    pytest.param((CONSECUTIVE, FAILED["dflash"]), "dflash", "one-axis-separate", "dflash", "certain", id="failing line of DFlash"),
    pytest.param((MROPE, FAILED["dflash"]), "dflash", "mrope-separate", "dflash", "certain", id="failing line of an M-RoPE DFlash"),
    pytest.param((FAILED["dflash"],), "dflash", "unknown", "dflash", "certain", id="failing line of DFlash without positions"),
    pytest.param((CONSECUTIVE, FAILED["eagle3"]), "eagle3", "one-axis-separate", "eagle3", "certain", id="failing line of EAGLE-3"),
    pytest.param((CONSECUTIVE, FAILED["simple"]), "independent-draft", "one-axis-separate", "simple", "certain", id="failing line of a plain draft"),
    pytest.param((LOADING, ADDED.format(type="draft-dflash"), READY), "dflash", "unknown", "dflash", "certain", id="DFlash start line"),
    pytest.param((LOADING, ADDED.format(type="draft-dspark"), READY), "dflash", "unknown", "dflash", "certain", id="DSpark counts as DFlash"),
    pytest.param((LOADING, ADDED.format(type="draft-eagle3"), READY), "eagle3", "one-axis-separate", "eagle3", "certain", id="EAGLE-3 start line"),
    pytest.param((LOADING, ADDED.format(type="draft-simple"), READY), "independent-draft", "unknown", "simple", "certain", id="plain draft start line"),
    pytest.param((LOADING, ADDED.format(type="ngram-mod"), READY), "ngram", "none", "ngram", "certain", id="ngram start line"),
    pytest.param((LOADING, DETECTED.format(type="draft-dflash"), READY), "dflash", "unknown", "dflash", "certain", id="type read from the file"),
    pytest.param((LOADING, BLOCK, READY), "dflash", "unknown", "dflash", "certain", id="DFlash block line"),
    pytest.param((LOADING, CTX_OTHER.format(name="dflash"), READY), "dflash", "unknown", "dflash", "certain", id="the benign line names DFlash"),
    pytest.param((LOADING, CTX_OTHER.format(name="eagle3"), READY), "eagle3", "one-axis-separate", "eagle3", "certain", id="the benign line names EAGLE-3"),
    pytest.param((LOADING, CTX_OTHER.format(name="Gemma4Assistant"), READY), "shared-cache", "shared-cache", "mtp", "certain", id="the benign line names the Gemma assistant"),
    pytest.param((LOADING, SHARED, MTP_CONTEXT, READY), "shared-cache", "shared-cache", "mtp", "certain", id="a shared layer"),
    pytest.param((LOADING, SHARED, ADDED.format(type="draft-simple"), READY), "shared-cache", "shared-cache", "mtp", "certain", id="an assistant run as a plain draft"),
    pytest.param((LOADING, ARCH.format(arch="step35"), ROPE.format(rope=2), MTP_CONTEXT, READY), "one-axis-separate", "one-axis-separate", "mtp", "likely", id="MTP on a one-axis architecture"),
    pytest.param((LOADING, ARCH.format(arch="qwen35"), ROPE.format(rope=40), MTP_CONTEXT, READY), "mrope-separate", "mrope-separate", "mtp", "likely", id="MTP on an M-RoPE architecture"),
    pytest.param((LOADING, MTP_CONTEXT, READY, JUMP), "mrope-separate", "mrope-separate", "mtp", "likely", id="MTP, the image warning of M-RoPE hybrids"),
    pytest.param((LOADING, MTP_CONTEXT, READY), "unknown", "unknown", "mtp", "unknown", id="MTP, nothing tells the positions"),
    pytest.param((LOADING, ZEROED, READY), "independent-draft", "unknown", "simple", "certain", id="zero rows"),
    pytest.param((LOADING, DRAFT.format(name="x-dflash-q8"), READY), "dflash", "unknown", "dflash", "possible", id="file name of a DFlash draft"),
    pytest.param((LOADING, DRAFT.format(name="Step-EAGLE3"), READY), "eagle3", "one-axis-separate", "eagle3", "possible", id="file name of an EAGLE-3 draft"),
    pytest.param((LOADING, DRAFT.format(name="small"), READY), "unknown", "unknown", "unknown", "unknown", id="a draft file alone"),
    pytest.param(("build_info: b8722-unknown", LOADING, DRAFT.format(name="small"), READY), "independent-draft", "unknown", "simple", "possible", id="a draft file alone, when that was enough"),
    pytest.param((START, LOADING, DRAFT.format(name="small"), READY, TASK.format(n=16)), "none", "none", "none", "likely", id="a draft file, long answers, no acceptance"),
    pytest.param((START, LOADING, DRAFT.format(name="small"), READY, TASK.format(n=7)), "unknown", "unknown", "unknown", "unknown", id="a draft file, answers too short to tell"),
    pytest.param((START, LOADING, READY, TASK.format(n=16)), "none", "none", "none", "likely", id="no draft file, long answers, no acceptance"),
    pytest.param((START, LOADING, READY, TASK.format(n=7)), "unknown", "unknown", "unknown", "unknown", id="no draft file, answers too short to tell"),
    pytest.param(("0.00.001.000 I x: common_params_print_info: verbosity = 4", LOADING, READY), "none", "none", "none", "certain", id="nothing at -lv 4"),
    pytest.param((B9464, LOADING, READY), "none", "none", "none", "certain", id="nothing in a build that names every drafter"),
    pytest.param((LOADING, READY, TASK.format(n=16)), "unknown", "unknown", "unknown", "unknown", id="the head of the log is cut off, where a drafter may stand"),
    pytest.param((LOADING, READY, ACCEPTED, TASK.format(n=16)), "unknown", "unknown", "unknown", "unknown", id="something drafts, nothing names it"),
    pytest.param(("llama_model_load: error loading model: unknown model architecture: 'eagle3'",), "eagle3", "one-axis-separate", "eagle3", "likely", id="a load error names the file's architecture"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "family", "position_class", "kind", "confidence"), TABLE)
def test_the_fewest_lines_that_tell_a_drafter(
    parts: tuple[str, ...], family: str, position_class: str, kind: str, confidence: str
) -> None:
    found = drafter(*parts)
    assert (found.family, found.position_class, found.kind, found.confidence) == (
        family,
        position_class,
        kind,
        confidence,
    )


@pytest.mark.parametrize(
    ("spec_type", "kind"),
    [
        ("draft-mtp", "mtp"),
        ("nextn", "mtp"),
        ("draft-dflash", "dflash"),
        ("draft-dspark", "dflash"),
        ("draft-eagle3", "eagle3"),
        ("draft-simple", "simple"),
        ("draft", "simple"),
        ("ngram-mod", "ngram"),
        ("ngram_map", "ngram"),
        ("none", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_spec_type_names_a_kind_of_drafter(spec_type: str, kind: str) -> None:
    assert kind_of_type(spec_type) == kind


def test_flags_alone_are_a_possible_drafter() -> None:
    found = drafter(LOADING, READY, command="llama-server -m /models/a.gguf --spec-type draft-eagle3 -md e.gguf")
    assert (found.family, found.confidence, found.spec_types) == ("eagle3", "possible", ("draft-eagle3",))


def test_the_failing_line_wins_over_start_lines_and_flags() -> None:
    found = drafter(
        LOADING, ADDED.format(type="draft-mtp"), READY, CONSECUTIVE, FAILED["eagle3"], command="llama-server --spec-type draft-dflash"
    )  # fmt: skip
    assert (found.family, found.kind) == ("eagle3", "eagle3")
    assert found.evidence[0].text.endswith("ubatch_pos[0]=36)")


def test_two_lines_that_name_two_drafters_are_a_conflict_and_both_are_shown() -> None:
    found = drafter(LOADING, ADDED.format(type="draft-mtp"), READY, CONSECUTIVE, FAILED["eagle3"])
    assert found.conflict is not None
    assert "eagle3" in found.conflict
    assert "draft-mtp" in found.conflict


def test_a_flag_that_says_otherwise_is_no_conflict() -> None:
    found = drafter(LOADING, READY, CONSECUTIVE, FAILED["eagle3"], command="llama-server --spec-type draft-mtp")
    assert found.conflict is None


def test_an_ngram_behind_a_draft_type_is_no_conflict_and_not_the_answer() -> None:
    found = drafter(LOADING, ADDED.format(type="ngram-mod"), ADDED.format(type="draft-dflash"), READY)
    assert (found.family, found.conflict, found.spec_types) == ("dflash", None, ("ngram-mod", "draft-dflash"))


def test_the_figures_of_the_start_are_kept() -> None:
    found = drafter(LOADING, ADDED.format(type="draft-dflash"), SIZED, BLOCK, READY)
    assert found.params == {"n_max": 3, "n_min": 0, "p_min": 0.0, "block_size": 16, "n_extract": 8}


def test_the_draft_file_is_kept_and_a_file_without_a_type_is_told_apart_from_no_file() -> None:
    found = drafter(START, LOADING, DRAFT.format(name="small"), READY, TASK.format(n=16))
    assert (found.family, found.path) == ("none", "/models/small.gguf")
    assert "a draft model is loaded" in found.evidence[0].says


def test_every_certain_drafter_shows_a_line() -> None:
    found = drafter(LOADING, ADDED.format(type="draft-dflash"), READY)
    assert [(item.line, item.family) for item in found.evidence] == [(2, "dflash")]


def test_a_draft_models_own_architecture_is_not_the_targets() -> None:
    one = session("\n".join((LOADING, ARCH.format(arch="dflash"), ARCH.format(arch="llama"), READY)))
    assert (one.target.arch, one.drafter.family, one.drafter.confidence) == ("llama", "dflash", "likely")
