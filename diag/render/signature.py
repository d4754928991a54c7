"""A failure kind in full, and lists of them, as text and as plain values for JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from diag.model.catalog import UpstreamItem
from diag.model.signature import Fix, Signature
from diag.render.conditions import (
    applies_words,
    condition_words,
    match_words,
    range_words,
    when_words,
    without_log,
)
from diag.render.plain import short_ref
from diag.render.sheet import SEVERITY_STYLE, STATE_STYLE, Sheet
from diag.render.upstream import item_dict_short, ref_words, since_words

RELATIONS = {
    "report": "reports it",
    "would-fix": "would fix it",
    "fixed-by": "fixes it",
    "introduced-by": "brought it",
    "related": "related",
}


def render_signature(
    signature: Signature,
    *,
    titles: Mapping[str, str],
    upstream: Mapping[str, UpstreamItem],
    anchors: Mapping[str, Sequence[str]],
    width: int = 80,
    color: bool = False,
) -> str:
    """Return everything known of the kind.

    `titles` names signatures by id, `anchors` the literals by which the lines of an event are found.
    """
    sheet = Sheet(width, color)
    sheet.line(signature.title, "bold")
    sheet.line(f"{signature.id} · {signature.area} · {signature.severity}", SEVERITY_STYLE[signature.severity])
    sheet.row("Also called", ", ".join(signature.aliases), label_width=13)
    sheet.heading("Cause")
    sheet.line(without_log(signature.cause), indent=2)
    if signature.chain:
        sheet.heading("Chain, cause first")
        for number, step in enumerate(signature.chain, 1):
            sheet.line(f"{number}. {without_log(step)}", indent=2, hang=3)
    _shows(sheet, signature, anchors)
    _affected(sheet, signature)
    _fixes(sheet, signature.fixes)
    _upstream(sheet, signature, upstream)
    for heading, names in (
        ("Not to confuse with", signature.not_to_confuse_with),
        ("Brings with it", signature.consequences),
    ):
        if names:
            sheet.heading(heading)
            for name in names:
                sheet.line(f"{name}: {titles.get(name, 'no such kind')}", indent=2, hang=2)
    if signature.references:
        sheet.heading("Seen in")
        sheet.line(", ".join(short_ref(ref) for ref in signature.references), indent=2)
    if signature.examples:
        sheet.heading("Examples")
        for example in signature.examples:
            holds = "is one" if example.expect == "match" else f"is none: {example.why}"
            sheet.line(f"{holds} ({example.provenance})", "dim", indent=2, hang=2)
            sheet.verbatim(telling_line(example.log), indent=4)
    texts = [signature.cause, *signature.chain, *(fix.do + fix.cost + fix.verify for fix in signature.fixes)]
    if any(without_log(text) != text for text in texts):
        sheet.blank()
        sheet.line("<name> stands for a value that a report takes from your log.", "dim")
    return sheet.text()


def telling_line(log: str) -> str:
    """Return the first line of an example that is not empty; "" without one."""
    return next((line for line in log.splitlines() if line.strip()), "")


def _shows(sheet: Sheet, signature: Signature, anchors: Mapping[str, Sequence[str]]) -> None:
    sheet.heading("How it shows")
    for match in signature.matches:
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
        checked = f"checked {fix.checked}" if fix.checked is not None else "not checked"
        sheet.row("Evidence", f"{evidence} ({checked})", "dim", indent=5, label_width=9)


def _upstream(sheet: Sheet, signature: Signature, upstream: Mapping[str, UpstreamItem]) -> None:
    if not signature.upstream:
        return
    sheet.heading("Upstream")
    for link in signature.upstream:
        item = upstream.get(link.ref)
        if item is None:
            sheet.line(
                f"{short_ref(link.ref)} {RELATIONS[link.relation]}; its state was not looked up", indent=2, hang=2
            )
            continue
        build = f", first in b{item.first_build}" if item.first_build is not None else ""
        head = f"{ref_words(item)} {RELATIONS[link.relation]}: {since_words(item)}{build} (checked {item.checked})"
        sheet.line(head, STATE_STYLE[item.state], indent=2, hang=2)
        sheet.line(item.title, indent=4)
        for argument in item.arguments:
            sheet.line(f"{argument.side}: {argument.text}", "dim", indent=4, hang=2)


def signature_dict(
    signature: Signature,
    *,
    titles: Mapping[str, str],
    upstream: Mapping[str, UpstreamItem],
    anchors: Mapping[str, Sequence[str]],
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
                "first_line": telling_line(example.log),
            }
            for example in signature.examples
        ],
    }


def render_signatures(signatures: Sequence[Signature], *, width: int = 80, color: bool = False) -> str:
    """Return ids and titles, by area."""
    sheet = Sheet(width, color)
    area = ""
    for signature in signatures:
        if signature.area != area:
            area = signature.area
            sheet.heading(area)
        sheet.line(f"{signature.id}  {signature.severity}", SEVERITY_STYLE[signature.severity], indent=2)
        sheet.line(signature.title, indent=6)
    sheet.blank()
    sheet.line(f"{len(signatures)} failure kinds: diag explain ID tells one in full", "dim")
    return sheet.text()
