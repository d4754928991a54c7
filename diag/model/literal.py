"""A literal that the scan of a large log looks for."""

from typing import Protocol

from diag.model.noun import noun

LOOK, COUNT_START, SUM_ACCEPTED, GATED, SIGN, MARK = range(6)
"""What to do where a literal stands: look at the line; count a request; sum its acceptance; look at the line where a
gate pattern matches; note that an image was seen; nothing but to mark."""


class Gate(Protocol):
    """A compiled pattern: what decides at a hit whether its line is looked at."""

    def match(self, data: bytes, start: int, end: int, /) -> object | None:
        """Return something where the pattern matches at `start`."""

    def search(self, data: bytes, start: int, end: int, /) -> object | None:
        """Return something where the pattern matches between `start` and `end`."""


@noun
class Literal:
    """A literal and its role."""

    text: bytes
    role: int
    gates: tuple[tuple[Gate, int], ...] = ()  # gate, and bytes before the hit's end to match at, or -1
    pattern: bytes = b""  # a regular expression that finds all that any gate opens for, in Hyperscan's language
    mark: bool = False  # the first and the last line of a start that holds it are kept
    beside: bytes = b""  # what else a marked line holds
    once: bool = False  # the first of a block will do
    level: bool = False  # the sign of a level, which says nothing of its own
    exact: bool = False  # which digits stand in the line decides
    sign: bool = False  # shows that a request holds an image
    jumps: bool = False  # normal for images: healthy servers print it by the thousand
