"""The words that are explained."""

import pytest

from diag.lookup.glossary import TERMS, find_term
from tests.build import catalog


@pytest.mark.parametrize(
    ("typed", "name"),
    [("one-axis", "one-axis"), ("One Axis", "one-axis"), ("m-rope", "m-rope"), ("M-RoPE", "m-rope"), ("mrope", "m-rope"), ("session", "start"), ("shared cache", "shared-cache")],
)  # fmt: skip
def test_a_word_is_found_however_it_is_spelt(typed: str, name: str) -> None:
    found = find_term(typed)
    assert found is not None
    assert found.name == name


def test_another_word_is_not_in_the_glossary() -> None:
    assert find_term("axis of evil") is None
    assert find_term("") is None


def test_the_glossary_is_short_and_every_entry_is() -> None:
    assert len(TERMS) <= 12
    for term in TERMS:
        assert 1 <= term.text.count(". ") + 1 <= 3, term.name
        assert term.text.endswith(".")


def test_no_word_of_the_glossary_hides_a_failure_kind() -> None:
    for term in TERMS:
        assert all(catalog().resolve(name) is None for name in (term.name, *term.aliases))
