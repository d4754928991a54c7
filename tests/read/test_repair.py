"""Whatever shape a log is pasted in, the same lines come out, with the numbers of the user's file."""

from pathlib import Path

import pytest

from diag.model.line import Line
from diag.read.repair import read_lines
from tests.read import shapes

RECORDED = (Path(__file__).parent / "data" / "b11434-vision-mtp-step35.log").read_text().splitlines()
TEXTS = [line.strip() for line in RECORDED]
NUMBERS = list(range(1, len(RECORDED) + 1))

WRAPPERS = (
    "journald_short",
    "journald_json",
    "compose",
    "json_file",
    "cri",
    "rfc3339",
    "router_port",
    "ollama_like",
    "lemonade",
    "pino",
    "jan",
    "pm2",
)
PASTES = (
    "markdown_fence",
    "unclosed_fence",
    "details",
    "quoted",
    "quoted_twice",
    "form_body",
    "hard_wrap",
    "hard_wrap_120",
    "double_spaced",
    "indented",
    "crlf",
)
PAIRS = [
    *(
        (outer, inner)
        for outer in WRAPPERS
        for inner in ("router_port", "colours", "lost_esc", "json_file", "jsonl")
        if outer != inner
    ),
    *((outer, inner) for outer in PASTES for inner in (*WRAPPERS, "colours", "lost_esc", "jsonl")),
    *((outer, inner) for outer in PASTES for inner in PASTES if shapes.SHAPES[inner].stacks and outer[:4] != inner[:4]),
]


def clockless(texts: list[str]) -> list[str]:
    return [text.split(" ", 2)[2].strip() if text[0].isdigit() else text for text in texts]


def told(text: str) -> tuple[list[str], list[int]]:
    lines, *_ = read_lines(text)
    kept = [line for line in lines if line.text]
    return [line.text.strip() for line in kept], [line.number for line in kept]


def test_an_unwrapped_log_comes_out_unchanged() -> None:
    lines, notes, wrappers, form = read_lines("\n".join(RECORDED) + "\n")
    assert lines == [Line(number, 0, text) for number, text in zip(NUMBERS, RECORDED, strict=True)]
    assert notes == []
    assert wrappers == ()
    assert form.commands == ()


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_a_shaped_log_gives_the_same_lines_at_their_place(name: str) -> None:
    shape = shapes.SHAPES[name]
    where = shape.where(RECORDED)
    texts, numbers = told(shape.wrap(RECORDED))
    assert texts == (clockless(TEXTS) if name in shapes.CLOCKLESS else TEXTS)
    assert numbers == [where(number) for number in NUMBERS]


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_two_shapes_on_top_of_each_other_give_the_same_lines(outer: str, inner: str) -> None:
    text, where = shapes.stacked(outer, inner, RECORDED)
    texts, numbers = told(text)
    assert texts == (clockless(TEXTS) if {outer, inner} & shapes.CLOCKLESS else TEXTS)
    assert numbers == [where(number) for number in NUMBERS]
