"""Does one condition hold, and in which events."""

import collections
from collections.abc import Mapping, Sequence

from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.model.signature import Condition, Test, Value

Held = Mapping[str, Sequence[Event]]
"""The events in which each condition holds, by its name; an absent or empty entry means it does not hold."""


def holding(signature_id: str, condition: Condition, pool: Sequence[Event], held: Held) -> list[Event]:
    """Return the events of the pool in which the condition holds, in line order; [] when it is met too few times.

    `held` holds the conditions decided so far, for tests that join two of them.
    """
    if condition.text is not None:
        name = f"{signature_id}/{condition.name}"
        texts = [event for event in pool if isinstance(event, TextMatched) and event.condition == name]
        if condition.same and texts:
            captures = collections.Counter(event.captures for event in texts).most_common(1)[0][0]
            texts = [event for event in texts if event.captures == captures]
        found: list[Event] = list(texts)
    else:
        found = [
            event
            for event in pool
            if type(event).__name__ == condition.event
            and all(_passes(getattr(event, name, None), test, held) for name, test in condition.where.items())
        ]
    return found if len(found) >= condition.count else []


def _passes(value: Value | None, test: Test, held: Held) -> bool:
    if value is None:
        return False
    if test.equals is not None and value != test.equals:
        return False
    if test.any_of is not None and value not in test.any_of:
        return False
    if test.contains is not None and test.contains not in str(value):
        return False
    if test.below is not None and not (isinstance(value, int | float) and value < test.below):
        return False
    if test.at_least is not None and not (isinstance(value, int | float) and value >= test.at_least):
        return False
    if test.same_as is not None:
        condition, _, name = test.same_as.partition(".")
        return any(getattr(event, name, None) == value for event in held.get(condition, ()))
    return True
