"""The report as people read it: goldens at 80 columns, its order, its length, what it calls harmless."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from diag.render.text import render
from tests.build import SAMPLES, ready

GOLDENS = Path(__file__).parent / "goldens"
FAILURES = {
    "mtp-one-axis-image-fails-b11434": "mtp-one-axis-image-position-gap",
    "dflash-on-mrope-image-fails-b11434": "dflash-image-position-gap",
    "eagle3-image-fails-b9871": "eagle3-image-position-gap",
    "independent-draft-on-mrope-image-fails-b11434": "independent-draft-image-position-gap",
    "shared-cache-as-plain-draft-fails-b11434": "mtp-head-loaded-as-plain-draft",
    "mtp-one-axis-image-fails-then-healthy-b11434": "mtp-one-axis-image-position-gap",
    "draft-file-missing-b11434": "draft-file-missing",
}
HEALTHY = "mtp-mrope-images-ok-lv4-b9871"
EMPTY = "no-drafter-text-ok-lv1-b11434"


def text_of(name: str, *, width: int = 80, color: bool = False, full: bool = False) -> str:
    return render(ready().analyze(str(SAMPLES / name / "log.txt")), width=width, color=color, full=full)


def rows(text: str) -> list[str]:
    """Return which part each line of a report begins, "" for a line that goes on."""
    return [
        found[1] if (found := re.match(r"(?:  )?([A-Za-z]+(?: told)?)\b", line)) else "" for line in text.split("\n")
    ]


@pytest.mark.parametrize("name", [*FAILURES, HEALTHY, EMPTY])
def test_a_report_is_as_it_was_read_and_found_good(name: str, golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / f"{name}.txt", text_of(name))


@pytest.mark.parametrize("name", [path.parent.name for path in sorted(SAMPLES.glob("*/log.txt"))])
def test_one_failure_fits_one_screen(name: str) -> None:
    report = ready().analyze(str(SAMPLES / name / "log.txt"))
    assert len(render(report).split("\n")) <= 40 or len(report.diagnoses) > 1


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*/log.txt")), ids=lambda path: path.parent.name)
def test_no_line_of_any_report_is_wider_than_the_terminal(path: Path) -> None:
    report = ready().analyze(str(path))
    for width in (60, 80):
        for full in (False, True):
            assert max(map(len, render(report, width=width, full=full).split("\n"))) <= width


@pytest.mark.parametrize(("name", "signature"), FAILURES.items())
def test_the_verdict_comes_first_then_proof_reason_fixes_and_upstream(name: str, signature: str) -> None:
    text = text_of(name)
    verdict, proof, reason = text.index(f"  {signature} · "), text.index(" │ "), text.index("\n  Why ")
    fixes = text.index("\n  Fix 1 ")
    assert text.index("\n✗ ") < verdict < proof < reason < fixes
    if "\n  Upstream " in text:
        assert fixes < text.index("\n  Upstream ")
    assert text.index("\nbuild ") < text.index("\ntarget ") < text.index("\ndrafter ") < verdict


@pytest.mark.parametrize("name", [name for name in FAILURES if "image-fails" in name])
def test_the_arithmetic_of_a_gap_is_written_out(name: str) -> None:
    positions = ready().analyze(str(SAMPLES / name / "log.txt")).diagnoses[0].positions
    assert positions is not None
    x, y, gap = positions.x, positions.y, positions.gap
    assert x is not None
    assert y is not None
    assert gap == y - x - 1
    flowing = " ".join(text_of(name).split())
    assert f"Here X = {x} and Y = {y}: {y} - {x} - 1 = {gap} positions are missing" in flowing
    assert "the rule is Y = X + 1." in flowing


@pytest.mark.parametrize("name", [name for name in FAILURES if "image-fails" in name])
def test_who_was_hit_how_often_and_when_stands_at_the_top(name: str) -> None:
    above = " ".join(text_of(name).split(" │ ")[0].split())
    assert "1 of 3 requests failed" in above
    assert "server alive" in above
    assert re.search(r"at \d\.\d{3} s", above)


def test_a_failed_start_before_a_good_one_is_marked() -> None:
    text = " ".join(text_of("mtp-one-axis-image-fails-then-healthy-b11434").split())
    assert "2 starts" in text
    assert "start 1 of 2" in text
    assert "start 2 came up later" in text


@pytest.mark.parametrize(
    "name",
    ["dflash-on-mrope-image-fails-b11434", "eagle3-image-fails-b9871", "shared-cache-as-plain-draft-fails-b11434"],
)
def test_the_benign_context_line_is_called_harmless_and_never_the_fault(name: str) -> None:
    text = text_of(name)
    verdict, harmless = text.split("\n  Harmless ")
    assert "ctx_other" in harmless
    assert "ctx_other" not in verdict


@pytest.mark.parametrize("name", ["no-drafter-text-ok-b9871", HEALTHY, "dflash-text-ok-b11434"])
def test_a_log_without_failure_says_so_and_still_tells_what_ran(name: str) -> None:
    text = text_of(name)
    labels = set(rows(text))
    assert "· info  The log shows no failure" in text
    assert {"build", "target", "drafter", "Slots", "Requests", "Ended"} <= labels
    assert ("Accepted" in labels) is (name != "no-drafter-text-ok-b9871")
    assert "✗" not in text


def test_an_empty_log_is_told_from_a_healthy_one() -> None:
    text = text_of(EMPTY)
    assert "empty-log" in text
    assert "no-failure-found" not in text
    assert "build" not in rows(text)


def test_colours_change_nothing_but_colours() -> None:
    for name in (*FAILURES, HEALTHY, EMPTY):
        painted = text_of(name, color=True)
        assert "\x1b[1;31m" in painted or name in (HEALTHY, EMPTY)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", painted)
        assert [line.rstrip() for line in plain.split("\n")] == text_of(name).split("\n")


def test_full_leaves_nothing_out_that_the_short_report_shows() -> None:
    for name in FAILURES:
        short, full = text_of(name, width=400), text_of(name, width=400, full=True)
        shown = [line for line in short.split("\n") if re.match(r"  (?:Why|Fix \d|Upstream) ", line)]
        assert shown
        for line in shown:
            assert line[11:80].strip() in full
        assert len(full.split("\n")) >= len(short.split("\n"))
