"""A single line cut inside a word or a quoted name is whole again; two lines that only stand together are not joined."""

import pytest

from diag.read.halves import join_halves
from diag.read.wraps import loose_rows

HEAD = "llama_model_load: error loading model architecture: "

TORN = {
    "a word": (f"{HEAD}unknown model archi", "tecture: 'step4'"),
    "a word after its capital": (f"{HEAD}something ended in a Segmen", "tation fault"),
    "a quoted path": (f"{HEAD}failed to open '/models/deep/er/a-q4_", "k_m.gguf' for reading"),
    "a quoted name at the end": (f"{HEAD}unknown model architecture: 'st", "ep4'"),
}
WHOLE = {
    "two words that would make a third one": (f"{HEAD}a number that is in", "valid text"),
    "a short line": ("unknown archi", "tecture"),
    "an indented line": (f"{HEAD}unknown model archi", " tecture: 'step4'"),
    "letters that go on": (f"{HEAD}unknown model archi", "tecturename: x"),
    "a quotation that is not closed below": (f"{HEAD}it doesn't open '/models/a", "main: exiting"),
    "a line with a clock below an open quotation": (f"{HEAD}open '/models/a", "0.00.188.370 E it's"),
    "a closed quotation": (f"{HEAD}unknown model architecture: 'step4'", "k' is no name"),
    "an empty line": (f"{HEAD}unknown model archi", ""),
}


@pytest.mark.parametrize("name", TORN)
def test_two_halves_are_joined_at_the_number_of_the_first(name: str) -> None:
    first, second = TORN[name]
    rows = [(1, "main: start"), (2, first), (3, second), (4, "main: end")]
    assert join_halves(rows, loose_rows(rows)) == ([(1, "main: start"), (2, first + second), (4, "main: end")], 2)


@pytest.mark.parametrize("name", WHOLE)
def test_two_lines_are_left_alone(name: str) -> None:
    first, second = WHOLE[name]
    assert join_halves([(1, first), (2, second)], [0, 1]) is None


def test_what_was_joined_is_not_joined_again() -> None:
    rows = [(1, f"{HEAD}unknown archi"), (2, "tecture and an illegal instruc"), (3, "tion")]
    assert join_halves(rows, loose_rows(rows)) == (
        [(1, f"{HEAD}unknown architecture and an illegal instruc"), (3, "tion")],
        1,
    )
