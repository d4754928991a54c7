"""The format of a signature file: what pydantic checks, and its frozen form."""

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from diag.model import signature as frozen
from diag.model.signature import Family, Severity

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]
ConditionName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Ref = Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+#\d+$|^[\w.-]+/[\w.-]+@b?[\w.-]+$")]
Scope = Literal["incident", "session", "log"]
Value = str | int | float | bool

AREAS = (
    "positions", "speculative", "vision", "memory", "model-file", "tokenizer-template", "grammar", "context", "cuda",
    "rocm", "metal", "vulkan", "sycl", "cpu", "rpc", "backend", "server", "router-download", "wrapper", "slow",
    "benign", "log-quality",
)  # fmt: skip


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Comparison(Strict):
    below: float | None = None
    at_least: float | None = None
    contains: str | None = None
    same_as: str | None = None

    @model_validator(mode="after")
    def asks_something(self) -> "Comparison":
        if all(value is None for value in (self.below, self.at_least, self.contains, self.same_as)):
            raise ValueError("one of below, at_least, contains, same_as")
        return self


class When(Strict):
    event: str | None = None
    where: dict[str, Comparison | list[Value] | Value] = Field(default_factory=dict)
    anchor: str | None = None
    text: str | None = None
    within: Scope | None = None
    count: int = Field(default=1, ge=1)
    same: bool = False

    @model_validator(mode="after")
    def event_or_text(self) -> "When":
        if (self.event is None) == (self.text is None):
            raise ValueError("either event or text")
        if (self.text is None) != (self.anchor is None):
            raise ValueError("a text needs its anchor, an event takes none")
        if self.where and self.event is None:
            raise ValueError("where belongs to an event")
        return self


class Match(Strict):
    grade: Literal["certain", "likely", "possible"]
    scope: Scope = "incident"
    all: list[ConditionName] = Field(default_factory=list)
    any: list[ConditionName] = Field(default_factory=list)
    none: list[ConditionName] = Field(default_factory=list)
    sequence: list[ConditionName] = Field(default_factory=list)
    unless_later: list[ConditionName] = Field(default_factory=list)

    @model_validator(mode="after")
    def asks_something(self) -> "Match":
        if not (self.all or self.any or self.sequence):
            raise ValueError("one of all, any, sequence must name a condition")
        return self


class BuildRange(Strict):
    introduced: int | None = None
    fixed: int | None = None
    ref: str | None = None
    families: list[Family] = Field(default_factory=list)
    target_rope: Literal["one-axis", "mrope"] | None = None
    drafter_rope: Literal["one-axis", "mrope"] | None = None
    backends: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def ordered(self) -> "BuildRange":
        if self.introduced is not None and self.fixed is not None and self.introduced >= self.fixed:
            raise ValueError("introduced must be below fixed")
        if self.fixed is not None and not self.ref:
            raise ValueError("a fixed build needs the ref that fixed it")
        return self


class Applies(Strict):
    families: list[Family] = Field(default_factory=list)
    image: Literal["required"] | None = None
    flavours: list[str] = Field(default_factory=list)
    backends: list[str] = Field(default_factory=list)
    builds: list[BuildRange] = Field(default_factory=list)


class FixWhen(Strict):
    build_from: int | None = None
    build_below: int | None = None
    backends: list[str] = Field(default_factory=list)
    families: list[Family] = Field(default_factory=list)
    flavours: list[str] = Field(default_factory=list)
    os: list[Literal["linux", "macos", "windows"]] = Field(default_factory=list)
    target_rope: Literal["one-axis", "mrope"] | None = None
    drafter_rope: Literal["one-axis", "mrope"] | None = None
    flags: list[str] = Field(default_factory=list)
    image: Literal["seen", "possible", "excluded"] | None = None
    n_devices_from: int | None = Field(default=None, ge=2)


class Edit(Strict):
    drop: list[str] = Field(default_factory=list)
    set: dict[str, str] = Field(default_factory=dict)


class Fix(Strict):
    kind: Literal["upgrade", "flag", "config", "model", "driver", "rebuild", "workaround", "report"]
    do: Annotated[str, StringConstraints(min_length=8)]
    when: FixWhen = Field(default_factory=FixWhen)
    cost: str = ""
    verify: str = ""
    edit: Edit | None = None
    evidence: Annotated[list[str], Field(min_length=1)]
    checked: dt.date


class Upstream(Strict):
    ref: Ref
    relation: Literal["report", "would-fix", "fixed-by", "introduced-by", "related"]


class Example(Strict):
    expect: Literal["match", "no-match"]
    provenance: Annotated[str, StringConstraints(pattern=r"^(?:recorded b\d+|report \S+|composed)")]
    why: str = ""
    captures: dict[str, Value] = Field(default_factory=dict)
    log: str


class Cause(Strict):
    text: Annotated[str, StringConstraints(min_length=16)]
    chain: Annotated[list[str], Field(min_length=1)]


class SignatureFile(Strict):
    """One signatures/<area>/<id>.toml."""

    id: Identifier
    title: Annotated[str, StringConstraints(min_length=8, max_length=100)]
    area: Literal[AREAS]  # type: ignore[valid-type]  # the tuple is the list of areas
    severity: Severity
    fallback: bool = False
    aliases: list[Identifier] = Field(default_factory=list)
    not_to_confuse_with: list[Identifier] = Field(default_factory=list)
    consequences: list[Identifier] = Field(default_factory=list)
    references: list[str] = Field(default_factory=list)
    applies: Applies = Field(default_factory=Applies)
    match: Annotated[list[Match], Field(min_length=1)]
    when: dict[ConditionName, When]
    cause: Cause
    fix: list[Fix] = Field(default_factory=list)
    upstream: list[Upstream] = Field(default_factory=list)
    example: list[Example]

    @model_validator(mode="after")
    def names_exist(self) -> "SignatureFile":
        for match in self.match:
            for name in (*match.all, *match.any, *match.none, *match.sequence, *match.unless_later):
                if name not in self.when:
                    raise ValueError(f"match names the condition {name!r}, which [when] does not have")
        used = {n for m in self.match for n in (*m.all, *m.any, *m.none, *m.sequence, *m.unless_later)}
        for name in self.when:
            if name not in used:
                raise ValueError(f"no match uses the condition {name!r}")
        return self

    @model_validator(mode="after")
    def both_examples(self) -> "SignatureFile":
        for expect in ("match", "no-match"):
            if not any(example.expect == expect for example in self.example):
                raise ValueError(f"at least one example with expect = {expect!r}")
        return self

    def freeze(self) -> frozen.Signature:
        """Return the frozen form that the stages work with."""
        return frozen.Signature(
            id=self.id,
            title=self.title,
            area=self.area,
            severity=self.severity,
            matches=tuple(
                frozen.Match(
                    m.grade,
                    m.scope,
                    tuple(m.all),
                    tuple(m.any),
                    tuple(m.none),
                    tuple(m.sequence),
                    tuple(m.unless_later),
                )
                for m in self.match
            ),
            conditions={
                name: frozen.Condition(
                    name, when.event, _tests(when.where), when.anchor, when.text, when.within, when.count, when.same
                )
                for name, when in self.when.items()
            },
            cause=" ".join(self.cause.text.split()),
            chain=tuple(" ".join(step.split()) for step in self.cause.chain),
            fallback=self.fallback,
            aliases=tuple(self.aliases),
            not_to_confuse_with=tuple(self.not_to_confuse_with),
            consequences=tuple(self.consequences),
            applies=frozen.Applies(
                tuple(self.applies.families),
                self.applies.image,
                tuple(self.applies.flavours),
                tuple(self.applies.backends),
                tuple(
                    frozen.BuildRange(
                        b.introduced,
                        b.fixed,
                        b.ref,
                        tuple(b.families),
                        b.target_rope,
                        b.drafter_rope,
                        tuple(b.backends),
                    )
                    for b in self.applies.builds
                ),
            ),
            fixes=tuple(_fix(fix) for fix in self.fix),
            upstream=tuple(frozen.UpstreamLink(link.ref, link.relation) for link in self.upstream),
            references=tuple(self.references),
            examples=tuple(frozen.Example(e.expect, e.log, e.provenance, e.why, e.captures) for e in self.example),
        )


def _tests(where: Mapping[str, Comparison | list[Value] | Value]) -> dict[str, frozen.Test]:
    tests: dict[str, frozen.Test] = {}
    for name, wanted in where.items():
        if isinstance(wanted, Comparison):
            tests[name] = frozen.Test(
                below=wanted.below, at_least=wanted.at_least, contains=wanted.contains, same_as=wanted.same_as
            )
        elif isinstance(wanted, list):
            tests[name] = frozen.Test(any_of=tuple(wanted))
        else:
            tests[name] = frozen.Test(equals=wanted)
    return tests


def _fix(fix: Fix) -> frozen.Fix:
    when = fix.when
    return frozen.Fix(
        kind=fix.kind,
        do=" ".join(fix.do.split()),
        when=frozen.FixWhen(
            when.build_from,
            when.build_below,
            tuple(when.backends),
            tuple(when.families),
            tuple(when.flavours),
            tuple(when.os),
            when.target_rope,
            when.drafter_rope,
            tuple(when.flags),
            when.image,
            when.n_devices_from,
        ),
        cost=" ".join(fix.cost.split()),
        verify=" ".join(fix.verify.split()),
        edit=frozen.Edit(tuple(fix.edit.drop), dict(fix.edit.set)) if fix.edit is not None else None,
        evidence=tuple(fix.evidence),
        checked=fix.checked,
    )
