"""What a refresh saw, kept in the user's data folder and laid over the shipped registry."""

import datetime as dt
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from diag.model.catalog import KINDS, STATES, Catalog, UpstreamItem
from diag.model.refresh import Sighting

_FORMAT = 1
_MOST_BYTES = 16 * 1024 * 1024
_DAYS = ("opened", "merged", "closed")
_TEXTS = ("moved_to", "url", "etag")


def with_overlay(catalog: Catalog, path: Path) -> Catalog:
    """Return the catalogue with what was seen at least as late as its own check, item by item.

    A file or an entry that is damaged is left out, and `notes` of the catalogue says so.
    """
    seen, notes = read_overlay(path)
    newer: dict[str, UpstreamItem] = {
        ref: found.applied(catalog.upstream[ref])
        for ref, found in seen.items()
        if ref in catalog.upstream and found.checked >= catalog.upstream[ref].checked
    }
    return replace(catalog, upstream={**catalog.upstream, **newer}, notes=(*catalog.notes, *notes))


def read_overlay(path: Path) -> tuple[dict[str, Sighting], tuple[str, ...]]:
    """Return the sightings by ref, and notes on what of the file could not be used. Nothing where there is no file."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}, (f"{path}: larger than 16 MiB; ignored",)
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        return {}, (f"{path}: {error.strerror}; ignored",)
    except (ValueError, RecursionError):
        return {}, (f"{path}: damaged, not JSON; ignored (`diag upstream refresh` writes it anew)",)
    rows = document.get("items") if isinstance(document, dict) else None
    if not isinstance(rows, dict) or document.get("format") != _FORMAT:
        return {}, (f"{path}: not of this version or damaged; ignored (`diag upstream refresh` writes it anew)",)
    seen: dict[str, Sighting] = {}
    damaged = 0
    for ref, row in rows.items():
        try:
            seen[ref] = _thawed(ref, row)
        except (KeyError, TypeError, ValueError):
            damaged += 1
    notes = (f"{path}: {damaged} damaged entr{'ies' if damaged != 1 else 'y'} ignored",) if damaged else ()
    return seen, notes


def write_overlay(path: Path, seen: Mapping[str, Sighting]) -> None:
    """Replace the file in one step; it is the user's alone (0600 in a 0700 folder). Raises OSError."""
    rows = {ref: _frozen(found) for ref, found in seen.items()}
    body = json.dumps({"format": _FORMAT, "items": rows}, indent=1, sort_keys=True)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix="upstream-", suffix=".tmp")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(body + "\n")
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _frozen(found: Sighting) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": found.kind,
        "title": found.title,
        "state": found.state,
        "checked": found.checked.isoformat(),
    }
    for key in _DAYS:
        day = getattr(found, key)
        if day is not None:
            row[key] = day.isoformat()
    row.update({key: getattr(found, key) for key in _TEXTS if getattr(found, key)})
    return row


def _thawed(ref: str, row: Mapping[str, Any]) -> Sighting:
    """Return the sighting of a row. Raises KeyError, TypeError or ValueError when it is not what _frozen wrote."""
    if row["kind"] not in KINDS or row["state"] not in STATES or not row["title"]:
        raise ValueError(ref)
    texts = {key: row.get(key, "") for key in _TEXTS}
    if not all(isinstance(text, str) for text in (*texts.values(), row["title"])):
        raise TypeError(ref)
    days = {key: dt.date.fromisoformat(row[key]) if key in row else None for key in _DAYS}
    return Sighting(
        ref=ref,
        kind=row["kind"],
        title=row["title"],
        state=row["state"],
        checked=dt.date.fromisoformat(row["checked"]),
        opened=days["opened"],
        merged=days["merged"],
        closed=days["closed"],
        moved_to=texts["moved_to"],
        url=texts["url"],
        etag=texts["etag"],
    )
