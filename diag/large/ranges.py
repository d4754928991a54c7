"""One big file, read by several processes: ranges that begin with a request, joined as if one had read them all."""

from collections.abc import Callable, Iterator, Sequence

from diag.large.tell import Teller
from diag.model.line import Note
from diag.model.noun import noun
from diag.read.damage import Damage
from diag.read.range import Progress
from diag.read.source import Source
from diag.scan.buffer import trimmed
from diag.scan.clock import falls
from diag.scan.scanned import Outlook, Scanned, join
from diag.scan.span import Budgets

LEAST = 48 << 20  # bytes of a range for which another process is worth its start
_WINDOW = 4 << 20
_MOST_WINDOWS = 8  # behind the place where a range would begin, to find a request
_PATIENCE = 16 << 20  # bytes after which the first start has said what it says of itself, or never will


@noun
class Task:
    """A range of a file for another process, and what it has to know of the lines before."""

    path: str
    start: int
    end: int | None
    outlook: Outlook


@noun
class Done:
    """What a process returns of a range."""

    scanned: Scanned
    n_bytes: int
    damage: Damage


Watch = Callable[[Iterator[bytes], Progress], Iterator[bytes]]
Crew = Callable[[Sequence[Task]], Iterator[Done]]
"""Reads ranges elsewhere: begins with all at once and yields what they held in their order."""


class Divided:
    """A file that a crew helps to read; `n_bytes`, `encoding` and `notes` are final once `joined` has returned.

    A range begins with the line of a request that begins: it ends all that went on in a log of one server. What the
    start before it said of itself is guessed from the first one of the file; where that was another, it is read again.
    """

    def __init__(self, source: Source, crew: Crew, n_ranges: int, watch: Watch | None = None) -> None:
        """Take a source that is divisible; see `divide`."""
        self._source = source
        self._crew = crew
        self._watch = watch
        self.n_ranges = n_ranges
        self._borders: list[int] = []
        self._own = source.range(0, 0)
        self._n_elsewhere = 0
        self._damage_elsewhere = Damage()
        self._guess: Outlook | None = None
        self._done: Iterator[Done] = iter(())

    def blocks(self, literals: Sequence[bytes], reader: Teller) -> Iterator[bytes]:
        """Return the blocks of the first range; `literals` stand in the lines of requests that begin."""
        size = self._source.n_divisible
        for number in range(1, self.n_ranges):
            border = self._border(size * number // self.n_ranges, literals, reader)
            if border is not None and border > (self._borders[-1] if self._borders else 0):
                self._borders.append(border)
        self._own = self._source.range(0, self._borders[0] if self._borders else None)
        return self._watched()

    def whole(self) -> Iterator[bytes]:
        """Return the blocks of the whole file, for a log that cannot be divided after all."""
        self._borders, self.n_ranges, self._n_elsewhere, self._damage_elsewhere = [], 1, 0, Damage()
        self._own = self._source.range(0, None)
        return self._watched()

    def _watched(self) -> Iterator[bytes]:
        blocks = self._own.blocks()
        return self._watch(blocks, self) if self._watch is not None else blocks

    @property
    def n_bytes(self) -> int:
        """Bytes read, here and elsewhere."""
        return self._own.n_bytes + self._n_elsewhere

    @property
    def encoding(self) -> str:
        """As `Source.encoding`."""
        return self._damage().encoding(self._source.encoding)

    @property
    def notes(self) -> list[Note]:
        """What was mended, here and elsewhere."""
        return self._damage().notes()

    def _damage(self) -> Damage:
        damage = Damage(first_bad_line=self._own.damage.first_bad_line)
        damage.add(self._own.damage)
        damage.add(self._damage_elsewhere)
        return damage

    @property
    def share(self) -> float:
        """How much of its own range this process has read."""
        of = self._borders[0] if self._borders else self._source.n_divisible
        return min(1.0, self._own.n_bytes / of) if of else 1.0

    def look(self, outlook: Outlook) -> None:
        """Let the crew begin once the first start has said what it says of itself."""
        is_up = "Listening" in outlook.facts or self._own.n_bytes > _PATIENCE
        if is_up and self._guess is None and self._borders:
            self._begin(outlook)

    def joined(self, own: Scanned, budgets: Budgets) -> Scanned:
        """Return what was kept and counted of the whole file."""
        if self._borders and self._guess is None:
            self._begin(own.outlook)
        parts = [own]
        for task in self._tasks(self._guess or own.outlook):
            done = next(self._done)
            if parts[-1].outlook != task.outlook:
                again = Task(task.path, task.start, task.end, parts[-1].outlook)
                (done,) = self._crew([again])
            parts.append(done.scanned)
            self._n_elsewhere += done.n_bytes
            self._damage_elsewhere.add(done.damage)
        return join(parts, budgets)

    def _begin(self, outlook: Outlook) -> None:
        self._guess = outlook
        self._done = self._crew(self._tasks(outlook))

    def _tasks(self, outlook: Outlook) -> list[Task]:
        ends = [*self._borders[1:], None]
        return [Task(self._source.name, start, end, outlook) for start, end in zip(self._borders, ends, strict=False)]

    def _border(self, near: int, literals: Sequence[bytes], reader: Teller) -> int | None:
        """Return where the next line begins that starts a request, or None where none is near."""
        for base in range(near, min(near + _MOST_WINDOWS * _WINDOW, self._source.n_divisible), _WINDOW):
            data = self._source.stored_bytes(base, _WINDOW)
            at = data.find(b"\n")  # what stands before it may be the end of a line
            while at >= 0:
                found = [place for text in literals if (place := data.find(text, at)) >= 0]
                if not found:
                    break
                start, stop = data.rfind(b"\n", 0, min(found)) + 1, data.find(b"\n", min(found))
                if stop >= 0 and _divides(data, start, stop, reader):
                    return base + start
                at = stop
        return None


def divide(
    source: Source, crew: Crew | None, n_ranges: int, *, watch: Watch | None = None, least: int = LEAST
) -> Divided | None:
    """Return what reads a source in up to so many ranges of at least so many bytes; None where one must read it."""
    n_ranges = min(n_ranges, source.n_divisible // least)
    return Divided(source, crew, n_ranges, watch) if crew is not None and n_ranges > 1 else None


def _divides(data: bytes, start: int, stop: int, reader: Teller) -> bool:
    """Return whether a line tells of a request that begins, in the same server as the line before."""
    told = reader.tell(trimmed(data[start:stop], ()), (-1,), exact=True)
    before = data[data.rfind(b"\n", 0, max(0, start - 1)) + 1 : start]
    return told.n_started == 1 and told.closes and told.clocked and not falls(before, data[start:stop])
