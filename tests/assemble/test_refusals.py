"""The position message put together again, who refused, and what left the gap."""

import itertools

import pytest

from diag.model.events.position import PositionsRefused
from diag.model.line import Line
from tests.build import lines, session, sessions, woven

HEADER = "0.00.080.339 E init: the tokens of sequence {s} in the input batch have inconsistent sequence positions:"
X = " - the last position stored in the memory module of the context (i.e. the KV cache) for sequence {s} is X = {x}"
Y = " - the tokens for sequence {s} in the input batch have a starting position of Y = {y}"
RULES = {
    "consecutive": " it is required that the sequence positions remain consecutive: Y = X + 1",
    "mrope-token": " for M-RoPE, it is required that the position satisfies: X < Y",
    "mrope-embedding": " for M-RoPE, it is required that the position satisfies: X <= Y",
}
BATCH = "0.00.080.352 E decode: failed to initialize batch"
MTP = "0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)"
STEP = "0.00.080.354 E spec        draft: llama_decode[1] returned -1"
SYMPTOM = "0.00.080.381 E srv        decode: failed to process speculative batch"
TARGET = "srv  update_slots: Invalid input batch. i = 0, n_batch = 2048, ret = -1"
TASK = "0.00.085.933 I slot launch_slot_: id  0 | task {n} | processing task, is_child = 0"

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
WITH_PROJECTOR = "\n".join((LOADING, PROJECTOR, READY))
TEXT_ONLY = "\n".join((LOADING, READY))


def message(x: int, y: int, rule: str = "consecutive", sequence: int = 0) -> list[str]:
    return [HEADER.format(s=sequence), X.format(s=sequence, x=x), Y.format(s=sequence, y=y), RULES[rule]]


def log(*parts: str | list[str]) -> str:
    return "\n".join("\n".join([part] if isinstance(part, str) else part) for part in parts)


def refusals(text: str | list[Line]) -> list[PositionsRefused]:
    return [event for one in sessions(text) for event in one.events if isinstance(event, PositionsRefused)]


def test_four_lines_are_one_refusal_with_its_figures() -> None:
    (found,) = refusals(log(message(19, 36), BATCH, MTP))
    assert (found.rule, found.x, found.y, found.gap, found.relation, found.sequence) == (
        "consecutive", 19, 36, 16, "ahead", 0,
    )  # fmt: skip
    assert [line.number for line in found.fragments] == [1, 2, 3, 4]
    assert (found.level, found.elapsed_us, found.line.number) == ("E", 80_339, 1)


@pytest.mark.parametrize("rule", RULES)
def test_the_last_line_names_the_rule(rule: str) -> None:
    (found,) = refusals(log(message(19, 12, rule), BATCH))
    assert found.rule == rule


@pytest.mark.parametrize(
    ("x", "y", "relation", "gap"),
    [(19, 36, "ahead", 16), (19, 20, "next", 0), (19, 19, "equal", -1), (19, 18, "behind", -2), (-1, 4, "ahead", 4)],
)
def test_the_relation_and_the_gap_follow_from_x_and_y(x: int, y: int, relation: str, gap: int) -> None:
    (found,) = refusals(log(message(x, y), BATCH))
    assert (found.relation, found.gap) == (relation, gap)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_lines_before_the_rule_may_come_in_any_order(order: tuple[int, ...]) -> None:
    given = message(19, 36)
    (found,) = refusals(log([given[at] for at in order], given[3], BATCH))
    assert (found.x, found.y, found.rule) == (19, 36, "consecutive")


@pytest.mark.parametrize("lost", range(4))
def test_a_line_that_the_paste_lost_leaves_its_fields_empty(lost: int) -> None:
    given = [line for at, line in enumerate(message(19, 36)) if at != lost]
    (found,) = refusals(log(given, BATCH, MTP))
    assert len(found.fragments) == 3
    assert (found.x, found.y, found.rule) == (
        None if lost == 1 else 19,
        None if lost == 2 else 36,
        None if lost == 3 else "consecutive",
    )
    assert (found.gap is None) == (lost in (1, 2))


def test_a_refusal_that_lost_its_rule_ends_where_the_next_one_begins() -> None:
    found = refusals(log(message(19, 36)[:3], message(40, 60), BATCH))
    assert [(item.x, item.y, item.rule) for item in found] == [(19, 36, None), (40, 60, "consecutive")]


def test_messages_of_two_streams_that_are_woven_together_are_two_refusals() -> None:
    one, two = message(19, 36), message(40, 60)
    parts = [part for pair in zip(one, two, strict=True) for part in (("8081", pair[0]), ("8082", pair[1]))]
    found = refusals(woven(*parts))
    assert sorted((item.line.stream, item.x, item.y) for item in found) == [("8081", 19, 36), ("8082", 40, 60)]


def test_an_assertion_that_bypassed_the_logger_does_not_tear_the_message() -> None:
    given = message(19, 36)
    odd = "0.00.080.340 E ggml_new: a message of next year, from another thread"
    (found,) = refusals(log(given[:2], odd, given[2:], BATCH))
    assert (found.x, found.y, found.rule) == (19, 36, "consecutive")


@pytest.mark.parametrize(
    ("after", "refused_by"),
    [
        ([BATCH, MTP], "draft"),
        ([BATCH, STEP], "draft"),
        ([BATCH, SYMPTOM], "draft"),
        (["0.00.080.352 E post-decode callback failed"], "draft"),
        ([BATCH, TARGET], "target"),
        # `failed to initialize batch` is printed by both and says nothing
        ([BATCH], "unknown"),
        ([], "unknown"),
    ],
)
def test_the_line_that_follows_tells_which_context_refused(after: list[str], refused_by: str) -> None:
    (found,) = refusals(log(LOADING, READY, message(19, 36), after))
    assert found.refused_by == refused_by


def test_a_failing_line_that_the_paste_shows_above_the_positions_counts_too() -> None:
    (found,) = refusals(log(SYMPTOM, message(19, 36)))
    assert found.refused_by == "draft"


def test_of_two_refusals_in_one_incident_each_has_the_line_that_follows_it() -> None:
    found = refusals(log(message(19, 36), BATCH, TARGET, message(19, 40), BATCH, MTP))
    assert [item.refused_by for item in found] == ["target", "draft"]


def test_builds_that_draft_no_images_refuse_in_the_target() -> None:
    # b8722 prints the same four lines for the target when an M-RoPE projector meets a one-axis model
    head = "build_info: b8722-unknown\n" + WITH_PROJECTOR
    image = "srv  process_chun: processing image..."
    (found,) = refusals(log(head, image, message(19, 36), BATCH))
    assert found.refused_by == "target"


@pytest.mark.parametrize(
    ("head", "x", "y", "rule", "after", "left_by"),
    [
        (WITH_PROJECTOR, 19, 36, "consecutive", [MTP], "image"),
        (TEXT_ONLY, 19, 36, "consecutive", [MTP], "lag"),
        (WITH_PROJECTOR, 36, 36, "consecutive", [STEP], "loop"),
        (WITH_PROJECTOR, 36, 36, "mrope-token", [STEP], "loop"),
        (WITH_PROJECTOR, 36, 35, "consecutive", [STEP], "loop"),
        (WITH_PROJECTOR, 36, 35, "consecutive", [MTP], "stale"),
        (WITH_PROJECTOR, 400, 36, "consecutive", [MTP], "stale"),
        (WITH_PROJECTOR, 400, 36, "mrope-embedding", [MTP], "stale"),
        # a paste without any start: images unknown, one refusal
        ("", 19, 36, "consecutive", [MTP], "unknown"),
        # an M-RoPE context takes a jump forward, so these figures cannot have been refused
        (WITH_PROJECTOR, 19, 36, "mrope-token", [MTP], "unknown"),
    ],
)
def test_what_left_the_gap(head: str, x: int, y: int, rule: str, after: list[str], left_by: str) -> None:
    (found,) = refusals(log(head, message(x, y, rule), BATCH, after))
    assert found.left_by == left_by


def test_a_shared_cache_assistant_run_as_a_plain_draft_is_no_stale_cache() -> None:
    sharing = "0.00.012.000 I llama_kv_cache: layer   1: sharing with layer 3. k = 0x559265ffe700, v = 0x55926601e700"
    (found,) = refusals(log(sharing, WITH_PROJECTOR, message(52, 0), BATCH, SYMPTOM))
    assert found.left_by == "unknown"


def test_an_unmoved_x_and_a_y_that_counts_up_is_a_lag_even_beside_a_projector() -> None:
    tries = [[TASK.format(n=n), *message(19, 36 + n), BATCH, MTP] for n in range(3)]
    found = refusals(log(WITH_PROJECTOR, *tries))
    assert [(item.left_by, item.repeats, item.x_constant) for item in found] == [("lag", 3, True)] * 3


def test_an_image_that_is_sent_again_is_an_image() -> None:
    tries = [[TASK.format(n=n), *message(19, 36), BATCH, MTP] for n in range(3)]
    found = refusals(log(WITH_PROJECTOR, *tries))
    assert [(item.left_by, item.repeats, item.x_constant) for item in found] == [("image", 3, False)] * 3


def test_a_conversation_that_grows_behind_its_image_is_an_image() -> None:
    # recorded EAGLE-3: X = 10, Y = 28, 55, 101
    tries = [[TASK.format(n=n), *message(10, y), BATCH, MTP] for n, y in enumerate((28, 55, 101))]
    found = refusals(log(WITH_PROJECTOR, *tries))
    assert [item.left_by for item in found] == ["image"] * 3


def test_refusals_of_two_sequences_are_counted_apart() -> None:
    one = [TASK.format(n=0), *message(19, 36, sequence=0), BATCH, MTP]
    two = [TASK.format(n=1), *message(19, 36, sequence=1), BATCH, MTP]
    assert [item.repeats for item in refusals(log(WITH_PROJECTOR, one, two))] == [1, 1]


def test_the_first_row_of_the_batch_is_not_taken_for_y() -> None:
    # recorded with two slots: `pos=` is the first row of the whole batch, which belongs to another slot
    other = MTP.replace("pos=36", "pos=372")
    (found,) = refusals(log(WITH_PROJECTOR, message(19, 36), BATCH, other))
    assert (found.y, found.gap) == (36, 16)


def test_the_fragments_are_no_events_of_the_session() -> None:
    one = session(lines(log(WITH_PROJECTOR, message(19, 36), BATCH, MTP)))
    assert not [event for event in one.events if type(event).__name__ == "PositionFragment"]
