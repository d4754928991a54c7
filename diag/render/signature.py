"""A failure kind in full, as text and as plain values for JSON."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from diag.model.catalog import UpstreamItem
from diag.model.noun import noun
from diag.model.signature import Fix, Signature
from diag.render.conditions import (
    applies_words,
    condition_words,
    distinct,
    match_words,
    range_words,
    shown_by,
    when_words,
    without_log,
)
from diag.render.plain import short_ref
from diag.render.sheet import SEVERITY_STYLE, STATE_STYLE, Sheet
from diag.render.threads import also_reported, ranked, told
from diag.render.upstream import item_dict_short, ref_words

N_ANCHORS = 4  # an event with more wordings is told in words

_CAUSE = {"benign": "Why it is harmless", "info": "What it means"}
_ERROR = re.compile(r"(?:^|\s)E\s")

RELATIONS = {
    "report": "reports it",
    "would-fix": "would fix it",
    "fixed-by": "fixes it",
    "introduced-by": "brought it",
    "related": "related",
}


@noun
class _Linked:
    """A link with the state of its item."""

    ref: str
    state: str
    relation: str


def render_signature(
    signature: Signature,
    *,
    titles: Mapping[str, str],
    upstream: Mapping[str, UpstreamItem],
    anchors: Mapping[str, Sequence[str]],
    telling: Mapping[int, str] | None = None,
    full: bool = False,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return what is known of the kind, what helps first; `full` adds the exact conditions with their patterns.

    `titles` names signatures by id, `anchors` the literals by which the lines of an event are found, `telling` the
    line of an example that shows the kind, by the example's index.
    """
    sheet = Sheet(width, color)
    sheet.line(signature.title, "bold")
    sheet.line(f"{signature.id} · {signature.area} · {signature.severity}", SEVERITY_STYLE[signature.severity])
    sheet.row("Also called", ", ".join(signature.aliases), label_width=13)
    sheet.heading(_CAUSE.get(signature.severity, "Cause"))
    sheet.line(without_log(signature.cause), indent=2)
    for number, step in enumerate(signature.chain, 1):
        sheet.line(f"{number}. {without_log(step)}", indent=4, hang=3)
    _fixes(sheet, signature.fixes)
    _named(sheet, "Not to confuse with", signature.not_to_confuse_with, titles)
    _upstream(sheet, signature, upstream)
    _affected(sheet, signature)
    if full:
        _conditions(sheet, signature, anchors)
    else:
        _lines(sheet, signature, anchors)
    _named(sheet, "Brings with it", signature.consequences, titles)
    _examples(sheet, signature, telling or {})
    if signature.references:
        sheet.heading("Seen in")
        sheet.line(", ".join(short_ref(ref) for ref in signature.references), indent=2)
    sheet.blank()
    texts = [signature.cause, *signature.chain, *(fix.do + fix.cost + fix.verify for fix in signature.fixes)]
    if any(without_log(text).count("<") > text.count("<") for text in texts):
        sheet.line("<name> stands for a value that a report takes from your log.", "dim")
    if not full:
        sheet.line(f"The exact conditions: diag explain {signature.id} --full", "dim")
    return sheet.text()


def telling_line(signature: Signature, index: int, telling: Mapping[int, str]) -> str:
    """Return the line of the example that shows it, else its last line of level E, else its first; "" without any."""
    if index in telling:
        return telling[index]
    rows = [row for row in signature.examples[index].log.splitlines() if row.strip()]
    return next((row for row in reversed(rows) if _ERROR.search(row)), rows[0] if rows else "")


def _named(sheet: Sheet, heading: str, names: Sequence[str], titles: Mapping[str, str]) -> None:
    if names:
        sheet.heading(heading)
        for name in names:
            sheet.line(f"{name}: {titles.get(name, 'no such kind')}", indent=2, hang=2)


def _examples(sheet: Sheet, signature: Signature, telling: Mapping[int, str]) -> None:
    """Add a line of each example, what is one first; one line once."""
    rows: dict[tuple[str, str], list[str]] = {}
    for index, example in enumerate(signature.examples):
        holds = "is one" if example.expect == "match" else f"is none: {example.why}"
        rows.setdefault((telling_line(signature, index, telling), holds), []).append(example.provenance)
    if not rows:
        return
    sheet.heading("Examples")
    for (line, holds), origins in sorted(rows.items(), key=lambda row: row[0][1] != "is one"):
        sheet.line(f"{holds} ({', '.join(dict.fromkeys(origins))})", "dim", indent=2, hang=2)
        sheet.line(line.strip(), indent=4, hang=2)


def _lines(sheet: Sheet, signature: Signature, anchors: Mapping[str, Sequence[str]]) -> None:
    """Add what the lines that show it hold, without the logic that joins them."""
    rows: dict[str, None] = {}
    for condition in shown_by(signature) or list(signature.conditions.values())[:1]:
        literals = anchors.get(condition.event or "", ())
        if condition.anchor is not None:
            rows.setdefault(f"`{condition.anchor.strip()}`")
        elif literals and not condition.where and len(literals) <= N_ANCHORS:
            rows.update(dict.fromkeys(f"`{text.strip()}`" for text in literals))
        else:
            rows.setdefault(condition_words(condition))
    sheet.heading("How it shows")
    for row in rows:
        sheet.line(row, indent=2, hang=2)


def _conditions(sheet: Sheet, signature: Signature, anchors: Mapping[str, Sequence[str]]) -> None:
    sheet.heading("How it shows")
    for match in distinct(signature.matches):
        sheet.row(match.grade, match_words(match), indent=2, label_width=10)
    sheet.line("where", "dim", indent=2)
    for condition in signature.conditions.values():
        sheet.line(f"{condition.name}: {condition_words(condition)}", indent=4, hang=2)
        if condition.text is not None:
            sheet.line(f"pattern {condition.text}", "dim", indent=6, hang=2)
        elif condition.event is not None:
            literals = anchors.get(condition.event, ())
            if literals:
                sheet.line(f"lines with {', '.join(f'`{text}`' for text in literals)}", "dim", indent=6, hang=2)


def _affected(sheet: Sheet, signature: Signature) -> None:
    limits = applies_words(signature.applies)
    builds = [range_words(span) for span in signature.applies.builds]
    if not limits and not builds:
        return
    sheet.heading("Whom it hits")
    sheet.row("Only", "; ".join(limits), indent=2, label_width=8)
    for number, words in enumerate(builds):
        sheet.row("Builds" if number == 0 else "", words, indent=2, label_width=8)


def _fixes(sheet: Sheet, fixes: Sequence[Fix]) -> None:
    if not fixes:
        return
    sheet.heading("What helps, best first")
    for number, fix in enumerate(fixes, 1):
        sheet.line(f"{number}. {without_log(fix.do)}", indent=2, hang=3)
        when = when_words(fix.when)
        sheet.row("When", when, "dim", indent=5, label_width=9)
        sheet.row("Cost", without_log(fix.cost), "dim", indent=5, label_width=9)
        sheet.row("Check", without_log(fix.verify), "dim", indent=5, label_width=9)
        evidence = ", ".join(short_ref(ref) for ref in fix.evidence)
        checked = f"last seen {fix.checked}" if fix.checked is not None else "no day known"
        sheet.row("Evidence", f"{evidence} ({checked})", "dim", indent=5, label_width=9)


def _upstream(sheet: Sheet, signature: Signature, upstream: Mapping[str, UpstreamItem]) -> None:
    if not signature.upstream:
        return
    sheet.heading("Upstream")
    linked = [
        _Linked(link.ref, upstream[link.ref].state if link.ref in upstream else "unknown", link.relation)
        for link in signature.upstream
    ]
    known, unknown = ranked(linked)
    for link in known:
        item = upstream[link.ref]
        words = told(item.state_words, item.first_build, item.state, item.seen, "")
        sheet.line(f"{ref_words(item)} {RELATIONS[link.relation]}: {words}", STATE_STYLE[item.state], indent=2, hang=2)
        if item.title:
            sheet.line(item.title, indent=4)
        for argument in item.arguments:
            sheet.line(f"{argument.side}: {argument.text}", "dim", indent=4, hang=2)
    if unknown:
        sheet.line(also_reported(unknown), "dim", indent=2, hang=2)


def signature_dict(
    signature: Signature,
    *,
    titles: Mapping[str, str],
    upstream: Mapping[str, UpstreamItem],
    anchors: Mapping[str, Sequence[str]],
    telling: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    """Return what `render_signature` tells as plain values."""
    return {
        "id": signature.id,
        "title": signature.title,
        "area": signature.area,
        "severity": signature.severity,
        "aliases": list(signature.aliases),
        "cause": without_log(signature.cause),
        "chain": [without_log(step) for step in signature.chain],
        "matches": [
            {"grade": match.grade, "scope": match.scope, "words": match_words(match)} for match in signature.matches
        ],
        "conditions": [
            {
                "name": condition.name,
                "words": condition_words(condition),
                "event": condition.event,
                "anchors": list(anchors.get(condition.event, ())) if condition.event else [condition.anchor],
                "pattern": condition.text,
            }
            for condition in signature.conditions.values()
        ],
        "applies": {
            "families": list(signature.applies.families),
            "image": signature.applies.image,
            "flavours": list(signature.applies.flavours),
            "backends": list(signature.applies.backends),
            "builds": [
                {"introduced": span.introduced, "fixed": span.fixed, "ref": span.ref, "words": range_words(span)}
                for span in signature.applies.builds
            ],
        },
        "fixes": [
            {
                "kind": fix.kind,
                "do": without_log(fix.do),
                "when": when_words(fix.when),
                "cost": without_log(fix.cost),
                "verify": without_log(fix.verify),
                "evidence": list(fix.evidence),
                "checked": fix.checked.isoformat() if fix.checked is not None else None,
            }
            for fix in signature.fixes
        ],
        "upstream": [
            {"ref": link.ref, "relation": link.relation, **item_dict_short(upstream.get(link.ref))}
            for link in signature.upstream
        ],
        "not_to_confuse_with": [{"id": name, "title": titles.get(name)} for name in signature.not_to_confuse_with],
        "consequences": [{"id": name, "title": titles.get(name)} for name in signature.consequences],
        "references": list(signature.references),
        "examples": [
            {
                "expect": example.expect,
                "provenance": example.provenance,
                "why": example.why,
                "line": telling_line(signature, index, telling or {}),
            }
            for index, example in enumerate(signature.examples)
        ],
    }
