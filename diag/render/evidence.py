"""The log's own lines, as many as there is room for, so that what they prove is not cut away."""

import textwrap
from collections.abc import Sequence

from rich.text import Text

from diag.model.finding import Evidence
from diag.model.report import Excerpt
from diag.render.page import Page
from diag.render.plain import message_of

_GUTTER = 9


def print_evidence(page: Page, evidence: Sequence[Evidence], *, most: int, rows: int, full: bool) -> None:
    """Print up to `most` lines of the log, each on up to `rows` rows; `full` prints all of them whole."""
    lines = [item for item in evidence if full or not _only_announces(item.text)]
    shown = lines if full else lines[:most]
    for item in shown:
        style = "" if item.role == "trigger" else "dim"
        _print(page, f"{item.line:>6} │ ", message_of(item.text), style, None if full else rows)
    if len(lines) > len(shown):
        page.cropped(Text(f"       │ … {len(lines) - len(shown)} more", style="dim"))


def print_excerpts(page: Page, excerpts: Sequence[Excerpt]) -> None:
    """Print the evidence with the lines around it; a gap in the numbers is marked."""
    before = None
    for item in excerpts:
        if before is not None and item.line > before + 1:
            page.cropped(Text("       ⋮", style="dim"))
        style = "" if item.evidence else "dim"
        _print(page, f"{item.line:>6} {'▸' if item.evidence else '│'} ", message_of(item.text), style, 2)
        before = item.line


def _only_announces(text: str) -> bool:
    """True for the first line of the position message, whose figures stand below it."""
    return text.rstrip().endswith("have inconsistent sequence positions:")


def _print(page: Page, gutter: str, text: str, style: str, rows: int | None) -> None:
    room = max(20, page.width - _GUTTER)
    if text[:1] == " ":  # a continuation line: one row, its end, where the figure stands
        pieces = [text if len(text) <= room or rows is None else "…" + text[-(room - 1) :]]
    else:
        pieces = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    if rows is not None and len(pieces) > rows:
        # what a message is about stands at both ends: the middle goes
        tail = text[-(room - 2) :] if rows > 1 else text[-(room // 2) :]
        pieces = [*pieces[: rows - 1], "… " + tail] if rows > 1 else [text[: room - len(tail) - 3] + " … " + tail]
    for index, piece in enumerate(pieces):
        row = Text(gutter if index == 0 else "       │ ", style="dim")
        row.append(piece, style=style)
        page.cropped(row)
