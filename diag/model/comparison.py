"""Reports set against each other: sums of acceptance over several, and what differs between two."""

from collections.abc import Mapping

from diag.model.noun import noun
from diag.model.run import Acceptance


@noun
class Tally:
    """Draft acceptance of one session, one file or all files, by class of turn (text | image | unknown)."""

    name: str  # file name as given; "" = over all files
    session: int | None  # None = the whole file, or all files
    sums: Mapping[str, Acceptance]
    judgement: (
        str  # lower | collapse | higher | same | too-few | no-image | no-text | none | mixed: image against text turns
    )
    families: tuple[str, ...] = ()  # drafter families that drafted, in the order met
    family_words: str = ""
    build_words: str = ""
    image_sign: str = ""  # how image turns were told, or why they could not be


@noun
class Difference:
    """One thing that the logs show to differ."""

    what: (
        str  # failure | build | flavour | drafter | target | flag | environment | memory | acceptance | speed | ending
    )
    name: str  # which one of its sort: a flag, a class of turns; the same as `what` where there is only one
    good: str
    bad: str
    why: str  # what it means, or how sure it is


@noun
class BuildSpan:
    """Builds between the two runs: the change came after `after` and by `up_to`."""

    after: int
    up_to: int
    backwards: bool = False  # the bad run has the older build: something in between repaired it
    family: str | None = None  # of the bad run, where known


@noun
class Comparison:
    differences: tuple[Difference, ...]  # most important first
    untold: tuple[str, ...]  # what at least one log does not tell, so that nothing can be said
    span: BuildSpan | None
    good_session: tuple[int, int]  # number of the session compared, and how many the log has
    bad_session: tuple[int, int]


@noun
class Anchor:
    """A literal that is searched for, with the exact pattern behind it and what it belongs to."""

    literal: str
    pattern: str  # searched in the message: the line without clock, level and wrapper
    name: str  # an event's name, or "<signature id>/<condition name>"
