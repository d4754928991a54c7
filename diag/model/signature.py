"""A signature: a known failure kind, how it shows, what to do about it; the frozen form of its TOML file."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, get_args

from diag.model.noun import noun

Value = str | int | float | bool

Severity = Literal["fatal", "error", "degraded", "info", "benign"]
SEVERITIES: tuple[str, ...] = get_args(Severity)  # the worst first
FAULTS: tuple[str, ...] = ("fatal", "error", "degraded")  # those that say something is wrong

Family = Literal[
    "one-axis-separate", "mrope-separate", "shared-cache", "dflash", "eagle3", "independent-draft", "ngram"
]
FAMILIES: tuple[str, ...] = get_args(Family)
"""The drafter families that a signature or an upstream item may be about."""


@noun
class Test:
    """The comparison of one field of a `where` table; what is set must all hold."""

    equals: Value | None = None
    any_of: tuple[Value, ...] | None = None
    below: float | None = None
    at_least: float | None = None
    contains: str | None = None
    same_as: str | None = None  # "<condition>.<field>"

    def holds(self, value: object) -> bool:
        """Return whether the value passes what is set but `same_as`, which needs other events; None never passes."""
        if value is None:
            return False
        if self.equals is not None and value != self.equals:
            return False
        if self.any_of is not None and value not in self.any_of:
            return False
        if self.contains is not None and self.contains not in str(value):
            return False
        if self.below is not None and not (isinstance(value, int | float) and value < self.below):
            return False
        return self.at_least is None or (isinstance(value, int | float) and value >= self.at_least)


@noun
class Condition:
    """A named condition: an event with tests on its fields, or a text with its anchor."""

    name: str
    event: str | None = None  # class name in diag.model.events
    where: Mapping[str, Test] = field(default_factory=dict)
    anchor: str | None = None  # literal text that every matching message holds
    text: str | None = None  # pattern searched in the message; named groups are captures
    within: str | None = None  # incident | session | log; None = the scope of the match
    count: int = 1  # least number of occurrences
    same: bool = False  # count only occurrences whose captures are equal


@noun
class Match:
    """One way the signature can hold. Names refer to conditions."""

    grade: str  # certain | likely | possible
    scope: str = "incident"  # incident | session | log
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    sequence: tuple[str, ...] = ()  # all of them, in this order of lines
    unless_later: tuple[str, ...] = ()  # withdraw the finding when one occurs after its last line in the session


@noun
class BuildRange:
    """Builds in which a fault exists. None = open end."""

    introduced: int | None = None  # first build that has the fault
    fixed: int | None = None  # first build without it
    ref: str | None = None  # what fixed it
    families: tuple[str, ...] = ()
    target_rope: str | None = None  # one-axis | mrope
    drafter_rope: str | None = None
    backends: tuple[str, ...] = ()


@noun
class Applies:
    """Facts that can refute the signature; empty fields refute nothing."""

    families: tuple[str, ...] = ()
    image: str | None = None  # "required": refuted when image input is excluded
    flavours: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    builds: tuple[BuildRange, ...] = ()


@noun
class FixWhen:
    """When a fix applies; an unknown fact leaves it in the list, marked. Empty fields ask nothing."""

    build_from: int | None = None
    build_below: int | None = None
    backends: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    flavours: tuple[str, ...] = ()
    os: tuple[str, ...] = ()
    target_rope: str | None = None
    drafter_rope: str | None = None
    flags: tuple[str, ...] = ()  # any of them is on the user's command line
    image: str | None = None
    n_devices_from: int | None = None  # at least so many devices, the CPU not counted


@noun
class Edit:
    """What a fix changes on the user's command line."""

    drop: tuple[str, ...] = ()  # flags to remove, with their value
    set: Mapping[str, str] = field(default_factory=dict)  # flag -> value ("" = a flag without a value)


@noun
class Fix:
    kind: str  # upgrade | flag | config | model | driver | rebuild | workaround | report
    do: str
    when: FixWhen = FixWhen()
    cost: str = ""
    verify: str = ""
    edit: Edit | None = None
    evidence: tuple[str, ...] = ()
    checked: dt.date | None = None


@noun
class UpstreamLink:
    ref: str
    relation: str  # report | would-fix | fixed-by | introduced-by | related


@noun
class Example:
    expect: str  # match | no-match
    log: str
    provenance: str
    why: str = ""
    captures: Mapping[str, Value] = field(default_factory=dict)


@noun
class Signature:
    id: str
    title: str
    area: str
    severity: str  # fatal | error | degraded | info | benign
    matches: tuple[Match, ...]
    conditions: Mapping[str, Condition]
    cause: str
    chain: tuple[str, ...]
    fallback: bool = False  # says only that something died; a fault that says why absorbs it
    aliases: tuple[str, ...] = ()
    not_to_confuse_with: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    applies: Applies = Applies()
    fixes: tuple[Fix, ...] = ()
    upstream: tuple[UpstreamLink, ...] = ()
    references: tuple[str, ...] = ()  # where the failure was seen: threads, "reproduced on bNNNN"
    examples: tuple[Example, ...] = ()


def consequences_of(name: str, signatures: Mapping[str, Signature]) -> set[str]:
    """Return the ids of all that follows from a signature, over any number of steps; never its own."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        known = signatures.get(waiting.pop())
        further = set(known.consequences) - reached if known is not None else set()
        reached |= further
        waiting.extend(further)
    return reached - {name}
