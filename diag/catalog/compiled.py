"""The catalogue kept ready between runs: validated once, then read in a millisecond."""

import hashlib
import marshal
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from diag import __version__
from diag.model.catalog import Catalog, Outline
from diag.model.models import ModelTable

Item = TypeVar("Item")
_FORMAT = 6  # of the kept file; a change makes old ones stale


class Kept(Mapping[str, Item]):
    """A mapping whose values are thawed when they are first asked for."""

    def __init__(self, frozen: Mapping[str, bytes]) -> None:
        self._frozen = frozen
        self._thawed: dict[str, Item] = {}

    def __getitem__(self, key: str) -> Item:
        if key not in self._thawed:
            self._thawed[key] = pickle.loads(self._frozen[key])  # written below, in the user's own folder
        return self._thawed[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frozen)

    def __len__(self) -> int:
        return len(self._frozen)


def open_catalog(
    folders: Sequence[Path],
    load: Callable[[Sequence[Path]], Catalog] | None = None,
    *,
    overlay: Path | None = None,
) -> Catalog:
    """Return the catalogue of the folders, from the kept file when no source changed, else loaded and kept.

    `overlay` is the user's file of refreshed states, laid over the registry where it exists.

    The kept file is the user's own (mode 0600 in a 0700 folder, replaced in one step); one that is damaged, stale or
    somebody else's is made anew, and where none can be written the catalogue is loaded each time.
    """
    key = _key(folders, overlay)
    folder = _cache_folder()
    path = folder / f"catalog-{key[:16]}.bin" if folder is not None else None
    if path is not None:
        kept = _read(path, key)
        if kept is not None:
            return kept
    if load is None:
        from diag.catalog.load import load_catalog

        load = load_catalog
    catalog = load(folders)
    if overlay is not None:
        from diag.catalog.overlay import with_overlay

        catalog = with_overlay(catalog, overlay)
    if path is not None:
        _write(path, key, catalog)
    return catalog


def _key(folders: Sequence[Path], overlay: Path | None) -> str:
    """Return a hash of every source's name, size and time, and of the program that reads them."""
    digest = hashlib.sha256(f"{_FORMAT} {__version__} {sys.version_info[:3]} {Path(__file__).parent}".encode())
    for folder in folders:
        digest.update(str(folder).encode())
        for directory in (str(folder), *sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())):
            for entry in sorted(os.scandir(directory), key=lambda found: found.name):
                if entry.name.endswith(".toml"):
                    status = entry.stat()
                    digest.update(f"{entry.name} {status.st_size} {status.st_mtime_ns}".encode())
    if overlay is not None:
        try:
            status = overlay.stat()
            digest.update(f"{overlay} {status.st_size} {status.st_mtime_ns} {status.st_ino}".encode())
        except FileNotFoundError:
            digest.update(b"no overlay")
        except OSError as error:  # its note is written when it is read
            digest.update(f"{overlay} {error.errno}".encode())
    program = Path(__file__).parent.parent
    for package in ("model", "model/events", "catalog"):  # what is kept is made of the one by the other
        for entry in sorted(os.scandir(program / package), key=lambda found: found.name):
            if entry.name.endswith(".py"):
                status = entry.stat()
                digest.update(f"{package}/{entry.name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()


def _cache_folder() -> Path | None:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")  # noqa: PTH111  # pathlib raises where there is no home
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return Path(base) / "llama-diag" if base and not base.startswith("~") else None


def _read(path: Path, key: str) -> Catalog | None:
    try:
        with path.open("rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            data = file.read()
    except OSError:
        return None
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != digest:
        return None
    table: dict[str, Any] = marshal.loads(body)  # the hash above says it is what was written
    if table.get("key") != key:
        return None
    return Catalog(
        signatures=Kept(table["signatures"]),
        outlines=tuple(Outline(name, frozenset(events), *rest) for name, events, *rest in table["outlines"]),
        upstream=Kept(table["upstream"]),
        models=ModelTable(Kept(table["architectures"]), pickle.loads(table["names"])),
        measurements=pickle.loads(table["measurements"]),
        questions=pickle.loads(table["questions"]),
        front_ends=pickle.loads(table["front_ends"]),
        spellings=table["spellings"],
        content_hash=table["content_hash"],
        notes=tuple(table["notes"]),
    )


def _write(path: Path, key: str, catalog: Catalog) -> None:
    body = marshal.dumps(
        {
            "key": key,
            "signatures": {name: pickle.dumps(item, 5) for name, item in catalog.signatures.items()},
            "outlines": [
                (item.id, sorted(item.events), item.texts, item.rules, item.shipped) for item in catalog.outlines
            ],
            "upstream": {name: pickle.dumps(item, 5) for name, item in catalog.upstream.items()},
            "architectures": {name: pickle.dumps(item, 5) for name, item in catalog.models.architectures.items()},
            "names": pickle.dumps(catalog.models.names, 5),
            "measurements": pickle.dumps(catalog.measurements, 5),
            "questions": pickle.dumps(catalog.questions, 5),
            "front_ends": pickle.dumps(catalog.front_ends, 5),
            "spellings": dict(catalog.spellings),
            "content_hash": catalog.content_hash,
            "notes": list(catalog.notes),
        }
    )
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        import tempfile  # here: only a first run writes

        handle, name = tempfile.mkstemp(dir=path.parent, prefix="catalog-", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        Path(name).replace(path)
        for old in path.parent.glob("catalog-*.bin"):
            if old != path and old.stat().st_mtime < path.stat().st_mtime - 7 * 86400:
                old.unlink(missing_ok=True)
    except OSError:  # a read-only home or a full disk: the catalogue is loaded again next time
        return
