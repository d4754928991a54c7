"""The rule recomputed from X and Y."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diag.positions.rule import Rule, accepts, gap, left_by, missed, relation

ENDS = st.integers(min_value=-1, max_value=10**6)
STARTS = st.integers(min_value=0, max_value=10**6)
RULES = st.sampled_from(list(Rule))

CONSECUTIVE, TOKEN, EMBEDDING = Rule.CONSECUTIVE, Rule.MROPE_TOKEN, Rule.MROPE_EMBEDDING


@pytest.mark.parametrize(
    ("rule", "x", "y", "taken"),
    [
        (CONSECUTIVE, 19, 20, True),
        (CONSECUTIVE, 19, 36, False),
        (CONSECUTIVE, 19, 19, False),
        (TOKEN, 20, 28, True),
        (TOKEN, 210, 210, False),
        (TOKEN, 8792, 193, False),
        (EMBEDDING, 21, 21, True),
        (EMBEDDING, 22, 21, False),
    ],
)
def test_each_rule_takes_and_refuses_what_llama_cpp_does(rule, x, y, taken):
    assert accepts(rule, x, y) is taken


@given(RULES, STARTS)
def test_an_empty_cache_takes_any_start(rule, y):
    assert accepts(rule, -1, y)


@given(st.integers(min_value=0, max_value=10**6), STARTS)
def test_the_consecutive_rule_takes_exactly_the_batches_without_a_gap(x, y):
    assert accepts(CONSECUTIVE, x, y) == (gap(x, y) == 0)


@given(st.integers(min_value=0, max_value=10**6), STARTS)
def test_mrope_rules_are_wider_in_order(x, y):
    taken = [accepts(rule, x, y) for rule in (CONSECUTIVE, TOKEN, EMBEDDING)]
    assert taken == sorted(taken)
    assert taken[1] == (gap(x, y) >= 0)
    assert taken[2] == (gap(x, y) >= -1)


@given(RULES, ENDS)
def test_the_next_position_is_taken_by_every_rule(rule, x):
    assert accepts(rule, x, x + 1)


@given(RULES, ENDS, STARTS)
def test_a_batch_that_starts_ahead_leaves_a_real_hole_and_the_next_one_is_taken(rule, x, y):
    assert (relation(x, y) == "ahead") == (gap(x, y) >= 1)
    if relation(x, y) == "next":
        assert accepts(rule, x, y)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (19, 36, "ahead"),
        (19, 21, "ahead"),
        (19, 20, "next"),
        (-1, 0, "next"),
        (210, 210, "equal"),
        (8792, 193, "behind"),
        (5, 4, "behind"),
    ],
)
def test_the_relation_is_seen_from_the_end_of_the_cache(x, y, expected):
    assert relation(x, y) == expected


def test_the_wordings_are_those_of_the_log():
    assert [rule.wording for rule in Rule] == ["Y = X + 1", "X < Y", "X <= Y"]


@pytest.mark.parametrize(
    ("family", "position_class", "x", "y", "expected"),
    [
        ("one-axis-separate", "one-axis-separate", 19, 36, 16),
        ("dflash", "one-axis-separate", 20, 28, 7),
        ("dflash", "unknown", 20, 28, 7),
        ("eagle3", "one-axis-separate", 18, 36, 16),
        ("eagle3", "one-axis-separate", 6, 40, 32),
        ("eagle3", "one-axis-separate", 6, 8, 0),
        ("independent-draft", "one-axis-separate", 21, 28, 7),
        ("independent-draft", "shared-cache", 45, 0, None),
        ("mrope-separate", "mrope-separate", 8792, 193, None),
        ("mrope-separate", "mrope-separate", 20, 28, None),
        ("dflash", "mrope-separate", 20, 28, None),
        ("one-axis-separate", "one-axis-separate", 210, 210, None),
        ("ngram", "none", 20, 28, None),
        ("unknown", "unknown", 19, 36, None),
    ],
)
def test_the_images_positions_are_the_gap_corrected_per_drafter(family, position_class, x, y, expected):
    assert missed(family, position_class, gap(x, y)) == expected


@pytest.mark.parametrize(("build", "expected"), [(None, 6), (10456, 6), (10605, 7), (10895, 7), (10896, 6)])
def test_dflash_builds_that_store_the_image_at_one_position_miss_one_less_than_it_has(build, expected):
    assert missed("dflash", "one-axis-separate", 6, build) == expected


@pytest.mark.parametrize("later", [55, 101])
def test_a_later_turn_has_more_than_the_image_in_its_gap(later):
    # recorded EAGLE-3 conversation: X stays 10 while Y is 28, 55, 101; only the first is the 16-token image
    assert missed("eagle3", "one-axis-separate", gap(10, 28)) == 16
    assert missed("eagle3", "one-axis-separate", gap(10, later)) > 16


@pytest.mark.parametrize(
    ("rule", "x", "y", "evidence", "expected"),
    [
        (CONSECUTIVE, 19, 36, {"image": "seen"}, "image"),
        (CONSECUTIVE, 19, 36, {"image": "possible"}, "image"),
        (CONSECUTIVE, 10, 55, {"image": "seen", "x_constant": True, "y_rises": True, "repeats": 3}, "image"),
        (CONSECUTIVE, 511, 900, {"image": "excluded"}, "lag"),
        (CONSECUTIVE, 511, 900, {"image": "unknown", "x_constant": True, "y_rises": True, "repeats": 3}, "lag"),
        (CONSECUTIVE, 511, 900, {"image": "unknown", "x_constant": True, "y_rises": True, "repeats": 2}, "unknown"),
        (CONSECUTIVE, 511, 900, {"image": "unknown", "x_constant": True, "repeats": 9}, "unknown"),
        (CONSECUTIVE, 19, 36, {"image": "unknown"}, "unknown"),
        (TOKEN, 210, 210, {"image": "unknown"}, "loop"),
        (TOKEN, 210, 209, {"image": "unknown", "drafting": True}, "loop"),
        (TOKEN, 210, 209, {"image": "unknown", "drafting": False}, "stale"),
        (TOKEN, 8792, 193, {"image": "excluded"}, "stale"),
        (EMBEDDING, 300, 12, {"image": "seen"}, "stale"),
        (CONSECUTIVE, 45, 0, {"image": "excluded", "shared_cache": True}, "unknown"),
        (CONSECUTIVE, 45, 0, {"image": "excluded"}, "stale"),
    ],
)
def test_what_left_the_gap_follows_from_the_evidence(rule, x, y, evidence, expected):
    assert left_by(rule, x, y, **evidence) == expected


@given(RULES, ENDS, STARTS, st.sampled_from(["seen", "possible", "excluded", "unknown"]))
def test_a_batch_the_rule_accepts_was_left_by_nothing_known(rule, x, y, image):
    if accepts(rule, x, y):
        assert left_by(rule, x, y, image=image) == "unknown"
