"""Candidate lines to events."""

import re
from collections.abc import Iterable, Sequence

from diag.model.candidate import Candidate
from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.model.line import Line
from diag.parse.prefix import Prefixed, split_prefix
from diag.parse.table import AnchorTable, TextCondition
from diag.parse.wording import Wording

WINDOW = 8192  # characters on either side of an anchor that a pattern sees


def parse(candidates: Iterable[Candidate], table: AnchorTable) -> list[Event]:
    """Return the events of the candidates by line, then column; a line that only looked like one gives none."""
    events: list[Event] = []
    ends = table.ends
    for candidate in candidates:
        end = candidate.line.text.rstrip()
        # most lines of a log only hold the anchor of a wording that ends otherwise: they need not be taken apart
        anchors = [index for index in candidate.anchors if end.endswith(ends[index])]
        if anchors:
            found = _read(candidate.line, anchors, table)
            if len(found) > 1:
                found.sort(key=_column)
            events += found
    return events


def _column(event: Event) -> int:
    return event.column


def _read(line: Line, anchors: Sequence[int], table: AnchorTable) -> list[Event]:
    events: list[Event] = []
    prefixed = split_prefix(line)
    body = prefixed.message[: prefixed.body_at]
    seen: set[tuple[type[Event], int]] = set()
    for index in anchors:
        anchor = table.words[index]
        for wording in table.wordings[index]:
            if wording.raw and prefixed.level is not None:
                continue
            message = _window(prefixed.message if wording.in_body else body, anchor)
            found = wording.read(message) if message is not None else None
            if found is not None and (wording.event, found[0]) not in seen:
                seen.add((wording.event, found[0]))
                events.append(_event(prefixed, wording, *found))
        for text in table.texts[index]:
            message = _window(body, anchor)
            match = text.search(message) if message is not None else None
            if match is not None:
                events.append(_text_matched(prefixed, text, match))
    return events


def _window(message: str, anchor: str) -> str | None:
    """Return the part of the message that patterns may see, or None when the anchor stands outside it."""
    at = message.find(anchor)
    if at < 0:
        return None
    if len(message) <= 2 * WINDOW:
        return message
    return message[max(0, at - WINDOW) : at + WINDOW]


def _event(prefixed: Prefixed, wording: Wording, column: int, values: dict[str, str | int | float | bool]) -> Event:
    slot_id, task_id = prefixed.slot_and_task
    fields: dict[str, object] = {"slot_id": slot_id, "task_id": task_id, **values}
    return wording.event(
        line=prefixed.line,
        column=column,
        level=prefixed.level,
        elapsed_us=prefixed.elapsed_us,
        not_before=wording.not_before,
        not_after=wording.not_after,
        **fields,  # type: ignore[arg-type]  # names and types are checked row by row in the tests
    )


def _text_matched(prefixed: Prefixed, text: TextCondition, match: re.Match[str]) -> TextMatched:
    slot_id, task_id = prefixed.slot_and_task
    return TextMatched(
        line=prefixed.line,
        column=match.start(),
        level=prefixed.level,
        elapsed_us=prefixed.elapsed_us,
        slot_id=slot_id,
        task_id=task_id,
        condition=text.name,
        captures=tuple([(name, value) for name, value in match.groupdict().items() if value is not None]),
    )
