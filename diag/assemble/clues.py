"""What the lines and flags of a session say about the drafter's kind."""

import re
from collections.abc import Mapping, Sequence

from diag.late import late
from diag.model.events import Event
from diag.model.events.crash import AssertFailed
from diag.model.events.device import ModelDescribed
from diag.model.events.draft import (
    CacheShared,
    CtxOtherRequired,
    DraftBlockDescribed,
    DraftDecodeFailed,
    DraftInputZeroed,
    DraftStatistics,
    DraftVocabRefused,
    NgramInitialized,
    SpeculationAdded,
    SpeculationDetected,
)
from diag.model.events.server import DraftLoading, ModelLoadFailed, MtpContextCreating
from diag.model.run import DrafterEvidence

FAILING, STARTING, TABLE, FLAGS = 4, 3, 2, 1
FAMILY = {"dflash": "dflash", "eagle3": "eagle3", "simple": "independent-draft", "ngram": "ngram"}
_KIND_NAME = late(r"dflash|dspark|eagle-?3|\bmtp\b|[-_.]mtp[-_.]|gemma-?4.{0,20}assistant", re.IGNORECASE)
_TYPED = (SpeculationAdded, SpeculationDetected, DraftStatistics, NgramInitialized)
_TELLING = (
    DraftDecodeFailed, *_TYPED, DraftBlockDescribed, MtpContextCreating, DraftVocabRefused, DraftInputZeroed,
    CacheShared, CtxOtherRequired, ModelDescribed, ModelLoadFailed, AssertFailed, DraftLoading,
)  # fmt: skip

Clue = tuple[str, DrafterEvidence]
"""A kind of drafter and what says it."""


def read_clues(events: Sequence[Event], flags: Mapping[str, str], flags_line: int | None) -> list[Clue]:
    """Return the clues, strongest first."""
    clues = [*_clues_of_lines(events), *_clues_of_flags(flags, flags_line)]
    return sorted(clues, key=lambda clue: -clue[1].weight)


def kind_of_type(spec_type: str) -> str:
    """Return the drafter kind of a --spec-type value: mtp | dflash | eagle3 | simple | ngram | unknown."""
    lowered = spec_type.lower()
    if "ngram" in lowered:
        return "ngram"
    if "mtp" in lowered or "nextn" in lowered:
        return "mtp"
    if "dflash" in lowered or "dspark" in lowered:
        return "dflash"
    if "eagle" in lowered:
        return "eagle3"
    return "simple" if lowered in ("draft-simple", "draft") else "unknown"


def _clues_of_lines(events: Sequence[Event]) -> list[Clue]:
    clues: list[Clue] = []

    def add(kind: str, event: Event, weight: int, says: str) -> None:
        text = event.line.text.strip()
        clues.append((kind, DrafterEvidence(event.line.number, event.line.part, text, says, FAMILY.get(kind), weight)))

    for event in events:
        if not isinstance(event, _TELLING):
            continue
        if isinstance(event, DraftDecodeFailed) and event.drafter != "unknown":
            add(event.drafter, event, FAILING, f"the failing line has the form of {event.drafter}")
        elif isinstance(event, _TYPED):
            kind = kind_of_type(event.type)
            if kind != "unknown":
                add(kind, event, STARTING, f"speculative implementation '{event.type}'")
        elif isinstance(event, DraftBlockDescribed):
            add("dflash", event, STARTING, "DFlash block parameters")
        elif isinstance(event, MtpContextCreating):
            add("mtp", event, STARTING, "an MTP draft context is created")
        elif isinstance(event, DraftVocabRefused):
            add("simple", event, STARTING, "only a plain draft model's vocabulary is compared")
        elif isinstance(event, DraftInputZeroed):
            add("simple", event, STARTING, "a plain draft model gets zero rows for images")
        elif isinstance(event, CacheShared):
            add("mtp", event, STARTING, "a draft layer shares the target's cache")
        elif isinstance(event, CtxOtherRequired):
            named_kind = {"dflash": "dflash", "eagle3": "eagle3", "gemma4assistant": "mtp"}.get(event.name.lower())
            if named_kind is not None:
                add(named_kind, event, STARTING, f"the draft file is {event.name}")
        elif isinstance(event, ModelDescribed) and event.key in ("arch", "general.architecture"):
            if event.value in ("dflash", "eagle3", "gemma4-assistant"):
                add(
                    {"gemma4-assistant": "mtp"}.get(event.value, event.value),
                    event,
                    TABLE,
                    f"architecture {event.value}",
                )
        elif isinstance(event, ModelLoadFailed | AssertFailed):
            text = event.reason if isinstance(event, ModelLoadFailed) else event.expression
            named = re.search(r"eagle3|dflash|gemma4-assistant", text, re.IGNORECASE)
            if named:
                kind = "mtp" if "gemma4" in named[0] else named[0].lower()
                add(kind, event, TABLE, f"the failure names {named[0]}")
            elif "t_layer_inp" in text:
                add("eagle3", event, FLAGS, "the reports of this assert are of EAGLE-3 drafters")
        elif isinstance(event, DraftLoading):
            named = _KIND_NAME.search(event.path)
            if named:
                add(_kind_of_name(named[0]), event, FLAGS, "the draft's file name")
    return clues


def _kind_of_name(name: str) -> str:
    lowered = name.lower()
    if "dflash" in lowered or "dspark" in lowered:
        return "dflash"
    return "eagle3" if "eagle" in lowered else "mtp"


def _clues_of_flags(flags: Mapping[str, str], line: int | None) -> list[Clue]:
    clues: list[Clue] = []
    for spec_type in flags.get("--spec-type", "").split(","):
        kind = kind_of_type(spec_type.strip()) if spec_type.strip() else "unknown"
        if kind != "unknown":
            said = f"--spec-type {flags['--spec-type']}"
            clues.append((kind, DrafterEvidence(line, 0, said, said, FAMILY.get(kind), FLAGS)))
    return clues
