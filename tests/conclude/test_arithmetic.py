"""The figures behind a diagnosis, worked out and put into sentences."""

import dataclasses

import pytest

from diag.conclude.arithmetic import arithmetic, asked_mib, ctx_that_fits, placed_mib
from diag.model.report import Positions
from diag.model.run import Device, Memory, Session
from tests.build import report, session

PLAIN = session("0.00.006.394 I srv    load_model: loading model '/models/a.gguf'")


def positions(x: int | None, y: int | None, missed: int | None = None, rule: str | None = "consecutive") -> Positions:
    gap = y - x - 1 if x is not None and y is not None else None
    return Positions(rule, x, y, gap, missed, "draft", "image")


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (positions(19, 36, 16), "Here X = 19 and Y = 36: 36 - 19 - 1 = 16 positions are missing; the rule is Y = X + 1."),
        (positions(6, 8), "Here X = 6 and Y = 8: 8 - 6 - 1 = 1 position is missing; the rule is Y = X + 1."),
        # EAGLE-3 stands one lower, an independent draft one higher
        (positions(18, 36, 16), "Here X = 18 and Y = 36: 36 - 18 - 1 = 17 positions are missing, 16 of them the image's; the rule is Y = X + 1."),
        (positions(21, 28, 7), "Here X = 21 and Y = 28: 28 - 21 - 1 = 6 positions are missing (an image of 7); the rule is Y = X + 1."),
        (positions(36, 36, rule="mrope-token"), "Here X = 36 and Y = 36; the rule is X < Y."),
        (positions(36, 20, rule="mrope-embedding"), "Here X = 36 and Y = 20; the rule is X <= Y."),
        (positions(19, 36, rule=None), "Here X = 19 and Y = 36: 36 - 19 - 1 = 16 positions are missing."),
    ],
)  # fmt: skip
def test_the_sentence_of_a_refused_batch(found: Positions, sentence: str) -> None:
    assert arithmetic("positions", {}, found, PLAIN) == (sentence,)


def test_a_refusal_that_lost_a_figure_has_no_sentence() -> None:
    assert arithmetic("positions", {}, positions(None, 36), PLAIN) == ()


@pytest.mark.parametrize(
    ("captures", "mib"), [({"mib": 12.5}, 12.5), ({"n_bytes": 8_589_934_592}, 8192.0), ({"device": "CUDA0"}, None)]
)
def test_what_was_asked_for_is_told_in_mebibytes(captures: dict[str, float | str], mib: float | None) -> None:
    assert asked_mib(captures) == mib


@pytest.mark.parametrize(
    ("n_ctx", "kv_mib", "room_mib", "fits"),
    [
        (8192, 1024.0, 512.0, 4096),
        (8192, 1024.0, 500.0, 3840),  # 4000 tokens, cut to a multiple of 256
        (8192, 1024.0, 4096.0, 8192),
        (8192, 1024.0, 10.0, 0),
        (8192, 1024.0, 0.0, 0),
        (8192, 1024.0, -5.0, 0),
        (8192, 0.0, 512.0, 0),
    ],
)
def test_the_context_that_fits_is_in_proportion_and_in_steps_of_256(
    n_ctx: int, kv_mib: float, room_mib: float, fits: int
) -> None:
    assert ctx_that_fits(n_ctx, kv_mib, room_mib) == fits


FULL = Memory(model_mib={"CUDA0": 6000.0, "CPU": 200.0}, kv_mib={"CUDA0": 2000.0})


def card(memory: Memory, free_mib: int | None, n_ctx: str = "8192") -> Session:
    device = Device("CUDA0", "card", "cuda", free_mib=free_mib)
    return dataclasses.replace(PLAIN, devices=(device,), backends=("cuda",), memory=memory, context={"n_ctx": n_ctx})


def test_what_stands_on_a_device_is_told_by_kind() -> None:
    assert placed_mib(card(FULL, None), "CUDA0") == {"model": 6000.0, "KV cache": 2000.0}
    assert placed_mib(card(FULL, None), "CUDA1") == {}


def test_a_compute_buffer_that_does_not_fit_can_come_out_of_the_cache() -> None:
    # 6000 + 2000 + 500 of 8000: 500 are missing, a cache of 1500 fits: 8192 * 1500 / 2000 = 6144
    assert arithmetic("memory", {"mib": 500.0, "device": 0}, None, card(FULL, 8000)) == (
        "500 MiB were asked for on CUDA0.",
        "This start had placed 8000 MiB there already (model 6000, KV cache 2000).",
        "8000 MiB were free before it.",
        "So at least 500 MiB are missing.",
        "With the rest unchanged a context of about 6144 instead of 8192 tokens fits.",
    )


def test_a_cache_that_was_refused_itself_gets_what_is_left() -> None:
    # 8000 - 6000 = 2000 for a cache of 4000: half of 8192
    only_model = Memory(model_mib={"CUDA0": 6000.0})
    found = arithmetic("memory", {"mib": 4000.0, "device": "CUDA0"}, None, card(only_model, 8000))
    assert found[-1] == "With the rest unchanged a context of about 4096 instead of 8192 tokens fits."


def test_a_model_that_leaves_no_room_is_not_cured_by_a_smaller_context() -> None:
    only_model = Memory(model_mib={"CUDA0": 7999.0})
    found = arithmetic("memory", {"mib": 4000.0, "device": "CUDA0"}, None, card(only_model, 8000))
    assert found[-1] == "A smaller context alone does not make that room."


def test_without_the_free_memory_only_what_was_placed_is_told() -> None:
    found = arithmetic("memory", {"mib": 500.0, "device": "CUDA0"}, None, card(FULL, None))
    assert [sentence.split()[0] for sentence in found] == ["500", "This"]


def test_a_bare_request_says_nothing_new() -> None:
    assert arithmetic("memory", {"mib": 500.0, "device": "CUDA0"}, None, PLAIN) == ()
    assert arithmetic("memory", {}, None, card(FULL, 8000)) == ()


def test_a_prompt_larger_than_its_slot() -> None:
    found = arithmetic("context", {"n_prompt": 5000, "n_ctx": 2048}, None, dataclasses.replace(PLAIN, n_slots=4))
    assert found == (
        "5000 tokens for a slot of 2048: 2952 too many, before any answer.",
        "`-c` is shared by 4 slots: at least `-c 20000`, or `-np 1`.",
    )
    assert len(arithmetic("context", {"n_prompt": 5000, "n_ctx": 2048}, None, PLAIN)) == 1


def test_an_input_larger_than_the_physical_batch() -> None:
    (found,) = arithmetic("context", {"n_input": 900, "n_ubatch": 512}, None, PLAIN)
    assert found == "900 tokens for a physical batch of 512: `-ub` (and `-b`) must be at least 900."


def test_other_areas_have_no_arithmetic() -> None:
    assert arithmetic("server", {"mib": 500.0, "device": 0}, None, card(FULL, 8000)) == ()


@pytest.mark.parametrize(("n_past", "said"), [(9120, True), (40960, False), (163000, False)])
def test_a_slot_that_fails_far_below_its_size_is_said_to_have_had_room(n_past: int, said: bool) -> None:
    found = arithmetic("context", {"n_past": n_past, "n_ctx": 163840}, None, PLAIN)
    assert bool(found) is said
    assert not said or "9120 of 163840 cells (6 %)" in found[0]


def test_bytes_that_nobody_reads_at_a_glance_are_told_in_mib() -> None:
    # 120259084320 / 1048576 = 114688.00...
    text = "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 120259084320\nllama_kv_cache_init: failed to allocate buffer for kv cache"
    assert report(text).diagnoses[0].arithmetic == ("120259084320 bytes are 114688 MiB.",)
