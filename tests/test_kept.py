"""What is kept between runs: it comes back as it was, or not at all."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from diag import kept as module
from diag.kept import file_of, keep, kept

BODY = bytes(range(256)) * 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept files; it does not exist yet."""
    monkeypatch.setattr(module, "_folder", lambda: tmp_path / "cache" / "llama-diag")
    return tmp_path / "cache" / "llama-diag"


def file(kind: str, key: bytes) -> Path:
    path = file_of(kind, key)
    assert path is not None
    return Path(path)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("body", [BODY, b""], ids=["bytes", "nothing"])
def test_what_is_kept_comes_back(body: bytes) -> None:
    assert kept("kind", b"key") is None
    keep("kind", b"key", body)
    assert kept("kind", b"key") == body
    assert kept("kind", b"another key") is None
    assert kept("another kind", b"key") is None


def test_it_is_the_users_own(folder: Path) -> None:
    keep("kind", b"key", BODY)
    assert stat.S_IMODE(file("kind", b"key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:0],
        lambda data: data[:3],
        lambda data: data[:8],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: data[:6] + bytes([data[6] ^ 1]) + data[7:],
        lambda data: data + b"more",
        lambda data: b"\x00" * len(data),
    ],
    ids=["empty", "less than its key", "less than its sum", "cut off", "a bit of the end", "a bit of the key",
         "a bit of the sum", "longer", "zeroes"],
)  # fmt: skip
def test_a_damaged_file_is_nothing_and_is_replaced(damage: Callable[[bytes], bytes]) -> None:
    keep("kind", b"key", BODY)
    path = file("kind", b"key")
    path.write_bytes(damage(path.read_bytes()))
    assert kept("kind", b"key") is None
    keep("kind", b"key", BODY)
    assert kept("kind", b"key") == BODY


@pytest.mark.usefixtures("folder")
def test_two_keys_that_share_a_file_never_get_each_others_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = file("kind", b"key")
    monkeypatch.setattr(module, "file_of", lambda *_: shared)
    keep("kind", b"key", BODY)
    assert kept("kind", b"yek") is None
    keep("kind", b"yek", b"other")
    assert kept("kind", b"key") is None
    assert kept("kind", b"yek") == b"other"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
@pytest.mark.usefixtures("folder")
def test_another_users_file_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keep("kind", b"key", BODY)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert kept("kind", b"key") is None


def test_where_nothing_can_be_written_nothing_is_kept(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be", encoding="utf-8")
    keep("kind", b"key", BODY)
    assert kept("kind", b"key") is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_read_only_folder_is_no_error(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o500)
    keep("kind", b"key", BODY)
    assert list(folder.iterdir()) == []


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_folder", lambda: None)
    keep("kind", b"key", BODY)
    assert kept("kind", b"key") is None


def test_the_oldest_files_of_a_kind_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3 * len(BODY))
    keep("another kind", b"key", BODY)
    for age, key in ((9, b"a"), (8, b"b"), (7, b"c")):
        keep("kind", key, BODY)
        os.utime(file("kind", key), (1_000_000_000 - age, 1_000_000_000 - age))
    keep("kind", b"d", BODY)
    assert [kept("kind", key) is not None for key in (b"a", b"b", b"c", b"d")] == [False, False, True, True]
    assert kept("another kind", b"key") == BODY
    keep("kind", b"e", BODY * 4)
    assert [kept("kind", key) is not None for key in (b"c", b"d", b"e")] == [False, False, True]
    assert len(list(folder.iterdir())) == 2
