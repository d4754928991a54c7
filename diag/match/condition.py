"""Does one condition hold, and in which events."""

import collections
from collections.abc import Mapping, Sequence, Set

from diag.match.pool import Pool, key_of
from diag.model.events import Event
from diag.model.events.event import TextMatched
from diag.model.signature import Condition, Test, Value

Held = Mapping[str, Sequence[Event]]
"""The events in which each condition holds, by its name; an absent or empty entry means it does not hold."""


def holding(signature_id: str, condition: Condition, pool: Pool, held: Held) -> list[Event]:
    """Return the events of the pool in which the condition holds, in line order; [] when it is met too few times.

    `held` holds the conditions decided so far, for tests that join two of them.
    """
    named = pool.named(key_of(signature_id, condition))
    if len(named) < max(condition.count, 1):
        return []
    if condition.text is not None:
        texts = [event for event in named if isinstance(event, TextMatched)]
        if condition.same and texts:
            captures = collections.Counter(event.captures for event in texts).most_common(1)[0][0]
            texts = [event for event in texts if event.captures == captures]
        found: list[Event] = list(texts)
    elif not condition.where:
        found = list(named)
    else:
        tests = [(name, test, _joined(test, held)) for name, test in condition.where.items()]
        found = [
            event
            for event in named
            if all(_passes(getattr(event, name, None), test, joined) for name, test, joined in tests)
        ]
    return found if len(found) >= condition.count else []


def _joined(test: Test, held: Held) -> Set[object] | None:
    """Return the values that the field of another condition's events has; None where the test joins nothing."""
    if test.same_as is None:
        return None
    condition, _, name = test.same_as.partition(".")
    return {getattr(event, name, None) for event in held.get(condition, ())}


def _passes(value: Value | None, test: Test, joined: Set[object] | None) -> bool:
    return test.holds(value) and (joined is None or value in joined)
