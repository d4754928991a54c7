"""A zip or tar archive -> its regular files in name order, each a bounded stream."""

import re
import tempfile
from typing import IO

from diag.errors import InputError
from diag.read.entry import Entry
from diag.read.stream import CHUNK, Budget, ByteStream, Limits, Origin, Resumed
from diag.read.tar_archive import tar_entries
from diag.read.zip_archive import zip_entries

_SPOOL_IN_MEMORY = 8 << 20


def spool(head: bytes, stream: ByteStream, origin: Origin, limits: Limits) -> IO[bytes]:
    """Return a nameless temporary file with the whole stream: name order needs seeking. InputError past the limit."""
    file = tempfile.SpooledTemporaryFile(_SPOOL_IN_MEMORY)  # noqa: SIM115  # closed by the caller
    source = Resumed(head, stream)
    budget = Budget(limits.n_bytes_archive)
    view = memoryview(bytearray(CHUNK))
    try:
        while n := source.readinto(view):
            budget.take(n, origin)
            file.write(view[:n])
        file.seek(0)
    except OSError as error:
        file.close()
        raise InputError(f"{origin} could not be unpacked to a temporary file: {error.strerror}") from error
    except InputError:
        file.close()
        raise
    return file


def members(packing: str, file: IO[bytes], origin: Origin, limits: Limits) -> list[Entry]:
    """Return the regular files of a zip or tar in name order, numbers in names compared as numbers.

    So log.2 stands before log.10. InputError when the archive is damaged, cut off, encrypted, or has too many entries.
    """
    try:
        entries = zip_entries(file, origin, limits) if packing == "zip" else list(tar_entries(file, origin, limits))
    except OSError as error:
        raise InputError(f"{origin} could not be read: {error.strerror or error}") from error
    return sorted(entries, key=lambda entry: (_natural(entry.name), entry.name))


def _natural(name: str) -> list[tuple[int, str]]:
    # Texts and digits alternate, so that equal places hold equal kinds; digits are ordered by length, then by value.
    return [
        (len(piece.lstrip("0")), piece.lstrip("0")) if i % 2 else (0, piece)
        for i, piece in enumerate(re.split(r"([0-9]+)", name))
    ]
