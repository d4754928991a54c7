"""Candidate lines to events."""

from collections.abc import Iterable, Iterator

from diag.model.candidate import Candidate
from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.parse.prefix import Prefixed, split_prefix
from diag.parse.table import AnchorTable
from diag.parse.wording import Wording

WINDOW = 8192  # characters on either side of an anchor that a pattern sees


def parse(candidates: Iterable[Candidate], table: AnchorTable) -> list[Event]:
    """Return the events of the candidates by line, then column; a line that only looked like one gives none."""
    events: list[Event] = []
    for candidate in candidates:
        events.extend(sorted(_read(candidate, table), key=lambda event: event.column))
    return events


def _read(candidate: Candidate, table: AnchorTable) -> Iterator[Event]:
    prefixed = split_prefix(candidate.line)
    body = prefixed.message[: prefixed.body_at]
    seen: set[tuple[type[Event], int]] = set()
    for index in candidate.anchors:
        anchor = table.anchors[index].decode()
        for wording in table.wordings[index]:
            if wording.raw and prefixed.level is not None:
                continue
            message = _window(prefixed.message if wording.in_body else body, anchor)
            found = wording.read(message) if message is not None else None
            if found is not None and (wording.event, found[0]) not in seen:
                seen.add((wording.event, found[0]))
                yield _event(candidate, prefixed, wording, *found)
        for text in table.texts[index]:
            message = _window(body, anchor)
            match = text.search(message) if message is not None else None
            if match is not None:
                yield TextMatched(
                    line=candidate.line,
                    column=match.start(),
                    level=prefixed.level,
                    elapsed_us=prefixed.elapsed_us,
                    slot_id=prefixed.slot_id,
                    task_id=prefixed.task_id,
                    condition=text.name,
                    captures=tuple((name, value) for name, value in match.groupdict().items() if value is not None),
                )


def _window(message: str, anchor: str) -> str | None:
    """Return the part of the message that patterns may see, or None when the anchor stands outside it."""
    at = message.find(anchor)
    if at < 0:
        return None
    if len(message) <= 2 * WINDOW:
        return message
    return message[max(0, at - WINDOW) : at + WINDOW]


def _event(
    candidate: Candidate, prefixed: Prefixed, wording: Wording, column: int, values: dict[str, str | int | float | bool]
) -> Event:
    fields: dict[str, object] = {"slot_id": prefixed.slot_id, "task_id": prefixed.task_id, **values}
    return wording.event(
        line=candidate.line,
        column=column,
        level=prefixed.level,
        elapsed_us=prefixed.elapsed_us,
        not_before=wording.not_before,
        not_after=wording.not_after,
        **fields,  # type: ignore[arg-type]  # names and types are checked row by row in the tests
    )
