"""What the scan hands to the parser."""

from typing import NamedTuple

from diag.model.line import Line


class Candidate(NamedTuple):
    """A line that holds at least one anchor."""

    line: Line
    anchors: tuple[int, ...]  # indexes in the table of anchors that was scanned for, ascending
