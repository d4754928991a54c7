"""Hostile inputs through the reader: endless lines, bodies full of anchors, files that change while they are read, pipes."""

import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diag.model.report import Report
from diag.pipeline import Analyzer
from diag.read.source import Source
from tests.build import SAMPLES, ready
from tests.large.generated import generated, lasting
from tests.large.reference import facts_of

START = (SAMPLES / "no-drafter-text-ok-b11434" / "log.txt").read_bytes()
CLOCK = b"0.01.000.000 "
ERROR = CLOCK + b"E srv  strange: valve 4 is stuck\n"
QUIET = CLOCK + b"I srv  update_slots: all slots are idle\n"


def _analyzer(**given: object) -> Analyzer:
    return dataclasses.replace(ready(), small=0, plain=0, **given)  # type: ignore[arg-type]


def _report(path: Path, data: bytes) -> Report:
    path.write_bytes(data)
    return _analyzer().analyze(str(path))


def _answers(report: Report) -> list[tuple[str, int]]:
    return [(item.signature, item.count) for item in report.diagnoses]


def test_a_line_of_20_megabytes_is_one_line(tmp_path: Path) -> None:
    report = _report(tmp_path / "log", START + b"x" * 20_000_000 + b"\n" + ERROR)
    assert report.input.n_lines == START.count(b"\n") + 2
    assert [(item.line, item.count) for item in report.unknown] == [(report.input.n_lines, 1)]


@pytest.mark.parametrize("n_bytes", [100, 100_000, 5_000_000], ids=["short", "long", "longer than a block"])
def test_a_body_that_holds_every_anchor_there_is_gives_no_finding(n_bytes: int, tmp_path: Path) -> None:
    anchors = b" ".join(anchor for anchor in ready().table.anchors if b'"' not in anchor)
    image = b"iVBORw0KGgo" * (n_bytes // 11)
    body = (
        b'D srv  log_server_r: request:  {"messages":[{"role":"user","content":"' + image + anchors + image + b'"}]}\n'
    )
    report = _report(tmp_path / "log", START + (CLOCK + body) * 3 + QUIET)
    assert _answers(report) == [("no-failure-found", 1)]
    assert report.unknown == ()
    assert [session.n_requests for session in report.sessions] == [START.count(b"processing task, is_child")]


def test_more_identical_errors_than_a_flood_are_counted_one_by_one(tmp_path: Path) -> None:
    report = _report(tmp_path / "log", START + (ERROR + QUIET) * 25_000)
    assert [(item.line, item.count) for item in report.unknown] == [(START.count(b"\n") + 1, 25_000)]


def test_short_lines_without_a_last_line_end_are_counted(tmp_path: Path) -> None:
    assert _report(tmp_path / "log", START + b"x\n" * 1_000_000 + b"x").input.n_lines == START.count(b"\n") + 1_000_001


@pytest.mark.parametrize("where", ["in lines", "a hole before the first line"])
def test_nul_bytes_change_nothing(where: str, tmp_path: Path) -> None:
    data = generated("B")
    damaged = data.replace(b"srv", b"\x00srv") if where == "in lines" else bytes(3 << 20) + data
    report = _report(tmp_path / "log", damaged)
    assert facts_of(report) == facts_of(_report(tmp_path / "log", data))
    assert any("NUL byte" in note.what for note in report.input.notes)


def _when_a_block_was_read(path: Path, change: Callable[[], object]) -> Report:
    def watch(blocks: Iterator[bytes], _source: Source) -> Iterator[bytes]:
        for n, block in enumerate(blocks):
            yield block
            if n == 1:  # the first is what the kind of the input was told from
                change()

    return _analyzer(watch=watch).analyze(str(path))


@pytest.mark.parametrize("end", [b"", b"0.09.000.000 E srv  half a li"], ids=["whole lines", "half a line"])
def test_of_a_file_that_grows_a_beginning_is_read(end: bytes, tmp_path: Path) -> None:
    path, data = tmp_path / "log", lasting(3)
    path.write_bytes(data)

    def grow() -> None:
        with path.open("ab") as file:
            file.write(ERROR * 10 + end)

    report = _when_a_block_was_read(path, grow)
    n_bytes = report.input.n_bytes
    read = path.read_bytes()[:n_bytes]
    assert n_bytes >= len(data)
    assert report.input.n_lines == read.count(b"\n") + (not read.endswith(b"\n"))
    assert facts_of(report) == facts_of(_report(tmp_path / "read", read))


def test_of_a_file_cut_off_while_it_is_read_what_was_read_counts(tmp_path: Path) -> None:
    path, data = tmp_path / "log", lasting(4)
    path.write_bytes(data)
    report = _when_a_block_was_read(path, lambda: os.truncate(path, 1000))
    read = data[: report.input.n_bytes]
    assert len(read) < len(data)
    assert facts_of(report) == facts_of(_report(tmp_path / "read", read))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a Unix")
def test_a_named_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path, data = tmp_path / "pipe", generated("B")
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    report = _analyzer().analyze(str(path))
    writer.join()
    assert facts_of(report) == facts_of(_report(tmp_path / "log", data))


_MEASURED = """
from pathlib import Path
from diag.__main__ import main
try:
    main()
finally:
    print("STATUS", Path("/proc/self/status").read_text())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    # the system counts to a child's peak what its parent held, so the child tells of itself
    peaks = []
    for n_megabytes in (10, 40):
        path = tmp_path / f"{n_megabytes}.log"
        path.write_bytes(lasting(n_megabytes))
        argv = [sys.executable, "-c", _MEASURED, "analyze", "--format", "json", str(path)]
        said = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
        peaks.append(int(said.partition("STATUS")[2].partition("VmHWM:")[2].split()[0]) / 1024)
    assert peaks[1] < peaks[0] + 6


def test_each_start_of_a_long_log_keeps_its_build_and_its_ending(tmp_path: Path) -> None:
    names = (
        "mtp-one-axis-text-ok-lv4-b11434",
        "independent-draft-on-mrope-image-aborts-b9464",
        "no-drafter-text-ok-lv4-b11434",
        "independent-draft-images-ok-lv4-b9871",
    )
    alone = [ready().analyze(str(SAMPLES / name / "log.txt")).sessions for name in names]
    text = b""
    for name in names:
        head, _, tail = (SAMPLES / name / "log.txt").read_bytes().partition(b"\n")
        clock = head.split(b" ")[0]
        text += head + b"\n" + (clock + b" I srv  between: nothing happens\n") * 4000 + tail
    found = _report(tmp_path / "log", text).sessions
    assert [(each.build, each.ending.kind) for each in found] == [
        (each.build, each.ending.kind) for sessions in alone for each in sessions
    ]
