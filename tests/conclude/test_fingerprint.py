"""A stable name for a failure that nothing knows."""

import pytest

from diag.conclude.fingerprint import shape, unknown_failures
from diag.model.events.event import UnknownError
from diag.model.line import Line


def failure(line: int, text: str) -> UnknownError:
    return UnknownError(line=Line(line, 0, text), text=text)


SAME = [
    ("cannot open /home/a/x.gguf", "cannot open /srv/b/c/x.gguf"),
    ("cannot open C:\\models\\x.gguf", "cannot open /models/x.gguf"),
    ("freed 0x55ab at 0x12", "freed 0x99ff at 0xffff0000"),
    ("took 12 ms of 3.5 s", "took 900 ms of 14.25 s"),
    ("tensor 'blk.1' missing", "tensor 'blk.44.ffn' missing"),
    ("a  wide   gap", "a wide gap"),
    ("rc = -1", "rc = 7"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_changes_from_run_to_run_does_not_change_the_fingerprint(one: str, other: str) -> None:
    (first,), (second,) = unknown_failures([failure(1, one)]), unknown_failures([failure(9, other)])
    assert first.fingerprint == second.fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cannot open x.gguf", "cannot read x.gguf"),
        ("cannot open /models/x.gguf", "cannot open /models/y.gguf"),  # the file's own name is told apart
        ("error: a", "error: b"),
    ],
)
def test_another_failure_has_another_fingerprint(one: str, other: str) -> None:
    assert shape(one) != shape(other)


def test_a_fingerprint_is_the_same_in_every_version() -> None:
    # the first ten hex digits of the SHA-256 of "odd failure <n>"
    (found,) = unknown_failures([failure(1, "odd failure 7")])
    assert found.fingerprint == "c418bf12b8"


def test_each_shape_stands_once_with_its_first_line_and_its_count() -> None:
    found = unknown_failures([failure(3, "odd 1"), failure(5, "other"), failure(8, "odd 2"), failure(9, "odd 3")])
    assert [(item.line, item.text, item.count) for item in found] == [(3, "odd 1", 3), (5, "other", 1)]


def test_a_long_line_is_cut() -> None:
    (found,) = unknown_failures([failure(1, "x" * 10_000)])
    assert len(found.text) == 500
