"""When a build of llama.cpp came out, as far as dated releases near it tell."""

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from diag.model.catalog import UpstreamItem
from diag.model.flags import Snapshot
from diag.model.noun import noun

HOME = "ggml-org/llama.cpp"


@noun
class DatedBuild:
    """A build whose day is known: a package made of it, a release, or a change that was merged into it."""

    build: int
    date: dt.date
    source: str


def dated_builds(snapshots: Sequence[Snapshot], items: Iterable[UpstreamItem] = ()) -> tuple[DatedBuild, ...]:
    """Return the builds whose day is known, by number; llama.cpp's own items count where both are known.

    A snapshot of which only the month is known is left out. Days never fall as numbers grow: a later one that would
    is dropped, since packages are made some days after their build.
    """
    found = {
        item.first_build: DatedBuild(item.first_build, item.merged, f"{item.ref.removeprefix(HOME)} merged into it")
        for item in items
        if item.merged is not None and item.first_build is not None and item.ref.startswith(HOME)
    }
    for snapshot in snapshots:
        if snapshot.date is not None and len(snapshot.date) == len("2026-07-04"):
            made = DatedBuild(snapshot.build, dt.date.fromisoformat(snapshot.date), f"package {snapshot.package}")
            found.setdefault(snapshot.build, made)
    kept: list[DatedBuild] = []
    for number in sorted(found, reverse=True):
        if not kept or found[number].date <= kept[-1].date:
            kept.append(found[number])
    return tuple(reversed(kept))


def neighbours(build: int, dated: Sequence[DatedBuild]) -> tuple[DatedBuild | None, DatedBuild | None]:
    """Return the last dated build up to `build` and the first one from it on; None past an end."""
    at = bisect_left(dated, build, key=lambda one: one.build)
    if at < len(dated) and dated[at].build == build:
        return dated[at], dated[at]
    return (dated[at - 1] if at else None, dated[at] if at < len(dated) else None)


def about(build: int, dated: Sequence[DatedBuild]) -> dt.date | None:
    """Return about when the build came out, between its dated neighbours; None before the first or after the last."""
    before, after = neighbours(build, dated)
    if before is None or after is None:
        return None
    n_builds, n_days = after.build - before.build, (after.date - before.date).days
    return before.date + dt.timedelta(days=round(n_days * (build - before.build) / n_builds) if n_builds else 0)
