"""What is kept of a log that is too large to hold: some of its lines, and sums over all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from diag.model.noun import noun


@noun
class Told:
    """What one physical line says, as far as choosing the lines to keep needs it."""

    stream: str | None = None
    closes: bool = False  # an informational event stands before any failure: an open incident of the stream ends
    failure: bool = False
    ends: bool = False  # an informational event stands behind the failure
    known: bool = False  # at least one event
    clocked: bool = True  # the program's clock stands before it, or a wrapper tells a level
    shape: str = ""  # the same for lines that every signature treats alike
    facts: tuple[str, ...] = ()  # informational events by their class
    starts: tuple[str, ...] = ()  # facts that only a server's start states
    unknown: tuple[str, ...] = ()  # shapes of failure lines that nothing knows
    n_started: int = 0  # requests that begin here
    n_failed: int = 0  # requests that fail here
    accepted: tuple[tuple[int, int, float | None], ...] = ()  # (accepted, drafted, mean length)
    fixed: bool = False  # other figures would change nothing of it
    keep: int = 0  # incidents like it that a signature wants to see; 0 = the usual number
    x: int | None = None  # positions, where the line states one of them
    y: int | None = None


@noun
class Sums:
    """Sums over the requests of a stretch of lines, whatever is kept of them."""

    n_started: int = 0
    n_accepted_lines: int = 0
    accepted: int = 0
    drafted: int = 0
    cycles: float = 0.0  # accepted / (mean length - 1) where a mean length is printed
    n_measured: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        """Return both together."""
        return Sums(
            self.n_started + other.n_started,
            self.n_accepted_lines + other.n_accepted_lines,
            self.accepted + other.accepted,
            self.drafted + other.drafted,
            self.cycles + other.cycles,
            self.n_measured + other.n_measured,
        )

    def __sub__(self, part: "Sums") -> "Sums":
        """Return what is left without a part; never below zero."""
        return Sums(
            max(0, self.n_started - part.n_started),
            max(0, self.n_accepted_lines - part.n_accepted_lines),
            max(0, self.accepted - part.accepted),
            max(0, self.drafted - part.drafted),
            max(0.0, self.cycles - part.cycles),
            max(0, self.n_measured - part.n_measured),
        )


ONLY = "*"
"""Key of the sums where lines were not told apart by stream, because there is one at a time."""


@noun
class Stretch:
    """Lines between two starts, with the sums of each stream in them."""

    first_line: int
    last_line: int
    sums: Mapping[str | None, Sums]
    unknown: Mapping[str, int] = field(default_factory=dict)  # shape of a failure line that nothing knows -> lines
    incidents: Mapping[tuple[str | None, str], int] = field(default_factory=dict)  # (stream, shape) -> how many
    failed: Sequence[int] = ()  # lines of failed requests
    n_failed_behind: int = 0  # those behind the last of these lines
    signs: bool = False  # a line of it shows an image
    turns_from: int = 0  # from this line on every line of every request is kept, if there are signs
    before_turns: Mapping[str | None, Sums] = field(default_factory=dict)  # the sums of the lines before that
    turns_until: int | None = None  # and up to this one; None = to the end


@noun
class Selection:
    """The lines kept, ascending, and what was only counted."""

    lines: tuple[tuple[int, bytes], ...]
    n_lines: int
    whole: frozenset[int]  # first lines of the incidents that were kept for themselves
    joined: frozenset[int]  # kept lines before which lines are missing, but none that ends an incident
    long: tuple[tuple[int, int], ...]  # first and last line of incidents of which the middle is left out
    stretches: tuple[Stretch, ...]
    n_folded: int = 0  # stretches of which nothing is kept
    floods: tuple[tuple[str, int, int], ...] = ()  # (anchor, lines, first line from which it was only counted)
    n_shapes_left_out: int = 0  # incidents of rare combinations of which not even the first is kept

    def ends_incidents(self, last: int, number: int) -> bool:
        """Return whether lines are left out between two kept ones that end the incidents before them."""
        if number <= last + 1 or number in self.joined:
            return False
        return not any(first <= last and number <= end for first, end in self.long)
