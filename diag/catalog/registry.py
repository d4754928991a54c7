"""upstream.toml, models.toml and frontends.toml to their frozen forms."""

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator, model_validator

from diag.catalog.schema import Ref, Strict
from diag.model.catalog import KINDS, STATES, Argument, DatedEvent, Question, UpstreamItem
from diag.model.frontends import FrontEnd, Setting
from diag.model.models import Architecture, ModelTable, NameHint
from diag.model.signature import Family
from diag.model.spelling import canonical


class ArgumentRow(Strict):
    side: str
    text: str
    by: str = ""


class EventRow(Strict):
    date: dt.date
    what: str


class ItemRow(Strict):
    """One [[item]] of upstream.toml: a thread or a release as it was when somebody last looked."""

    ref: Ref
    kind: str
    title: str
    state: str
    checked: dt.date
    opened: dt.date | None = None
    draft_since: dt.date | None = None
    merged: dt.date | None = None
    closed: dt.date | None = None
    first_build: int | None = None
    changes: str = ""
    families: list[Family] = Field(default_factory=list)
    related: list[str] = Field(default_factory=list)
    supersedes: list[str] = Field(default_factory=list)
    superseded_by: list[str] = Field(default_factory=list)
    fixes: list[str] = Field(default_factory=list)
    source: str
    title_exact: bool = True
    month_only: bool = False
    argument: list[ArgumentRow] = Field(default_factory=list)
    event: list[EventRow] = Field(default_factory=list)

    @field_validator("state")
    @classmethod
    def known_state(cls, value: str) -> str:
        if value not in STATES:
            raise ValueError(f"one of {', '.join(STATES)}")
        return value

    @field_validator("kind")
    @classmethod
    def known_kind(cls, value: str) -> str:
        if value not in KINDS:
            raise ValueError(f"one of {', '.join(KINDS)}")
        return value

    @field_validator("event")
    @classmethod
    def oldest_first(cls, value: list[EventRow]) -> list[EventRow]:
        days = [row.date for row in value]
        if days != sorted(days):
            raise ValueError("oldest first")
        return value

    def freeze(self) -> UpstreamItem:
        """Return the frozen item."""
        return UpstreamItem(
            ref=self.ref,
            kind=self.kind,
            title=self.title,
            state=self.state,
            checked=self.checked,
            opened=self.opened,
            draft_since=self.draft_since,
            merged=self.merged,
            closed=self.closed,
            first_build=self.first_build,
            changes=" ".join(self.changes.split()),
            families=tuple(self.families),
            related=tuple(self.related),
            supersedes=tuple(self.supersedes),
            superseded_by=tuple(self.superseded_by),
            fixes=tuple(self.fixes),
            source=self.source,
            title_exact=self.title_exact,
            month_only=self.month_only,
            arguments=tuple(Argument(row.side, " ".join(row.text.split()), row.by) for row in self.argument),
            events=tuple(DatedEvent(row.date, " ".join(row.what.split())) for row in self.event),
        )


class QuestionRow(Strict):
    """One [[question]] of upstream.toml: a question that was open when somebody asked it."""

    text: str
    refs: list[Ref]
    asked: dt.date
    answer: str
    status: str
    checked: dt.date
    source: str

    def freeze(self) -> Question:
        """Return the frozen question."""
        return Question(self.text, tuple(self.refs), self.asked, self.answer, self.status, self.checked, self.source)


class UpstreamFile(Strict):
    item: list[ItemRow] = Field(default_factory=list)
    question: list[QuestionRow] = Field(default_factory=list)


class SettingRow(Strict):
    flags: list[str] = Field(min_length=1)
    set: str
    source: str


class FrontEndRow(Strict):
    """One [[front_end]] of frontends.toml: a program that starts llama.cpp, and its words for llama-server's flags."""

    name: str
    flavours: list[str] = Field(min_length=1)
    streams: list[str] = Field(default_factory=list)
    passes: str = ""
    same: bool = False
    upgrade: str
    rebuild: str = ""
    log: str
    source: str
    checked: dt.date
    setting: list[SettingRow] = Field(default_factory=list)

    @model_validator(mode="after")
    def each_flag_once(self) -> "FrontEndRow":
        flags = [flag for row in self.setting for flag in row.flags]
        twice = sorted({flag for flag in flags if flags.count(flag) > 1})
        if twice:
            raise ValueError(f"{self.name} says {', '.join(twice)} twice")
        return self

    def freeze(self, spellings: Mapping[str, str]) -> FrontEnd:
        """Return the frozen front end, its settings by the one name of each flag."""
        return FrontEnd(
            name=self.name,
            flavours=tuple(self.flavours),
            streams=tuple(self.streams),
            settings={
                canonical(flag, spellings): Setting(row.set, row.source) for row in self.setting for flag in row.flags
            },
            passes=self.passes,
            same=self.same,
            upgrade=self.upgrade,
            rebuild=self.rebuild,
            log=self.log,
            source=self.source,
            checked=self.checked,
        )


class FrontEndFile(Strict):
    front_end: list[FrontEndRow] = Field(default_factory=list)


def read_models(table: Mapping[str, Any]) -> ModelTable:
    """Return the model table of the parsed models.toml. Raises KeyError for a row without its name."""
    return ModelTable(
        {
            row["name"]: Architecture(
                name=row["name"],
                rope=row["rope"],
                positions=row["positions"],
                hybrid=row.get("hybrid", False),
                mtp_family=row.get("mtp_family"),
                condition=row.get("condition"),
                source=row.get("source", ""),
                checked=row.get("checked"),
            )
            for row in table.get("architecture", [])
        },
        tuple(
            NameHint(row["pattern"], row["architecture"], leading_word(row["pattern"]))
            for row in table.get("model_name", [])
        ),
    )


def leading_word(pattern: str) -> str:
    """Return the letters with which all that the pattern finds begins, in small letters; "" where it has several."""
    if "|" in re.sub(r"\([^()]*\)", "", pattern):
        return ""
    found = re.match(r"\(\?i\)([a-z]+)(?![a-z?*{])", pattern)
    return found[1] if found else ""
