"""Lines of a log that was printed newest first -> the lines as they were written, and its nouns with mirrored numbers.

`journalctl -r`, `tac` and the log viewers of clusters and clouds show the last line on top. Whatever reads a log relies
on line numbers that grow with time: it is given mirrored ones, and what it says is mirrored back.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from diag.late import late
from diag.model.form import Form
from diag.model.line import Line
from diag.model.noun import names_of

T = TypeVar("T")
_SAMPLE = 400  # lines that tell
_FEWEST = 5  # steps of a clock that tell
_CLOCK = late(r"\[?(\d{1,7})\.([0-5]\d)\.(\d{3})\.(\d{3})\]?(?: |$)")
_DIGITS = late(r"\d+")
_NUMBERS = frozenset(
    {"line", "first_line", "last_line", "error_line", "accepted_line", "text_proof_line", "withdrawn_by_line"}
)
_CITED = late(r"\(line (\d{1,12})\)")
_CITING = frozenset({"conflict", "because"})  # words with a line number in them


def newest_first(lines: Sequence[Line]) -> bool:
    """Return whether the clocks of a log fall: those of wrappers, or the program's own where they say nothing."""
    sample = lines[:_SAMPLE]
    walls = [tuple(map(int, _DIGITS.findall(line.time))) for line in sample if line.time]
    steps = [later > earlier for earlier, later in pairwise(walls) if len(earlier) == len(later) and earlier != later]
    if len(steps) < _FEWEST:
        steps = []
        n_rising = 0
        for rises in _own_steps(sample):
            steps.append(rises)
            n_rising += rises
            if n_rising * 5 > len(sample):  # whatever follows: so many do not rise in a log that is newest first
                return False
    return len(steps) >= _FEWEST and sum(steps) * 5 <= len(steps)


def _own_steps(sample: Sequence[Line]) -> Iterator[bool]:
    """Yield whether the program's own clock rises, for each change of it in a stream."""
    last: dict[str | None, int] = {}
    for line in sample:
        clock = _elapsed_us(line)
        if clock is not None:
            before = last.get(line.stream, clock)
            last[line.stream] = clock
            if clock != before:
                yield clock > before


def _elapsed_us(line: Line) -> int | None:
    found = _CLOCK.match(line.text) if line.elapsed_us is None else None
    if found is None:
        return line.elapsed_us
    minutes, seconds, ms, us = map(int, found.groups())
    return ((minutes * 60 + seconds) * 1000 + ms) * 1000 + us


def oldest_first(lines: Sequence[Line]) -> list[Line]:
    """Return the lines in the order they were written, with their numbers in the file.

    The parts of one physical line stay in order, and so does an entry over several lines: below the one that carries
    the wrapper's clock, where (nearly) all carry one.
    """
    timed = sum(line.time is not None for line in lines) * 10 >= 9 * len(lines)
    entries: list[list[Line]] = []
    for line in lines:
        if entries and (line.part or (timed and line.time is None and line.text)):
            entries[-1].append(line)
        else:
            entries.append([line])
    # What goes on over physical lines is numbered downwards, too: all of the entry gets the number of its first line.
    return [
        line if line.number == entry[0].number else line._replace(number=entry[0].number, part=part)
        for entry in reversed(entries)
        for part, line in enumerate(entry)
    ]


def is_turned(lines: Sequence[Line]) -> bool:
    """Return whether the lines are in the order of time but not in that of the file."""
    return len(lines) > 1 and lines[-1].number < lines[0].number


def mirrored(item: T, top: int) -> T:
    """Return a noun (or a sequence of them) with each line number `n` in it as `top - n`; twice undoes it."""
    return _mirrored(item, top)  # type: ignore[no-any-return]


def _mirrored(item: Any, top: int) -> Any:
    if isinstance(item, Line):
        return item._replace(number=top - item.number)
    if isinstance(item, (tuple, list)):
        return type(item)(_mirrored(one, top) for one in item)
    if not hasattr(item, "__noun_fields__"):
        return item
    changes = {name: _field(name, getattr(item, name), top) for name in names_of(type(item))}
    if isinstance(item, Form):
        changes["commands"] = tuple(sorted(changes["commands"], key=lambda command: command.line))
    if "first_line" in changes and "last_line" in changes:
        changes["first_line"], changes["last_line"] = sorted((changes["first_line"], changes["last_line"]))
    return dataclasses.replace(item, **changes)


def _field(name: str, value: Any, top: int) -> Any:
    if name in _NUMBERS and isinstance(value, int):
        return top - value
    if name in ("lines", "typed_lines") and isinstance(value, tuple):
        return tuple(top - number for number in value)
    if name in _CITING and isinstance(value, str):
        return _CITED.sub(lambda found: f"(line {top - int(found[1])})", value)
    return _mirrored(value, top)
