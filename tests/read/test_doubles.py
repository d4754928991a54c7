"""A log of which every line stands twice is read once; what the server repeats stays."""

import pytest

from diag.model.line import Line, Note
from diag.read.doubles import fold_doubles
from tests.build import ready, sample
from tests.read.shapes import SHAPES

FAILING = "mtp-one-axis-image-fails-b11434"


def lines(*texts: str) -> list[Line]:
    return [Line(number, 0, text) for number, text in enumerate(texts, 1)]


def kept(*texts: str) -> str | None:
    folded = fold_doubles(lines(*texts))
    return None if folded is None else "".join(line.text for line in folded)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ("aabbccdd", "abcd"),
        ("aabbbbbbccddee", "abbbcde"),  # the server said b thrice
        ("aabbccddeeffgghhi", "abcdefghi"),  # cut off inside the last pair
        ("abcd", None),
        ("aaaaaaaa", None),
        ("aabb", None),
        ("aabbcd", None),
        ("abbccdde", None),  # every message but the first and the last is repeated
        ("aabbccddabcdefgh", None),
        ("a" * 30 + "bcb" + "d" * 10 + "e" * 4 + "f" * 6, None),
        ("aabb" + "c" * 20 + "dd" + "e" * 8 + "ff" + "g" * 6 + "h" * 4 + "i" * 4, None),  # as many repetitions as pairs
        ("", None),
    ],
)
def test_only_what_stands_twice_from_end_to_end_is_folded(texts: str, expected: str | None) -> None:
    assert kept(*texts) == expected


def test_an_entry_of_several_lines_is_doubled_as_a_whole() -> None:
    entries = [Line(number, part, f"{number // 2}{part}") for number in range(2, 12) for part in (0, 1)]
    folded = fold_doubles(entries)
    assert folded is not None
    assert [(line.number, line.part) for line in folded] == [(n, part) for n in (2, 4, 6, 8, 10) for part in (0, 1)]


def test_equal_words_of_two_processes_are_no_doubles() -> None:
    woven = [Line(2 * n + at, 0, str(n), stream) for n in range(9) for at, stream in enumerate("ab")]
    assert fold_doubles(woven) is None


@pytest.mark.parametrize("shape", ["plain", "compose", "journald_short", "rfc3339", "markdown_fence", "crlf"])
def test_a_log_written_twice_line_by_line_gets_the_answer_of_the_log(shape: str) -> None:
    bare = ready().analyze_text(sample(FAILING))
    doubled = [line for line in sample(FAILING).splitlines() for _ in range(2)]
    shape_of = SHAPES[shape]
    report = ready().analyze_text(shape_of.wrap(doubled))
    where = shape_of.where(doubled)
    first, wanted = report.diagnoses[0], bare.diagnoses[0]
    assert (first.signature, first.confidence, first.captures) == (wanted.signature, wanted.confidence, wanted.captures)
    assert [item.line for item in first.evidence] == [where(2 * item.line - 1) for item in wanted.evidence]
    assert any(note.what == "every line stood twice: read once" for note in report.input.notes)


def test_a_log_as_it_was_written_has_no_such_note() -> None:
    notes = ready().analyze_text(sample(FAILING)).input.notes
    assert Note("every line stood twice: read once", 1) not in notes
