"""The catalogue kept between runs: what makes a kept one stale."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from diag.catalog import compiled
from diag.catalog.load import load_catalog
from diag.model.catalog import Catalog
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


# --- the kept file ----------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept files, the user's own."""
    monkeypatch.setattr(compiled, "_cache_folder", lambda: tmp_path / "cache" / "llama-diag")
    return tmp_path / "cache" / "llama-diag"


class Loads:
    """Loads the catalogue and counts how often."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, folders: Sequence[Path]) -> Catalog:
        self.n += 1
        return load_catalog(folders)


def kept_file(cache: Path) -> Path:
    (path,) = cache.glob("catalog-*")
    return path


def test_the_second_run_reads_what_the_first_one_kept(tmp_path: Path, cache: Path) -> None:
    folder, load = folder_of(tmp_path), Loads()
    first = compiled.open_catalog([folder], load)
    second = compiled.open_catalog([folder], load)
    assert load.n == 1
    assert dict(second.signatures) == dict(first.signatures)
    assert second.content_hash == first.content_hash
    assert stat.S_IMODE(kept_file(cache).stat().st_mode) == 0o600
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:0],
        lambda data: data[:20],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: b"\x00" * len(data),
    ],
    ids=["empty", "less than its hash", "cut off", "a bit of the end", "a bit of the hash", "zeroes"],
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, cache: Path, damage: Callable[[bytes], bytes]) -> None:
    folder, load = folder_of(tmp_path), Loads()
    wanted = compiled.open_catalog([folder], load)
    whole = kept_file(cache).read_bytes()
    kept_file(cache).write_bytes(damage(whole))
    found = compiled.open_catalog([folder], load)
    assert load.n == 2
    assert dict(found.signatures) == dict(wanted.signatures)
    compiled.open_catalog([folder], load)
    assert load.n == 2, "the damaged file was not replaced"


def test_a_file_of_another_catalogue_in_its_place_is_not_taken(tmp_path: Path, cache: Path) -> None:
    folder, load = folder_of(tmp_path), Loads()
    compiled.open_catalog([folder], load)
    old = kept_file(cache)
    (folder / "server" / "kind.toml").write_text(signature_toml("kind", BODY, severity="fatal"), encoding="utf-8")
    key = compiled._key([folder], None)
    shutil.copyfile(old, cache / f"catalog-{key[:16]}.bin")
    assert compiled.open_catalog([folder], load).signatures["kind"].severity == "fatal"
    assert load.n == 2


def test_where_nothing_can_be_written_it_is_loaded_each_time(tmp_path: Path, cache: Path) -> None:
    folder, load = folder_of(tmp_path), Loads()
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be", encoding="utf-8")
    for _ in range(2):
        assert "kind" in compiled.open_catalog([folder], load).signatures
    assert load.n == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_read_only_home_is_no_error(tmp_path: Path, cache: Path) -> None:
    folder, load = folder_of(tmp_path), Loads()
    cache.mkdir(parents=True, mode=0o500)
    assert "kind" in compiled.open_catalog([folder], load).signatures
    assert list(cache.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
@pytest.mark.usefixtures("cache")
def test_another_users_file_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, load = folder_of(tmp_path), Loads()
    compiled.open_catalog([folder], load)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    compiled.open_catalog([folder], load)
    assert load.n == 2


def test_two_processes_that_write_at_once_leave_one_whole_file(tmp_path: Path, cache: Path) -> None:
    folder = folder_of(tmp_path)
    program = (
        "import sys; from pathlib import Path; from diag.catalog import compiled\n"
        "compiled._cache_folder = lambda: Path(sys.argv[2])\n"
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
