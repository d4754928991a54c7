"""A large log gets the report that it would get if every line were read: counts, first lines, sessions, sums, answers."""

import dataclasses
import functools
from pathlib import Path

import pytest

from diag.parse.roles import BULK
from diag.render.facts import rows_of
from tests.build import SAMPLES
from tests.large.generated import generated
from tests.large.reference import TINY, blocks_of, conditions_on, facts_of, large, small


def _sample(name: str) -> bytes:
    return (SAMPLES / name / "log.txt").read_bytes()


@functools.cache
def _wanted(variant: str) -> object:
    return facts_of(small(generated(variant)))


@pytest.mark.parametrize("name", ["router-mtp-one-axis-image-fails-b11434", "mtp-one-axis-image-fails-jsonl-b11434"])
def test_it_does_not_matter_where_a_block_ends(name: str) -> None:
    data = _sample(name)
    wanted = facts_of(small(data))
    line_ends = [at + 1 for at in range(len(data)) if data[at] == 10]
    for first in line_ends[::3]:
        assert facts_of(large(data, size=first, budgets=TINY)) == wanted, f"blocks of {first} bytes"


@pytest.mark.parametrize("variant", "ABCD")
@pytest.mark.parametrize("size", [50_000, 1 << 20])
def test_generated_logs_are_read_alike(variant: str, size: int) -> None:
    assert facts_of(large(generated(variant), size=size)) == _wanted(variant)


@pytest.mark.parametrize("variant", "AB")
def test_windows_of_any_size_give_the_same(variant: str) -> None:
    assert facts_of(large(generated(variant), size=20_000, budgets=TINY)) == _wanted(variant)


def test_several_servers_in_one_log_are_told_apart() -> None:
    names = ("mtp-one-axis-text-ok-b11434", "eagle3-image-fails-b9871", "no-drafter-text-ok-b9464", "port-in-use-b9871")
    data = b"".join(_sample(name) for name in names)
    assert facts_of(large(data, size=2000, budgets=TINY)) == facts_of(small(data))


def test_a_journal_around_the_lines_changes_nothing() -> None:
    rows = _sample("mtp-one-axis-image-fails-retries-b9871").decode().splitlines()
    data = "".join(
        f"Nov 30 04:1{at // 60 % 10}:{at % 60:02d} box llama-server[4242]: {row}\n" for at, row in enumerate(rows)
    )
    assert facts_of(large(data.encode(), size=3000, budgets=TINY)) == facts_of(small(data.encode()))


def test_a_figure_that_a_signature_asks_of_every_request_has_a_gate() -> None:
    # whoever writes a condition on another figure of these events adds a gate to diag/parse/roles.py, and the row here
    bulk = {event.__name__ for event in BULK}
    assert conditions_on(bulk) <= {
        ("RequestAnswered", "status"),
        ("RequestAnswered", "path"),
        ("RequestAnswered", "method"),
        ("TaskReleased", "truncated"),
        ("ImageBatchDecoding", "batch"),
        ("DraftAccepted", "drafted"),
        ("DraftAccepted", "accepted"),
        ("PromptStarted", "n_tokens"),
        ("TokensGenerated", "n_tokens"),  # enough of the first requests show it
    }


def test_blocks_hold_whole_lines(tmp_path: Path) -> None:
    data = _sample("port-in-use-b11434")
    (tmp_path / "log").write_bytes(data)
    assert b"".join(blocks_of(data, 100)) == data


def test_turns_told_for_the_first_part_only_are_a_line_of_what_is_not_told() -> None:
    data = _sample("dflash-mrope-image-ok-b11434")
    whole = large(data, size=900, budgets=TINY)
    part = large(data, size=900, budgets=dataclasses.replace(TINY, turns=100))
    told = {item.kind: item for item in part.coverage}
    until = part.sessions[0].turns_until
    assert until is not None
    assert 1 < until < part.input.n_lines
    assert f"line {until} " in told["acceptance"].because
    assert not told["acceptance"].by_verbosity
    assert part.sessions[0].acceptance["unknown"].requests > 0
    assert whole.sessions[0].turns_until is None
    assert "acceptance" not in {item.kind for item in whole.coverage}


def test_requests_that_were_only_counted_are_not_said_to_be_unfinished() -> None:
    report = large(generated("A"), size=50_000)
    session = report.sessions[0]
    assert len(session.tasks) < session.n_requests
    rows = dict(rows_of(report, session, gaps=0, full=True))
    assert rows["Requests"].startswith(f"{session.n_requests} in all")
