"""The table of anchors: which wordings and which text conditions stand behind each literal."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from diag.model.noun import noun
from diag.parse.wording import Wording, compiled


class TextCondition(NamedTuple):
    """A signature's text condition; `name` is "<signature id>/<condition name>"."""

    name: str
    anchor: str
    pattern: str
    limit_s: float | None = None  # seconds a line may take; None for patterns that the gates have bounded
    late: list[str] | None = None  # lines on which the time ran out, where there is a limit

    def search(self, message: str) -> re.Match[str] | None:
        """Return the match in the message, None where its time runs out; compiled at the first line with the anchor."""
        if self.limit_s is None:
            return compiled(self.pattern).search(message)
        import regex  # knows a time limit, which the standard library does not

        try:
            found: re.Match[str] | None = regex.compile(self.pattern).search(message, timeout=self.limit_s)
        except TimeoutError:
            if self.late is not None:
                self.late.append(message)
            return None
        return found


@noun
class AnchorTable:
    """Literals to scan for, and what to try on a line that holds one; all by the same index."""

    anchors: tuple[bytes, ...]
    wordings: tuple[tuple[Wording, ...], ...]
    texts: tuple[tuple[TextCondition, ...], ...]
    words: tuple[str, ...]  # the anchors as text
    timed: tuple[TextCondition, ...]  # those that may run out of time, whatever their literal
    ends: tuple[str, ...]  # how a line ends of which something is to be tried; "" = it may end anyhow


def build_table(wordings: Iterable[Wording], texts: Iterable[TextCondition]) -> AnchorTable:
    """Return the table; each literal stands once, in the order it is first named."""
    by_anchor: dict[str, tuple[list[Wording], list[TextCondition]]] = {}
    for wording in wordings:
        by_anchor.setdefault(wording.anchor, ([], []))[0].append(wording)
    for text in texts:
        by_anchor.setdefault(text.anchor, ([], []))[1].append(text)
    return AnchorTable(
        tuple([anchor.encode() for anchor in by_anchor]),
        tuple([tuple(rows) for rows, _ in by_anchor.values()]),
        tuple([tuple(conditions) for _, conditions in by_anchor.values()]),
        tuple(by_anchor),
        tuple([text for _, conditions in by_anchor.values() for text in conditions if text.limit_s is not None]),
        tuple([rows[0].end if len(rows) == 1 and not conditions else "" for rows, conditions in by_anchor.values()]),
    )
