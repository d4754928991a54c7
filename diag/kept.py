"""What was worked out once and is kept for the next run, in the user's own cache folder."""

import os
import sys
import zlib

_MOST = 16 << 20  # bytes of a kind; the oldest files make room


def kept(kind: str, key: bytes) -> memoryview | None:
    """Return what was kept under the key, None where that is nothing, damaged, another key's or another user's."""
    path = file_of(kind, key)
    if path is None:
        return None
    try:
        with open(path, "rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            data = file.read()
    except OSError:
        return None
    begin = _begin(key)
    if not data.startswith(begin):
        return None
    body = memoryview(data)[len(begin) + 4 :]
    return body if data[len(begin) : len(begin) + 4] == _sum(body) else None


def keep(kind: str, key: bytes, body: bytes) -> None:
    """Keep the bytes under the key (mode 0600 in a 0700 folder, replaced in one step), where a file can be written."""
    path = file_of(kind, key)
    if path is None:
        return
    try:
        from pathlib import Path  # here, as tempfile: only a first run writes, and every start would pay
        from tempfile import mkstemp

        folder = Path(path).parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = mkstemp(dir=folder, prefix=f"{kind}-", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_begin(key) + _sum(body) + body)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        left = _MOST
        for old in sorted(folder.glob(f"{kind}-*.bin"), key=lambda found: found.stat().st_mtime, reverse=True):
            left -= old.stat().st_size
            if left < 0 and old != Path(path):
                old.unlink(missing_ok=True)
    except OSError:  # a read-only home or a full disk: it is worked out again next time
        return


def file_of(kind: str, key: bytes) -> str | None:
    """Return the file of a key; None where there is no folder for it. Two keys may share one, and take turns."""
    folder = _folder()
    return os.path.join(folder, f"{kind}-{zlib.crc32(key):08x}.bin") if folder is not None else None


def _folder() -> str | None:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "llama-diag") if base and not base.startswith("~") else None


def _begin(key: bytes) -> bytes:
    return b"%d %s" % (len(key), key)


def _sum(body: bytes | memoryview) -> bytes:
    """Return what shows damage; nobody else may write here, so that it need not withstand intent."""
    return zlib.crc32(body).to_bytes(4, "big")
