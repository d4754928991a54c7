"""A path or a pipe -> its stored bytes, read once and counted, with the limits and the names that errors use."""

import io
from typing import BinaryIO, Protocol, cast

from diag.errors import InputError
from diag.model.noun import noun

CHUNK = 1 << 20  # bytes asked for at a time; 64 KiB to 4 MiB differ by less than 5 %
HEAD = 1 << 16  # bytes from which content and encoding are told

_MIB = 1 << 20
_GIB = 1 << 30


@noun
class Limits:
    """How much an input may unpack to before it counts as a bomb; stored bytes are not limited."""

    n_bytes_unpacked: int = 16 * _GIB  # one compressed stream
    n_bytes_free_of_ratio: int = 64 * _MIB  # a small repetitive log may pack better than any ratio
    ratio: int = 1000  # unpacked to packed, beyond the free part
    n_bytes_archive: int = 2 * _GIB  # all members together, unless the archive as stored is larger
    n_entries: int = 10_000
    n_layers: int = 3  # gzip in tar in zip


DEFAULT = Limits()


@noun
class Origin:
    """Where bytes come from, for messages: an input as the user named it, and a member of it."""

    name: str  # a path as given, "-" for standard input
    member: str | None = None

    def __str__(self) -> str:
        """Return the name for a message, control characters escaped."""
        label = "standard input" if self.name == "-" else printable(self.name)
        return label if self.member is None else f"{printable(self.member)} in {label}"

    def pipe(self, tool: str, *, takes_name: bool = False) -> str:
        """Return a shell command that sends what `tool` can read of this input to the program.

        takes_name: the tool wants the name as its last argument (tar -xOf); else it reads its standard input.
        """
        from shlex import quote  # here, as pathlib below: only errors need it, every start would pay

        if self.name == "-":
            return f"... | {tool}{' -' if takes_name else ''} | diag analyze -"
        return f"{tool} {'' if takes_name else '< '}{quote(printable(self.name))} | diag analyze -"


class ContentError(InputError):
    """These bytes are readable but hold no log; inside an archive such a member is skipped with a note."""

    def __init__(self, origin: Origin, reason: str) -> None:
        """Keep the reason apart: a note about a member names the member in its own words."""
        super().__init__(f"{origin} {reason}")
        self.reason = reason


class ByteStream(Protocol):
    """Bytes that can be read once."""

    @property
    def at_end(self) -> bool:
        """True when it is known that nothing follows; a False promises nothing."""

    def readinto(self, buffer: memoryview) -> int:
        """Return the number of bytes written to the front of buffer (never empty); 0 only at the end. InputError."""


class _Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


class StoredBytes:
    """The bytes as they are stored, counted; `n_read` grows, `size` is what the file system said at opening."""

    def __init__(
        self, file: BinaryIO | io.FileIO, size: int | None, origin: Origin, *, limit: int | None = None
    ) -> None:
        """Take an open file; size is None for pipes and devices. No more than limit bytes are read of it."""
        self.file = file
        self.size = size
        self._limit = limit
        self.origin = origin
        self.n_read = 0
        self.at_end = False

    def readinto(self, buffer: memoryview) -> int:
        """Return bytes read; a file that grows is read to its first end at or past the size seen at opening."""
        if self.at_end:
            return 0
        if self._limit is not None:
            buffer = buffer[: self._limit - self.n_read]
        try:
            n = cast(_Readable, self.file).readinto(buffer)
        except OSError as error:
            what = f"could not be read after {self.n_read:,} bytes: {error.strerror}"
            raise InputError(f"{self.origin} {what}") from error
        except ValueError as error:  # a closed file says so with a ValueError
            raise InputError(f"{self.origin} could not be read: {error}") from error
        if n is None:
            raise InputError(f"{self.origin} has no data ready and does not wait for any (it is set to non-blocking)")
        self.n_read += n
        # Files of /proc state a size of 0 and answer short in the middle: a short read is the end only with a size.
        self.at_end = (
            n == 0
            or (bool(self.size) and n < len(buffer) and self.n_read >= (self.size or 0))
            or self.n_read == self._limit
        )
        return n

    def close(self) -> None:
        """Close the file; standard input is left open."""
        if self.origin.name != "-":
            self.file.close()


class Resumed:
    """A stream whose head was already taken: gives the head again, then the rest."""

    def __init__(self, head: bytes, stream: ByteStream) -> None:
        """Put head back in front of stream."""
        self._head = memoryview(head)
        self._stream = stream

    @property
    def at_end(self) -> bool:
        """True when head is used up and the stream knows its end."""
        return not self._head and self._stream.at_end

    def readinto(self, buffer: memoryview) -> int:
        """Return bytes of the head while there are any, then those of the stream."""
        if not self._head:
            return self._stream.readinto(buffer)
        n = min(len(buffer), len(self._head))
        buffer[:n] = self._head[:n]
        self._head = self._head[n:]
        return n


class Budget:
    """Bytes that all layers and members of one archive, or one compressed stream, may still unpack to."""

    def __init__(self, n_bytes: int) -> None:
        """Start with n_bytes."""
        self._n_total = n_bytes
        self._n_left = n_bytes

    def take(self, n: int, origin: Origin) -> None:
        """Count n unpacked bytes. InputError when they exceed the budget."""
        self._n_left -= n
        if self._n_left < 0:
            raise InputError(
                f"{origin} unpacks to more than {size_words(self._n_total)}; unpack it and name the log file itself"
            )


def take_head(stream: ByteStream, n_max: int = HEAD) -> bytes:
    """Return the next n_max bytes; fewer only at the end."""
    buffer = memoryview(bytearray(n_max))
    n = 0
    while n < n_max and (got := stream.readinto(buffer[n:])):
        n += got
        if stream.at_end:
            break
    return bytes(buffer[:n])


def open_path(path: str) -> tuple[io.FileIO, int | None]:
    """Return the open file and its size (None for pipes and devices). InputError says what is wrong with the path."""
    import os
    import stat

    origin = Origin(path)
    try:
        file = io.FileIO(path)
        status = os.fstat(file.fileno())
    except FileNotFoundError as error:
        raise InputError(f"{origin} does not exist") from error
    except NotADirectoryError as error:
        raise InputError(f"{origin} does not exist (a part of its path is a file)") from error
    except (IsADirectoryError, PermissionError) as error:
        from pathlib import Path

        if isinstance(error, IsADirectoryError) or Path(path).is_dir():  # Windows refuses a directory as a permission
            raise InputError(f"{origin} is a directory; name the log files") from error
        raise InputError(f"{origin} cannot be opened: permission denied") from error
    except OSError as error:
        raise InputError(f"{origin} cannot be opened: {error.strerror}") from error
    except ValueError as error:  # a NUL in the path, or characters the file system cannot encode
        raise InputError(f"{origin} is not a possible file name: {error}") from error
    return file, status.st_size if stat.S_ISREG(status.st_mode) else None


def printable(name: str) -> str:
    """Return name with everything a terminal could act on (controls, bidi marks, lone surrogates) escaped."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name)


def size_words(n_bytes: int) -> str:
    """Return a size for a message: whole GiB or MiB where it is one, else bytes."""
    for unit, name in ((_GIB, "GiB"), (_MIB, "MiB")):
        if n_bytes >= unit and n_bytes % unit == 0:
            return f"{n_bytes // unit} {name}"
    return f"{n_bytes:,} bytes"
