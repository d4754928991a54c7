"""Lists of failure kinds: by area, and what holds a word."""

import shlex
from collections.abc import Sequence

from diag.model.signature import Signature
from diag.model.term import Term
from diag.render.sheet import SEVERITY_STYLE, Sheet


def render_search(
    text: str,
    found: Sequence[Signature],
    *,
    term: Term | None = None,
    terms: Sequence[str] = (),
    width: int = 80,
    color: bool = False,
) -> str:
    """Return what the word means, where it is one of the glossary, and the kinds that hold it; one of both is given.

    `terms` names the words that are explained.
    """
    sheet = Sheet(width, color)
    if term is not None:
        sheet.line(term.name, "bold")
        sheet.line(term.text, indent=2)
        if term.source:
            sheet.line(f"From: {term.source}", "dim", indent=2)
        sheet.blank()
        if found:
            sheet.line(f"{len(found)} failure kinds hold the word: diag signatures list {shlex.quote(text)}", "dim")
        sheet.line(f"Words that are explained: {', '.join(terms)}", "dim")
        return sheet.text()
    count = f"{len(found)} failure kinds hold it" if len(found) > 1 else "1 failure kind holds it"
    sheet.line(f"No failure kind is called {text.strip()!a}; {count}:")
    for signature in found:
        _named(sheet, signature)
    sheet.blank()
    sheet.line("diag explain ID tells one in full", "dim")
    return sheet.text()


def render_signatures(signatures: Sequence[Signature], *, width: int = 80, color: bool = False) -> str:
    """Return ids and titles, by area."""
    sheet = Sheet(width, color)
    area = ""
    for signature in signatures:
        if signature.area != area:
            area = signature.area
            sheet.heading(area)
        _named(sheet, signature)
    sheet.blank()
    kinds = f"{len(signatures)} failure kind{'s' if len(signatures) != 1 else ''}"
    sheet.line(f"{kinds}: diag explain ID tells one in full; diag signatures list WORD searches them", "dim")
    return sheet.text()


def _named(sheet: Sheet, signature: Signature) -> None:
    sheet.line(f"{signature.id}  {signature.severity}", SEVERITY_STYLE[signature.severity], indent=2)
    sheet.line(signature.title, indent=6)
