"""Text of a width, safe for a terminal."""

import pytest

from diag.render.sheet import Sheet


def test_a_row_wraps_under_itself() -> None:
    sheet = Sheet(40)
    sheet.row("label", "one two three four five six seven eight nine", label_width=8)
    assert sheet.text() == "label   one two three four five six\n        seven eight nine"


def test_a_flag_is_not_cut_at_its_hyphen() -> None:
    sheet = Sheet(40)
    sheet.line("a text that ends just before the flag --spec-draft-model")
    assert sheet.text().splitlines()[-1] == "--spec-draft-model"


def test_columns_are_as_wide_as_their_longest_cell_and_the_last_wraps() -> None:
    sheet = Sheet(40)
    sheet.table([("n", "what"), ("100", "a long text that has to go on in a second row")], right="r")
    assert sheet.text().splitlines() == [
        "  n  what",
        "100  a long text that has to go on in a",
        "     second row",
    ]


def test_a_last_column_without_room_goes_to_a_line_of_its_own() -> None:
    sheet = Sheet(40)
    sheet.table([("a" * 30, "words that need more than eight columns")], header=False)
    assert sheet.text().splitlines() == ["a" * 30, "    words that need more than eight", "    columns"]


def test_a_table_wider_than_the_text_becomes_sentences() -> None:
    sheet = Sheet(40)
    sheet.table([("turns", "d" * 30, "rate"), ("text", "7", "0.5")])
    assert sheet.text().splitlines() == [f"text: {'d' * 30} 7,", "  rate 0.5"]


def test_a_line_of_a_log_is_cropped_not_wrapped() -> None:
    sheet = Sheet(40)
    sheet.verbatim("x" * 100, indent=4)
    assert sheet.text() == "    " + "x" * 35 + "…"


@pytest.mark.parametrize("add", ["line", "verbatim"])
def test_control_characters_never_reach_the_terminal(add: str) -> None:
    sheet = Sheet(80)
    getattr(sheet, add)("a\x1b[31mred\x07\x9b2J\u202eb")
    assert sheet.text() == "a\ufffd[31mred\ufffd\ufffd2J\ufffdb"


def test_labels_and_cells_are_made_safe_too() -> None:
    sheet = Sheet(80)
    sheet.row("file", "\x1b]0;title\x07")
    sheet.table([("\x1b[2J", "\x1b[2J")])
    assert "\x1b" not in sheet.text()
    assert "\x07" not in sheet.text()


def test_styles_are_written_only_with_colours() -> None:
    plain, painted = Sheet(80), Sheet(80, color=True)
    for sheet in (plain, painted):
        sheet.line("text", "red")
    assert plain.text() == "text"
    assert painted.text() == "\x1b[1;31mtext\x1b[0m"


def test_empty_lines_neither_begin_double_nor_end_the_text() -> None:
    sheet = Sheet(80)
    sheet.blank()
    sheet.line("a")
    sheet.blank()
    sheet.heading("b")
    sheet.blank()
    assert sheet.text() == "a\n\nb"
