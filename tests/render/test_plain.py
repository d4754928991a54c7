"""Facts in words."""

import pytest

from diag.model.run import Build
from diag.render.plain import build_words


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (Build(11434, "0123456"), "llama.cpp b11434 (0123456)"),
        (Build(11434, "unknown", at_least=11011), "llama.cpp b11434"),
        (Build(at_least=9831, at_most=10239), "llama.cpp b9831 to b10239 (from wordings)"),
        (Build(at_least=11011), "llama.cpp b11011 or later (from wordings)"),
        (Build(flavour="ollama"), "ollama, build not in the log"),
        (
            Build(5000, at_least=11011),
            "llama.cpp b5000 as stated; the log's lines fit b11011 or later (from wordings)",
        ),
        (
            Build(11434, at_most=9113),
            "llama.cpp b11434 as stated; the log's lines fit b9113 or earlier (from wordings)",
        ),
    ],
)
def test_a_build_is_named_with_what_the_log_says_against_it(build: Build, words: str) -> None:
    assert build_words(build) == words
