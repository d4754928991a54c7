"""The gates a signature passes before it is shipped."""

import re
from collections.abc import Iterator, Sequence

import regex

from diag.catalog.advice import check_advice
from diag.model.catalog import Catalog
from diag.model.events import EVENT_CLASSES
from diag.model.figures import places
from diag.model.flags import FlagTable
from diag.model.signature import Condition, Signature

ANCHOR = re.compile(r"[A-Za-z0-9 _.:,()=+/-]{8,}")
_LEADING_WILDCARD = re.compile(r"^(?:\(\?[:P<\w>]*)*(?:\.|\\S|\\w|\[\^[^\]]*\])(?:[*+]|\{\d*,)")
_GROUP = re.compile(r"\(\?P<(\w+)>")
_NESTED = re.compile(r"\([^()]*(?:[*+]|\{\d+,\})[^()]*\)(?:[*+]|\{\d+,\})")


def check(catalog: Catalog, flags: FlagTable, only: Sequence[str] | None = None) -> list[str]:
    """Return the faults that need no log, one line each; `only` limits them to some signatures' ids."""
    faults: list[str] = []
    for signature in catalog.signatures.values():
        if only is None or signature.id in only:
            faults.extend(f"{signature.area}/{signature.id}.toml: {fault}" for fault in _faults(signature, catalog))
            faults.extend(f"{signature.area}/{signature.id}.toml: {fault}" for fault in check_advice(signature, flags))
    return faults


def _faults(signature: Signature, catalog: Catalog) -> Iterator[str]:
    for key in ("not_to_confuse_with", "consequences"):
        for name in getattr(signature, key):
            if name not in catalog.signatures:
                yield f"{key} - no signature {name!r}"
    for condition in signature.conditions.values():
        yield from (f"when.{condition.name} - {fault}" for fault in _condition(condition, signature))
    known = _figures(signature)
    texts = [
        signature.cause,
        *signature.chain,
        *(text for fix in signature.fixes for text in (fix.do, fix.cost, fix.verify)),
        *(text for fix in signature.fixes if fix.edit is not None for text in fix.edit.set.values()),
    ]
    for name in sorted({name for text in texts for name in places(text)} - known):
        yield f"{{{name}}} - no condition captures it; known are {', '.join(sorted(known)) or 'none'}"
    for link in signature.upstream:
        if link.ref not in catalog.upstream:
            yield f"upstream - {link.ref} is not in upstream.toml"
    if signature.severity != "benign" and signature.area != "log-quality" and not signature.fixes:
        yield "fix - a failure needs at least one"


def _figures(signature: Signature) -> set[str]:
    """Return the names that the texts may ask for: captured groups, event fields, and the positions of a refusal."""
    names: set[str] = set()
    for condition in signature.conditions.values():
        if condition.text is not None:
            names |= set(_GROUP.findall(condition.text))
        elif condition.event in EVENT_CLASSES:
            names |= {
                name for cls in EVENT_CLASSES[condition.event].__mro__ for name in getattr(cls, "__annotations__", {})
            }
    if any(condition.event == "PositionsRefused" for condition in signature.conditions.values()):
        names |= {"rule", "x", "y", "gap", "missed"}
    if signature.area == "log-quality":  # decided over the whole report, which counts
        names |= {"n_lines", "n_silent_lines", "unexplained"}
    return names


def _condition(condition: Condition, signature: Signature) -> Iterator[str]:
    if condition.event is not None:
        event = EVENT_CLASSES.get(condition.event)
        if event is None:
            yield f"no event {condition.event!r}"
            return
        names = {name for cls in event.__mro__ for name in getattr(cls, "__annotations__", {})}
        for name, test in condition.where.items():
            if name not in names:
                yield f"{condition.event} has no field {name!r}"
            if test.same_as is not None and test.same_as.partition(".")[0] not in signature.conditions:
                yield f"same_as names no condition: {test.same_as!r}"
        return
    anchor, text = condition.anchor or "", condition.text or ""
    if not ANCHOR.fullmatch(anchor):
        yield f"anchor {anchor!r} - 8 or more of letters, digits, space and _.:,()=+-/"
    if _LEADING_WILDCARD.match(text):
        yield "text begins with a wildcard"
    if _NESTED.search(text):
        yield "text nests quantifiers"
    if text.count(".*") > 1:
        yield "text has more than one .*"
    try:
        if re.compile(text).search("") or regex.compile(text).search(""):
            yield "text matches nothing at all"
    except (re.error, regex.error) as error:
        yield f"text does not compile: {error}"
