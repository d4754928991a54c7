"""Prompts played through drafters and remedies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diag.errors import InputError
from diag.positions.cost import cost
from diag.positions.drafters import DRAFTERS, choose
from diag.positions.play import Remedy, play
from diag.positions.prompt import Target, parse_prompt, place
from diag.positions.rule import Rule, accepts, gap
from tests.build import catalog

WORDS = st.one_of(
    st.integers(1, 40).map("text:{}".format),
    st.integers(1, 40).map("image:{}".format),
    st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda grid: f"image:{grid[0]}x{grid[1]}"),
)
PROMPTS = st.lists(WORDS, min_size=1, max_size=7).map(" ".join).map(parse_prompt)
TARGETS = st.sampled_from(list(Target))
PLAYABLE = st.sampled_from([drafter for drafter in DRAFTERS if not drafter.misuse])
OWN_CACHE = st.sampled_from([drafter for drafter in DRAFTERS if drafter.cache == "own"])
BUILDS = st.sampled_from([None, 9464, 9871, 10189, 10605, 10825, 10896, 11434])

SHORT = "text:3 image:4 text:3"
UPSTREAM = catalog().upstream


def _play(name, prompt, remedy=Remedy.VERBATIM, target=Target.MROPE, build=None):
    (drafter,) = choose(name)
    return play(parse_prompt(prompt), target, drafter, remedy, build)


@pytest.mark.parametrize(
    ("name", "x", "y", "missed"),
    [("mtp-one-axis", 2, 7, 4), ("dflash-one-axis", 2, 7, 4), ("eagle3", 1, 7, 4), ("independent-one-axis", 3, 7, 4)],
)
def test_a_verbatim_copy_of_mrope_positions_is_refused_at_the_text_after_the_image(name, x, y, missed):
    played = _play(name, SHORT)
    assert played.verdict == "refused"
    assert (played.refused.number, played.refused.x, played.refused.first) == (3, x, y)
    assert played.refused.rule is Rule.CONSECUTIVE
    assert played.missed == missed


@pytest.mark.parametrize("name", ["mtp-mrope", "dflash-mrope", "independent-mrope"])
def test_an_mrope_drafter_jumps_over_the_image(name):
    assert _play(name, SHORT).verdict == "accepted"


@pytest.mark.parametrize("name", ["shared-cache", "ngram"])
@pytest.mark.parametrize("remedy", list(Remedy))
def test_a_drafter_without_a_cache_of_its_own_is_untouched(name, remedy):
    played = _play(name, SHORT, remedy)
    assert played.verdict == "no own cache"
    assert {step.outcome for step in played.steps} == {"no batch"}


def test_an_mtp_head_on_mrope_lacks_the_image_although_nothing_is_refused():
    played = _play("mtp-mrope", SHORT)
    assert (played.n_unseen_rows, played.n_hole) == (4, 4)
    assert played.draft_numbers == "0 1 2 7 8 9"


def test_an_mrope_draft_that_holds_the_image_lacks_nothing():
    played = _play("independent-mrope", "text:3 image:2x2 text:3")
    assert (played.n_unseen_rows, played.n_hole) == (0, 0)
    assert played.draft_numbers == "0 1 2 [3 x 4 rows] 5 6 7"


def test_a_relaxed_check_lets_the_batch_through_and_keeps_the_hole():
    played = _play("mtp-one-axis", SHORT, Remedy.RELAXED)
    assert [step.outcome for step in played.steps] == ["accepted", "not given", "let through"]
    assert (played.draft_numbers, played.n_hole) == ("0 1 2 7 8 9", 4)
    assert "no draft was accepted" in cost(played, UPSTREAM).text


def test_dropped_speculation_gives_the_sequence_no_drafts_after_the_image():
    played = _play("mtp-one-axis", "text:3 image:4 text:3 image:4 text:1", Remedy.DROPPED)
    assert [step.outcome for step in played.steps] == ["accepted", "not given", "dropped", "dropped", "dropped"]
    assert played.draft_numbers == "0 1 2"


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("mtp-one-axis", "0 1 2 3 4 5"),
        ("dflash-one-axis", "0 1 2 3 4 5"),
        ("independent-one-axis", "0 1 2 3 4 5"),
        ("eagle3", "0 1 2 3 4"),  # its last row waits for the next token
    ],
)
def test_draft_local_numbering_counts_the_drafts_own_rows(name, numbers):
    played = _play(name, SHORT, Remedy.LOCAL)
    assert (played.verdict, played.draft_numbers, played.n_hole, played.n_unseen_rows) == ("accepted", numbers, 0, 4)


def test_an_image_that_opens_the_prompt_passes_because_the_cache_is_empty():
    played = _play("mtp-one-axis", "image:4 text:3")
    assert (played.verdict, played.draft_numbers, played.n_hole) == ("accepted", "4 5 6", 4)


@pytest.mark.parametrize(
    ("name", "generated", "x"), [("mtp-one-axis", 1, 2), ("dflash-one-axis", 1, 2), ("eagle3", 2, 1)]
)
def test_after_an_image_that_ends_the_prompt_a_generated_token_is_refused(name, generated, x):
    # EAGLE-3 holds the first generated token back until the second
    played = _play(name, "text:3 image:4")
    assert (played.refused.generated, played.refused.x, played.refused.first) == (generated, x, 7)
    assert played.missed == 4
    assert any("ends with an image" in note for note in played.notes)


def test_a_single_token_after_the_image_waits_in_eagle3_and_is_refused_with_the_next():
    played = _play("eagle3", "text:3 image:4 text:1")
    assert [step.outcome for step in played.steps] == ["accepted", "not given", "waits", "refused"]
    assert (played.refused.x, played.refused.first, played.missed) == (1, 7, 4)


def test_adjacent_images_under_mrope_part_an_independent_draft_already_at_the_second():
    played = _play("independent-one-axis", "text:3 image:4 image:4 text:3")
    assert (played.refused.number, played.refused.x, played.refused.first, played.missed) == (3, 3, 7, 4)


@pytest.mark.parametrize(
    ("build", "x", "unseen"),
    [(10456, 2, 4), (10605, 3, 0), (10895, 3, 0), (10896, 2, 4)],
)
def test_dflash_stores_image_rows_at_one_position_only_between_two_builds(build, x, unseen):
    # source of b10605: rows of an image go in at the target's positions; PR 28587 (b10896) skips rows that share one
    played = _play("dflash-one-axis", SHORT, build=build)
    assert (played.refused.x, played.refused.first, played.n_unseen_rows, played.missed) == (x, 7, unseen, 4)


def test_dflash_text_reaches_an_mrope_cache_as_embeddings():
    assert {step.rule for step in _play("dflash-mrope", SHORT).steps if step.rule} == {Rule.MROPE_EMBEDDING}


def test_a_pairing_that_does_not_occur_is_named():
    assert any("does not occur" in note for note in _play("mtp-one-axis", SHORT).notes)
    assert not any("does not occur" in note for note in _play("mtp-one-axis", SHORT, target=Target.ONE_AXIS).notes)


@pytest.mark.parametrize(
    ("name", "count"), [(None, 9), ("dflash", 2), ("eagle3", 1), ("independent-draft", 2), ("mtp-mrope", 1)]
)
def test_a_name_chooses_one_drafter_or_a_family(name, count):
    assert len(choose(name)) == count


def test_an_unknown_family_is_an_input_error_that_lists_the_known():
    with pytest.raises(InputError, match=r"no drafter 'medusa'; one of mtp-one-axis, .*independent-draft"):
        choose("medusa")


@pytest.mark.parametrize(
    ("name", "says"),
    [("mtp-one-axis", "0.75"), ("dflash-one-axis", "42 of 63"), ("eagle3", "No implementation and no figure")],
)
def test_the_price_of_draft_local_numbering_is_the_published_one_or_none(name, says):
    price = cost(_play(name, SHORT, Remedy.LOCAL), UPSTREAM)
    assert says in price.text
    assert "ggml-org/llama.cpp#25144" in price.sources[0].ref


def test_a_remedy_that_is_not_needed_says_so():
    assert "Not needed" in cost(_play("mtp-mrope", SHORT, Remedy.LOCAL), UPSTREAM).text
    assert "no batch is refused" in cost(_play("mtp-mrope", SHORT, Remedy.RELAXED), UPSTREAM).text


@given(PROMPTS, TARGETS, PLAYABLE, BUILDS)
def test_draft_local_numbering_is_never_refused_and_has_no_hole(segments, target, drafter, build):
    played = play(segments, target, drafter, Remedy.LOCAL, build)
    assert played.refused is None
    assert played.n_hole == 0


@given(PROMPTS, TARGETS, OWN_CACHE, BUILDS)
def test_the_first_refusal_is_at_the_same_x_and_y_under_every_remedy_but_draft_local(segments, target, drafter, build):
    found = {
        None if each.refused is None else (each.refused.number, each.refused.x, each.refused.first)
        for each in (play(segments, target, drafter, remedy, build) for remedy in Remedy if remedy is not Remedy.LOCAL)
    }
    assert len(found) == 1


@given(PROMPTS, TARGETS, PLAYABLE, st.sampled_from(list(Remedy)), BUILDS)
def test_every_accepted_batch_satisfies_its_rule_and_every_other_breaks_it(segments, target, drafter, remedy, build):
    for step in play(segments, target, drafter, remedy, build).steps:
        if step.rule is not None:
            assert accepts(step.rule, step.x, step.first) == (step.outcome == "accepted")


@given(PROMPTS, OWN_CACHE, BUILDS)
def test_an_mrope_cache_is_never_refused(segments, drafter, build):
    played = play(segments, Target.MROPE, drafter, Remedy.VERBATIM, build)
    if played.refused is not None:
        assert played.refused.rule is Rule.CONSECUTIVE


@given(PROMPTS, TARGETS, OWN_CACHE, BUILDS)
def test_the_missed_positions_are_the_span_of_the_images_since_the_last_stored_text(segments, target, drafter, build):
    played = play(segments, target, drafter, Remedy.VERBATIM, build)
    if played.refused is None:
        return
    refused = played.refused.placed
    before = [each for each in place(segments, target) if each.first < refused.first]
    # DFlash takes an image of one row, whose rows it cannot see to be pinned: the gap begins behind it
    taken = {step.placed.first for step in played.steps if step.outcome == "accepted" and not step.generated}
    span = 0
    for each in reversed(before):
        if each.segment.kind == "image" and each.segment.n_rows == 1 and each.first in taken:
            break
        # a lone token that EAGLE-3 holds back stores nothing, so the gap goes on behind it
        if each.segment.kind == "text" and not (drafter.holds_back and each.segment.n_rows == 1):
            break
        span += each.span if each.segment.kind == "image" else 1
    if not (drafter.holds_back and any(each.segment.kind == "text" and each.segment.n_rows == 1 for each in before)):
        assert played.missed == span
    assert gap(played.refused.x, played.refused.first) >= 1
