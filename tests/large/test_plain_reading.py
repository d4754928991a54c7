"""Nothing is lost: what a plain reading of every line finds, the counted reading of a large log finds as well."""

import functools

import pytest

from diag.model.run import Acceptance
from diag.scan.span import Budgets
from tests.build import SAMPLES
from tests.large.generated import generated
from tests.large.plain import Found, read_plainly
from tests.large.reference import TINY, facts_of, kept_and_told, large, small

ALL = sorted(path.parent.name for path in SAMPLES.glob("*/log.txt"))
ENGINES = ("hyperscan", "standard-library")


@functools.cache
def _log(name: str) -> bytes:
    return generated(name) if len(name) == 1 else (SAMPLES / name / "log.txt").read_bytes()


@functools.cache
def _plain(name: str) -> dict[str, Found]:
    return read_plainly(_log(name))


@functools.cache
def _facts(name: str) -> object:
    return facts_of(small(_log(name)))


def _lost(name: str, kept: set[int]) -> dict[str, int]:
    """Return the first line of each pattern of which it is not among those kept."""
    return {pattern: found.first for pattern, found in _plain(name).items() if found.first not in kept}


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diag.scan.engine._PATIENCE", 0)  # Hyperscan from the first byte on, however short the log


@pytest.mark.parametrize("variant", "ABCD")
def test_the_sieve_of_the_plain_reading_is_tight(variant: str) -> None:
    data = b"".join(_log(variant).splitlines(keepends=True)[:400])
    assert read_plainly(data) == read_plainly(data, sieved=False)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("variant", "ABCD")
def test_a_log_of_which_most_is_only_counted_loses_nothing(variant: str, engine: str) -> None:
    kept, report = kept_and_told(_log(variant), engine=engine)
    assert _lost(variant, kept) == {}
    assert facts_of(report) == _facts(variant)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ALL)
def test_a_sample_loses_nothing_either(name: str, engine: str) -> None:
    kept, report = kept_and_told(_log(name), size=900, budgets=TINY, engine=engine)
    assert _lost(name, kept) == {}
    assert facts_of(report) == _facts(name)


@pytest.mark.parametrize("variant", "ABCD")
def test_what_every_request_prints_is_counted_and_summed_exactly(variant: str) -> None:
    plain, sessions = _plain(variant), large(_log(variant)).sessions
    accepted = plain.get("DraftAccepted", Found())
    total = sum((part for session in sessions for part in session.acceptance.values()), Acceptance())
    assert sum(session.n_requests for session in sessions) == len(plain.get("TaskStarted", Found()))
    assert total.requests == len(accepted)
    assert (total.accepted, total.drafted) == (accepted.sum("accepted"), accepted.sum("drafted"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_flood_is_counted_to_the_line(engine: str) -> None:
    report = large(_log("D"), size=30_000, budgets=Budgets(flood=500), engine=engine)
    (note,) = (note for note in report.input.notes if "only counted" in note.what)
    assert f"{len(_plain('D')['TokenPositionJumped']):,} lines" in note.what
    assert facts_of(report) == _facts("D")


@pytest.mark.parametrize("variant", "ABC")
def test_a_lowered_bound_of_floods_changes_no_answer(variant: str) -> None:
    assert facts_of(large(_log(variant), size=30_000, budgets=Budgets(flood=50))) == _facts(variant)
