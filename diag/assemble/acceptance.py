"""Draft acceptance by class of turn."""

from collections.abc import Iterable, Mapping, Sequence

from diag.model.events import Event
from diag.model.events.draft import AcceptanceMeasured, DraftAccepted
from diag.model.run import Acceptance, Task

_TURN = {"yes": "image", "cached": "image", "no": "text", "unknown": "unknown"}


def sum_acceptance(tasks: Iterable[Task]) -> dict[str, Acceptance]:
    """Return the sums for text, image and unknown turns; each key is always there.

    A turn whose kept prefix holds an image counts as image: its drafter lacks the image all the same.
    """
    sums = {"text": Acceptance(), "image": Acceptance(), "unknown": Acceptance()}
    for task in tasks:
        if task.drafted is None or task.accepted is None:
            continue
        measured = task.mean_len is not None and task.mean_len > 1
        sums[_TURN[task.image]] += Acceptance(
            requests=1,
            drafted=task.drafted,
            accepted=task.accepted,
            cycles=task.accepted / (task.mean_len - 1) if measured and task.mean_len else 0.0,
            measured_len=1 if task.mean_len is not None else 0,
        )
    return sums


def measured_events(
    acceptance: Mapping[str, Acceptance], tasks: Sequence[Task], events: Sequence[Event]
) -> list[AcceptanceMeasured]:
    """Return one derived event for each class of turns with drafted tokens, placed at the class's first line."""
    lines = {event.line.number: event for event in events if isinstance(event, DraftAccepted)}
    first: dict[str, DraftAccepted] = {}
    for task in tasks:
        if task.accepted_line in lines:
            first.setdefault(_TURN[task.image], lines[task.accepted_line])
    text = acceptance["text"]
    text_rate = text.accepted / text.drafted if text.drafted else None
    found: list[AcceptanceMeasured] = []
    for turn, sums in acceptance.items():
        if not sums.drafted or turn not in first:
            continue
        place = first[turn]
        rate = sums.accepted / sums.drafted
        found.append(
            AcceptanceMeasured(
                line=place.line,
                column=place.column,
                elapsed_us=place.elapsed_us,
                turn=turn,
                requests=sums.requests,
                drafted=sums.drafted,
                accepted=sums.accepted,
                rate=rate,
                text_rate=text_rate if turn != "text" else None,
                ratio=rate / text_rate if turn != "text" and text_rate else None,
            )
        )
    return found
