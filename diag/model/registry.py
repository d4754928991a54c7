"""The registry seen from two sides: what an item concerns, and its steps in time."""

import datetime as dt

from diag.model.builds import DatedBuild
from diag.model.catalog import UpstreamItem
from diag.model.noun import noun


@noun
class Concern:
    """What an item is about: a drafter family, several of them, or the area of the signatures that rest on it."""

    topic: str  # family | "several families" | area | "other"
    centre: bool  # speculative decoding, images, positions


@noun
class Dated:
    """One step in the history of an item."""

    date: dt.date
    what: str
    item: UpstreamItem
    told: bool = True  # the item's own history says it; False = only its dates do


@noun
class BuildPlace:
    """Where a build lies in time, and what came for drafters and images around it."""

    build: int
    before: DatedBuild | None  # the last build up to it whose day is known
    after: DatedBuild | None  # the first one from it on
    about: dt.date | None  # its day, read off the two
    landed: tuple[UpstreamItem, ...]  # the last ones up to it, by build
    coming: tuple[UpstreamItem, ...]  # the first ones after it
