"""The word that a file name's pattern is looked for by first."""

import re
from pathlib import Path

import pytest

from diag.catalog.load import load_catalog
from diag.catalog.locate import shipped
from diag.catalog.registry import leading_word


@pytest.mark.parametrize(
    ("pattern", "word"),
    [
        (r"(?i)mmproj", "mmproj"),
        (r"(?i)gemma-?4", "gemma"),
        (r"(?i)deepseek.*(v3|r1)", "deepseek"),
        (r"(?i)d-?flash|d-?spark", ""),
        (r"(?i)gemmas?-4", ""),
        (r"(?i)(?:gemma|llama)-4", ""),
        (r"mmproj", ""),
    ],
)
def test_the_word_is_the_one_that_every_name_begins_with(pattern: str, word: str) -> None:
    assert leading_word(pattern) == word


def test_no_sample_and_no_name_of_the_table_is_missed_for_want_of_the_word() -> None:
    hints = load_catalog([shipped("signatures")]).models.names
    words = set(re.findall(r"[\w./-]+", "\n".join(path.read_text("utf-8") for path in _texts())))
    found = 0
    for hint in hints:
        for word in words:
            if re.search(hint.pattern, word):
                assert hint.word in word.lower(), (hint, word)
                found += 1
    assert found > 50


def _texts() -> list[Path]:
    return [*shipped("samples").glob("*/log.txt"), shipped("signatures") / "models.toml"]
