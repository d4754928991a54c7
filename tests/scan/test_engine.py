"""Both engines find the same; Hyperscan's database is kept between runs."""

import random
from pathlib import Path

import pytest

import diag.kept
from diag.scan import engine
from diag.scan.engine import Hits, ends_engine, literal_engine

LITERALS = [b"abc", b"bc", b"cab", b"a.c", b"xyz"]
TEXT = b"abcabca.c\nxyzabc"


@pytest.fixture
def hyperscan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hyperscan from the first byte on, with nothing kept yet."""
    pytest.importorskip("hyperscan")
    monkeypatch.setattr(engine, "_PATIENCE", 0)
    monkeypatch.setattr(diag.kept, "_folder", lambda: tmp_path / "cache")


def hits(text: bytes, name: str | None = None) -> Hits:
    return sorted(literal_engine(LITERALS, name)[1](text))


@pytest.mark.usefixtures("hyperscan")
def test_the_engines_find_the_same() -> None:
    letters = random.Random(7)
    for _ in range(50):
        text = bytes(letters.choices(b"abc.xyz\n", k=200))
        assert hits(text, "hyperscan") == hits(text, "standard-library")


@pytest.mark.usefixtures("hyperscan")
def test_the_database_of_the_first_run_serves_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    first = hits(TEXT)
    kept = diag.kept.kept
    served: list[bool] = []

    def watched(kind: str, key: bytes) -> memoryview | None:
        found = kept(kind, key)
        served.append(found is not None)
        return found

    monkeypatch.setattr(engine, "kept", watched)
    assert hits(TEXT) == first == hits(TEXT, "standard-library")
    assert served == [True]


@pytest.mark.usefixtures("hyperscan")
@pytest.mark.parametrize("data", [b"", b"no database", b"\x00" * 4096], ids=["nothing", "a text", "zeroes"])
def test_a_database_that_hyperscan_refuses_is_made_anew(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    made: list[str] = []
    monkeypatch.setattr(engine, "kept", lambda *_: data)
    monkeypatch.setattr(engine, "keep", lambda *kept: made.append(kept[0]))
    assert hits(TEXT) == hits(TEXT, "standard-library")
    assert made == ["scan"]


@pytest.mark.usefixtures("hyperscan")
def test_other_literals_and_patterns_have_a_database_of_their_own(tmp_path: Path) -> None:
    for patterns in ({}, {0: rb"abc[0-9]"}, {0: rb"abc[0-8]"}):
        ends_engine(LITERALS, "hyperscan", patterns)(TEXT)
    literal_engine(LITERALS[:2], "hyperscan")[1](TEXT)
    assert len(list((tmp_path / "cache").iterdir())) == 4


@pytest.mark.usefixtures("hyperscan")
def test_literals_are_told_apart_alike() -> None:
    wanted: dict[int, list[int]] = {}
    for end, literal in hits(TEXT, "standard-library"):
        wanted.setdefault(literal, []).append(end)
    assert ends_engine(LITERALS, "standard-library")(TEXT) == wanted
    assert ends_engine(LITERALS, "hyperscan")(TEXT) == wanted


@pytest.mark.usefixtures("hyperscan")
def test_of_some_literals_the_first_will_do() -> None:
    search = ends_engine([b"ab", b"b"], "hyperscan", once=frozenset([0]))
    assert search(b"ab ab b") == {0: [2], 1: [2, 5, 7]}


@pytest.mark.usefixtures("hyperscan")
def test_a_pattern_stands_in_for_a_literal() -> None:
    search = ends_engine([b"took ", b"ms"], "hyperscan", {0: rb"took [5-9]\d\d ms"})
    assert search(b"took 12 ms, took 612 ms") == {0: [23], 1: [10, 23]}
