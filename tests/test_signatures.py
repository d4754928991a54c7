"""Every shipped signature: through the gates, its own examples, all healthy samples, and the vocabulary of ids."""

import functools
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from diag.catalog.check import check
from diag.catalog.dates import check_dates
from diag.catalog.load import load_catalog, load_flags
from diag.catalog.locate import shipped
from diag.examples import check_examples
from diag.model.finding import Finding
from diag.model.flags import FlagTable
from tests.build import SAMPLES, catalog, lines, ready

FAULTS = ("fatal", "error", "degraded")
FOLDER = shipped("signatures")
FILES = sorted(FOLDER.glob("*/*.toml"))
IDS = [path.stem for path in FILES]


@functools.cache
def flags() -> FlagTable:
    return load_flags(FOLDER)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_a_signature_passes_the_gates(path: Path) -> None:
    assert check(catalog(), flags(), only=[path.stem]) == []


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_the_examples_of_a_signature_match_as_they_say_and_nothing_undeclared_does(path: Path) -> None:
    assert path.stem in catalog().signatures
    assert check_examples(ready(), only=[path.stem]) == []


def test_the_days_of_the_registry_are_possible() -> None:
    assert check_dates(catalog(), flags().snapshots) == []


HEALTHY = sorted(
    path.parent.name
    for path in SAMPLES.glob("*/expected.toml")
    if tomllib.loads(path.read_text(encoding="utf-8"))["healthy"]
)


def faults(findings: Sequence[Finding]) -> list[str]:
    """Return what stands as a fault among the findings, before any cause absorbs a consequence."""
    known = catalog().signatures
    return [
        f"{found.signature} at line {found.evidence[0].line}"
        for found in findings
        if found.withdrawn_by is None and known[found.signature].severity in FAULTS
    ]


@pytest.mark.parametrize("name", HEALTHY)
def test_no_signature_finds_a_fault_in_a_healthy_sample(name: str) -> None:
    text = (SAMPLES / name / "log.txt").read_text(encoding="utf-8")
    assert faults(ready().findings(lines(text))) == []


def test_ids_are_unique_over_all_areas() -> None:
    assert sorted(IDS) == sorted(set(IDS))


def test_an_alias_is_no_id_and_belongs_to_one_signature() -> None:
    aliases = [alias for signature in catalog().signatures.values() for alias in signature.aliases]
    assert set(aliases) & set(catalog().signatures) == set()
    assert sorted(aliases) == sorted(set(aliases))


def test_no_signature_names_itself() -> None:
    named = [
        signature.id
        for signature in catalog().signatures.values()
        if signature.id in (*signature.consequences, *signature.not_to_confuse_with)
    ]
    assert named == []


def test_titles_tell_the_signatures_apart() -> None:
    titles = [signature.title for signature in catalog().signatures.values()]
    assert sorted(titles) == sorted(set(titles))


def test_the_files_that_ship_are_the_signatures_that_load() -> None:
    assert sorted(load_catalog([FOLDER]).signatures) == sorted(IDS)
