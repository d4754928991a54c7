"""The program's own prefix of a line: clock, level, slot and task."""

import re

from diag.model.line import Line
from diag.model.noun import noun

# minutes.seconds.ms.us since the start; minutes are neither padded nor wrapped into hours (common/log.cpp, b9246 on).
_CLOCK = re.compile(r"\[?(\d{1,7})\.([0-5]\d)\.(\d{3})\.(\d{3})\]? (?:([IWED]) ?)?")
# --no-log-timestamps keeps the letter; only before something that looks like a message head, or prose would match.
_LETTER = re.compile(r"([IWED]) (?=(?:slot|srv|que|res|cmn|spec) |[\w~:]+(?:\(\))?: | - )")
_SLOT = re.compile(r"\bid +(\d+) \| task (-?\d+) \|")
# What clients sent and models wrote: request and answer bodies of -lv 5 logs.
_BODY = re.compile(
    r"(?:\brequest: +|\bresponse: +|Parsed message: |to_send: +|streamed chunk: +|launching slot : )(?=[\[{\"])"
    r"|Parsing (?:chat message|input with format [\w -]{1,40}): |(?:formatted_|Formatted )?[Pp]rompt: (?=['\"<])"
    r"|\bnext token: +\d+ (?=')"
    # an answer pasted alone, and a front end's log of a request over several lines
    r"|^\s*\{\"(?:choices|messages|prompt|content|id|object|model|index)\" ?:"
    r"|\"(?:content|text|prompt|input)\" ?: ?(?=[\"\[])"
)
# Each way a body begins holds one of these: finding none is ten times faster than trying the pattern.
_BODY_SIGNS = (
    "quest: ",
    "sponse: ",
    "sage: ",
    "_send: ",
    "chunk: ",
    "slot : ",
    "Parsing ",
    "rompt: ",
    "token: ",
    '": ',
    '":"',
    '":[',
)
_BODY_HEAD = 160  # a body begins behind a short head


@noun
class Prefixed:
    """A line taken apart. `message` is what the wordings are tried on."""

    message: str
    level: str | None
    elapsed_us: int | None
    slot_id: int | None
    task_id: int | None
    body_at: int  # offset in message from which on the text is a user's; len(message) when there is none


def has_clock(text: str) -> bool:
    """True when the text begins with the program's own clock."""
    return _CLOCK.match(text) is not None


def split_prefix(line: Line) -> Prefixed:
    """Return the line's message and what its prefix says; a line without prefix is all message."""
    text, level, elapsed_us = line.text, line.level, line.elapsed_us
    found = _CLOCK.match(text)
    if found is not None:
        minutes, seconds, ms, us, letter = found.groups()
        elapsed_us = ((int(minutes) * 60 + int(seconds)) * 1000 + int(ms)) * 1000 + int(us)
        level = letter or level
        text = text[found.end() :]
    else:
        found = _LETTER.match(text)
        if found is not None:
            level = found[1]
            text = text[found.end() :]
    slot_id = task_id = None
    if "| task " in text[:80]:
        slot = _SLOT.search(text, 0, 80)
        if slot is not None:
            slot_id = int(slot[1])
            task_id = int(slot[2]) if slot[2] != "-1" else None
    head = text[:_BODY_HEAD]
    opens = '"' in head or "'" in head or "{" in head or "[" in head or "<" in head or "Parsing " in head
    body = _BODY.search(head) if opens and any(map(head.__contains__, _BODY_SIGNS)) else None
    return Prefixed(text, level, elapsed_us, slot_id, task_id, body.end() if body else len(text))
