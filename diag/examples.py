"""Runs the examples of signatures through the pipeline: the gates that need a log."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence

from diag.match.match import CONCLUDED
from diag.model.catalog import Catalog
from diag.model.events.event import TextMatched
from diag.model.finding import Finding
from diag.model.signature import Example, Signature, consequences_of
from diag.pipeline import Analyzer

HOSTILE = ("a" * 8192, " " * 8192, "0" * 8192, "x=1, " * 1600, "((((" * 2048, "/a" * 4096)
_TOO_SLOW_S = 1.0  # a bounded pattern takes milliseconds on 8 KB; only a runaway one comes near


def check_examples(analyzer: Analyzer, only: Sequence[str] | None = None) -> list[str]:
    """Return the faults of the examples, one line each; `only` limits whose examples run."""
    faults: list[str] = []
    for signature in analyzer.catalog.signatures.values():
        if only is None or signature.id in only:
            faults.extend(f"{signature.area}/{signature.id}.toml: {fault}" for fault in _faults(signature, analyzer))
    return faults


def _faults(signature: Signature, analyzer: Analyzer) -> Iterator[str]:
    for number, example in enumerate(signature.examples, 1):
        if signature.id in CONCLUDED:
            yield from (f"example {number} - {fault}" for fault in _concluded(signature, example, analyzer))
            continue
        standing = [found for found in analyzer.findings(example.log.strip("\n")) if found.withdrawn_by is None]
        found = {finding.signature: finding for finding in standing}
        yield from (f"example {number} - {fault}" for fault in _example(signature, example, found, analyzer.catalog))
    for condition in signature.conditions.values():
        if condition.text is not None and condition.anchor is not None:
            pattern = re.compile(condition.text)
            for hostile in HOSTILE:
                begun = time.perf_counter()
                pattern.search(f"{hostile}{condition.anchor}{hostile}")
                if time.perf_counter() - begun > _TOO_SLOW_S:
                    yield f"when.{condition.name} - the pattern runs away on hostile text"


def _example(signature: Signature, example: Example, found: Mapping[str, Finding], catalog: Catalog) -> Iterator[str]:
    mine = found.get(signature.id)
    if example.expect == "no-match":
        if mine is not None:
            yield f"it must not match, but {mine.grade} at line {mine.evidence[0].line}"
        if not example.why:
            yield "a no-match example says why"
        return
    if mine is None:
        yield f"it must match; found {', '.join(found) or 'nothing'}"
        return
    for name, value in example.captures.items():
        if str(mine.captures.get(name)) != str(value):  # a file writes figures as TOML types, a line as text
            yield f"capture {name} is {mine.captures.get(name)!r}, not {value!r}"
    for other in found:
        if other != signature.id and not _declared(signature, catalog.signatures[other], catalog):
            yield f"{other} matches too, and neither consequences nor not_to_confuse_with says so"


def _concluded(signature: Signature, example: Example, analyzer: Analyzer) -> Iterator[str]:
    """Yield the faults of an example whose kind only the whole report decides."""
    report = analyzer.analyze_text(example.log.strip("\n"))
    holds = any(item.signature == signature.id for item in report.diagnoses)
    if holds != (example.expect == "match"):
        found = ", ".join(item.signature for item in report.diagnoses) or "nothing"
        yield f"expected {example.expect}, found {found}"


def _declared(signature: Signature, other: Signature, catalog: Catalog) -> bool:
    if "benign" in (signature.severity, other.severity) or "info" in (signature.severity, other.severity):
        return True
    pair = ((signature, other), (other, signature))
    return any(
        right.id in left.not_to_confuse_with or right.id in consequences_of(left.id, catalog.signatures)
        for left, right in pair
    )


def unseen_conditions(catalog: Catalog, analyzer: Analyzer) -> list[str]:
    """Return "<signature id>/<condition name>" of each condition with a text that no line of an example holds, sorted.

    A condition that only rules a signature out may well stand in no example; one that is to find it should not.
    """
    seen = {
        event.condition
        for signature in catalog.signatures.values()
        for example in signature.examples
        for event in analyzer.events(example.log.strip("\n"))
        if isinstance(event, TextMatched)
    }
    asked = {
        f"{signature.id}/{condition.name}"
        for signature in catalog.signatures.values()
        for condition in signature.conditions.values()
        if condition.text is not None
    }
    return sorted(asked - seen)
