"""Where every line is read and where most are only counted: the report is the same on both sides of the border."""

import dataclasses
from pathlib import Path

import pytest

from benchmarks.generate import Writer
from diag.model.report import Report
from diag.pipeline import PLAIN, SMALL
from diag.read.repair import reads_line_by_line
from tests.build import SAMPLES, ready
from tests.large.reference import facts_of

FAILING = (SAMPLES / "mtp-one-axis-image-fails-retries-b9871" / "log.txt").read_text(encoding="utf-8")
CRASHING = (SAMPLES / "port-in-use-b11434" / "log.txt").read_text(encoding="utf-8")


def _report(folder: Path, text: str, **limits: int) -> Report:
    path = folder / "server.log"
    path.write_text(text, encoding="utf-8")
    return dataclasses.replace(ready(), **limits).analyze(str(path))  # type: ignore[arg-type]


def _is_counted(report: Report) -> bool:
    return any("read word for word" in note.what for note in report.input.notes)


def test_a_log_beyond_the_border_gets_the_report_of_every_line_read(tmp_path: Path) -> None:
    text = FAILING
    pieces = Writer("A", seed=3).pieces()
    while len(text) <= PLAIN:
        text += next(pieces)
    counted = _report(tmp_path, text)
    assert _is_counted(counted)
    assert facts_of(counted) == facts_of(_report(tmp_path, text, plain=SMALL))


def test_starts_of_a_middling_log_are_not_folded(tmp_path: Path) -> None:
    text = CRASHING * 120
    report = _report(tmp_path, text, plain=1000)
    assert len(report.sessions) == 120
    assert facts_of(report) == facts_of(_report(tmp_path, text))


def _wrapped(text: str) -> str:
    return "\n".join(row[at : at + 80] for row in text.split("\n") for at in range(0, max(1, len(row)), 80))


@pytest.mark.parametrize(
    "damaged",
    [
        FAILING.replace("\n", "\n\n"),
        f"### Relevant log output\n\n```\n{FAILING}```\n",
        _wrapped(FAILING),
        "".join(f"    {row}\n" for row in FAILING.splitlines()),
    ],
    ids=["a blank line after every line", "a form", "hard wraps", "indented"],
)
def test_what_copying_damaged_is_read_whole_up_to_the_outer_border(tmp_path: Path, damaged: str) -> None:
    assert not reads_line_by_line(damaged)
    assert not _is_counted(_report(tmp_path, damaged, plain=100))


@pytest.mark.parametrize(
    "wrapped",
    [
        FAILING,
        "".join(f"Nov 30 04:10:00 box llama-server[42]: {row}\n" for row in FAILING.splitlines()),
        "".join(f"\x1b[34m{row}\x1b[0m\n" for row in FAILING.splitlines()),
    ],
    ids=["plain", "a journal", "colours"],
)
def test_what_a_line_shows_alone_needs_no_other(wrapped: str) -> None:
    assert reads_line_by_line(wrapped)


def test_nothing_but_blanks_is_no_log_to_count() -> None:
    assert not reads_line_by_line(" \n" * 1000)


def test_a_flood_without_clocks_is_counted_alike(tmp_path: Path) -> None:
    text = "GGML_ASSERT(x) failed\n" * 9000
    counted = _report(tmp_path, text, plain=1000)
    assert _is_counted(counted)
    assert facts_of(counted) == facts_of(_report(tmp_path, text))
