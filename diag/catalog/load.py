"""Reads the signatures folder; every fault of every file is reported at once."""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from diag.catalog.registry import FrontEndFile, UpstreamFile, read_models
from diag.catalog.schema import SignatureFile
from diag.catalog.spellings import spellings
from diag.errors import CatalogError
from diag.model.catalog import Catalog, Outline, Question, UpstreamItem
from diag.model.flag_rows import flag_table
from diag.model.flags import FlagTable
from diag.model.frontends import FrontEnd
from diag.model.models import ModelTable
from diag.model.signature import Match, Signature, Test
from diag.model.spelling import canonical

REGISTRIES = ("upstream.toml", "models.toml", "measurements.toml", "flags.toml", "frontends.toml")


def load_catalog(folders: Sequence[Path]) -> Catalog:
    """Return the catalogue of the folders; a later folder's signature replaces an earlier one's with the same id.

    Raises CatalogError with one `file: key - reason` a line when anything is wrong.
    """
    faults: list[str] = []
    signatures: dict[str, Signature] = {}
    upstream: dict[str, UpstreamItem] = {}
    questions: tuple[Question, ...] = ()
    models = ModelTable()
    measurements: tuple[dict[str, object], ...] = ()
    front_ends: dict[str, FrontEnd] = {}
    names: dict[str, str] = {}
    digest = hashlib.sha256()
    own: set[str] = set()
    for folder in folders:
        for path in sorted(folder.glob("*/*.toml")):
            data = _parse(path, folder, digest, faults)
            if data is None:
                continue
            signature = _signature(path, folder, data, faults)
            if signature is not None:
                signatures[signature.id] = signature
                own = own - {signature.id} if folder == folders[0] else own | {signature.id}
        for name in REGISTRIES:
            path = folder / name
            if not path.is_file():
                continue
            data = _parse(path, folder, digest, faults)
            if data is None:
                continue
            if name == "upstream.toml":
                try:
                    file = UpstreamFile.model_validate(data)
                    upstream.update({row.ref: row.freeze() for row in file.item})
                    questions += tuple(row.freeze() for row in file.question)
                except ValidationError as error:
                    faults.extend(_faults(name, error))
            elif name == "models.toml":
                try:
                    models = read_models(data)
                except KeyError as error:
                    faults.append(f"{name}: {error} - a row lacks it")
            elif name == "measurements.toml":
                measurements = tuple(data.get("measurement", []))
            elif name == "flags.toml":
                try:
                    names.update(spellings(flag_table(data).flags))
                except (KeyError, ValueError) as error:
                    faults.append(f"{name}: {error}")
            elif name == "frontends.toml":
                try:
                    rows = FrontEndFile.model_validate(data).front_end
                    front_ends.update({row.name: row.freeze(names) for row in rows})
                except ValidationError as error:
                    faults.extend(_faults(name, error))
    if faults:
        raise CatalogError("\n".join(faults))
    signatures = {name: _with_known_flags(found, names) for name, found in signatures.items()}
    return Catalog(
        signatures,
        tuple(outline(found, shipped=found.id not in own) for found in signatures.values()),
        upstream,
        models,
        measurements,
        questions,
        tuple(front_ends.values()),
        names,
        digest.hexdigest()[:12],
    )


def load_flags(folder: Path) -> FlagTable:
    """Return the flag table of a signatures folder. Raises CatalogError when a row is wrong."""
    try:
        return flag_table(tomllib.loads((folder / "flags.toml").read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise CatalogError(f"flags.toml: {error}") from error


def outline(signature: Signature, *, shipped: bool = True) -> Outline:
    """Return what a scan needs of the signature."""
    conditions = signature.conditions.values()
    return Outline(
        signature.id,
        tuple(
            (condition.name, condition.anchor, condition.text)
            for condition in conditions
            if condition.anchor is not None and condition.text is not None
        ),
        tuple(_asks(signature, rule) for rule in signature.matches),
        shipped,
    )


def _asks(signature: Signature, rule: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of the events that a match needs in a session, without what may stand elsewhere in the log."""

    def keys(names: Sequence[str]) -> tuple[str, ...]:
        found = [signature.conditions[name] for name in names]
        if any((condition.within or rule.scope) == "log" for condition in found):
            found = [condition for condition in found if (condition.within or rule.scope) != "log"]
        return tuple(condition.event or f"{signature.id}/{condition.name}" for condition in found)

    some = keys(rule.any_of)
    return keys((*rule.all_of, *rule.sequence)), some if len(some) == len(rule.any_of) else ()


def _parse(path: Path, folder: Path, digest: "hashlib._Hash", faults: list[str]) -> dict[str, Any] | None:
    raw = path.read_bytes()
    digest.update(raw)
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        faults.append(f"{path.relative_to(folder)}: {error}")
        return None


def _signature(path: Path, folder: Path, data: dict[str, Any], faults: list[str]) -> Signature | None:
    name = str(path.relative_to(folder))
    try:
        checked = SignatureFile.model_validate(data)
    except ValidationError as error:
        faults.extend(_faults(name, error))
        return None
    if checked.id != path.stem:
        faults.append(f"{name}: id - {checked.id!r} is not the file's name")
    if checked.area != path.parent.name:
        faults.append(f"{name}: area - {checked.area!r} is not the folder's name")
    return checked.freeze()


def _with_known_flags(signature: Signature, names: Mapping[str, str]) -> Signature:
    """Return the signature with the flags that its conditions ask for by the one name that events give them."""
    changed = {
        name: replace(condition, where={**condition.where, "flag": _named(condition.where["flag"], names)})
        for name, condition in signature.conditions.items()
        if condition.event == "FlagGiven" and "flag" in condition.where
    }
    return replace(signature, conditions={**signature.conditions, **changed}) if changed else signature


def _named(test: Test, names: Mapping[str, str]) -> Test:
    return replace(
        test,
        equals=canonical(str(test.equals), names) if test.equals is not None else None,
        any_of=tuple(canonical(str(flag), names) for flag in test.any_of) if test.any_of is not None else None,
    )


def _faults(name: str, error: ValidationError) -> list[str]:
    return [
        f"{name}: {'.'.join(str(part) for part in item['loc']) or '(file)'} - {item['msg']}" for item in error.errors()
    ]
