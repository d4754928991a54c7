"""What the scan hands to the parser."""

from dataclasses import dataclass

from diag.model.line import Line


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that holds at least one anchor."""

    line: Line
    anchors: tuple[int, ...]  # indexes in the table of anchors that was scanned for, ascending
