"""The registry of threads and releases: by reference, by topic, in time."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence

from diag.errors import InputError
from diag.model.builds import HOME, about, dated_builds, neighbours
from diag.model.catalog import Catalog, Question, UpstreamItem
from diag.model.flags import Snapshot
from diag.model.registry import BuildPlace, Concern, Dated

N_AROUND = 6  # changes shown before and after a build
N_DAYS_LATELY = 45  # before the newest step that the registry knows
CENTRE_AREAS = ("positions", "speculative", "vision")

_URL = re.compile(r"https?://github\.com/([\w.-]+/[\w.-]+)/(?:pull|issues|discussions)/(\d+)")
_TAG_URL = re.compile(r"https?://github\.com/([\w.-]+/[\w.-]+)/releases/tag/([\w.-]+)")
_THREAD = re.compile(r"(?:([\w.-]+/[\w.-]+))?#?(\d+)")
_TAG = re.compile(r"(?:([\w.-]+/[\w.-]+)@)?([bv]\d[\w.-]*)")


def looks_like_ref(text: str) -> bool:
    """Return whether a person could mean a thread or a release by it: 25144, #25144, owner/repo#5, b9871, a URL."""
    return any(form.fullmatch(text.strip()) for form in (_URL, _TAG_URL, _THREAD, _TAG))


def find_items(catalog: Catalog, text: str) -> list[UpstreamItem]:
    """Return the items a reference means: a bare number is llama.cpp's own thread, a bare tag that of any repository.

    Never empty. Raises InputError when the text is no reference or the registry does not hold it.
    """
    text = text.strip()
    for form, joint in ((_URL, "#"), (_TAG_URL, "@"), (_THREAD, "#"), (_TAG, "@")):
        found = form.fullmatch(text)
        if found is None:
            continue
        repository, name = found[1], found[2]
        wanted = f"{repository or HOME}{joint}{name}"
        exact = next((item for ref, item in catalog.upstream.items() if ref.lower() == wanted.lower()), None)
        if exact is not None:
            return [exact]
        elsewhere = [item for ref, item in catalog.upstream.items() if ref.endswith(f"{joint}{name}")]
        if elsewhere and repository is None and joint == "@":
            return elsewhere  # a fork's own tag
        hint = f"; there is {elsewhere[0].ref}" if elsewhere else ""
        raise InputError(f"{text[:60]!a} is not in the registry, which `diag upstream --all` lists{hint}")
    raise InputError(f"{text[:60]!a} is no reference; write 25144, owner/repository#5, b9871 or the thread's address")


def build_number(text: str) -> int | None:
    """Return the number of a build of llama.cpp, written b9871 or with its repository; None for anything else."""
    found = _TAG.fullmatch(text.strip()) or _TAG_URL.fullmatch(text.strip())
    if found is None or found[1] not in (None, HOME) or not re.fullmatch(r"b\d{1,6}", found[2]):
        return None
    return int(found[2][1:])


def place_of(catalog: Catalog, snapshots: Sequence[Snapshot], build: int) -> BuildPlace:
    """Return where the build lies between dated ones, and the changes for drafters and images around it."""
    dated = dated_builds(snapshots, catalog.upstream.values())
    before, after = neighbours(build, dated)
    landed = _once(landed_between(catalog, 0, build, None))
    coming = _once(landed_between(catalog, build, 10**6, None))
    return BuildPlace(build, before, after, about(build, dated), landed[-N_AROUND:], coming[:N_AROUND])


def _once(items: Sequence[UpstreamItem]) -> tuple[UpstreamItem, ...]:
    """Return the items without the releases whose change is there as a thread."""
    threads = {item.first_build for item in items if item.kind != "release"}
    return tuple(item for item in items if item.kind != "release" or item.first_build not in threads)


def lately(items: Iterable[UpstreamItem]) -> list[UpstreamItem]:
    """Return threads that are open or changed shortly before the newest step of all.

    Those that people argue about come first, then llama.cpp's own before those of others, the newest change first.
    """
    kept = [(_changed(item), item) for item in items if item.kind != "release"]
    newest = max((day for day, _ in kept if day is not None), default=None)
    if newest is None:
        return [item for _, item in kept if item.state in ("open", "draft")]
    found = [
        (day or dt.date.min, item)
        for day, item in kept
        if item.state in ("open", "draft") or (day is not None and (newest - day).days <= N_DAYS_LATELY)
    ]
    newest_first = sorted(found, key=lambda row: row[0], reverse=True)
    rank = sorted(newest_first, key=lambda row: (not row[1].arguments, not row[1].ref.startswith(f"{HOME}#")))
    return [item for _, item in rank]


def _changed(item: UpstreamItem) -> dt.date | None:
    days = [day for day in (item.opened, item.draft_since, item.merged, item.closed) if day is not None]
    return max(days, default=None)


def concerns(catalog: Catalog) -> dict[str, Concern]:
    """Return what each item is about, by ref, in the order of the registry.

    An item's own families come first; without them the first signature that links, cites or was seen in it decides.
    """
    areas: dict[str, list[str]] = {}
    for signature in catalog.signatures.values():
        refs = {link.ref for link in signature.upstream} | set(signature.references)
        refs.update(ref for fix in signature.fixes for ref in fix.evidence)
        for ref in refs:
            areas.setdefault(ref, []).append(signature.area)
    found: dict[str, Concern] = {}
    for ref, item in catalog.upstream.items():
        linked = areas.get(ref, [])
        central = next((area for area in CENTRE_AREAS if area in linked), None)
        if item.families:
            found[ref] = Concern(item.families[0] if len(item.families) == 1 else "several families", True)
        elif central is not None:
            found[ref] = Concern(central, True)
        else:
            found[ref] = Concern(linked[0] if linked else "other", False)
    return found


def chosen(
    catalog: Catalog,
    *,
    family: str | None = None,
    state: str | None = None,
    kind: str | None = None,
    everything: bool = False,
) -> list[UpstreamItem]:
    """Return the items that pass the filters, in the order of the registry; without any only those of the centre."""
    about = concerns(catalog)
    filtered = any(value is not None for value in (family, state, kind))
    return [
        item
        for ref, item in catalog.upstream.items()
        if (family is None or family in item.families)
        and (state is None or item.state == state)
        and (kind is None or item.kind == kind)
        and (everything or filtered or about[ref].centre)
    ]


def grouped(items: Iterable[UpstreamItem], about: Mapping[str, Concern]) -> list[tuple[str, list[UpstreamItem]]]:
    """Return the items by topic: drafter families, then areas in the order of the signatures, what is left last."""
    groups: dict[str, list[UpstreamItem]] = {}
    central: dict[str, bool] = {}
    for item in items:
        concern = about[item.ref]
        groups.setdefault(concern.topic, []).append(item)
        central[concern.topic] = concern.centre
    order = sorted(groups, key=lambda topic: (topic == "other", not central[topic], topic != "several families"))
    return [(topic, groups[topic]) for topic in order]


def timeline(items: Iterable[UpstreamItem]) -> list[Dated]:
    """Return every dated step of the items, oldest first: opened, draft, merged, closed, and those of their history."""
    steps: list[Dated] = []
    for item in items:
        own = {event.date for event in item.events}
        for word, date in (
            ("came out" if item.kind == "release" else "opened", item.opened),
            ("turned into a draft", item.draft_since),
            ("came out" if item.kind == "release" else "merged", item.merged),
            ("closed", item.closed if item.merged is None else None),
        ):
            # the history of an item says the same day's step in more words
            if date is not None and date not in own and not any(old.item is item and old.date == date for old in steps):
                build = f" (b{item.first_build})" if word == "merged" and item.first_build is not None else ""
                steps.append(Dated(date, f"{word}{build}", item, told=False))
        steps.extend(Dated(event.date, event.what, item) for event in item.events)
    return sorted(steps, key=lambda step: step.date)


def questions_about(catalog: Catalog, items: Iterable[UpstreamItem]) -> list[Question]:
    """Return the questions that name one of the items, in their order."""
    refs = {item.ref for item in items}
    return [question for question in catalog.questions if refs & set(question.refs)]


def related_to(catalog: Catalog, item: UpstreamItem) -> list[UpstreamItem]:
    """Return the items that point to this one, in the order of the registry."""
    return [
        other
        for other in catalog.upstream.values()
        if item.ref in (*other.related, *other.fixes, *other.supersedes, *other.superseded_by)
    ]


def cited_by(catalog: Catalog, item: UpstreamItem) -> list[str]:
    """Return the ids of signatures that link, cite or were seen in the item."""
    return [
        signature.id
        for signature in catalog.signatures.values()
        if item.ref in {link.ref for link in signature.upstream}
        or item.ref in signature.references
        or any(item.ref in fix.evidence for fix in signature.fixes)
    ]


def landed_between(catalog: Catalog, after: int, up_to: int, family: str | None) -> list[UpstreamItem]:
    """Return items first in a build after `after` and up to `up_to`, by build; for a family those that concern it.

    A family of None takes every item that concerns drafters or images.
    """
    about = concerns(catalog)
    found = [
        item
        for ref, item in catalog.upstream.items()
        if item.first_build is not None
        and after < item.first_build <= up_to
        and (family in item.families if family is not None else about[ref].centre)
    ]
    return sorted(found, key=lambda item: (item.first_build or 0, item.ref))
