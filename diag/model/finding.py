"""A signature that holds in a session, with the lines that show it."""

from collections.abc import Mapping
from dataclasses import field

from diag.model.events import Event
from diag.model.noun import noun
from diag.model.signature import Value


@noun
class Evidence:
    line: int
    part: int
    text: str
    role: str  # trigger | context
    stream: str | None = None


@noun
class Finding:
    """One occurrence; occurrences of one signature in one session are folded when the report is concluded."""

    signature: str
    session: int  # number of the session
    grade: str  # certain | likely | possible
    evidence: tuple[Evidence, ...]  # in line order, never empty
    events: tuple[Event, ...]  # those behind the evidence, in the same order
    captures: Mapping[str, Value] = field(default_factory=dict)
    count: int = 1
    incident: tuple[int, int] | None = None  # first and last line of the incident it was found in
    withdrawn_by: int | None = None  # line of the later success that takes it back
    undecided: tuple[str, ...] = ()  # facts of [applies] that the log does not show

    @property
    def trigger(self) -> Evidence:
        """The first line that shows the failure itself; what only belongs to it (a projector loaded) stands before."""
        return next((item for item in self.evidence if item.role == "trigger"), self.evidence[0])
