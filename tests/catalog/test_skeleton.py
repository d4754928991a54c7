"""The skeleton of a signature from a failing line."""

import datetime as dt
import re
import tomllib

import pytest

from diag.catalog.check import ANCHOR
from diag.catalog.schema import SignatureFile
from diag.catalog.skeleton import Seen, condition_of, skeleton, unwritten
from diag.errors import InputError

DAY = dt.date(2026, 11, 30)


@pytest.mark.parametrize(
    ("message", "anchor", "other"),
    [
        (
            "srv  update_slots: the spindle 3 lost 'left' after 17.5 turns (0xdeadbeef)",
            "the spindle",
            "srv  other_name: the spindle 40 lost 'the right' after 2 turns (0x1)",
        ),
        (
            "load_thing: cannot open /models/a.gguf",
            "load_thing: cannot open",
            "load_thing: cannot open C:\\models\\b.gguf",
        ),
        (
            "slot   release: id  0 | task 12 | the wheel came off [axle]",
            "the wheel came off",
            "slot   release: id  3 | task 9 | the wheel came off [axle]",
        ),
    ],
)
def test_what_changes_from_run_to_run_is_left_open(message: str, anchor: str, other: str) -> None:
    found, pattern = condition_of(message)
    assert found == anchor
    assert ANCHOR.fullmatch(found)
    assert re.search(pattern, message)
    assert re.search(pattern, other)


@pytest.mark.parametrize("message", ["", "12 34 56", "/a/b/c 7", "{}[]{}[]", "lost 3 left 4"])
def test_a_line_without_a_literal_cannot_be_searched_for(message: str) -> None:
    with pytest.raises(InputError):
        condition_of(message)


@pytest.mark.parametrize(
    "line",
    [
        "the frobnicator is lost",
        "the frobnicator's '''handle''' is lost",
        "the frobnicator \x1b[31mis\x7f lost\\",
        'the "frobnicator" \\d+ is lost (again) [and again] {a}',
        "it ends in a quote after the frobnicator's 'end'",
    ],
)
def test_any_line_gives_a_file_that_the_schema_takes(line: str) -> None:
    text = skeleton("frobnicator-lost", "server", Seen(line, ("before", line), ("other-kind",)), DAY)
    file = SignatureFile.model_validate(tomllib.loads(text))
    signature = file.freeze()
    assert signature.examples[0].log.strip("\n") == f"before\n{line}"
    condition = signature.conditions["failed"]
    assert condition.text is not None
    assert condition.anchor is not None
    assert condition.anchor in line
    assert re.search(condition.text, line)
    assert signature.not_to_confuse_with == ("other-kind",)
    assert signature.fixes[0].checked == DAY


def test_what_a_person_must_write_is_named() -> None:
    text = skeleton("frobnicator-lost", "server", Seen("the frobnicator is lost", ("x",)), DAY)
    signature = SignatureFile.model_validate(tomllib.loads(text)).freeze()
    assert unwritten(signature) == [
        "title", "cause.text", "cause.chain 1", "cause.chain 2", "fix 1 do", "fix 1 verify", "fix 1 evidence",
        "example 2 why", "example 2 log",
    ]  # fmt: skip


def test_without_a_log_the_condition_and_the_example_are_to_write_too() -> None:
    signature = SignatureFile.model_validate(tomllib.loads(skeleton("a-b", "server", None, DAY))).freeze()
    assert {"when.failed", "example 1 log"} <= set(unwritten(signature))
