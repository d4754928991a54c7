"""Sentences that speak of a failure and are no line of a log."""

import re
from collections.abc import Sequence

from diag.late import late
from diag.model.events import Event
from diag.model.events.event import UnknownError
from diag.model.events.position import PositionFragment

MAX_LINES = 60  # what somebody writes about a failure; a log of more lines has one that is none
_SMALL_WORDS = late(
    r"\b(?:the|is|was|are|were|my|with|when|we|you|that|this|thanks|have|had|but|and|for|it|i|a|no longer|please)\b",
    re.IGNORECASE,
)
_N_SMALL = 2
_N_WORDS = 6
_PROGRAMS = late(r"[:|]|\A[EWID] ")  # what stands before a message that a program prints or passes on
_LINE = late(r"\A\s*\w{2,12} {2,}\S|\{\"|GGML_|(?:llama|ggml|common)_\w")  # a tag, an object, a function's name


def only_prose(events: Sequence[Event], n_lines: int) -> bool:
    """Return whether all that the events were read from are sentences of a person; False without events."""
    if n_lines > MAX_LINES:
        return False
    first: dict[tuple[int, int], Event] = {}  # of each line, where its first message begins
    for event in sorted(events, key=lambda event: event.place):
        if not isinstance(event, UnknownError):
            first.setdefault(event.place[:2], event)
    return bool(first) and all(_in_sentence(event) for event in first.values())


def _in_sentence(event: Event) -> bool:
    line, at = event.line, event.column
    if event.elapsed_us is not None or event.level is not None or line.stream or line.time or line.level:
        return False
    if isinstance(event, PositionFragment):  # llama.cpp's own sentences
        return False
    before = line.text[:at]
    return (
        bool(before.strip())
        and _PROGRAMS.search(before) is None
        and _LINE.search(line.text) is None
        and len(line.text.split()) >= _N_WORDS
        and len(_SMALL_WORDS.findall(line.text)) >= _N_SMALL
    )
