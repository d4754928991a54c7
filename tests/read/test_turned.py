"""Logs that were printed newest first are read from their end, and every number stays the file's."""

import pytest

from diag.model.form import Command, Form, Statement
from diag.model.line import Line, Note
from diag.model.report import Report, Untold
from diag.model.run import Drafter, Task
from diag.read.repair import read_lines
from diag.read.turned import is_turned, mirrored, newest_first, oldest_first
from tests.build import ready, sample
from tests.read.shapes import SHAPES

FAILING = "mtp-one-axis-image-fails-b11434"
LOGS = (FAILING, "restarts-three-clean-b11434", "mtp-mrope-image-ok-b11434", "router-mtp-one-axis-image-fails-b11434")
NOTE = Note("the log is newest first: read from its end")


def clocked(*seconds: int, stream: str | None = None) -> list[Line]:
    return [Line(n, 0, f"0.{at:02}.000.000 I x", stream) for n, at in enumerate(seconds, 1)]


def timed(*times: str | None) -> list[Line]:
    return [Line(n, 0, f"text {n}", time=time) for n, time in enumerate(times, 1)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (clocked(9, 8, 7, 6, 5, 4), True),
        (clocked(4, 5, 6, 7, 8, 9), False),
        (clocked(9, 8, 7), False),  # too few to tell
        (clocked(9, 8, 9, 8, 9, 8, 9, 8), False),  # two processes in turn
        (clocked(9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4), True),  # two starts
        (clocked(4, 5, 6, 7, 8, 9, 4, 5, 6, 7, 8, 9), False),
        (clocked(7, 7, 7, 7, 7, 7, 7), False),
        ([line for n in range(9) for line in (*clocked(n, stream="a"), *clocked(50 - n, stream="b"))], False),
        (timed("Mar 14 09:21:07", *(f"Mar 14 09:20:{n}" for n in (50, 40, 30, 20, 10))), True),
        (timed("Mar 14 09:59:07", *(f"Mar 14 10:00:{n}" for n in (10, 20, 30, 40, 50))), False),
        # The wall clock knows better: a server that dies again and again a bit sooner.
        ([Line(n, 0, f"0.{20 - n:02}.000.000 E x", time=f"10:00:{n + 10}") for n in range(1, 9)], False),
        ([], False),
    ],
)
def test_a_log_whose_clocks_fall_is_newest_first(lines: list[Line], expected: bool) -> None:
    assert newest_first(lines) is expected


def test_the_parts_of_an_entry_stay_in_order() -> None:
    newer = [Line(1, 0, "c", time="3"), Line(1, 1, "d", time="3")]
    older = [Line(n, 0, text, time="2") for n, text in enumerate("987654321", 2)]
    turned = oldest_first([*newer, *older])
    assert "".join(line.text for line in turned) == "123456789cd"
    assert [(line.number, line.part) for line in turned[-2:]] == [(1, 0), (1, 1)]


def test_an_entry_over_several_rows_stays_in_order_where_all_others_carry_a_clock() -> None:
    lines = timed("09:21:10", None, None, *(f"09:20:{n}" for n in range(50, 22, -1)))
    turned = oldest_first(lines)
    assert [(line.number, line.part, line.text) for line in turned[-3:]] == [
        (1, 0, "text 1"),
        (1, 1, "text 2"),
        (1, 2, "text 3"),
    ]


def test_every_line_number_is_mirrored_and_back() -> None:
    form = Form(
        version=Statement(2, "b1"), commands=(Command(3, "a", ("a",)), Command(7, "b", ("b",))), typed_lines=(3,)
    )
    turned = mirrored(form, 10)
    assert turned.version == Statement(8, "b1")
    assert [(command.line, command.text) for command in turned.commands] == [(3, "b"), (7, "a")]
    assert turned.typed_lines == (7,)
    assert mirrored(turned, 10) == form
    task = mirrored(Task(0, 1, first_line=2, last_line=5, outcome="failed", error_line=4), 10)
    assert (task.first_line, task.last_line, task.error_line, task.task_id) == (5, 8, 6, 1)
    assert mirrored(Drafter(conflict="x (line 4), but y (line 9)"), 10).conflict == "x (line 6), but y (line 1)"
    assert mirrored(Untold("x", "y (line 3)", "z"), 10).because == "y (line 7)"
    assert mirrored([Line(4, 1, "x", stream="line 3")], 10) == [Line(6, 1, "x", stream="line 3")]


def backwards(text: str) -> str:
    return "\n".join(reversed(text.rstrip("\n").split("\n"))) + "\n"


def told(report: Report, n_lines: int | None = None) -> list[object]:
    def where(line: int) -> int:
        return line if n_lines is None else n_lines + 1 - line

    return [
        (item.signature, item.confidence, item.captures, [(where(one.line), one.text) for one in item.evidence])
        for item in report.diagnoses
    ]


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("shape", ["plain", "journald_short", "journald_json", "compose", "rfc3339", "router_port"])
def test_a_log_printed_newest_first_gets_the_answer_of_the_log(shape: str, name: str) -> None:
    text = SHAPES[shape].wrap(sample(name).splitlines())
    forwards, turned = ready().analyze_text(text), ready().analyze_text(backwards(text))
    assert told(turned, turned.input.n_lines) == told(forwards)
    assert [one.reached for one in turned.sessions] == [one.reached for one in forwards.sessions]
    assert NOTE in turned.input.notes
    assert NOTE not in forwards.input.notes


def test_what_a_turned_log_cites_is_in_those_lines_of_the_file() -> None:
    text = backwards(sample(FAILING))
    report = ready().analyze_text(text)
    rows = text.split("\n")
    cited = [(one.line, one.text) for item in report.diagnoses for one in item.evidence]
    assert cited
    assert all(rows[line - 1].endswith(words) for line, words in cited)
    assert (report.sessions[0].first_line, report.sessions[0].last_line) == (1, len(rows) - 1)


def test_lines_are_turned_only_once() -> None:
    lines, notes, _, _ = read_lines(sample(FAILING))
    assert not is_turned(lines)
    assert NOTE not in notes
