"""Everything the signatures folder holds, checked and frozen."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from diag.model.frontends import FrontEnd
from diag.model.models import ModelTable
from diag.model.noun import noun
from diag.model.signature import Signature

STATES = ("open", "draft", "merged", "closed", "unknown")
KINDS = ("pull-request", "issue", "release")
"""What an upstream item may be, and the states it may be in."""


@noun
class Argument:
    side: str
    text: str
    by: str = ""


@noun
class DatedEvent:
    date: dt.date
    what: str


@noun
class UpstreamItem:
    """A pull request, issue or release: its state when it was last seen.

    Its days are the events' own; None where a source tells only that it was seen so.
    """

    ref: str
    kind: str  # pull-request | issue | release
    title: str  # "" where nothing is known of the thread but its number and the kind that names it
    state: str  # open | draft | merged | closed | unknown
    checked: dt.date
    opened: dt.date | None = None
    draft_since: dt.date | None = None
    merged: dt.date | None = None
    closed: dt.date | None = None
    first_build: int | None = None
    changes: str = ""
    families: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    source: str = ""
    title_exact: bool = True
    arguments: tuple[Argument, ...] = ()
    events: tuple[DatedEvent, ...] = ()
    month_only: bool = False  # only the month of `checked` is known; its day is written as 1

    @property
    def seen(self) -> str:
        """The day, or the month, for which the state is supported: "2026-10-10" or "2026-10"."""
        return f"{self.checked:%Y-%m}" if self.month_only else self.checked.isoformat()

    @property
    def state_words(self) -> str:
        """The state with the day of its event: "merged 2026-09-24", "draft since ..."; without one the state alone."""
        if self.state == "unknown":
            return "state not known"
        if self.state == "merged" and self.merged is not None:
            return f"{'out' if self.kind == 'release' else 'merged'} {self.merged}"
        if self.state == "closed" and self.closed is not None:
            return f"closed {self.closed}"
        if self.state == "draft" and self.draft_since is not None:
            return f"draft since {self.draft_since}"
        return self.state


@noun
class Question:
    """A question that was open when somebody asked it, and what became of it."""

    text: str
    refs: tuple[str, ...]
    asked: dt.date
    answer: str
    status: str
    checked: dt.date
    source: str


class Outline(NamedTuple):
    """As much of a signature as a scan needs; the rest is looked at when it may hold."""

    id: str
    texts: tuple[tuple[str, str, str], ...]  # (condition, anchor, pattern)
    rules: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()  # of each match: what must all, and any, be there
    shipped: bool = True  # False: of a folder that the user named, whose patterns nobody has bounded


@noun
class Catalog:
    """All the knowledge that ships, and what extra folders add."""

    signatures: Mapping[str, Signature]  # by id, in the order of areas and file names
    outlines: tuple[Outline, ...]  # one a signature, in the same order
    upstream: Mapping[str, UpstreamItem]  # by ref
    models: ModelTable = field(default_factory=ModelTable)
    measurements: Sequence[Mapping[str, object]] = ()  # rows of measurements.toml as written
    questions: Sequence[Question] = ()
    front_ends: Sequence[FrontEnd] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)  # of a flag, to the one name it is known by
    content_hash: str = ""
    notes: tuple[str, ...] = ()  # what could not be used of the user's own files

    def resolve(self, name: str) -> Signature | None:
        """Return the signature of an id or an alias, or None."""
        found = self.signatures.get(name)
        if found is not None:
            return found
        return next((signature for signature in self.signatures.values() if name in signature.aliases), None)
