"""The generator repeats itself, and the measurement runs; how long anything takes is never asserted."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

from benchmarks import run
from benchmarks.bars import judged
from benchmarks.commands import Command, environment, python, times
from benchmarks.generate import VARIANTS, size_of, write_log, write_small_files
from benchmarks.hostile import SHAPES, lasting, write
from tests.build import ready


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_seed_gives_the_same_log(variant: str, tmp_path: Path) -> None:
    write_log(variant, 30_000, tmp_path / "one", seed=3)
    write_log(variant, 30_000, tmp_path / "two", seed=3)
    write_log(variant, 30_000, tmp_path / "other", seed=4)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (tmp_path / "one").read_bytes() != (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_generated_log_is_one_of_a_server(variant: str, tmp_path: Path) -> None:
    write_log(variant, 60_000, tmp_path / "log")
    report = ready().analyze(str(tmp_path / "log"))
    assert report.is_llama_log
    assert report.sessions[0].started


def test_packed_and_recoded_logs_hold_the_same_text(tmp_path: Path) -> None:
    write_log("A", 20_000, tmp_path / "plain")
    write_log("A", 20_000, tmp_path / "packed.gz")
    write_log("A", 20_000, tmp_path / "wide", encoding="utf-16")
    plain = (tmp_path / "plain").read_bytes()
    assert gzip.decompress((tmp_path / "packed.gz").read_bytes()) == plain
    wide = ready().analyze(str(tmp_path / "wide"))
    assert wide.input.n_lines == plain.count(b"\n")


def test_small_files_are_as_many_as_asked(tmp_path: Path) -> None:
    n_bytes = write_small_files(tmp_path, 12)
    sizes = [path.stat().st_size for path in tmp_path.glob("*/*.log")]
    assert (len(sizes), sum(sizes)) == (12, n_bytes)
    assert all(5_000 <= size <= 50_000 for size in sizes)


@pytest.mark.parametrize(("text", "n_bytes"), [("200MB", 200_000_000), ("1gb", 10**9), ("5KB", 5000), ("4096", 4096)])
def test_sizes_are_read(text: str, n_bytes: int) -> None:
    assert size_of(text) == n_bytes


@pytest.mark.parametrize("name", SHAPES)
def test_a_hostile_shape_is_a_log_of_a_server(name: str, tmp_path: Path) -> None:
    report = ready().analyze(str(write(SHAPES[name](0.01), tmp_path / "log")))
    assert report.is_llama_log
    assert report.sessions[0].started


def test_a_lasting_log_is_of_one_server(tmp_path: Path) -> None:
    (session,) = ready().analyze(str(write(lasting("A", 3), tmp_path / "log"))).sessions
    assert session.n_requests > 200


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs a Unix")
def test_a_command_tells_what_its_runs_took() -> None:
    busy, idle = Command("busy", python("-c", "sum(range(10**7))")), Command("idle", python("-c", "pass"))
    for command in (busy, idle):
        command.run()
    assert len(busy.cpu_s) == len(busy.wall_s) == 1
    assert times(busy, idle) > 1
    assert busy.peak_mib > 1
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        Command(
            "broken", python("-c", "import sys; sys.excepthook = lambda *e: (sys.stderr.write(repr(e)), exit(9)); 1/0")
        ).run()


def test_byte_code_is_kept_while_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in environment()


@pytest.mark.parametrize(
    ("value", "bar", "cell"), [(0.3, 0.35, "≤ 0.35: met"), (0.4, 0.35, "≤ 0.35: **missed**"), (1, None, "")]
)
def test_a_bar_is_met_or_missed(value: float, bar: float | None, cell: str) -> None:
    assert judged(value, bar) == cell


@pytest.mark.skipif(shutil.which("cat") is None or shutil.which("xargs") is None, reason="needs a Unix")
def test_the_measurement_prints_its_tables(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--size", "60KB", "--files", "3", "--rounds", "1", "--hostile", "0.001", "--memory", "1MB"]
    run.main([*sizes, "--variants", "B", "--beside", "patterns"])
    printed = capsys.readouterr().out
    for words in ("| B |", "| gzip |", "python -c pass", "diag analyze, 200 KB", "ms a file", "wall", *SHAPES):
        assert words in printed
