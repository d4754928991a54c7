"""The position message put together again, and who refused."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

from diag.model.events import Event
from diag.model.events.draft import (
    DraftDecodeFailed,
    DraftFlushFailed,
    DraftStepFailed,
    PostDecodeFailed,
    SpeculativeBatchFailed,
)
from diag.model.events.event import TextMatched, UnknownError
from diag.model.events.position import BatchRefused, InvalidInputBatch, PositionFragment, PositionsRefused
from diag.model.run import Incident
from diag.positions.rule import Rule, gap, left_by

DRAFT_SIDE = (DraftDecodeFailed, DraftStepFailed, DraftFlushFailed, PostDecodeFailed, SpeculativeBatchFailed)


def join_fragments(events: Iterable[Event]) -> list[Event]:
    """Return the events with each run of position fragments replaced by one PositionsRefused.

    The four lines are one message of the server, but wrappers stamp each line and pastes lose some, so they arrive as
    fragments. A fragment that the open message already has begins the next one.
    """
    joined: list[Event] = []
    pending: dict[str | None, list[PositionFragment]] = {}
    for event in events:
        if not isinstance(event, PositionFragment):
            # a line of another stream, or one that the logger put between, does not end the message
            if pending.get(event.line.stream) and not isinstance(event, UnknownError | TextMatched):
                joined.append(_refusal(pending.pop(event.line.stream)))
            joined.append(event)
            continue
        group = pending.setdefault(event.line.stream, [])
        if any(old.part == event.part for old in group):
            joined.append(_refusal(group))
            group = pending[event.line.stream] = []
        group.append(event)
        if event.part == "rule":
            joined.append(_refusal(pending.pop(event.line.stream)))
    joined.extend(_refusal(group) for group in pending.values() if group)
    return sorted(joined, key=lambda event: event.place)


def _refusal(fragments: Sequence[PositionFragment]) -> PositionsRefused:
    first = fragments[0]
    x = next((item.x for item in fragments if item.x is not None), None)
    y = next((item.y for item in fragments if item.y is not None), None)
    relation = None
    if x is not None and y is not None:
        relation = "next" if y == x + 1 else "ahead" if y > x else "equal" if y == x else "behind"
    return PositionsRefused(
        line=first.line,
        column=first.column,
        level=first.level or next((item.level for item in fragments if item.level), None),
        elapsed_us=first.elapsed_us,
        rule=next((item.rule for item in fragments if item.rule is not None), None),
        x=x,
        y=y,
        gap=gap(x, y) if x is not None and y is not None else None,
        relation=relation,
        sequence=next((item.sequence for item in fragments if item.sequence is not None), None),
        fragments=tuple(dict.fromkeys(item.line for item in fragments)),
    )


def judge_refusals(
    incidents: Sequence[Incident], *, image: str, shared_cache: bool, no_drafter: bool
) -> dict[tuple[int, int, int], PositionsRefused]:
    """Return each refusal of a session, by its place, with refused_by, left_by, repeats and x_constant filled in.

    `image` is the session's image input (seen | possible | excluded | unknown).
    """
    found: list[tuple[PositionsRefused, str, bool | None]] = []
    for incident in incidents:
        refusals = [event for event in incident.events if isinstance(event, PositionsRefused)]
        for index, refusal in enumerate(refusals):
            # a paste may show the failing line above the positions: with one refusal the whole incident counts
            after = [
                event
                for event in incident.events
                if len(refusals) == 1
                or (
                    event.place > refusal.place
                    and (index + 1 == len(refusals) or event.place < refusals[index + 1].place)
                )
            ]
            by = _refused_by(after)
            if by == "unknown" and no_drafter:
                by = "target"
            steps = any(isinstance(event, DraftStepFailed) for event in after)
            processes = any(isinstance(event, DraftDecodeFailed | SpeculativeBatchFailed) for event in after)
            found.append((refusal, by, True if steps else False if processes else None))
    judged: dict[tuple[int, int, int], PositionsRefused] = {}
    for refusal, by, drafting in found:
        same = [other for other, _, _ in found if other.x == refusal.x and other.sequence == refusal.sequence]
        starts = [other.y for other in same if other.y is not None]
        x_constant = len(same) >= 2 and len(set(starts)) == len(starts) and starts == sorted(starts)
        # a drafter that is no longer fed is asked again at the next token: Y counts up by one or a few; an image in a
        # growing conversation moves it by whole turns
        counts_up = x_constant and all(later - sooner <= 16 for sooner, later in itertools.pairwise(starts))
        left = "unknown"
        if refusal.rule is not None and refusal.x is not None and refusal.y is not None:
            known_image = image if image in ("seen", "possible", "excluded") else "unknown"
            if counts_up and len(same) >= 3:
                left = "lag" if refusal.y > refusal.x else "unknown"
            if left == "unknown":
                left = left_by(
                    Rule(refusal.rule),
                    refusal.x,
                    refusal.y,
                    image=known_image,  # type: ignore[arg-type]  # narrowed by the line above
                    x_constant=x_constant,
                    y_rises=counts_up,
                    repeats=len(same),
                    drafting=drafting,
                    shared_cache=shared_cache,
                )
        judged[refusal.place] = dataclasses.replace(
            refusal, refused_by=by, left_by=left, repeats=len(same), x_constant=x_constant
        )
    return judged


def _refused_by(events: Iterable[Event]) -> str:
    """Return which context refused: the next line that names one tells, `failed to initialize batch` does not."""
    by = "unknown"
    for event in events:
        if isinstance(event, DRAFT_SIDE):
            return "draft"
        if isinstance(event, InvalidInputBatch):
            by = "target"
        elif isinstance(event, BatchRefused):
            continue
    return by
