"""The program's own prefix of a line: clock, level, slot and task."""

import re
from typing import NamedTuple

from diag.late import late
from diag.model.line import Line

# minutes.seconds.ms.us since the start; minutes are neither padded nor wrapped into hours (common/log.cpp, b9246 on).
CLOCK = re.compile(r"\[?(\d{1,7})\.([0-5]\d)\.(\d{3})\.(\d{3})\]? (?:([IWED]) ?)?")
# --no-log-timestamps keeps the letter; only before something that looks like a message head, or prose would match.
_LETTER = late(r"([IWED]) (?=(?:slot|srv|que|res|cmn|spec) |[\w~:]+(?:\(\))?: | - )")
_SLOT = late(r"\bid +(\d+) \| task (-?\d+) \|")
# What clients sent and models wrote: request and answer bodies of -lv 5 logs.
_BODY = late(
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


class Prefixed(NamedTuple):
    """A line taken apart. `message` is what the wordings are tried on; what only events ask for is read when asked."""

    line: Line
    message: str
    level: str | None
    body_at: int  # offset in message from which on the text is a user's; len(message) when there is none
    clock: re.Match[str] | None  # the program's own, where the line begins with one

    @property
    def elapsed_us(self) -> int | None:
        """Microseconds since the process started, by the line's own clock or else by its wrapper."""
        if self.clock is None:
            return self.line.elapsed_us
        minutes, seconds, ms, us = self.clock.group(1, 2, 3, 4)
        return (int(minutes) * 60 + int(seconds)) * 1_000_000 + int(ms + us)

    @property
    def slot_and_task(self) -> tuple[int | None, int | None]:
        """The slot and the task that the head of the message names; None for what it does not."""
        found = _SLOT.search(self.message, 0, 80)
        if found is None:
            return None, None
        return int(found[1]), int(found[2]) if found[2] != "-1" else None


def has_clock(text: str) -> bool:
    """True when the text begins with the program's own clock."""
    return CLOCK.match(text) is not None


def split_prefix(line: Line) -> Prefixed:
    """Return the line's message and what its prefix says; a line without prefix is all message."""
    text, level = line.text, line.level
    clock = CLOCK.match(text)
    if clock is not None:
        level = clock[5] or level
        text = text[clock.end() :]
    else:
        letter = _LETTER.match(text)
        if letter is not None:
            level = letter[1]
            text = text[letter.end() :]
    head = text[:_BODY_HEAD]
    opens = '"' in head or "'" in head or "{" in head or "[" in head or "<" in head or "Parsing " in head
    body = _BODY.search(head) if opens and any(map(head.__contains__, _BODY_SIGNS)) else None
    return Prefixed(line, text, level, body.end() if body else len(text), clock)
