"""The tool's literals and patterns in other tools' languages, tried with those tools on a log."""

import functools
import re
import subprocess
from pathlib import Path

import pytest

from benchmarks.commands import diag, tool
from benchmarks.patterns import FAULTS, exact_patterns
from diag.model.signature import FAULTS as MODEL_FAULTS
from tests.build import SAMPLES, ready

LOG = SAMPLES / "mtp-one-axis-image-fails-retries-b9871" / "log.txt"
NEEDS_RIPGREP = pytest.mark.skipif(tool("rg") is None, reason="needs ripgrep")


@functools.cache
def _printed(*options: str) -> str:
    argv = diag("signatures", "anchors", *options)
    return subprocess.run(argv, capture_output=True, check=True).stdout.decode().removesuffix("\n")


def _anchors() -> list[str]:
    return [anchor.decode() for anchor in ready().table.anchors]


def _count(argv: list[str], words: str, folder: Path) -> int:
    """Return how many lines of the log a tool finds with what `diag` printed for it."""
    (folder / "words").write_text(words + "\n", encoding="utf-8")
    found = subprocess.run([*argv, "-f", str(folder / "words"), str(LOG)], capture_output=True, text=True, check=False)
    assert found.stderr == ""
    return int(found.stdout)


def _lines_with_an_anchor() -> int:
    rows = LOG.read_text(encoding="utf-8").splitlines()
    return sum(any(anchor in row for anchor in _anchors()) for row in rows)


@NEEDS_RIPGREP
def test_ripgrep_finds_with_the_literals_the_lines_that_hold_an_anchor(tmp_path: Path) -> None:
    assert _count([str(tool("rg")), "-a", "-c"], _printed("--format", "rg"), tmp_path) == _lines_with_an_anchor()


@pytest.mark.skipif(tool("grep") is None, reason="needs grep")
def test_grep_finds_the_same(tmp_path: Path) -> None:
    words = _printed("--format", "grep")
    assert words.splitlines() == _anchors()
    assert _count(["grep", "-a", "-c", "-F"], words, tmp_path) == _lines_with_an_anchor()


@NEEDS_RIPGREP
@pytest.mark.parametrize("options", [(), ("--severity", "error")], ids=["all", "of errors"])
def test_ripgrep_takes_the_patterns_as_they_are_printed(options: tuple[str, ...], tmp_path: Path) -> None:
    words = _printed("--format", "rg", "--patterns", *options)
    assert 0 < _count([str(tool("rg")), "-a", "-c"], words, tmp_path) <= _lines_with_an_anchor()


@NEEDS_RIPGREP
@pytest.mark.parametrize("options", [(), ("--patterns",)], ids=["literals", "patterns"])
def test_the_alternation_for_re2_is_one_pattern_of_a_language_without_look_around(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    words = _printed("--format", "re2", *options)
    assert words.startswith("(?:")
    assert "\n" not in words
    limits = ["--regex-size-limit", "1G"]  # ripgrep's own bound for one pattern, not the language's
    assert _count([str(tool("rg")), "-a", "-c", *limits], words, tmp_path) > 0


@NEEDS_RIPGREP
def test_a_filter_of_logql_holds_quoted_patterns(tmp_path: Path) -> None:
    words = _printed("--format", "logql")
    assert re.fullmatch(r"\|~ (?:`[^`]+`|\"(?:[^\"\\]|\\.)*\")(?: or (?:`[^`]+`|\"(?:[^\"\\]|\\.)*\"))*", words)
    quoted = re.findall(r"`([^`]+)`", words)
    assert _count([str(tool("rg")), "-a", "-c"], quoted[0], tmp_path) == _lines_with_an_anchor()


def test_a_query_of_lucene_holds_every_literal_as_a_phrase() -> None:
    words = _printed("--format", "lucene")
    inside = re.fullmatch(r"message:\((.*)\)", words, re.DOTALL)
    assert inside is not None
    phrases = re.findall(r'"((?:[^"\\]|\\.)*)"(?: OR |$)', inside[1])
    assert [re.sub(r"\\(.)", r"\1", phrase) for phrase in phrases] == _anchors()


def test_exact_patterns_for_ripgrep_have_no_look_around() -> None:
    patterns = exact_patterns()
    assert len(patterns) > 500
    assert not [pattern for pattern in patterns if "(?!" in pattern or "(?<" in pattern or "(?=" in pattern]


def test_faults_are_those_of_the_signatures() -> None:
    assert FAULTS == MODEL_FAULTS
