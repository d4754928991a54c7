"""What reading yields: logical lines with their place in the user's file, and notes on what was undone."""

from typing import NamedTuple

from diag.model.noun import noun


class Line(NamedTuple):
    """One logical line: what the program printed, freed of what wrapped it.

    A physical line may hold several (a JSON message with newlines); several physical lines may be one (a hard wrap).
    A tuple, because every line of a log becomes one: it is made in a third of the time that a noun takes.
    """

    number: int  # physical line of the user's file where it starts, from 1
    part: int  # place among the logical lines of that physical line, from 0
    text: str  # no wrapper, no colour, no line end; the program's own clock and level are kept
    stream: str | None = None  # the process it came from, where a wrapper tells: port, service, unit[pid], pod
    level: str | None = None  # I, W, E or D where only a wrapper carries it (JSON lines)
    elapsed_us: int | None = None  # microseconds since start, where only a wrapper carries it (JSON lines)
    time: str | None = None  # wall clock as the wrapper printed it


@noun
class Note:
    """Something that was unwrapped, repaired, decoded or lost on the way in."""

    what: str
    line: int | None = None  # first physical line it concerns; None = the whole input


@noun
class InputFacts:
    """What is known of an input besides its lines."""

    name: str
    n_bytes: int  # as stored, before decompression
    n_lines: int  # physical lines after decompression
    encoding: str  # utf-8, utf-16-le, utf-16-be, latin-1
    wrappers: tuple[str, ...]  # in the order they were undone, outermost first; no entry twice
    notes: tuple[Note, ...]
    blank: bool = False  # no line holds more than white space
