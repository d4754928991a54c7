"""A tar archive in a seekable file -> its regular files.

Read here, not with tarfile: bounded headers and one sentence for every flaw are less code than guarding that module.
Known are the headers of V7, ustar, GNU (long names) and pax (path). Sparse files are named and left out.
"""

import re
from collections.abc import Callable, Iterator
from typing import IO

from diag.errors import InputError
from diag.read.content import is_tar_header
from diag.read.entry import Entry, check_count, damaged
from diag.read.stream import Budget, ByteStream, ContentError, Limits, Origin, printable

_NAME_MAX = 64 << 10  # bytes of a long name or of extended headers
_BLOCK = 512


def tar_entries(file: IO[bytes], origin: Origin, limits: Limits) -> Iterator[Entry]:
    """Yield the regular files in stored order. InputError: damaged, cut off, too many."""
    size = file.seek(0, 2)
    offset, n_entries = 0, 0
    long_name: str | None = None
    sparse = False
    while offset < size:
        file.seek(offset)
        header = file.read(_BLOCK)
        if not header.strip(b"\x00"):
            return
        if len(header) < _BLOCK:
            raise InputError(damaged("tar", origin, f"ends too early after {offset:,} bytes"))
        if not is_tar_header(header):
            raise InputError(damaged("tar", origin, f"is damaged after {offset:,} bytes"))
        n_bytes = _tar_number(header[124:136])
        if n_bytes is None:
            raise InputError(damaged("tar", origin, f"is damaged after {offset:,} bytes"))
        n_entries += 1
        check_count(n_entries, origin, limits)
        kind = header[156:157]
        offset += _BLOCK
        if kind in (b"L", b"x"):
            record = file.read(min(n_bytes, _NAME_MAX))
            if kind == b"L":
                long_name = _text(record.split(b"\x00")[0])
            else:
                fields = dict(_pax_records(record))
                long_name = fields.get("path", long_name)
                sparse = any(key.startswith("GNU.sparse.") for key in fields)
        elif kind not in (b"K", b"g", b"X"):
            name = long_name if long_name is not None else _tar_name(header)
            if kind in (b"0", b"\x00", b"7") and not name.endswith("/") and not sparse:
                yield Entry(name, _slice_opener(file, offset, n_bytes))
            elif kind == b"S" or sparse:
                yield Entry(name, _refuse_sparse)
            else:
                n_bytes = n_bytes if kind not in (b"1", b"2", b"3", b"4", b"5", b"6") else 0
            long_name, sparse = None, False
            if kind == b"S":
                offset += _n_sparse_blocks(file, header) * _BLOCK
        offset += -(-n_bytes // _BLOCK) * _BLOCK


def _slice_opener(file: IO[bytes], offset: int, n_bytes: int) -> Callable[[Origin, Budget], ByteStream]:
    return lambda origin, budget: _Slice(file, offset, n_bytes, origin, budget)


def _refuse_sparse(origin: Origin, budget: Budget) -> ByteStream:
    del budget
    raise ContentError(origin, "is stored as a sparse file, which is not read from a tar archive; unpack it")


class _Slice:
    """The bytes of one tar member."""

    def __init__(self, file: IO[bytes], offset: int, n_bytes: int, origin: Origin, budget: Budget) -> None:
        self._file = file
        self._offset = offset
        self._n_left = n_bytes
        self._n_read = 0
        self._origin = origin
        self._budget = budget

    @property
    def at_end(self) -> bool:
        return self._n_left == 0

    def readinto(self, buffer: memoryview) -> int:
        if not self._n_left:
            return 0
        try:
            self._file.seek(self._offset)
            data = self._file.read(min(len(buffer), self._n_left))
        except OSError as error:
            raise InputError(f"{self._origin} could not be read: {error.strerror}") from error
        if not data:
            archive = Origin(self._origin.name)
            what = f"ends too early after {self._n_read:,} bytes of {printable(self._origin.member or '')}"
            raise InputError(damaged("tar", archive, what))
        n = len(data)
        buffer[:n] = data
        self._offset += n
        self._n_left -= n
        self._n_read += n
        self._budget.take(n, self._origin)
        return n


def _tar_number(field: bytes) -> int | None:
    """Return a size written in octal, or in base 256 when it is 8 GiB or more; None when it is neither, or negative."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \x00")
    return int(digits or b"0", 8) if re.fullmatch(rb"[0-7]*", digits) else None


def _tar_name(header: bytes) -> str:
    name = header[:100].split(b"\x00")[0]
    prefix = header[345:500].split(b"\x00")[0] if header[257:263] == b"ustar\x00" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _pax_records(record: bytes) -> Iterator[tuple[str, str]]:
    """Yield the `LENGTH KEY=VALUE` records of an extended header, up to the first that is malformed."""
    position = 0
    while match := re.compile(rb"(\d{1,6}) ([^=]{1,256})=").match(record, position):
        end = position + int(match[1])
        if end <= match.end() or end > len(record):
            return
        yield _text(match[2]), _text(record[match.end() : end - 1])
        position = end


def _n_sparse_blocks(file: IO[bytes], header: bytes) -> int:
    """Return the number of map blocks that follow an old GNU sparse header."""
    n, more = 0, header[482:483]
    while more not in (b"", b"\x00"):
        more = file.read(_BLOCK)[504:505]
        n += 1
    return n


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
