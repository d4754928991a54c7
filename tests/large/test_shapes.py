"""Large logs of hostile shapes: one endless line, bodies full of anchors, a million alike, restarts without end."""

import dataclasses
from collections.abc import Iterator

import pytest

from diag.model.line import InputFacts
from diag.model.report import Report
from diag.scan.span import Budgets
from tests.build import SAMPLES, ready
from tests.large.reference import facts_of, large, small

START = (SAMPLES / "no-drafter-text-ok-b11434" / "log.txt").read_bytes()
CLOCK = "0.01.000.000 "


def _report(blocks: Iterator[bytes], budgets: Budgets | None = None) -> Report:
    analyzer = dataclasses.replace(ready(), budgets=budgets or Budgets())
    left = analyzer.choose(blocks)
    return analyzer.analyze_chosen(left, InputFacts("log", 0, left.n_lines, "utf-8", left.wrappers, left.notes))


def test_one_endless_line_is_one_line() -> None:
    def blocks() -> Iterator[bytes]:
        yield START
        for _ in range(12):
            yield b"x" * (1 << 20)
        yield b"\n"

    report = _report(blocks())
    assert report.input.n_lines == START.count(b"\n") + 1
    assert len(report.sessions) == 1


def test_an_anchor_in_the_body_of_a_request_is_no_message() -> None:
    filler = "A" * 300_000
    body = f'{CLOCK}D srv  log_server_r: request:  {{"messages":"{filler} CUDA error: out of memory {filler}"}}\n'
    report = large(START + body.encode() * 5)
    assert [item.signature for item in report.diagnoses] == ["no-failure-found"]
    assert report.unknown == ()


def test_identical_failures_are_counted_one_by_one() -> None:
    lines = [f"{CLOCK}I slot launch_slot_: id  0 | task 900 | processing task, is_child = 0"]
    for n in range(3000):
        lines.append(
            f"{CLOCK}E srv    send_error: task id = 900, error: request (9000 tokens) exceeds the available context size"
        )
        lines.append(f"{CLOCK}I slot get_availabl: id  0 | task -1 | selected slot by LRU, t_last = {n}")
    data = START + "\n".join(lines).encode()
    report = large(data, size=40_000)
    assert facts_of(report)["diagnoses"] == facts_of(small(data))["diagnoses"]
    assert report.input.n_lines == data.count(b"\n") + 1


def test_an_unknown_failure_is_counted_wherever_it_stands() -> None:
    data = START + b"".join(f"{CLOCK}E srv  strange: valve {n} is stuck\n".encode() for n in range(2000))
    (failure,) = large(data, size=30_000).unknown
    assert failure.count == 2000
    assert failure.line == START.count(b"\n") + 1


def test_a_crash_loop_folds() -> None:
    data = (SAMPLES / "port-in-use-b11434" / "log.txt").read_bytes()
    report = large(data * 400, size=60_000)
    assert len(report.sessions) == 50
    assert any("350 of 400 starts" in note.what for note in report.input.notes)
    assert report.sessions[0].first_line == 1
    assert report.sessions[-1].last_line == data.count(b"\n") * 400


def test_a_clock_that_falls_begins_another_server() -> None:
    lines = [line for line in START.splitlines(keepends=True) if b"task" in line]
    before = [line.replace(b"0.00.", b"9.00.", 1) for line in lines]
    filler = [b"9.00.500.000 I srv  update_slots: all slots are idle\n"] * 2500
    data = b"".join([*before, *filler, *lines])
    assert facts_of(large(data, size=30_000))["sessions"] == facts_of(small(data))["sessions"]


@pytest.mark.parametrize("n_requests", [20_000])
def test_acceptance_is_summed_exactly(n_requests: int) -> None:
    lines = []
    for task in range(n_requests):
        at = f"{CLOCK}I slot launch_slot_: id  0 | task {task} | "
        lines.append(f"{at}processing task, is_child = 0")
        lines.append(
            f"{at}draft acceptance = 0.50000 ({task % 7:5d} accepted / {task % 7 + 3:5d} generated), mean len =  2.00"
        )
        lines.append(f"{at}stop processing: n_tokens = 9, truncated = 0")
    report = large(START + "\n".join(lines).encode())
    text = report.sessions[0].acceptance["text"]
    assert text.requests == n_requests
    assert text.accepted == sum(task % 7 for task in range(n_requests))
    assert text.drafted == text.accepted + 3 * n_requests
    assert report.sessions[0].n_requests == n_requests + START.count(b"processing task, is_child")


def test_a_large_text_of_another_program_is_no_llama_log() -> None:
    report = large(b"Lorem ipsum dolor sit amet consectetur\n" * 20_000)
    assert not report.is_llama_log
    assert report.sessions == ()
