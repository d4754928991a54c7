"""The position message put together again, and who refused."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence

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
from diag.positions.rule import N_TRIES_OF_A_LAG, Rule, gap, left_by, relation

DRAFT_SIDE = (DraftDecodeFailed, DraftStepFailed, DraftFlushFailed, PostDecodeFailed, SpeculativeBatchFailed)


def join_fragments(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events with each run of position fragments replaced by one PositionsRefused.

    The four lines are one message of the server, but wrappers stamp each line and pastes lose some, so they arrive as
    fragments. A fragment that the open message already has begins the next one.
    """
    if not any(isinstance(event, PositionFragment) for event in events):
        return events
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
    return PositionsRefused(
        line=first.line,
        column=first.column,
        level=first.level or next((item.level for item in fragments if item.level), None),
        elapsed_us=first.elapsed_us,
        rule=next((item.rule for item in fragments if item.rule is not None), None),
        x=x,
        y=y,
        gap=gap(x, y) if x is not None and y is not None else None,
        relation=relation(x, y) if x is not None and y is not None else None,
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
        for refusal, after in _with_followers(incident):
            by = _refused_by(after)
            if by == "unknown" and no_drafter:
                by = "target"
            steps = any(isinstance(event, DraftStepFailed) for event in after)
            processes = any(isinstance(event, DraftDecodeFailed | SpeculativeBatchFailed) for event in after)
            found.append((refusal, by, True if steps else False if processes else None))
    groups: dict[tuple[int | None, int | None], list[int]] = {}
    for refusal, _, _ in found:
        starts = groups.setdefault((refusal.x, refusal.sequence), [])
        if refusal.y is not None:
            starts.append(refusal.y)
    patterns = {key: _pattern(starts) for key, starts in groups.items()}
    judged: dict[tuple[int, int, int], PositionsRefused] = {}
    for refusal, by, drafting in found:
        repeats, x_constant, counts_up = patterns[refusal.x, refusal.sequence]
        left = "unknown"
        if refusal.rule is not None and refusal.x is not None and refusal.y is not None:
            known_image = image if image in ("seen", "possible", "excluded") else "unknown"
            if counts_up and repeats >= N_TRIES_OF_A_LAG:
                left = "lag" if refusal.y > refusal.x else "unknown"
            if left == "unknown":
                left = left_by(
                    Rule(refusal.rule),
                    refusal.x,
                    refusal.y,
                    image=known_image,  # type: ignore[arg-type]  # narrowed by the line above
                    x_constant=x_constant,
                    y_rises=counts_up,
                    repeats=repeats,
                    drafting=drafting,
                    shared_cache=shared_cache,
                )
        judged[refusal.place] = dataclasses.replace(
            refusal, refused_by=by, left_by=left, repeats=repeats, x_constant=x_constant
        )
    return judged


def _with_followers(incident: Incident) -> Iterator[tuple[PositionsRefused, Sequence[Event]]]:
    """Yield each refusal with the events up to the next one.

    A paste may show the failing line above the positions, so an only refusal gets the whole incident.
    """
    at = [index for index, event in enumerate(incident.events) if isinstance(event, PositionsRefused)]
    for index, following in itertools.zip_longest(at, at[1:]):
        refusal = incident.events[index]
        assert isinstance(refusal, PositionsRefused)
        yield refusal, incident.events if len(at) == 1 else incident.events[index + 1 : following]


def _pattern(starts: Sequence[int]) -> tuple[int, bool, bool]:
    """Return how often one x came back, whether y only rose, and whether it counted up by one or a few.

    A drafter that is no longer fed is asked again at the next token; an image in a growing conversation moves y by
    whole turns.
    """
    rises = len(starts) >= 2 and all(sooner < later for sooner, later in itertools.pairwise(starts))
    counts_up = rises and all(later - sooner <= 16 for sooner, later in itertools.pairwise(starts))
    return max(1, len(starts)), rises, counts_up


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
