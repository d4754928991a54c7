"""Deaths that the rest of the log contradicts."""

import dataclasses
from collections.abc import Mapping, Sequence

from diag.model.finding import Finding
from diag.model.run import Session
from diag.model.signature import Signature

SURVIVED = (
    "The server finished requests that began after it, so it did not die of this: the line is another process's, or "
    "text that somebody logged."
)


def survived(finding: Finding, session: Session) -> bool:
    """True where a request that began after the finding's last line was finished."""
    last = finding.evidence[-1].line
    return any(task.outcome == "finished" and task.first_line > last for task in session.tasks)


def doubted(
    findings: Sequence[Finding], sessions: Mapping[int, Session], signatures: Mapping[str, Signature]
) -> list[Finding]:
    """Return the findings in their order; what kills a server is only possible where the server lived on."""
    return [
        dataclasses.replace(found, grade="possible")
        if signatures[found.signature].severity == "fatal"
        and found.withdrawn_by is None
        and survived(found, sessions[found.session])
        else found
        for found in findings
    ]
