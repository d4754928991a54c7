"""Rows of rich text, laid out for a width and printed at once."""

import io

from rich.console import Console
from rich.text import Text

_LABEL = 11  # columns


class Page:
    """The rows of a report; a row that was added is at most `width` columns wide."""

    def __init__(self, width: int, color: bool) -> None:
        self.width = width
        self.rows: list[Text] = []
        self._console = Console(
            file=io.StringIO(),
            width=width,
            force_terminal=color,
            no_color=not color,
            color_system="standard" if color else None,
            highlight=False,
            emoji=False,
            markup=False,
            legacy_windows=False,
        )

    def gap(self) -> None:
        """Add an empty row."""
        self.rows.append(Text())

    def put(self, text: Text, *, first: Text | None = None, hang: int = 0) -> None:
        """Add text behind `first`, wrapped, with `hang` columns before each further row."""
        lead = first if first is not None else Text()
        hang = hang or lead.cell_len
        for index, piece in enumerate(text.wrap(self._console, max(20, self.width - hang)) or [Text()]):
            row = lead.copy() if index == 0 else Text(" " * hang)
            if index == 0:
                row.pad_right(hang - row.cell_len)
            row.append_text(piece)
            row.rstrip()
            self.rows.append(row)

    def labelled(self, label: str, text: Text) -> None:
        """Add text beside a label: capitalized ones stand two columns in."""
        shown = f"  {label}" if label[:1].isupper() or not label else label
        self.put(text, first=Text(shown, style="bold"), hang=_LABEL)

    def cropped(self, row: Text) -> None:
        """Add one row; what is too wide is cut with an ellipsis."""
        row.truncate(self.width, overflow="ellipsis")
        row.rstrip()
        self.rows.append(row)

    def text(self) -> str:
        """Return all rows, with ANSI colours where they were asked for; no newline at the end."""
        self._console.print(Text("\n").join(self.rows), soft_wrap=True, end="")
        output = self._console.file
        assert isinstance(output, io.StringIO)
        return output.getvalue().rstrip("\n")
