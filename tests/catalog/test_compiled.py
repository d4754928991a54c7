"""The catalogue kept between runs: what makes a kept one stale."""

import os
import shutil
from pathlib import Path

import pytest

from diag.catalog import compiled
from tests.build import signature_toml

PROGRAM = Path(compiled.__file__).parent.parent
BODY = '[[match]]\ngrade = "likely"\nall = ["it"]\n[when.it]\nevent = "SpeculativeBatchFailed"\n'


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what the kept catalogue is made by, to be edited."""
    copy = tmp_path / "diag"
    for package in ("model", "catalog"):
        shutil.copytree(PROGRAM / package, copy / package)
    monkeypatch.setattr(compiled, "__file__", str(copy / "catalog" / "compiled.py"))
    return copy


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "signatures"
    (folder / "server").mkdir(parents=True)
    (folder / "server" / "kind.toml").write_text(signature_toml("kind", BODY), encoding="utf-8")
    return folder


def test_an_edit_of_any_file_that_makes_it_makes_it_anew(tmp_path: Path, program: Path) -> None:
    folder = folder_of(tmp_path)
    keys = {compiled._key([folder], None)}
    files = sorted(path for path in program.rglob("*.py"))
    for file in files:
        later = file.stat().st_mtime_ns + 1_000_000_000
        os.utime(file, ns=(later, later))
        keys.add(compiled._key([folder], None))
    assert len(keys) == len(files) + 1


def test_an_edit_of_a_signature_makes_it_anew(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    before = compiled._key([folder], None)
    (folder / "server" / "kind.toml").write_text(signature_toml("kind", BODY, severity="fatal"), encoding="utf-8")
    assert compiled._key([folder], None) != before


def test_nothing_changed_keeps_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    assert compiled._key([folder], None) == compiled._key([folder], None)
