"""The gates of the registry's days: what cannot have happened, or cannot have been seen, on the day that is written."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from diag.model.builds import about, dated_builds
from diag.model.catalog import Catalog, UpstreamItem
from diag.model.flags import Snapshot

N_DAYS_OFF = 20  # a first build's day, read off its dated neighbours, may be this far from the merge


def check_dates(catalog: Catalog, snapshots: Sequence[Snapshot]) -> list[str]:
    """Return the faults of the registry, one line each: days out of order, titles that only repeat the kind's."""
    builds = dated_builds(snapshots)
    threads = _threads(catalog.upstream)
    repeated = _repeated(catalog)
    faults: list[str] = []
    for item in catalog.upstream.values():
        faults.extend(f"upstream.toml: {item.ref} - {fault}" for fault in _own(item))
        if item.merged is not None and item.first_build is not None:
            day = about(item.first_build, builds)
            if day is not None and abs((day - item.merged).days) > N_DAYS_OFF:
                faults.append(f"upstream.toml: {item.ref} - merged {item.merged}, but b{item.first_build} is of {day}")
        if item.ref in repeated and not item.title_exact:
            faults.append(f"upstream.toml: {item.ref} - its title only repeats the kind's; leave it empty")
    for rows in threads.values():
        faults.extend(_numbers(rows))
    return faults


def stale_threads(catalog: Catalog, today: dt.date, n_days: int) -> list[UpstreamItem]:
    """Return the threads that may have moved since they were last seen more than n_days ago, oldest sight first."""
    return sorted(
        (
            item
            for item in catalog.upstream.values()
            if item.state in ("open", "draft") and (today - item.checked).days > n_days
        ),
        key=lambda item: (item.checked, item.ref),
    )


def _own(item: UpstreamItem) -> Iterator[str]:
    for name in ("draft_since", "merged", "closed"):
        day = getattr(item, name)
        if day is not None and item.opened is not None and day < item.opened:
            yield f"{name} {day} before it was opened, {item.opened}"
        if day is not None and day > _last(item):
            yield f"{name} {day} after it was last seen, {item.seen}"
    if item.opened is not None and item.opened > _last(item):
        yield f"last seen {item.seen} before it was opened, {item.opened}"
    if item.merged is not None and item.state != "merged":
        yield f"has a day of its merge and the state {item.state}"
    if item.closed is not None and item.state not in ("closed", "merged"):
        yield f"has a day on which it was closed and the state {item.state}"
    if item.month_only and item.checked.day != 1:
        yield f"month_only, but its day is {item.checked}"
    if not item.title and item.title_exact:
        yield "an empty title is no exact one"


def _numbers(rows: Sequence[tuple[int, UpstreamItem]]) -> Iterator[str]:
    """Yield items of one repository, by number, that have a day before a lower number was opened."""
    opened: tuple[dt.date, int] | None = None
    for number, item in rows:
        if opened is not None:
            days = {"opened": item.opened, "merged": item.merged, "closed": item.closed, "last seen": _last(item)}
            for name, day in days.items():
                if day is not None and day < opened[0]:
                    yield (
                        f"upstream.toml: {item.ref} - {name} {day}, but #{opened[1]} was opened later, on {opened[0]}"
                    )
        if item.opened is not None and (opened is None or item.opened > opened[0]):
            opened = (item.opened, number)


def _threads(upstream: Mapping[str, UpstreamItem]) -> dict[str, list[tuple[int, UpstreamItem]]]:
    found: dict[str, list[tuple[int, UpstreamItem]]] = {}
    for ref, item in upstream.items():
        repository, joint, number = ref.partition("#")
        if joint:
            found.setdefault(repository, []).append((int(number), item))
    return {repository: sorted(rows, key=lambda row: row[0]) for repository, rows in found.items()}


def _repeated(catalog: Catalog) -> set[str]:
    """Return the refs whose title is that of a signature which links them."""
    return {
        link.ref
        for signature in catalog.signatures.values()
        for link in signature.upstream
        if link.ref in catalog.upstream and catalog.upstream[link.ref].title.casefold() == signature.title.casefold()
    }


def _last(item: UpstreamItem) -> dt.date:
    """Return the last day on which it can have been seen: the month's last one where only the month is known."""
    if not item.month_only:
        return item.checked
    return (item.checked.replace(day=1) + dt.timedelta(days=32)).replace(day=1) - dt.timedelta(days=1)
