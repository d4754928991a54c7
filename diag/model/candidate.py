"""What the scan hands to the parser."""

from diag.model.line import Line
from diag.model.noun import noun


@noun
class Candidate:
    """A line that holds at least one anchor."""

    line: Line
    anchors: tuple[int, ...]  # indexes in the table of anchors that was scanned for, ascending
