"""Draft acceptance of many reports, and what image turns do to it."""

from collections.abc import Iterable, Mapping, Sequence

from diag.model.comparison import Tally
from diag.model.report import Report
from diag.model.run import Acceptance, Session
from diag.model.statistics import FLOOR, rate, wilson_interval

TURNS = ("text", "image", "unknown")
COLLAPSE = (
    1 / 3
)  # image rate / text rate below which drafting has stopped to pay; the signature of a collapse says the same


def add(sums: Iterable[Mapping[str, Acceptance]]) -> dict[str, Acceptance]:
    """Return the exact sums by class of turn; each of text, image, unknown is always there."""
    total = {turn: Acceptance() for turn in TURNS}
    for one in sums:
        for turn in TURNS:
            total[turn] += one.get(turn, Acceptance())
    return total


def differs(one: Acceptance, other: Acceptance) -> bool | None:
    """Return whether the 95 % intervals of two rates do not overlap; None below 100 drafted tokens on either side."""
    left, right = wilson_interval(one.accepted, one.drafted), wilson_interval(other.accepted, other.drafted)
    if left is None or right is None or min(one.drafted, other.drafted) < FLOOR:
        return None
    return left[1] < right[0] or right[1] < left[0]


def judge(sums: Mapping[str, Acceptance]) -> str:
    """Return how image turns stand against text turns.

    none: nothing was drafted; no-image, no-text: that class has no drafted tokens; too-few: fewer than 100 in one of
    them; same: the 95 % intervals overlap; lower, higher; collapse: lower, and under a third of the text rate.
    """
    text, image = sums.get("text", Acceptance()), sums.get("image", Acceptance())
    text_rate, image_rate = rate(text), rate(image)
    if image_rate is None:
        return "no-image" if any(one.drafted for one in sums.values()) else "none"
    if text_rate is None:
        return "no-text"
    different = differs(text, image)
    if different is None:
        return "too-few"
    if not different:
        return "same"
    if image_rate > text_rate:
        return "higher"
    return "collapse" if image_rate < COLLAPSE * text_rate else "lower"


def session_tally(name: str, session: Session) -> Tally:
    """Return the tally of one session of the file `name`."""
    sums = add([session.acceptance])
    family = session.drafter.family
    named = (family,) if family not in ("unknown", "none") else ()
    return Tally(name, session.number, sums, judge(sums), named, image_sign=session.image_sign)


def total_tally(name: str, parts: Sequence[Tally]) -> Tally:
    """Return the sum of tallies: of a file's sessions, or (with the name "") of all files.

    Text turns of one drafter against image turns of another say nothing: with several drafters it is judged "mixed".
    """
    sums = add(part.sums for part in parts)
    families = dict.fromkeys(family for part in parts for family in part.families)
    mixed = len({part.families for part in parts}) > 1
    return Tally(name, None, sums, "mixed" if mixed else judge(sums), tuple(families))


def by_family(parts: Sequence[Tally]) -> list[Tally]:
    """Return the sum over the sessions of each drafter family, in the order met; empty for fewer than two families."""
    families = dict.fromkeys(family for part in parts for family in part.families)
    if len(families) < 2:
        return []
    return [total_tally("", [part for part in parts if part.families == (family,)]) for family in families]


def drafting_sessions(report: Report) -> list[Session]:
    """Return the sessions that drafted anything, in the order of the log."""
    return [session for session in report.sessions if any(one.drafted for one in session.acceptance.values())]
