"""A path or a stream -> the text in it as UTF-8 blocks cut at line ends; content decides how, never the name."""

import io
import sys
from collections.abc import Generator, Iterator
from itertools import chain
from types import TracebackType
from typing import IO, BinaryIO, Self

from diag.errors import InputError
from diag.model.line import Note
from diag.model.noun import noun
from diag.read.content import packing_of
from diag.read.encoding import MAX_LINE, Text, character_cut
from diag.read.range import Range
from diag.read.stream import (
    CHUNK,
    DEFAULT,
    Budget,
    ByteStream,
    ContentError,
    Limits,
    Origin,
    StoredBytes,
    open_path,
    printable,
    take_head,
)

__all__ = ["DEFAULT", "MAX_LINE", "Limits", "Source", "open_source"]

_SKIPS_NAMED = 10  # further skipped members are only counted


@noun
class _Part:
    """One text: the whole input, or a member of an archive."""

    member: str | None
    text: Text


def open_source(path: str, *, stdin: BinaryIO | None = None, limits: Limits = DEFAULT) -> "Source":
    """Return the input at path, "-" for standard input, opened and recognised; close it or use it in a `with`.

    The first 64 KiB are read here, so that most of what can be wrong is said at once; an archive that is compressed or
    comes through a pipe goes to a nameless temporary file. InputError: missing, a directory, not permitted, a model or
    other binary data, a damaged, encrypted or oversized archive, an archive without text.
    """
    if path != "-":
        file, size = open_path(path)
        return Source(path, StoredBytes(file, size, Origin(path)), limits)
    if stdin is None:
        if sys.stdin is None:
            raise InputError("standard input is closed")
        stdin = sys.stdin.buffer
    return Source(path, StoredBytes(stdin, None, Origin(path)), limits)


class Source:
    """An opened input. `n_bytes`, `encoding`, `layers` and `notes` are final once its blocks have been read."""

    def __init__(self, name: str, stored: StoredBytes, limits: Limits = DEFAULT) -> None:
        """Recognise what stored holds; `open_source` is the way in."""
        self.name = name
        self.size_hint = stored.size  # bytes as stored, when the file system knows
        self.notes: list[Note] = []
        self._layers: list[str] = []
        self._stored = stored
        self._limits = limits
        self._reads_at_will = False  # an archive read by seeking: what was read says nothing, its size does
        self._encoding = "utf-8"
        self._n_skipped = 0
        self._begun = False
        budget = Budget(limits.n_bytes_unpacked)
        self._parts = self._recognise(stored, Origin(name), 0, budget)
        try:
            self._first = next(self._parts)
        except BaseException:  # whatever happened: no file stays open behind an exception
            self.close()
            raise

    @property
    def n_bytes(self) -> int:
        """Bytes as stored, before unpacking, as far as they were read."""
        return self._stored.size or 0 if self._reads_at_will else self._stored.n_read

    n_ranges = 1

    @property
    def share(self) -> float | None:
        """How much of what is stored was read."""
        return min(1.0, self.n_bytes / self.size_hint) if self.size_hint else None

    @property
    def encoding(self) -> str:
        """utf-8, utf-16-le, utf-16-be or latin-1; of the first text in an archive. Stray bytes leave utf-8 as it is."""
        return self._first.text.encoding

    @property
    def layers(self) -> tuple[str, ...]:
        """What was unpacked (gzip, bzip2, xz, zstd, zip, tar), outermost first, each once."""
        return tuple(self._layers)

    def blocks(self) -> Iterator[bytes]:
        r"""Yield the text once, as UTF-8 blocks of about 1 MiB, at most MAX_LINE plus 1 MiB; an empty input has none.

        A block ends with \n. Two kinds do not: the last one, when the text does not; and a piece of a line longer than
        MAX_LINE, which goes on in the next block. Pieces split neither a character nor \r\n. \r\n became \n, a carriage
        return inside a line is kept, NULs and a byte order mark are gone; line numbers are those of the user's file.
        Members of an archive follow each other, each closed with \n. InputError when the input turns out damaged or too
        large.
        """
        if self._begun:
            raise RuntimeError("the blocks of a source can be read once")
        self._begun = True
        n_lines = 0
        for part in chain((self._first,), self._parts):
            if part.member is None:
                yield from part.text.blocks()
                self.notes.extend(part.text.notes())
            else:
                first = n_lines + 1
                for block in _closed(part.text.blocks()):
                    n_lines += block.count(b"\n")
                    yield block
                self._describe(part.member, part.text, first, n_lines)

    def surely_larger_than(self, limit: int) -> bool:
        """Return True when the text has more bytes than limit by its size alone; False where only reading tells."""
        return not self._layers and self._first.text.encoding == "utf-8" and (self.size_hint or 0) > limit

    @property
    def n_divisible(self) -> int:
        """Bytes of a plain UTF-8 file, which may be read in ranges; 0 of anything else."""
        text = self._first.text
        plain = not self._layers and text.encoding == "utf-8" and text.ends_lines_with_newlines
        return self.size_hint or 0 if plain and self._stored.origin.name != "-" else 0

    def stored_bytes(self, start: int, n_bytes: int) -> bytes:
        """Return so many bytes of a divisible file as they are stored, fewer at its end."""
        file, _ = open_path(self.name)
        with file:
            file.seek(start)
            return file.read(n_bytes)

    def range(self, start: int, end: int | None) -> "Range":
        """Return what stands between two line starts of a divisible file, opened anew; None = up to the end."""
        file, size = open_path(self.name)
        file.seek(start)
        limit = end - start if end is not None else None
        stored = StoredBytes(file, max(0, (size or 0) - start), self._stored.origin, limit=limit)
        return Range(stored, Text(b"", stored, self._stored.origin))

    def head(self, limit: int) -> tuple[bytes, Iterator[bytes] | None]:
        """Return the whole text and None if it has at most limit bytes, else a head cut at a line end and the rest.

        The rest goes on as `blocks()` does. The head ends inside a line only if that line alone is longer than limit.
        """
        pieces: list[bytes] = []
        room = limit
        blocks = self.blocks()
        for block in blocks:
            if len(block) <= room:
                pieces.append(block)
                room -= len(block)
                continue
            cut = block.rfind(b"\n", 0, room) + 1
            if not cut and not pieces:
                cut = character_cut(block, room)
            return b"".join((*pieces, block[:cut])), chain((block[cut:],), blocks)
        return b"".join(pieces), None

    def close(self) -> None:
        """Close the file and drop what was unpacked; standard input stays open. May be called again."""
        self._parts.close()
        self._stored.close()

    def __enter__(self) -> Self:
        """Return the source itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _recognise(self, stream: ByteStream, origin: Origin, depth: int, budget: Budget) -> Generator[_Part]:
        """Yield the texts in a stream, going down through what it is packed in."""
        head = take_head(stream)
        packing = packing_of(head)
        if packing is None:
            yield _Part(origin.member, Text(head, stream, origin))
            return
        if depth == self._limits.n_layers:
            raise ContentError(origin, f"is packed more than {depth} times; unpack it and name the log file")
        if packing not in self._layers:
            self._layers.append(packing)
        if packing in ("zip", "tar"):
            yield from self._members(packing, head, stream, origin, depth, budget)
            return
        from diag.read.compression import Unpacked

        unpacked = Unpacked(packing, head, stream, origin, limits=self._limits, budget=budget)
        yield from self._recognise(unpacked, origin, depth + 1, budget)
        if unpacked.n_ignored:
            self.notes.append(Note(f"{unpacked.n_ignored:,} bytes after the end of the {packing} data ignored"))

    def _members(
        self, packing: str, head: bytes, stream: ByteStream, origin: Origin, depth: int, budget: Budget
    ) -> Iterator[_Part]:
        from diag.read.archive import members

        file = self._seekable(head, stream, origin)
        if origin.member is None:
            # Stored bytes are no bomb: a large tar may hold as much as it is long.
            budget = Budget(max(self._limits.n_bytes_archive, self._stored.size or 0))
        n_texts = 0
        with file:  # one copy at a time, however many archives an archive holds
            for entry in members(packing, file, origin, self._limits):
                member = entry.name if origin.member is None else f"{origin.member}/{entry.name}"
                inner = Origin(origin.name, member)
                try:
                    for part in self._recognise(entry.open(inner, budget), inner, depth + 1, budget):
                        n_texts += 1
                        yield part
                except ContentError as error:
                    self._skip(member, error.reason)
        if not n_texts:
            raise ContentError(origin, f"is a {packing} archive without a text file")
        if depth == 0 and self._n_skipped > _SKIPS_NAMED:
            self.notes.append(Note(f"{self._n_skipped - _SKIPS_NAMED:,} further members skipped"))

    def _seekable(self, head: bytes, stream: ByteStream, origin: Origin) -> IO[bytes]:
        """Return the archive as a file that can seek: the input itself where it can, else a copy."""
        from diag.read.archive import spool
        from diag.read.compression import Unpacked

        if isinstance(stream, StoredBytes) and stream.size is not None and isinstance(stream.file, io.FileIO):
            self._reads_at_will = True
            return io.BufferedReader(stream.file)
        if isinstance(stream, Unpacked):
            stream.rescue = origin.pipe("tar -xOf", takes_name=True)
        return spool(head, stream, origin, self._limits)

    def _skip(self, member: str, reason: str) -> None:
        self._n_skipped += 1
        if self._n_skipped <= _SKIPS_NAMED:
            self.notes.append(Note(f"member {printable(member)} skipped: it {reason}"))

    def _describe(self, member: str, text: Text, first: int, last: int) -> None:
        name = printable(member)
        encoding = "" if text.encoding == "utf-8" else f" ({text.encoding})"
        if last < first:
            self.notes.append(Note(f"member {name} is empty"))
        else:
            lines = f"line {first} is" if first == last else f"lines {first}-{last} are"
            self.notes.append(Note(f"{lines} member {name}{encoding}", first))
        self.notes.extend(text.notes(f"member {name}: ", first - 1))


def in_blocks(held: list[bytes]) -> Iterator[bytes]:
    """Yield the one text in a list in blocks of about 1 MiB cut at line ends; the list is emptied first."""
    text = held.pop()
    at = 0
    while at < len(text):
        cut = len(text) if len(text) - at <= CHUNK else text.rfind(b"\n", at, at + CHUNK) + 1
        if cut <= at:
            cut = text.find(b"\n", at) + 1 or len(text)
        yield text[at:cut]
        at = cut


def _closed(blocks: Iterator[bytes]) -> Iterator[bytes]:
    r"""Yield blocks with the last one ending in \n."""
    block = b""
    for following in blocks:
        if block:
            yield block
        block = following
    if block:
        yield block if block.endswith(b"\n") else block + b"\n"
