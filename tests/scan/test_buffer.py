"""The window over the blocks of a log: line numbers, whole lines, and what is left of lines that are too long to keep."""

import pytest

from diag.scan.buffer import CARRIED, LONG_LINE, Buffer, trimmed

ROW = b"0.00.000.001 I srv  update_slots: all slots are idle\n"


def _fed(*blocks: bytes) -> Buffer:
    buffer = Buffer()
    for block in blocks:
        buffer.feed(block)
    return buffer


@pytest.mark.parametrize(
    ("offset", "line"), [(0, 1), (5, 1), (6, 2), (7, 3), (8, 3)], ids=["first", "its end", "empty", "third", "its end"]
)
def test_an_offset_has_the_number_of_its_line(offset: int, line: int) -> None:
    assert _fed(b"first\n\nx\n").line_of(offset) == line


def test_numbers_go_on_over_the_blocks() -> None:
    rows = 5 * CARRIED // len(ROW)
    buffer = _fed(ROW * rows, ROW * 3)
    assert len(buffer.data) <= CARRIED + len(ROW) * 4
    assert buffer.at % len(ROW) == 0
    assert buffer.line_of(buffer.fresh) == rows + 1
    assert buffer.line_of(0) == buffer.at // len(ROW) + 1


def test_numbers_are_right_in_any_order_of_questions() -> None:
    buffer = _fed(ROW * 4000)
    wanted = {at: at // len(ROW) + 1 for at in (199_999, 3, 70_000, 70_001, 131_072, 0, 65_536)}
    assert {at: buffer.line_of(at) for at in wanted} == wanted


def test_only_whole_lines_come_out() -> None:
    buffer = _fed(b"one\ntwo\nthree\nfour\n")
    assert buffer.lines(0, 4) == [(1, b"one\n")]
    assert buffer.lines(1, 9) == [(2, b"two\nthree\n")]
    assert buffer.lines(9, 13) == []
    assert buffer.lines(14, 100) == [(4, b"four\n")]


def test_of_a_long_line_the_head_and_the_text_around_its_anchors_stay() -> None:
    raw = b"h" * 9000 + b"x" * 90_000 + b"CUDA error" + b"y" * 90_000
    left = trimmed(raw, (9000 + 90_000 + 10,))
    assert left.startswith(b"h" * 8192)
    assert b"CUDA error" in left
    assert len(left) < 3 * LONG_LINE
    assert trimmed(b"short", (3,)) == b"short"


def test_what_came_before_a_line_longer_than_the_window_is_remembered() -> None:
    buffer = _fed(ROW, b"head of it " + b"x" * (8 * CARRIED), b"its end\n" + ROW)
    assert buffer.open_head is not None
    assert buffer.open_head.startswith(b"head of it ")
    assert buffer.line_of(buffer.data.index(b"its end")) == 2
    assert buffer.line_of(buffer.data.index(ROW)) == 3
