"""The plain reading: every pattern of every wording and signature, tried on every line.

No engine, no memory of lines alike, no windows: what it finds is what a log says. It is slow, so that logs of some size pass
a sieve first, which leaves out the patterns of which a literal stands nowhere near; a test holds the sieve to be tight.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from diag.model.line import Line
from diag.parse.bodies import outside_bodies
from diag.parse.prefix import split_prefix
from diag.parse.wordings import WORDINGS
from diag.read.repair import read_lines
from tests.build import ready

_STEP = 40  # lines that pass the sieve together


@dataclass
class Found:
    """Where a pattern matches: one number a physical line, ascending."""

    lines: list[int] = field(default_factory=list)
    groups: list[dict[str, str | None]] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.lines[0]

    @property
    def last(self) -> int:
        return self.lines[-1]

    def __len__(self) -> int:
        return len(self.lines)

    def sum(self, group: str) -> int:
        """Return the sum of the figures in a group."""
        return sum(int(groups[group] or 0) for groups in self.groups)


@dataclass(frozen=True)
class _Row:
    name: str  # the event's class, or "signature/condition"
    anchor: str
    pattern: re.Pattern[str]
    raw: bool = False
    in_body: bool = False


def read_plainly(data: bytes, *, sieved: bool = True) -> dict[str, Found]:
    """Return name of an event or a text condition -> where it is stated, outside of what users wrote."""
    found: dict[str, Found] = {}
    lines = outside_bodies(read_lines(data.decode("utf-8", "replace"))[0])
    for at in range(0, len(lines), _STEP):
        step = lines[at : at + _STEP]
        rows = _near(step) if sieved else _rows()
        for line in step:
            _try(rows, line, found)
    return found


def _try(rows: Sequence[_Row], line: Line, found: dict[str, Found]) -> None:
    prefixed = split_prefix(line)
    body = prefixed.message[: prefixed.body_at]
    for row in rows:
        if row.raw and prefixed.level is not None:
            continue
        match = row.pattern.search(prefixed.message if row.in_body else body)
        if match is not None:
            where = found.setdefault(row.name, Found())
            if not where.lines or where.last != line.number:
                where.lines.append(line.number)
                where.groups.append(match.groupdict())


def _near(lines: Sequence[Line]) -> list[_Row]:
    text = "\n".join(line.text for line in lines)
    return [row for row in _rows() if row.anchor in text]


@functools.cache
def _rows() -> tuple[_Row, ...]:
    texts = (text for some in ready().table.texts for text in some)
    return (
        *(_Row(row.event.__name__, row.anchor, re.compile(row.pattern), row.raw, row.in_body) for row in WORDINGS),
        *(_Row(text.name, text.anchor, re.compile(text.pattern)) for text in texts),
    )
