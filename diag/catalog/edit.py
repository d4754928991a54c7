"""Changes items of upstream.toml in its text: only the lines of changed keys, everything else byte for byte."""

import datetime as dt
import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from diag.catalog.registry import UpstreamFile
from diag.errors import CatalogError
from diag.model.catalog import UpstreamItem
from diag.model.refresh import Sighting

# the usual order of an item's keys; a new key goes behind the last one that stands before it here
_ORDER = ("ref", "kind", "title", "title_exact", "state", "opened", "draft_since", "merged", "closed", "first_build")
_EDITED = ("kind", "title", "title_exact", "state", "opened", "merged", "closed", "checked", "month_only", "source")
_HEAD = re.compile(r"\[\[item\]\]\s*(?:#.*)?")
_KEY = re.compile(r"([A-Za-z_]+)(\s*=\s*)")
_VALUE = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'\[{]+""")


def items_of(text: str) -> dict[str, UpstreamItem]:
    """Return the items of the file's text, by ref. Raises CatalogError when it does not parse or validate."""
    try:
        file = UpstreamFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(f"not TOML: {error}") from error
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise CatalogError(f"{where} - {error.errors()[0]['msg']}") from error
    return {row.ref: row.freeze() for row in file.item}


def edit_file(path: Path, seen: Mapping[str, Sighting]) -> bool:
    """Change the file in one step and return whether anything was to change.

    Raises CatalogError or OSError when it cannot be done; then the file is as it was.
    """
    path = path.resolve()  # a link stays a link
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CatalogError(f"{path}: not UTF-8") from error
    try:
        body = edited(text, seen).encode("utf-8")
    except CatalogError as error:
        raise CatalogError(f"{path}: {error}") from error
    if body == raw:
        return False
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        shutil.copymode(path, name)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return True


def edited(text: str, seen: Mapping[str, Sighting]) -> str:
    """Return the text with the items as they were seen; refs that it does not hold are passed over.

    Comments, order, spelling and line ends of all else stay. Raises CatalogError when an item is written in a way that
    cannot be changed in place; then nothing may be written.
    """
    old = items_of(text)
    new = {ref: seen[ref].applied(item) for ref, item in old.items() if ref in seen}
    changes = {
        ref: {
            # month_only is only ever taken away: a day that was asked is known
            key: getattr(item, key) if key != "month_only" else None
            for key in _EDITED
            if getattr(item, key) != getattr(old[ref], key)
        }
        for ref, item in new.items()
    }
    lines = text.split("\n")
    # from the last block to the first, so that lines before it keep their numbers
    for start, end in reversed(_blocks(lines)):
        ref = _ref_of(lines[start:end])
        if changes.get(ref):
            lines[start:end] = _changed(lines[start:end], changes[ref])
    result = "\n".join(lines)
    _checked(text, result, changes)
    return result


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the items' own keys stand: from the line after [[item]] up to the next table."""
    found: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        if _HEAD.fullmatch(line.strip()):
            end = index + 1
            while end < len(lines) and not lines[end].startswith("["):
                end += 1
            found.append((index + 1, end))
    return found


def _ref_of(block: Sequence[str]) -> str:
    for line in block:
        if line.startswith("ref"):
            try:
                return str(tomllib.loads(line.strip()).get("ref", ""))
            except tomllib.TOMLDecodeError:
                return ""
    return ""


def _changed(block: Sequence[str], changes: Mapping[str, Any]) -> list[str]:
    lines = list(block)
    for key, value in changes.items():
        at = next((index for index, line in enumerate(lines) if _key_of(line) == key), None)
        if value is None:
            if at is not None:
                del lines[at]
            continue
        if at is None:
            line_end = "\r" if lines[0].endswith("\r") else ""
            lines.insert(_place(lines, key), f"{key} = {_toml(value)}{line_end}")
            continue
        lead = _KEY.match(lines[at])
        assert lead is not None
        old = _VALUE.match(lines[at], lead.end())
        rest = lines[at][old.end() :] if old is not None else ""  # a comment behind the value, the line's end
        lines[at] = f"{lead[0]}{_toml(value)}{rest}"
    return lines


def _key_of(line: str) -> str:
    found = _KEY.match(line)
    return found[1] if found is not None else ""


def _place(lines: Sequence[str], key: str) -> int:
    """Return where a new key goes."""
    before = _ORDER[: _ORDER.index(key)]
    return max(index for index, line in enumerate(lines) if _key_of(line) in before) + 1


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date):
        return value.isoformat()
    # TOML's basic strings know all of JSON's escapes; 0x7f must be escaped too
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _checked(before: str, after: str, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise CatalogError unless the texts differ in the changed keys of the items and in nothing else."""
    reason = "is written in a way that cannot be changed in place; nothing was written"
    try:
        items_of(after)
    except CatalogError as error:
        raise CatalogError(f"the file {reason} ({error})") from error
    wanted = tomllib.loads(before)
    for item in wanted.get("item", []):
        for key, value in changes.get(item["ref"], {}).items():
            if value is None:
                item.pop(key, None)
            else:
                item[key] = value
    got = tomllib.loads(after)
    if got != wanted:
        rows = zip(got.get("item", []), wanted.get("item", []), strict=False)
        ref = next((want["ref"] for have, want in rows if have != want), "the file")
        raise CatalogError(f"{ref} {reason}")
