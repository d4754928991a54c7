"""A zip archive in a seekable file -> its regular files; whatever is wrong with it is one sentence."""

from typing import IO, TYPE_CHECKING

from diag.errors import InputError
from diag.read.entry import Entry, check_count, damaged
from diag.read.stream import Budget, ByteStream, Limits, Origin, printable

if TYPE_CHECKING:
    import zipfile

_DIRECTORY_MAX = 4 << 20  # bytes of a zip's directory: room for 10,000 entries with long paths


class _BoundedReads:
    """A file for zipfile that refuses one huge read: the directory of a hostile zip would fill the memory."""

    def __init__(self, file: IO[bytes], origin: Origin) -> None:
        self._file = file
        self._origin = origin
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, n: int = -1) -> bytes:
        data = self._file.read(_DIRECTORY_MAX + 1 if n < 0 else min(n, _DIRECTORY_MAX + 1))
        if len(data) > _DIRECTORY_MAX:
            raise InputError(f"{self._origin}: the directory of the zip archive is too large; unpack it by hand")
        return data


def zip_entries(file: IO[bytes], origin: Origin, limits: Limits) -> list[Entry]:
    """Return the regular files in the order of the directory. InputError: damaged, encrypted, too many."""
    import zipfile

    errors = _zip_errors()
    try:
        archive = zipfile.ZipFile(_BoundedReads(file, origin))
    except errors as error:
        raise InputError(damaged("zip", origin, f"is damaged or cut off ({printable(str(error))})")) from error
    infos = archive.infolist()
    check_count(len(infos), origin, limits)
    entries = []
    for info in infos:
        kind = info.external_attr >> 16 & 0o170000
        # its own is_dir() looks at the last character of a name, which a damaged archive may not have
        if info.filename.endswith("/") or kind not in (0, 0o100000):
            continue
        if info.flag_bits & 0x41:
            raise InputError(f"{origin} holds encrypted files; unpack it with its password and name the log file")

        def open_member(member: Origin, budget: Budget, info: "zipfile.ZipInfo" = info) -> ByteStream:
            return _ZipMember(archive, info, member, budget)

        entries.append(Entry(info.filename, open_member))
    return entries


def _zip_errors() -> tuple[type[Exception], ...]:
    """Return what zipfile raises for damaged bytes and unknown methods; it lets the errors of its parts through."""
    import struct
    import zipfile
    import zlib

    damage = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, OverflowError, OSError, RuntimeError)
    try:
        import lzma
    except ImportError:
        return damage
    return (*damage, lzma.LZMAError)


class _ZipMember:
    def __init__(self, archive: "zipfile.ZipFile", info: "zipfile.ZipInfo", origin: Origin, budget: Budget) -> None:
        self._origin = origin
        self._budget = budget
        self._errors = _zip_errors()
        self._n_read = 0
        self.at_end = False
        try:
            self._file = archive.open(info)
        except self._errors as error:
            raise InputError(self._broken(error)) from error

    def readinto(self, buffer: memoryview) -> int:
        try:
            data = self._file.read(len(buffer))
        except self._errors as error:
            raise InputError(self._broken(error)) from error
        n = len(data)
        buffer[:n] = data
        self._budget.take(n, self._origin)
        self._n_read += n
        self.at_end = n == 0
        return n

    def _broken(self, error: Exception) -> str:
        what = f"is damaged after {self._n_read:,} bytes of this file ({printable(str(error))})"
        return f"{self._origin}: the zip archive {what}"
