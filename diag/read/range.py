"""A stretch of a plain file, as one of several processes reads it."""

from collections.abc import Iterator
from typing import Protocol

from diag.read.damage import Damage
from diag.read.encoding import Text
from diag.read.stream import StoredBytes


class Progress(Protocol):
    """What is being read."""

    @property
    def share(self) -> float | None:
        """How much of it was read; None where only the end tells."""

    @property
    def n_ranges(self) -> int:
        """How many processes read, of which this one sees its own part."""


class Range:
    """Lines of a file; `n_bytes` and `damage` are final once its blocks have been read."""

    def __init__(self, stored: StoredBytes, text: Text) -> None:
        """Take a stretch of a file; `Source.range` is the way in."""
        self._stored = stored
        self._text = text

    @property
    def n_bytes(self) -> int:
        """Bytes read."""
        return self._stored.n_read

    @property
    def damage(self) -> Damage:
        """What was mended."""
        return self._text.damage

    def blocks(self) -> Iterator[bytes]:
        """Yield its text as `Source.blocks` does, and close the file."""
        try:
            yield from self._text.blocks()
        finally:
            self._stored.close()
