"""Bytes -> the same bytes packed in every way that is read, and back by the plainest means."""

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from diag.read.source import DEFAULT, Limits, Source, open_source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def zip_of(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tar_of(files: Mapping[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}
ARCHIVE: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {"zip": zip_of, "tar": tar_of}


def read(data: bytes, limits: Limits = DEFAULT) -> tuple[bytes, Source]:
    """Return the whole text of data as standard input gives it, and the source after reading."""
    with open_source("-", stdin=io.BytesIO(data), limits=limits) as source:
        return b"".join(source.blocks()), source


def read_file(path: Path, data: bytes, limits: Limits = DEFAULT) -> tuple[bytes, Source]:
    """Write data to path and return the whole text as the file gives it, and the source after reading."""
    path.write_bytes(data)
    with open_source(str(path), limits=limits) as source:
        return b"".join(source.blocks()), source


def notes(source: Source) -> list[str]:
    return [note.what for note in source.notes]
