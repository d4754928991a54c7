"""The answer: what every renderer prints."""

import datetime as dt
from collections.abc import Mapping
from typing import Literal

from diag.model.catalog import Argument
from diag.model.finding import Evidence
from diag.model.line import InputFacts
from diag.model.noun import noun
from diag.model.run import Session
from diag.model.signature import Value


@noun
class Moment:
    """Where in the log something stands, by every clock there is."""

    line: int
    elapsed_us: int | None = None
    time: str | None = None


@noun
class Impact:
    server: str = "unknown"  # alive | dead | unknown
    text_requests: str = "unknown"  # ok | fail | unknown
    text_proof_line: int | None = None  # line that shows that text requests work
    requests_lost: int = 0
    requests_seen: int = 0  # in the session
    requests_innocent: int = 0  # of the lost ones: those that only ran in another slot at that moment


@noun
class FixAdvice:
    """One fix, judged for this session."""

    do: str
    kind: str
    applies: bool | None  # None = cannot tell
    when: str  # the condition in words; "" = always
    because: str  # why it applies, does not, or cannot be told
    cost: str
    verify: str
    command: str | None  # the user's own command line with the fix applied
    evidence: tuple[str, ...]
    checked: dt.date | None
    only_if: str = ""  # the conditions that the log leaves open; "" = none
    hangs_on_build: bool = False  # one of them is the build
    front_end: str = ""  # the same in the words of the program that starts the server; "" = no such program or no word


@noun
class UpstreamStatus:
    ref: str
    state: str
    checked: dt.date
    first_build: int | None
    note: str
    relation: str
    title: str
    since: str = ""  # "draft since 2026-07-08", "merged 2026-09-24": the state with its event's own day; "" without one
    arguments: tuple[Argument, ...] = ()
    seen: str = ""  # the day, or the month, for which the state is supported


@noun
class Positions:
    rule: str | None
    x: int | None
    y: int | None
    gap: int | None
    missed: int | None
    refused_by: str
    left_by: str


@noun
class Absorbed:
    """A consequence that was found too."""

    signature: str
    title: str
    lines: tuple[int, ...]


@noun
class Diagnosis:
    signature: str
    title: str
    area: str
    severity: str
    session: int
    count: int
    confidence: str
    verdict: str  # affects | fixed-later | already-fixed | unknown-build
    fixed_in: int | None
    summary: str
    cause: str
    arithmetic: tuple[str, ...]  # the log's own figures, worked out
    chain: tuple[str, ...]
    impact: Impact
    first: Moment
    last: Moment
    evidence: tuple[Evidence, ...]
    captures: Mapping[str, Value]
    positions: Positions | None
    consequences: tuple[Absorbed, ...]
    fixes: tuple[FixAdvice, ...]
    upstream: tuple[UpstreamStatus, ...]
    withdrawn_by_line: int | None = None
    later_session_ok: int | None = None  # number of a later session of the stream that worked
    not_to_confuse_with: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()  # those that its texts speak of, each by its one name


@noun
class Benign:
    signature: str
    title: str
    why: str
    evidence: tuple[Evidence, ...]
    count: int = 1


UntoldKind = Literal[
    "server",
    "failures",
    "stated-build",
    "build",
    "drafter",
    "start",
    "acceptance",
    "ending",
    "statuses",
    "devices",
    "other",
]


@noun
class Untold:
    """Something the log does not tell, and what would."""

    cannot_tell: str
    because: str
    would_help: str
    kind: UntoldKind = "other"
    by_verbosity: bool = False  # a higher verbosity (`-lv 4`) logs it


@noun
class Failure:
    """A failure line that nothing knows."""

    fingerprint: str
    line: int
    text: str
    count: int = 1


@noun
class Drift:
    """A shape of llama-server lines that no wording knows."""

    shape: str
    count: int
    line: int  # the first one


@noun
class Excerpt:
    """A log line near the evidence, or of it."""

    line: int
    part: int
    text: str
    evidence: bool


@noun
class Report:
    input: InputFacts
    sessions: tuple[Session, ...]
    diagnoses: tuple[Diagnosis, ...]  # the first is the answer
    benign: tuple[Benign, ...]
    coverage: tuple[Untold, ...]
    unknown: tuple[Failure, ...] = ()
    drift: tuple[Drift, ...] = ()  # server lines that no wording knows, by shape; of logs read whole
    excerpts: tuple[Excerpt, ...] = ()  # the lines around the first answer's evidence, where they were asked for
    is_llama_log: bool = True
    tool_version: str = ""
    catalog_hash: str = ""
