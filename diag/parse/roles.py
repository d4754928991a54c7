"""What each anchor is good for in a log that is too large to parse whole."""

import re
from dataclasses import dataclass

from diag.model.events import Event
from diag.model.events.draft import DraftAccepted, DraftStatistics
from diag.model.events.request import (
    ImageBatchDecoding,
    ImageDecoded,
    ImageStarted,
    PrefixKept,
    PromptEvaluated,
    PromptRestored,
    PromptStarted,
    RequestAnswered,
    SlotSelected,
    TaskReleased,
    TaskStarted,
    TimingHeader,
    TokensGenerated,
)
from diag.parse.table import AnchorTable

BULK: tuple[type[Event], ...] = (
    TaskStarted,
    SlotSelected,
    PromptStarted,
    PrefixKept,
    PromptRestored,
    TimingHeader,
    PromptEvaluated,
    TokensGenerated,
    TaskReleased,
    RequestAnswered,
    DraftAccepted,
    DraftStatistics,
    ImageStarted,
    ImageBatchDecoding,
    ImageDecoded,
)
"""Facts that every request prints: summed, and parsed only in the lines that are kept."""

_BULK_ANCHORS = (b"system_fingerprint", b"common_ngram_map_begin: ")
# What a signature asks of a bulk fact's values: such a line is looked at wherever it stands. `None` is the line that
# holds the anchor alone.
GATES: dict[bytes, bytes] = {
    b"done request: ": rb"done request: [A-Z]+ \S+ \S+ [1345]",
    b"log_server_r: request: ": rb"log_server_r: request: [A-Z]+ \S+ \S+ [1345]",
    b"draft acceptance = ": rb"draft acceptance = [\d.]+ \( *[0-4] accepted / +\d{3,} generated",
    b"draft acceptance rate = ": rb"draft acceptance rate = [\d.]+ \( *[0-4] accepted / +\d{3,} generated",
    b"decoding image batch ": rb"decoding image batch (?!1/)",
}
_ALONE = (b"truncated = 1",)
TURNS: tuple[type[Event], ...] = (TaskStarted, TaskReleased)
"""Facts that show a request begin and end."""

# Signs of a failure line that nothing knows: level E, and the failure words of lines without a level.
_LEVEL_E = (*(b"%d E " % digit for digit in range(10)), b"] E ", b"\nE ")
_WORDS = (
    b"GGML_ASSERT",
    b"GGML_ABORT",
    b"terminate called",
    b"what()",
    b"fatal",
    b"Fatal",
    b"FATAL",
    b"Traceback (most recent",
    b"CUDA error",
    b"ROCm error",
    b"HIP error",
    b"MUSA error",
    b"SYCL error",
    b"egmentation fault",
    b"core dumped",
    b"uncaught exception",
    b"Assertion ",
    b"OOM",
    b"ut of memory",
    b"\nerror",
    b"\nError",
    b"\nERROR",
    b": error: ",
    b"vk::",
)
# Where a wrapper carries the level, or stands before it.
_WRAPPED = (
    b"error",
    b"ERR",
    b"Error",
    b"FATAL",
    b"fatal",
    b"CRIT",
    b"crit",
    b"PANIC",
    b"panic",
    b"SEVERE",
    b'"E"',
    b" E ",
)

LOOK, COUNT_START, SUM_ACCEPTED, GATED = range(4)
"""Roles: look at the line; count a request; sum its acceptance; look at the line only where a gate pattern matches."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """One literal that the scan of a large log looks for."""

    literal: bytes
    role: int
    gates: tuple[
        tuple[re.Pattern[bytes], int], ...
    ] = ()  # pattern, bytes before the hit's end to match at; -1 = search
    level: bool = False  # the sign of a level E line: says nothing of its own
    exact: bool = False  # a pattern behind it asks for certain digits
    jumps: bool = False  # a line that healthy hybrid targets print by the thousand


def scanned_literals(table: AnchorTable, *, wrapped: bool) -> list[Scanned]:
    """Return what to look for in a large log; `wrapped`: its lines stand in JSON or behind another program's prefix."""
    found: list[Scanned] = []
    for anchor, wordings, texts in zip(table.anchors, table.wordings, table.texts, strict=True):
        rare = [row for row in wordings if row.event not in BULK and anchor not in _BULK_ANCHORS]
        exact = any(_asks_for_digits(row.pattern) for row in (*rare, *texts))
        if rare:
            found.append(
                Scanned(
                    anchor, LOOK, exact=exact, jumps=any(row.event.__name__ == "TokenPositionJumped" for row in rare)
                )
            )
            continue
        gates = [_gate(text.pattern, anchor) for text in texts]
        if anchor in GATES:
            gates.append((re.compile(GATES[anchor]), len(anchor)))
        events = {row.event for row in wordings}
        if TaskStarted in events:
            found.append(Scanned(anchor, COUNT_START))
        elif DraftAccepted in events and anchor != b"draft_n_accepted":
            found.append(Scanned(anchor, SUM_ACCEPTED, tuple(gates)))
        elif DraftAccepted in events or (texts and not wordings):
            found.append(Scanned(anchor, LOOK, exact=exact))
        elif gates:
            found.append(Scanned(anchor, GATED, tuple(gates), exact=exact))
    known = {item.literal for item in found}
    extra = [*_LEVEL_E, *_WORDS, *_ALONE, *(_WRAPPED if wrapped else ())]
    found.extend(Scanned(word, LOOK, level=word in _LEVEL_E) for word in extra if word not in known)
    return found


def literals_of(table: AnchorTable, events: tuple[type[Event], ...]) -> list[bytes]:
    """Return the anchors of the wordings of some events."""
    return [
        anchor
        for anchor, wordings in zip(table.anchors, table.wordings, strict=True)
        if any(row.event in events for row in wordings)
    ]


def _gate(pattern: str, anchor: bytes) -> tuple[re.Pattern[bytes], int]:
    """Return a text condition's pattern over bytes, and how it is tried: at the anchor where it begins with it."""
    bare = re.sub(r"^(?:\(\?<[!=][^()]*\)|\\b)+", "", pattern)
    literal = re.escape(anchor.decode()).replace("\\ ", " ").replace("\\=", "=").replace("\\:", ":")
    at = len(anchor) if bare.startswith((literal, re.escape(anchor.decode()))) else -1
    return re.compile(pattern.encode()), at


def _asks_for_digits(pattern: str) -> bool:
    """True when the pattern may match or not by which digits stand in a line, not only where digits stand."""
    bare = re.sub(r"\{[\d,]+\}|\\d|0-9", "", pattern)
    return "(?P=" in bare or any(character.isdigit() for character in bare)
