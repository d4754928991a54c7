"""The flag table made from its document: what tomllib reads from signatures/flags.toml in, a FlagTable out."""

from collections.abc import Mapping
from datetime import date
from typing import Any, TypeVar

from diag.model.flags import (
    BuildOption,
    Default,
    EnvironmentVariable,
    Flag,
    FlagTable,
    ForeignOption,
    Lifetime,
    Snapshot,
    ValueSet,
)

T = TypeVar("T")

TABLES = ("flag", "environment", "build_option", "foreign", "default")


def flag_table(document: Mapping[str, Any]) -> FlagTable:
    """The table; rows keep the order of the document.

    Raises ValueError that names the row and the key: an unknown or missing key, a lifetime that contradicts itself, a
    build that is no snapshot, or a row of the same name whose builds overlap another's.
    """
    unknown = set(document) - {"meta", *TABLES}
    if unknown:
        raise ValueError(f"unknown table {min(unknown)}")
    meta = document["meta"]
    snapshots = tuple(_snapshot(row) for row in meta["snapshots"])
    builds = [snapshot.build for snapshot in snapshots]
    if builds != sorted(set(builds)):
        raise ValueError("meta: snapshots are not in ascending order")
    checked = meta["checked"]
    if not isinstance(checked, date):
        raise ValueError("meta: checked is no date")
    rows = {name: tuple(document.get(name, ())) for name in TABLES}
    table = FlagTable(
        checked=checked,
        snapshots=snapshots,
        flags=tuple(_flag(row, builds) for row in rows["flag"]),
        environment=tuple(_with_life(EnvironmentVariable, row, builds, "owner") for row in rows["environment"]),
        build_options=tuple(_with_life(BuildOption, row, builds) for row in rows["build_option"]),
        foreign=tuple(_make(ForeignOption, row) for row in rows["foreign"]),
        defaults=tuple(_make(Default, row) for row in rows["default"]),
    )
    _refuse_overlaps(table)
    return table


def _snapshot(row: Mapping[str, Any]) -> Snapshot:
    keys = {key: row[key] for key in row if key not in ("date", "month")}
    day = row.get("date")
    return _make(Snapshot, keys, date=row.get("month") if day is None else day.isoformat())


def _flag(row: Mapping[str, Any], builds: list[int]) -> Flag:
    sets = tuple(
        ValueSet(by=entry["by"], after=entry.get("after"), values=tuple(entry["values"]))
        for entry in row.get("values", ())
    )
    keys = {key: row[key] for key in row if key != "values"}
    return _with_life(Flag, keys, builds, values=sets)


def _with_life(kind: type[T], row: Mapping[str, Any], builds: list[int], optional: str = "", **given: object) -> T:
    """A row whose lifetime keys became one Lifetime; None where they are absent and `optional` names another key."""
    life_keys = ("introduced_by", "introduced_after", "seen_from_start", "last_seen", "removed_by")
    keys = {key: row[key] for key in row if key not in life_keys}
    if "introduced_by" not in row and optional in row:
        return _make(kind, keys, **given)
    return _make(kind, keys, life=_lifetime(row, builds), **given)


def _lifetime(row: Mapping[str, Any], builds: list[int]) -> Lifetime:
    name = row.get("name", "a row without name")
    edges = [row[key] for key in ("introduced_after", "introduced_by", "last_seen", "removed_by") if key in row]
    if "introduced_by" not in row:
        raise ValueError(f"{name}: introduced_by is missing")
    if ("introduced_after" in row) == row.get("seen_from_start", False):
        raise ValueError(f"{name}: needs either introduced_after or seen_from_start")
    if ("last_seen" in row) != ("removed_by" in row):
        raise ValueError(f"{name}: last_seen and removed_by go together")
    if edges != sorted(edges):
        raise ValueError(f"{name}: its builds are not in ascending order")
    strangers = [edge for edge in edges if edge not in builds]
    if strangers:
        raise ValueError(f"{name}: {strangers[0]} is no snapshot")
    return Lifetime(row["introduced_by"], row.get("introduced_after"), row.get("last_seen"), row.get("removed_by"))


def _make(kind: type[T], row: Mapping[str, Any], **given: object) -> T:
    keys = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    try:
        return kind(**keys, **given)
    except TypeError as wrong:  # an unknown or missing key: the message of the dataclass names it
        raise ValueError(f"{row.get('name', kind.__name__)}: {wrong}") from wrong


def _refuse_overlaps(table: FlagTable) -> None:
    seen: dict[str, Lifetime] = {}
    for flag in table.flags:
        for spelling in flag.spellings():
            earlier = seen.get(spelling)
            if earlier is not None and (earlier.last_seen is None or earlier.last_seen >= flag.life.introduced_by):
                raise ValueError(f"{spelling}: two rows for the same builds")
            seen[spelling] = flag.life
