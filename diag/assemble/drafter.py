"""Which drafter a session runs, by all the evidence there is."""

from collections.abc import Mapping, Sequence

from diag.assemble.clues import FAILING, FAMILY, FLAGS, STARTING, TABLE, Clue, read_clues
from diag.assemble.target import architecture_hint
from diag.model.boundaries import LAST_DRAFT_BY_FILE, LAST_DRAFTERS_SHOWN
from diag.model.events import Event
from diag.model.events.draft import (
    CacheShared,
    CtxOtherRequired,
    DraftAccepted,
    DraftBlockDescribed,
    DraftDecodeFailed,
    DraftFlushFailed,
    DraftLagWarned,
    DraftSized,
    DraftStatistics,
    DraftStepFailed,
    PostDecodeFailed,
    SpeculationAdded,
    SpeculationDetected,
    SpeculativeBatchFailed,
)
from diag.model.events.position import PositionsRefused, TokenPositionJumped
from diag.model.events.server import DraftLoading, ModelLoadFailed
from diag.model.models import ModelTable
from diag.model.run import Build, Drafter, DrafterEvidence, Target, Task

_WORD = {FAILING: "certain", STARTING: "certain", TABLE: "likely", FLAGS: "possible"}
N_TOKENS_TO_DRAFT = 8  # generated tokens after which a drafter has drafted something
# Printed only where something drafts, whatever it is.
_DRAFTING = (
    DraftAccepted,
    DraftDecodeFailed,
    DraftFlushFailed,
    DraftLagWarned,
    DraftStepFailed,
    PostDecodeFailed,
    SpeculativeBatchFailed,
)


def read_drafter(
    events: Sequence[Event],
    *,
    target: Target,
    flags: Mapping[str, str],
    flags_line: int | None,
    tasks: Sequence[Task],
    build: Build,
    verbosity: int | None,
    ready: bool,
    table: ModelTable,
) -> Drafter:
    """Return the drafter with the evidence for it, strongest first."""
    clues = read_clues(events, flags, flags_line)
    draft_path = next((event.path for event in events if isinstance(event, DraftLoading)), None)
    draft_clues = [clue for clue in clues if clue[0] != "ngram"]  # ngram may be chained behind a draft type
    types = _spec_types(events, flags)
    if not clues:
        return _without_clue(events, draft_path, build, verbosity, ready, types, tasks)
    best = (draft_clues or clues)[0]
    kind = best[0]
    if best[1].weight == FLAGS and kind != "ngram" and ready and _never_drafted(events, tasks):
        said = f"{best[1].says}, but no finished request drafted a token"
        shown = tuple(clue[1] for clue in draft_clues)
        return Drafter(
            "none", "none", "none", types, path=draft_path, confidence="likely", evidence=shown, conflict=said
        )
    conflict = _conflict(draft_clues)
    family, position_class, more = _classify(kind, events, target, draft_path, table)
    evidence = [clue[1] for clue in (draft_clues or clues)]
    weight = best[1].weight
    if kind == "mtp" and more:
        evidence.extend(more)
        weight = min(weight, max(item.weight for item in more))
    confidence = _WORD[weight] if family != "unknown" else "unknown"
    return Drafter(
        family, position_class, kind, types, _params(events), draft_path, confidence, _distinct(evidence), conflict
    )


def _spec_types(events: Sequence[Event], flags: Mapping[str, str]) -> tuple[str, ...]:
    found = [
        event.type for event in events if isinstance(event, SpeculationAdded | SpeculationDetected | DraftStatistics)
    ]
    if not found and flags.get("--spec-type"):
        found = [part.strip() for part in flags["--spec-type"].split(",")]
    return tuple(dict.fromkeys(found))


def _conflict(clues: Sequence[Clue]) -> str | None:
    """Return both sides where the lines name two kinds of drafter; a flag alone contradicts nothing that ran."""
    if not clues:
        return None
    first = clues[0]
    for kind, evidence in clues[1:]:
        if kind != first[0] and evidence.weight >= TABLE:
            return f"{first[1].says} (line {first[1].line}), but {evidence.says} (line {evidence.line})"
    return None


def _classify(
    kind: str, events: Sequence[Event], target: Target, draft_path: str | None, table: ModelTable
) -> tuple[str, str, list[DrafterEvidence]]:
    """Return family, position class and, for MTP, what decided among its three families."""
    refused = next(
        (
            event
            for event in events
            if isinstance(event, PositionsRefused) and event.refused_by == "draft" and event.rule
        ),
        None,
    )
    by_rule = None
    if refused is not None and refused.rule is not None:
        by_rule = "one-axis-separate" if refused.rule == "consecutive" else "mrope-separate"
    if kind == "ngram":
        return "ngram", "none", []
    if kind == "eagle3":
        return "eagle3", by_rule or "one-axis-separate", []
    shared = next((event for event in events if _shares_cache(event)), None)
    if kind in ("mtp", "simple") and shared is not None:
        # also when the assistant runs as a plain draft by mistake: its cache stays the target's
        return "shared-cache", "shared-cache", [_evidence(shared, "shared cache", "shared-cache", STARTING)]
    if kind in ("dflash", "simple"):
        return FAMILY[kind], by_rule or "unknown", []
    if kind != "mtp":
        return "unknown", by_rule or "unknown", []
    if refused is not None and by_rule is not None:
        return by_rule, by_rule, [_evidence(refused, f"the draft context's rule is {refused.rule}", by_rule, FAILING)]
    chained = next((event for event in events if isinstance(event, DraftDecodeFailed) and (event.head or 0) >= 1), None)
    if chained is not None:
        return (
            "one-axis-separate",
            "one-axis-separate",
            [_evidence(chained, "several chained heads, as only Step models have them", "one-axis-separate", TABLE)],
        )
    if target.rope is not None and target.arch is not None:
        row = table.architectures.get(target.arch)
        if row is not None and row.mtp_family in ("one-axis-separate", "mrope-separate", "shared-cache"):
            return (
                row.mtp_family,
                row.mtp_family,
                [DrafterEvidence(None, 0, "", f"architecture {target.arch} in the model table", row.mtp_family, TABLE)],
            )
        family = "mrope-separate" if target.rope == "mrope" else "one-axis-separate"
        return family, family, [DrafterEvidence(None, 0, "", f"target positions are {target.rope}", family, TABLE)]
    # a hybrid M-RoPE target warns at each image; one-axis hybrids have no projector yet
    jump = next((event for event in events if isinstance(event, TokenPositionJumped)), None)
    if jump is not None:
        return (
            "mrope-separate",
            "mrope-separate",
            [_evidence(jump, "the target is a hybrid M-RoPE model", "mrope-separate", TABLE)],
        )
    for path in (target.path, target.name, draft_path):
        arch = architecture_hint(path, table)
        row = table.architectures.get(arch) if arch else None
        if row is not None and row.mtp_family in ("one-axis-separate", "mrope-separate", "shared-cache"):
            return (
                row.mtp_family,
                row.mtp_family,
                [DrafterEvidence(None, 0, path or "", f"file name hints at {arch}", row.mtp_family, FLAGS)],
            )
    failed = next((event for event in events if isinstance(event, DraftDecodeFailed) and event.rc == -1), None)
    if failed is not None:
        says = "the head refused a batch; an M-RoPE head would have taken the jump"
        return "one-axis-separate", "one-axis-separate", [_evidence(failed, says, "one-axis-separate", FLAGS)]
    return "unknown", "unknown", []


def _never_drafted(events: Sequence[Event], tasks: Sequence[Task]) -> bool:
    """True when a request ran long enough to draft and none printed its acceptance.

    Each finished request that drafted at least one token prints it, at default verbosity, in every build.
    """
    if any(isinstance(event, DraftAccepted) for event in events):
        return False
    return any(task.outcome == "finished" and (task.n_generated or 0) >= N_TOKENS_TO_DRAFT for task in tasks)


def _shares_cache(event: Event) -> bool:
    if isinstance(event, ModelLoadFailed):
        return "gemma4-assistant" in event.reason
    return isinstance(event, CacheShared) or (isinstance(event, CtxOtherRequired) and event.name == "Gemma4Assistant")


def _without_clue(
    events: Sequence[Event],
    draft_path: str | None,
    build: Build,
    verbosity: int | None,
    ready: bool,
    types: tuple[str, ...],
    tasks: Sequence[Task],
) -> Drafter:
    drafts = next((event for event in events if isinstance(event, _DRAFTING)), None)
    silent = ready and drafts is None and _never_drafted(events, tasks)
    if draft_path is not None:
        loading = next(event for event in events if isinstance(event, DraftLoading))
        if build.high is None or build.high > LAST_DRAFT_BY_FILE:
            says = "a draft model is loaded; no line names its kind, or that it drafts"
            if silent:
                shown = (_evidence(loading, says, "", FLAGS),)
                return Drafter("none", "none", "none", types, path=draft_path, confidence="likely", evidence=shown)
            return Drafter(
                spec_types=types,
                params=_params(events),
                path=draft_path,
                evidence=(_evidence(loading, says, "", FLAGS),),
            )
        evidence = _evidence(
            loading, "a draft model is loaded, which in this build drafts by itself", "independent-draft", FLAGS
        )
        return Drafter(
            "independent-draft", "unknown", "simple", types, _params(events), draft_path, "possible", (evidence,)
        )
    if drafts is not None:
        return Drafter(
            params=_params(events), evidence=(_evidence(drafts, "something drafts; nothing names it", "", FLAGS),)
        )
    if ready and ((verbosity or 0) >= 4 or (build.high is not None and build.high <= LAST_DRAFTERS_SHOWN)):
        return Drafter("none", "none", "none", confidence="certain")
    if silent:
        return Drafter("none", "none", "none", confidence="likely")
    return Drafter()


def _evidence(event: Event, says: str, family: str, weight: int) -> DrafterEvidence:
    return DrafterEvidence(event.line.number, event.line.part, event.line.text.strip(), says, family or None, weight)


def _distinct(evidence: Sequence[DrafterEvidence]) -> tuple[DrafterEvidence, ...]:
    seen: dict[tuple[int | None, str], DrafterEvidence] = {}
    for item in evidence:
        seen.setdefault((item.line if item.line is not None else None, item.says), item)
    ordered = sorted(seen.values(), key=lambda item: -item.weight)
    return tuple(ordered[:6])


def _params(events: Sequence[Event]) -> dict[str, int | float]:
    params: dict[str, int | float] = {}
    for event in events:
        if isinstance(event, DraftSized):
            params |= {"n_max": event.n_max, "n_min": event.n_min, "p_min": event.p_min}
        elif isinstance(event, DraftBlockDescribed):
            params |= {"block_size": event.block_size, "n_extract": event.n_extract}
    return params
