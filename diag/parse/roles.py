"""What each anchor is good for in a log that is too large to parse whole."""

import re
from collections.abc import Sequence
from dataclasses import replace

from diag.late import late
from diag.model.events import Event
from diag.model.events.draft import DraftAccepted, DraftInputZeroed, DraftStatistics
from diag.model.events.position import TokenPositionJumped
from diag.model.events.request import (
    PrefixKept,
    PromptEvaluated,
    PromptRestored,
    PromptStarted,
    RequestAnswered,
    SlotSelected,
    TaskCancelled,
    TaskFailed,
    TaskReleased,
    TaskStarted,
    TimingHeader,
    TokensGenerated,
)
from diag.model.events.tone import IMAGES
from diag.model.literal import COUNT_START, GATED, LOOK, MARK, SIGN, SUM_ACCEPTED, Literal
from diag.parse.table import AnchorTable
from diag.parse.wording import Wording

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
    *IMAGES,
)
"""Facts that every request prints: summed, and parsed only in the lines that are kept."""

_BULK_ANCHORS = (b"system_fingerprint", b"common_ngram_map_begin: ")
_BODY_ANCHORS = {b"system_fingerprint": rb"system_fingerprint\W{1,8}b\d"}  # streamed answers name it in each chunk
# What a signature asks of a bulk fact's values: such a line is looked at wherever it stands. `None` is the line that
# holds the anchor alone.
GATES: dict[bytes, str] = {
    b"done request: ": r"done request: [A-Z]+ \S+ \S+ [1345]",
    b"log_server_r: request: ": r"log_server_r: request: [A-Z]+ \S+ \S+ [1345]",
    b"draft acceptance = ": r"draft acceptance = [\d.]+ \( *[0-4] accepted / +\d{3,} generated",
    b"draft acceptance rate = ": r"draft acceptance rate = [\d.]+ \( *[0-4] accepted / +\d{3,} generated",
    b"new prompt, n_ctx_slot = ": (
        r"new prompt, n_ctx_slot = \d+, n_keep = -?\d+, (?:task\.n_tokens|n_prompt_tokens) = (?:[89]\d{3}|\d{5,})"
    ),
    b"decoding image batch ": r"decoding image batch (?!1/)",
}
_ALONE = (b"truncated = 1",)
FOLLOW: tuple[type[Event], ...] = (TaskStarted, TaskReleased, TaskCancelled, TaskFailed)
"""Facts that show a request begin and end."""

TURNS: tuple[type[Event], ...] = (
    TaskStarted,
    PromptStarted,
    PrefixKept,
    PromptRestored,
    TimingHeader,
    PromptEvaluated,
    TokensGenerated,
    TaskReleased,
    DraftAccepted,
    *IMAGES,
    TokenPositionJumped,
    DraftInputZeroed,
)
"""Facts that tell a turn with an image from one without."""

QUIET: tuple[type[Event], ...] = tuple(event for event in BULK if event is not TaskReleased and event not in IMAGES)
"""Facts of requests that end a run of failures."""

_ANY_DIGIT = re.compile(r"\{[0-9,]+\}|\\d|0-9")
_DIGIT = re.compile(r"[0-9]")
_LOOKS_BEHIND = re.compile(r"^(?:\(\?<[!=][^()]*\)|\\b)+")
_NAMED = re.compile(r"\(\?P<\w+>")
_SEES_WRAPPER = re.compile(r'["^$]|\\\\')

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


def scanned_literals(table: AnchorTable, *, wrapped: bool) -> list[Literal]:
    """Return what to look for in a large log; `wrapped`: its lines stand in JSON or behind another program's prefix."""
    found: list[Literal] = []
    bulk = [*literals_of(table, BULK), *GATES]
    for anchor, wordings, texts in zip(table.anchors, table.wordings, table.texts, strict=True):
        rare = [row for row in wordings if row.event not in BULK and anchor not in _BULK_ANCHORS]
        exact = any(
            _asks_for_digits(pattern) for pattern in (*[row.pattern for row in rare], *[row.pattern for row in texts])
        )
        bounded = [text for text in texts if text.limit_s is None]  # a gate runs without a time limit
        gates = [_gate(text.pattern, anchor) for text in bounded]
        if anchor in GATES:
            gates.append((GATES[anchor], len(anchor)))
        events = {row.event for row in wordings}
        # what a wrapper escapes or puts around a line would keep a gate shut that the bare line opens
        gated = (
            bool(gates)
            and bounded == [*texts]
            and not (wrapped and any(_SEES_WRAPPER.search(text.pattern) for text in texts))
        )
        if rare or b"draft_n_accepted" in anchor:
            sign = bool(events & {TokenPositionJumped, DraftInputZeroed})
            found.append(Literal(anchor, LOOK, exact=exact, sign=sign, jumps=TokenPositionJumped in events))
        elif events & set(IMAGES):
            found.append(replace(_gated(anchor, gates, hot=False, exact=False), role=SIGN))
        elif TaskStarted in events:
            found.append(Literal(anchor, COUNT_START, mark=True))
        elif DraftAccepted in events:
            found.append(Literal(anchor, SUM_ACCEPTED, mark=True))
            if gates:
                found.append(_gated(anchor, gates, hot=True, exact=True))
        elif gated:
            found.append(_gated(anchor, gates, hot=any(anchor in other for other in bulk), exact=exact))
        elif texts:
            found.append(Literal(anchor, LOOK, exact=exact))
        is_marked = any(literal.mark and literal.text == anchor for literal in found[-2:])
        if not is_marked and (events & set(BULK) or anchor in _BULK_ANCHORS):
            pattern = _BODY_ANCHORS.get(anchor, b"")
            found += [
                Literal(text, MARK, pattern=pattern, mark=True, beside=anchor, once=bool(pattern))
                for text in ([anchor] if wrapped else _line_ends(anchor, wordings))
            ]
    known = {item.text for item in found}
    extra = [*_LEVEL_E, *_WORDS, *_ALONE, *(_WRAPPED if wrapped else ())]
    found.extend(Literal(word, LOOK, level=word in _LEVEL_E) for word in extra if word not in known)
    return found


def literals_of(table: AnchorTable, events: tuple[type[Event], ...]) -> list[bytes]:
    """Return the anchors of the wordings of some events."""
    return [
        anchor
        for anchor, wordings in zip(table.anchors, table.wordings, strict=True)
        if any(row.event in events for row in wordings)
    ]


def _gated(anchor: bytes, gates: Sequence[tuple[str, int]], *, hot: bool, exact: bool) -> Literal:
    """Return a literal with its gates; `hot`: it stands in what every request prints, so its gates are searched for."""
    compiled = tuple((late(pattern.encode()), at) for pattern, at in gates)
    exact = exact or any(_asks_for_digits(pattern) for pattern, _ in gates)
    loose = [_NAMED.sub("(?:", _LOOKS_BEHIND.sub("", pattern)) for pattern, _ in gates] if hot else []
    if not hot or any(re.search(r"\(\?[^:]", pattern) for pattern in loose):
        return Literal(anchor, GATED, compiled, exact=exact)
    anywhere = tuple((gate, -1) for gate, _ in compiled)
    return Literal(anchor, GATED, anywhere, "|".join(f"(?:{pattern})" for pattern in loose).encode(), exact=exact)


def _line_ends(anchor: bytes, wordings: Sequence[Wording]) -> list[bytes]:
    """Return the anchor; of one that many more lines hold than end as its wordings do, those ends of lines."""
    if not all(row.end for row in wordings):
        return [anchor]
    return [row.end.encode() + rest for row in wordings for rest in (b"\n", b" \n", b"\r\n", b" \r\n")]


def _gate(pattern: str, anchor: bytes) -> tuple[str, int]:
    """Return a text condition's pattern over bytes, and how it is tried: at the anchor where it begins with it."""
    bare = _LOOKS_BEHIND.sub("", pattern)
    literal = re.escape(anchor.decode()).replace("\\ ", " ").replace("\\=", "=").replace("\\:", ":")
    at = len(anchor) if bare.startswith((literal, re.escape(anchor.decode()))) else -1
    return pattern, at


def _asks_for_digits(pattern: str) -> bool:
    """True when the pattern may match or not by which digits stand in a line, not only where digits stand."""
    return "(?P=" in pattern or _DIGIT.search(_ANY_DIGIT.sub("", pattern)) is not None
