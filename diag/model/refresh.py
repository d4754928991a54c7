"""What a refresh of the registry saw of its items."""

import datetime as dt
from dataclasses import replace

from diag.model.catalog import UpstreamItem
from diag.model.noun import noun

_ASKED = "GitHub API, "
_MOVED = "; moved to "
_BEFORE = "; before: "


@noun
class Sighting:
    """A thread or release as the API showed it; `checked` is the day (UTC) it was asked."""

    ref: str  # as the registry has it, also where the thread has moved
    kind: str
    title: str
    state: str  # open | draft | merged | closed
    checked: dt.date
    opened: dt.date | None = None
    merged: dt.date | None = None
    closed: dt.date | None = None
    moved_to: str = ""  # owner/repository#number, of a renamed repository or a transferred thread
    url: str = ""  # what was asked; its ETag holds for this address only
    etag: str = ""

    def applied(self, item: UpstreamItem) -> UpstreamItem:
        """Return the item with what was seen.

        What the API does not tell stays: when a pull request turned into a draft, an opening day that it left out, and
        own words for a release that has no name but its tag. The old source stays behind the new one, since what was
        not asked still rests on it.
        """
        nameless = item.kind == "release" and self.title == item.ref.rpartition("@")[2] and not item.title_exact
        moved = f"{_MOVED}{self.moved_to}" if self.moved_to else ""
        before = _without_own(item.source)
        return replace(
            item,
            kind=self.kind,
            title=item.title if nameless else self.title,
            title_exact=item.title_exact if nameless else True,
            state=self.state,
            opened=self.opened or item.opened,
            merged=(self.merged or item.merged) if self.state == "merged" else None,
            closed=(self.closed or item.closed) if self.state == "closed" else None,
            checked=self.checked,
            month_only=False,
            source=f"{_ASKED}{self.checked}{moved}{f'{_BEFORE}{before}' if before else ''}",
        )


def _without_own(source: str) -> str:
    """Return the source without what an earlier sighting wrote before it."""
    day = source.removeprefix(_ASKED)[: len("2026-11-30")]
    if not source.startswith(_ASKED) or not all(part.isdigit() for part in day.split("-")) or day.count("-") != 2:
        return source
    rest = source.removeprefix(_ASKED + day)
    place = rest.removeprefix(_MOVED).partition(";")[0].partition(" ")[0]
    if rest.startswith(_MOVED) and place:
        rest = rest.removeprefix(_MOVED + place)
    return rest.removeprefix(_BEFORE)


@noun
class Outcome:
    """What became of one item: it was seen, or there is a problem."""

    item: UpstreamItem  # as it was
    seen: Sighting | None
    problem: str = ""  # set when it was not seen
    reached: bool = True  # whether a server answered at all
    status: int | None = None  # of HTTP, of an answer that was no success
    is_pull: bool = False  # it was asked as an issue and is a pull request
    unchanged: bool = False  # the API said so (304)

    @property
    def new(self) -> UpstreamItem:
        """Return the item as it is now; the old one when it was not seen."""
        return self.seen.applied(self.item) if self.seen is not None else self.item

    @property
    def changed(self) -> tuple[str, ...]:
        """Return the names of what changed, of those a reader sees: not the day of the check and not the source."""
        new = self.new
        names = ("kind", "title", "state", "opened", "merged", "closed")
        return tuple(name for name in names if getattr(self.item, name) != getattr(new, name))


@noun
class Stop:
    """Why a refresh ended before its last item, and when it can go on (UTC; None: unknown)."""

    reason: str
    resume_at: dt.datetime | None = None
    hint: str = ""
