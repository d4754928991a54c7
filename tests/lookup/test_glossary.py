"""The words that are explained."""

import dataclasses
import datetime as dt

import pytest

from diag.lookup.glossary import TERMS, find_term
from tests.build import catalog

UPSTREAM = catalog().upstream


@pytest.mark.parametrize(
    ("typed", "name"),
    [("one-axis", "one-axis"), ("One Axis", "one-axis"), ("m-rope", "m-rope"), ("M-RoPE", "m-rope"), ("mrope", "m-rope"), ("session", "start"), ("shared cache", "shared-cache")],
)  # fmt: skip
def test_a_word_is_found_however_it_is_spelt(typed: str, name: str) -> None:
    found = find_term(typed, UPSTREAM)
    assert found is not None
    assert found.name == name


def test_another_word_is_not_in_the_glossary() -> None:
    assert find_term("axis of evil", UPSTREAM) is None
    assert find_term("", UPSTREAM) is None


def test_the_glossary_is_short_and_every_entry_is() -> None:
    assert len(TERMS) <= 12
    for term in TERMS:
        assert 1 <= term.text.count(". ") + 1 <= 3, term.name
        assert term.text.endswith(".")


def test_no_word_of_the_glossary_hides_a_failure_kind() -> None:
    for term in TERMS:
        assert all(catalog().resolve(name) is None for name in (term.name, *term.aliases))


PATCH = "ggml-org/llama.cpp#25144"
MERGED = {"state": "merged", "merged": dt.date(2027, 1, 5), "checked": dt.date(2027, 1, 9)}


@pytest.mark.parametrize(
    ("moved", "text", "source"),
    [
        (
            {"state": "draft", "draft_since": dt.date(2026, 7, 8), "checked": dt.date(2026, 9, 23)},
            "Pull request 25144 does that: draft since 2026-07-08, in no upstream build that is known.",
            f"{PATCH}, last seen 2026-09-23",
        ),
        (
            {**MERGED, "first_build": 12345},
            "Pull request 25144 does that: merged 2027-01-05, in b12345 and later.",
            f"{PATCH}, last seen 2027-01-09",
        ),
    ],
)
def test_the_state_of_a_thread_is_that_of_the_registry(moved: dict[str, object], text: str, source: str) -> None:
    item = dataclasses.replace(UPSTREAM[PATCH], **moved)
    found = find_term("draft-local", {PATCH: item})
    assert found is not None
    assert found.text.endswith(text)
    assert found.source == source
