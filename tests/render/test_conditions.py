"""Conditions of signatures in words."""

import pytest

from diag.model.signature import Applies, BuildRange, Condition, FixWhen, Match
from diag.model.signature import Test as FieldTest
from diag.render.conditions import (
    applies_words,
    condition_words,
    distinct,
    event_words,
    match_words,
    range_words,
    when_words,
    without_log,
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("TaskFailed", "`send_error: task id = N, error: TEXT`: the client of that task got an error"),
        ("TaskStarted", "task started"),  # nobody wrote words for it
        ("SessionStarted", "a server process begins here"),
        ("NoSuchEvent", "no such event"),
    ],
)
def test_an_event_is_told_by_the_first_sentence_of_its_description(name: str, words: str) -> None:
    assert event_words(name) == words


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition("a", anchor="out of memory", text="out of .*"), "a line holds `out of memory`"),
        (
            Condition("a", "TaskStarted", {"rc": FieldTest(equals=-1), "drafter": FieldTest(any_of=("mtp", "dflash"))}),
            "task started [rc = -1 and drafter = mtp or dflash]",
        ),
        (Condition("a", "TaskStarted", count=3, within="session"), "task started, at least 3 times, in one start"),
        (
            Condition("a", "TaskStarted", {"rate": FieldTest(at_least=0.5, below=1), "x": FieldTest(same_as="b.y")}),
            "task started [rate < 1 and >= 0.5 and x = b.y]",
        ),
        (Condition("a", "TaskStarted", {"text": FieldTest(contains="oom")}), "task started [text holds 'oom']"),
    ],
)
def test_a_condition_is_a_phrase(condition: Condition, words: str) -> None:
    assert condition_words(condition) == words


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (Match("likely", all_of=("a", "b")), "a and b (in one run of failing lines)"),
        (
            Match("likely", "session", any_of=("a", "b"), none_of=("c", "d")),
            "one of a, b; and no c, no d (in one start)",
        ),
        (
            Match("likely", "log", sequence=("a", "b"), unless_later=("c",)),
            "a then b; taken back by a later c (in the whole log)",
        ),
    ],
)
def test_a_match_names_its_conditions(match: Match, words: str) -> None:
    assert match_words(match) == words


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (BuildRange(introduced=9180), "from b9180, no build known to fix it"),
        (
            BuildRange(9180, 9745, "ggml-org/llama.cpp#24340", ("dflash",), backends=("cuda",)),
            "from b9180, fixed in b9745 by #24340 (dflash, cuda)",
        ),
        (BuildRange(fixed=9745, drafter_rope="mrope"), "fixed in b9745 (mrope drafter)"),
    ],
)
def test_a_range_of_builds_names_both_ends(span: BuildRange, words: str) -> None:
    assert range_words(span) == words


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (FixWhen(), ""),
        (FixWhen(build_from=9000, build_below=9871), "builds from b9000 and before b9871"),
        (FixWhen(backends=("rocm", "vulkan"), flags=("-md",)), "backend rocm or vulkan; started with -md"),
        (FixWhen(target_rope="mrope", image="excluded"), "mrope positions of the target; image input excluded"),
    ],
)
def test_the_condition_of_a_fix_is_told(when: FixWhen, words: str) -> None:
    assert when_words(when) == words


def test_limits_are_told() -> None:
    assert applies_words(Applies(("dflash", "eagle3"), "required")) == ["drafter dflash or eagle3", "image input"]


def test_a_value_of_the_log_is_a_place_where_there_is_no_log() -> None:
    assert without_log("{mib} MiB on `{device}`; a set {1, 2} stays") == "<mib> MiB on `<device>`; a set {1, 2} stays"


def test_later_sentences_that_only_a_log_can_fill_are_left_out() -> None:
    told = "The job ran too long. The call was {call}. The GPU is reset."
    assert without_log(told) == "The job ran too long. The GPU is reset."


def test_a_way_that_asks_for_more_than_another_of_its_grade_is_not_told() -> None:
    plain = Match("certain", any_of=("lost", "fault"))
    listed = Match("certain", all_of=("listed",), any_of=("lost", "fault"))
    weaker = Match("likely", all_of=("listed",), any_of=("lost", "fault"))
    assert distinct([listed, plain, weaker]) == [plain, weaker]
    assert distinct([plain, plain]) == [plain]
    assert distinct([listed, Match("certain", "log", any_of=("lost", "fault"))])[0] is listed  # of another scope
