"""A Report in, the same Report with every text masked out."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from diag.model.report import Report
from diag.model.run import Session
from diag.redact.masks import Masks

NOT_FREE: frozenset[str] = frozenset(
    {
        "InputFacts.encoding",
        "Session.image_input",
        "Session.reached",
        "Source.origin",
        "Drafter.family",
        "Drafter.position_class",
        "Drafter.kind",
        "Drafter.confidence",
        "DrafterEvidence.family",
        "Task.outcome",
        "Task.image",
        "Target.rope",
        "Ending.kind",
        "Ending.during",
        "Diagnosis.signature",
        "Diagnosis.area",
        "Diagnosis.severity",
        "Diagnosis.confidence",
        "Diagnosis.verdict",
        "Diagnosis.not_to_confuse_with",
        "Impact.server",
        "Impact.text_requests",
        "Positions.rule",
        "Positions.refused_by",
        "Positions.left_by",
        "Evidence.role",
        "Absorbed.signature",
        "Benign.signature",
        "FixAdvice.kind",
        "FixAdvice.evidence",
        "Untold.kind",
        "UpstreamStatus.ref",
        "UpstreamStatus.state",
        "UpstreamStatus.relation",
        "UpstreamStatus.since",
        "UpstreamStatus.title",
        "UpstreamStatus.note",
        "Argument.side",
        "Argument.text",
        "Argument.by",
        "Failure.fingerprint",
        "Report.tool_version",
        "Report.catalog_hash",
    }
)
"""Strings that come from the program or its catalogue and never from the log. All others are masked."""


def redact_report(report: Report) -> Report:
    """Return the report with all that came from the log masked; counts, figures, places and order are the same.

    One set of masks serves the whole report, so that what is equal in two places stays equal. The events and incidents
    behind a session, which no format prints, are left out. Raises TypeError for a kind of value it does not know, so
    that a new one cannot pass unseen.
    """
    masks = Masks()
    sessions = tuple(
        cast(Session, _masked(replace(session, events=(), incidents=()), masks)) for session in report.sessions
    )
    return cast(Report, _masked(replace(report, sessions=sessions), masks))


def _masked(value: object, masks: Masks) -> Any:
    if value is None or isinstance(value, bool | int | float | dt.date):
        return value
    if isinstance(value, str):
        return masks(value)
    if isinstance(value, tuple):
        return tuple(_masked(item, masks) for item in value)
    if isinstance(value, Mapping):
        return {_masked(key, masks): _masked(item, masks) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **_fields(value, masks))
    raise TypeError(f"{type(value).__name__}: how to mask this kind of value is not said")


def _fields(owner: Any, masks: Masks) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(owner):
        value = getattr(owner, field.name)
        if f"{type(owner).__name__}.{field.name}" in NOT_FREE:
            continue
        if field.name == "flags" and isinstance(value, Mapping):
            found[field.name] = {masks(name): masks.flag(name, text) for name, text in value.items()}
        else:
            found[field.name] = _masked(value, masks)
    return found
