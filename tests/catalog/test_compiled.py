"""The catalogue kept between runs: what makes a kept one stale, and that it is the one that was loaded."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import diag.kept
from diag.catalog import compiled
from diag.catalog.load import load_catalog
from diag.catalog.locate import shipped
from diag.model.catalog import Catalog
from diag.model.noun import names_of
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


# --- what is kept -----------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept files."""
    monkeypatch.setattr(diag.kept, "_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


class Loads:
    """Loads the catalogue and counts how often."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, folders: Sequence[Path]) -> Catalog:
        self.n += 1
        return load_catalog(folders)


@pytest.mark.usefixtures("cache")
def test_the_second_run_reads_what_the_first_one_kept(tmp_path: Path) -> None:
    folder, load = folder_of(tmp_path), Loads()
    compiled.open_catalog([folder], load)
    compiled.open_catalog([folder], load)
    assert load.n == 1


@pytest.mark.usefixtures("cache")
def test_what_is_kept_is_the_whole_catalogue() -> None:
    loaded = load_catalog([shipped("signatures")])
    compiled.open_catalog([shipped("signatures")], lambda _: loaded)
    found = compiled.open_catalog([shipped("signatures")], lambda _: pytest.fail("nothing was kept"))
    for name in names_of(Catalog):
        value, wanted = getattr(found, name), getattr(loaded, name)
        if name == "models":
            assert dict(value.architectures) == wanted.architectures
            assert value.names == wanted.names
        elif isinstance(wanted, Mapping):
            assert list(value.items()) == list(wanted.items()), name
        elif isinstance(wanted, tuple):
            assert tuple(value) == wanted, name
            assert (len(value), value[:1]) == (len(wanted), wanted[:1]), name
        else:
            assert value == wanted, name


def test_damage_is_mended(tmp_path: Path, cache: Path) -> None:
    folder, load = folder_of(tmp_path), Loads()
    wanted = compiled.open_catalog([folder], load)
    (path,) = cache.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert dict(compiled.open_catalog([folder], load).signatures) == dict(wanted.signatures)
    compiled.open_catalog([folder], load)
    assert load.n == 2


def test_processes_that_begin_without_it_leave_one_whole_file(tmp_path: Path, cache: Path) -> None:
    folder = folder_of(tmp_path)
    program = (
        "import sys; from pathlib import Path; import diag.kept; from diag.catalog import compiled\n"
        "diag.kept._folder = lambda: Path(sys.argv[2])\n"
        "print(sorted(compiled.open_catalog([Path(sys.argv[1])]).signatures))\n"
    )
    command = [sys.executable, "-c", program, str(folder), str(cache)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROGRAM.parent)  # all begin without a file
        for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in running] == ["['kind']"] * 3
    load = Loads()
    assert "kind" in compiled.open_catalog([folder], load).signatures
    assert load.n == 0
    assert [path.suffix for path in cache.iterdir()] == [".bin"]
