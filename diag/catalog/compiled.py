"""The catalogue kept ready between runs: validated once, then read in a millisecond."""

import datetime as dt
import functools
import marshal
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from diag import __version__
from diag.kept import keep, kept
from diag.model.catalog import Catalog, Outline
from diag.model.models import ModelTable, NameHint
from diag.model.noun import names_of

if TYPE_CHECKING:
    from pathlib import Path

Item = TypeVar("Item")
StrPath = str | os.PathLike[str]
Place = tuple[int, int]  # where the bytes of an item begin and end
_SIZE = 8  # bytes that say how long the part is that every run needs
_FORMAT = 10  # of what is kept; a change makes old ones stale


class Thawing(Mapping[str, Item]):
    """A mapping whose values are thawed when they are first asked for."""

    def __init__(self, places: Mapping[str, Place], ice: memoryview) -> None:
        self._places = places
        self._ice = ice
        self._thawed: dict[str, Item] = {}

    def __getitem__(self, key: str) -> Item:
        if key not in self._thawed:
            self._thawed[key] = _thaw(self._places[key], self._ice)
        return self._thawed[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class ThawingRows(Sequence[Item]):
    """Rows that are thawed together when one of them is first asked for."""

    def __init__(self, place: Place, ice: memoryview) -> None:
        self._place = place
        self._ice = ice
        self._thawed: tuple[Item, ...] | None = None

    @property
    def _rows(self) -> tuple[Item, ...]:
        if self._thawed is None:
            self._thawed = _thaw(self._place, self._ice)
        return self._thawed

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def open_catalog(
    folders: Sequence[StrPath],
    load: Callable[[Sequence["Path"]], Catalog] | None = None,
    *,
    overlay: StrPath | None = None,
) -> Catalog:
    """Return the catalogue of the folders, from what is kept when no source changed, else loaded and kept.

    `overlay` is the user's file of refreshed states, laid over the registry where it exists.
    """
    key = _key(folders, overlay)
    data = kept("catalog", key)
    if data is not None:
        return _thawed(data)
    from pathlib import Path  # here: a start that finds a kept one has no use for it

    if load is None:
        from diag.catalog.load import load_catalog

        load = load_catalog
    catalog = load([Path(folder) for folder in folders])
    if overlay is not None:
        from diag.catalog.overlay import with_overlay

        catalog = with_overlay(catalog, Path(overlay))
    keep("catalog", key, _frozen(catalog))
    return catalog


def _key(folders: Sequence[StrPath], overlay: StrPath | None) -> bytes:
    """Return every source's name, size and time, and those of the program that reads them."""
    program = os.path.dirname(os.path.dirname(__file__))
    found = [f"{_FORMAT} {__version__} {sys.version_info[:3]} {program}"]
    for folder in folders:
        found.append(str(folder))
        for directory in (str(folder), *sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())):
            found += _files(directory, ".toml")
    if overlay is not None:
        try:
            status = os.stat(overlay)
            found.append(f"{overlay} {status.st_size} {status.st_mtime_ns} {status.st_ino}")
        except FileNotFoundError:
            found.append("no overlay")
        except OSError as error:  # its note is written when it is read
            found.append(f"{overlay} {error.errno}")
    for package in ("model", "model/events", "catalog"):  # what is kept is made of the one by the other
        found.append(package)
        found += _files(f"{program}/{package}", ".py")
    return "\n".join(found).encode("utf-8", "surrogateescape")


def _files(directory: str, suffix: str) -> Iterator[str]:
    """Yield the name, size and time of each file in a directory."""
    for entry in sorted(os.scandir(directory), key=lambda found: found.name):
        if entry.name.endswith(suffix):
            status = entry.stat()
            yield f"{entry.name} {status.st_size} {status.st_mtime_ns}"


def _frozen(catalog: Catalog) -> bytes:
    """Return the catalogue as bytes: first what every run needs, with the places of what few need, then that."""
    ice = bytearray()

    def place(item: object) -> Place:
        begin = len(ice)
        ice.extend(marshal.dumps(_plain(item)))
        return begin, len(ice)

    def places(items: Mapping[str, object]) -> dict[str, Place]:
        return {name: place(item) for name, item in items.items()}

    table = {
        "outlines": [tuple(item) for item in catalog.outlines],
        "signatures": places(catalog.signatures),
        "upstream": places(catalog.upstream),
        "architectures": places(catalog.models.architectures),
        "names": [(hint.pattern, hint.architecture, hint.word) for hint in catalog.models.names],
        "measurements": place(tuple(catalog.measurements)),
        "questions": place(tuple(catalog.questions)),
        "front_ends": place(tuple(catalog.front_ends)),
        "spellings": dict(catalog.spellings),
        "content_hash": catalog.content_hash,
        "notes": list(catalog.notes),
    }
    hot = marshal.dumps(table)
    return len(hot).to_bytes(_SIZE, "big") + hot + ice


def _thawed(data: memoryview) -> Catalog:
    """Return the catalogue of such bytes; most of it is thawed when it is asked for."""
    end = _SIZE + int.from_bytes(data[:_SIZE], "big")
    table: dict[str, Any] = marshal.loads(data[_SIZE:end])
    ice = data[end:]
    return Catalog(
        signatures=Thawing(table["signatures"], ice),
        outlines=tuple(map(Outline._make, table["outlines"])),
        upstream=Thawing(table["upstream"], ice),
        models=ModelTable(
            Thawing(table["architectures"], ice),
            tuple(NameHint(*hint) for hint in table["names"]),
        ),
        measurements=ThawingRows(table["measurements"], ice),
        questions=ThawingRows(table["questions"], ice),
        front_ends=ThawingRows(table["front_ends"], ice),
        spellings=table["spellings"],
        content_hash=table["content_hash"],
        notes=tuple(table["notes"]),
    )


def _thaw(place: Place, ice: memoryview) -> Any:
    begin, end = place
    return _noun(marshal.loads(ice[begin:end]))


def _plain(item: Any) -> Any:
    """Return the item as marshal takes it: of its lists, the first word says what they stand for."""
    if isinstance(item, Mapping):
        return {key: _plain(value) for key, value in item.items()}
    if isinstance(item, tuple):
        return tuple(_plain(value) for value in item)
    if isinstance(item, list):
        return ["list", *(_plain(value) for value in item)]
    if isinstance(item, dt.date):
        return ["date", item.toordinal()]
    if hasattr(item, "__noun_fields__"):
        name = f"{type(item).__module__}:{type(item).__qualname__}"
        return [name, *(_plain(getattr(item, field)) for field in names_of(type(item)))]
    return item


def _noun(item: Any) -> Any:
    """Return what `_plain` took apart."""
    if isinstance(item, dict):
        return {key: _noun(value) for key, value in item.items()}
    if not isinstance(item, (tuple, list)):
        return item
    values: list[Any] = [value if type(value) is str else _noun(value) for value in item]  # most are
    if isinstance(item, tuple):
        return tuple(values)
    if values[0] == "list":
        return values[1:]
    if values[0] == "date":
        return dt.date.fromordinal(values[1])
    return _class(values[0])(*values[1:])


@functools.cache
def _class(name: str) -> Any:
    module, _, name = name.partition(":")
    return getattr(import_module(module), name)
