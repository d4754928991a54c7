"""What all events share."""

from diag.model.line import Line
from diag.model.noun import fact, names_of


@fact
class Event:
    """One fact that the log states. Subclasses add the fields that a wording's named groups fill."""

    line: Line
    column: int = 0  # where in line.text the message was found; orders events of one line
    level: str | None = None  # I, W, E, D; None for lines without a level letter (asserts, driver text, old builds)
    elapsed_us: int | None = None  # microseconds since the process started
    slot_id: int | None = None
    task_id: int | None = None
    not_before: int | None = None  # upstream builds that print the wording: first it can be,
    not_after: int | None = None  # and last it can be; None = no bound known

    def __repr__(self) -> str:
        told = [f"{name}={getattr(self, name)!r}" for name in names_of(type(self)) if name != "line"]
        return f"{type(self).__name__}(line {self.line.number}, {', '.join(told)})"

    @property
    def place(self) -> tuple[int, int, int]:
        """Where the event stands in the input: physical line, part of it, column."""
        return (self.line.number, self.line.part, self.column)


@fact
class TextMatched(Event):
    """A `text` condition of a signature met its line."""

    condition: str  # "<signature id>/<condition name>"
    captures: tuple[tuple[str, str], ...] = ()


@fact
class ConsequenceLine(Event):
    """A known line that only follows from an earlier failure and is no failure kind of its own."""


@fact
class HarmlessLine(Event):
    """A known line of level W or E that healthy servers print."""


@fact
class UnknownError(Event):
    """A line of level E, or a raw line with a failure word, that no wording and no signature knows."""

    text: str
