"""Titles, labelled rows and tables to text of a width, with ANSI colours or without: the light way beside rich."""

from collections.abc import Sequence
from textwrap import wrap

from diag.render.plain import visible

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "1;31",
    "yellow": "1;33",
    "cyan": "36",
    "green": "32",
}
STATE_STYLE = {"merged": "green", "open": "cyan", "draft": "yellow", "closed": "dim", "unknown": "dim"}
SEVERITY_STYLE = {"fatal": "red", "error": "red", "degraded": "yellow", "info": "cyan", "benign": "dim"}


class Sheet:
    """Lines of text under construction. All text is made safe for a terminal when it is added."""

    def __init__(self, width: int = 80, color: bool = False) -> None:
        self.width = width
        self._color = color
        self._lines: list[str] = []

    def paint(self, text: str, style: str) -> str:
        """Return the text in a style ("" = none); unchanged without colours."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._color and style and text else text

    def blank(self) -> None:
        """Add an empty line, unless one is there already or nothing is."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def heading(self, text: str, style: str = "bold") -> None:
        """Add a line of its own after an empty one."""
        self.blank()
        self.line(text, style)

    def line(self, text: str, style: str = "", *, indent: int = 0, hang: int = 0) -> None:
        """Add a paragraph, wrapped; `hang` more columns from its second line on. Newlines in it are kept."""
        for part in visible(text).split("\n"):
            found = _wrapped(part, self.width, " " * indent, " " * (indent + hang))
            self._lines.extend(self.paint(row, style) for row in found)

    def verbatim(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Add a line of a log or a file, cropped to the width instead of wrapped."""
        room = self.width - indent
        row = visible(text).replace("\n", " ").rstrip()
        self._lines.append(" " * indent + self.paint(row if len(row) <= room else row[: room - 1] + "…", style))

    def row(self, label: str, text: str, style: str = "", *, indent: int = 0, label_width: int = 11) -> None:
        """Add a label and a text beside it, wrapped under itself; nothing for an empty text."""
        if not text:
            return
        start = indent + label_width
        rows: list[str] = []
        for part in visible(text).split("\n"):
            rows.extend(_wrapped(part, self.width - start, "", "") or [""])
        for number, row in enumerate(rows):
            lead = label if number == 0 else ""
            painted = self.paint(lead, "bold") + " " * max(1 if lead else 0, label_width - len(lead))
            self._lines.append((" " * indent + painted + self.paint(row, style)).rstrip())

    def table(self, rows: Sequence[Sequence[str]], *, indent: int = 0, header: bool = True, right: str = "") -> None:
        """Add rows of cells; columns are as wide as their longest cell, the last one wraps in what is left.

        `right` holds an "r" in the place of each column that is set flush right, for example " rr". A last column that
        would be left with less than 16 columns goes to a line of its own under the row. Where even the others do not
        fit, each row becomes a sentence of headers and cells.
        """
        safe = [[visible(cell).replace("\n", " ") for cell in row] for row in rows]
        if not safe:
            return
        widths = [max(len(row[column]) for row in safe) for column in range(len(safe[0]))]
        start = indent + sum(width + 2 for width in widths[:-1])
        if header and start > self.width - 8:
            for row in safe[1:]:
                cells = [f"{head} {cell}" for head, cell in zip(safe[0][1:], row[1:], strict=True)]
                self.line(f"{row[0]}: {', '.join(cells)}", indent=indent, hang=2)
            return
        below = self.width - start < 16 and widths[-1] > self.width - start
        for number, row in enumerate(safe):
            cells = [
                cell.rjust(width) if right[column : column + 1] == "r" else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(row[:-1], widths[:-1], strict=True))
            ]
            lead = " " * indent + "".join(f"{cell}  " for cell in cells)
            style = "dim" if header and number == 0 else ""
            if below:
                self._lines.append(self.paint(lead.rstrip(), style))
                self.line(row[-1], style, indent=indent + 4)
                continue
            last = row[-1].rjust(widths[-1]) if right[len(row) - 1 : len(row)] == "r" else row[-1]
            rest = [last] if len(last) <= self.width - start else _wrapped(last, self.width - start, "", "")
            for index, part in enumerate(rest or [""]):
                text = f"{lead if index == 0 else ' ' * start}{part}".rstrip()
                self._lines.append(self.paint(text, style))

    def text(self) -> str:
        """Return what was added, without empty lines at its end."""
        return "\n".join(self._lines).rstrip("\n")


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    return wrap(
        text,
        max(width, 20),
        initial_indent=first,
        subsequent_indent=later,
        break_on_hyphens=False,  # a flag or an id cut at its hyphen cannot be copied
        break_long_words=True,
    )
