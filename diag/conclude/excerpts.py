"""The lines around what an answer rests on."""

from collections.abc import Sequence

from diag.model.line import Line
from diag.model.report import Excerpt, Report


def excerpts_of(report: Report, lines: Sequence[Line], context: int) -> tuple[Excerpt, ...]:
    """Return the answer's evidence with the lines around it, each line once."""
    shown = report.diagnoses[0].evidence if report.diagnoses else ()
    places = {(item.line, item.part) for item in shown}
    near: set[int] = set()
    for index, line in enumerate(lines):
        if (line.number, line.part) in places:
            near.update(range(max(0, index - context), min(len(lines), index + context + 1)))
    return tuple(
        Excerpt(
            lines[index].number,
            lines[index].part,
            lines[index].text,
            (lines[index].number, lines[index].part) in places,
        )
        for index in sorted(near)
    )
