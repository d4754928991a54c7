"""Which finding is the cause, and in which order the answers stand."""

from collections.abc import Mapping, Sequence

from diag.model.finding import Finding
from diag.model.noun import noun
from diag.model.signature import SEVERITIES, Signature, consequences_of

GRADES = ("certain", "likely", "possible")


@noun
class Folded:
    """The occurrences of one signature in one session, and what follows from it."""

    signature: Signature
    session: int
    findings: tuple[Finding, ...]  # in line order
    absorbed: tuple["Folded", ...] = ()

    @property
    def grade(self) -> str:
        return min((finding.grade for finding in self.findings), key=GRADES.index)

    @property
    def first_line(self) -> int:
        return self.findings[0].trigger.line

    @property
    def withdrawn_by(self) -> int | None:
        """Line of the success that took back the last occurrence; None while one occurrence stands."""
        lines = [finding.withdrawn_by for finding in self.findings]
        return None if None in lines else max(line for line in lines if line is not None)


def fold(findings: Sequence[Finding], signatures: Mapping[str, Signature]) -> list[Folded]:
    """Return the findings folded by session and signature."""
    groups: dict[tuple[int, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.session, finding.signature), []).append(finding)
    return [
        Folded(signatures[name], session, tuple(sorted(group, key=lambda found: found.trigger.line)))
        for (session, name), group in groups.items()
    ]


def absorb(
    folded: Sequence[Folded], streams: Mapping[int, str | None], signatures: Mapping[str, Signature]
) -> list[Folded]:
    """Return the causes, each with the consequences it absorbed.

    A consequence is absorbed by a cause of its own session, or of another stream (a router's child, its parent).
    Where two name each other, the one with the better grade, then the earlier line, is the cause.
    """
    closure = {found.signature.id: consequences_of(found.signature.id, signatures) for found in folded}
    owner: dict[int, Folded] = {}
    for index, consequence in enumerate(folded):
        causes = [
            cause
            for cause in folded
            if cause is not consequence
            and (consequence.signature.id in closure[cause.signature.id] or _explains(cause, consequence))
            and (cause.session == consequence.session or streams[cause.session] != streams[consequence.session])
            and cause.withdrawn_by is None
            and cause.signature.severity != "benign"
        ]
        causes = [
            cause
            for cause in causes
            if cause.signature.id not in closure[consequence.signature.id] or _wins(cause, consequence)
        ]
        if causes:
            owner[index] = min(causes, key=lambda cause: (cause.session != consequence.session, cause.first_line))
    result: list[Folded] = []
    for index, found in enumerate(folded):
        if index in owner:
            continue
        mine = tuple(other for at, other in enumerate(folded) if at in owner and _root(owner, folded, at) is found)
        result.append(Folded(found.signature, found.session, found.findings, mine))
    return result


def _explains(cause: Folded, fallback: Folded) -> bool:
    """True where the fallback only says that something died and the cause, fatal and not later, says of what.

    That a log stops short says nothing beside what killed the server.
    """
    if cause.signature.fallback or cause.signature.severity != "fatal":
        return False
    if fallback.signature.area == "log-quality":
        return cause.grade != "possible"
    return fallback.signature.fallback and cause.first_line <= fallback.first_line


def _wins(cause: Folded, other: Folded) -> bool:
    return (GRADES.index(cause.grade), cause.first_line) < (GRADES.index(other.grade), other.first_line)


def _root(owner: Mapping[int, Folded], folded: Sequence[Folded], index: int) -> Folded:
    found = owner[index]
    seen = {index}
    at = next(i for i, item in enumerate(folded) if item is found)
    while at in owner and at not in seen:
        seen.add(at)
        found = owner[at]
        at = next(i for i, item in enumerate(folded) if item is found)
    return found


def ordered(folded: Sequence[Folded]) -> list[Folded]:
    """Return the answers: what stands before what was withdrawn; severity, confidence, last session, first line."""
    return sorted(
        folded,
        key=lambda found: (
            found.withdrawn_by is not None,
            SEVERITIES.index(found.signature.severity),
            GRADES.index(found.grade),
            -found.session,
            found.first_line,
        ),
    )
