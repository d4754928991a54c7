"""What one process finds in a log, several find in its ranges: every pattern's first line, every answer, every sum."""

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from diag.large.ranges import Done, Task
from tests.build import SAMPLES
from tests.large.divided import Here, read_in_ranges
from tests.large.generated import generated, lasting
from tests.large.plain import Found, read_plainly
from tests.large.reference import TINY, facts_of, large, small
from tests.large.test_stretched import stretched

SERVING = [path for path in sorted(SAMPLES.glob("*/log.txt")) if path.read_bytes().count(b"processing task") > 2]


@functools.cache
def _plain(variant: str) -> dict[str, Found]:
    return read_plainly(generated(variant))


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("variant", "ABC")
def test_the_first_line_of_every_pattern_is_kept(variant: str, n: int, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(generated(variant))
    kept, _ = read_in_ranges(tmp_path / "log", Here(), n)
    assert {name: found.first for name, found in _plain(variant).items() if found.first not in kept} == {}


@pytest.mark.parametrize("path", SERVING, ids=lambda path: path.parent.name)
def test_a_sample_is_told_alike(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    _, report = read_in_ranges(path, Here(budgets=TINY), 2, budgets=TINY)
    assert facts_of(report) == facts_of(small(data))
    (tmp_path / "log").write_bytes(stretched(data.decode(), behind="all slots are idle").encode())
    _, report = read_in_ranges(tmp_path / "log", Here(budgets=TINY), 3, budgets=TINY)
    assert facts_of(report) == facts_of(large((tmp_path / "log").read_bytes(), size=900, budgets=TINY))


class _Late(Here):
    """A crew that begins when something has happened to the file."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = happens

    def __call__(self, tasks: Sequence[Task]) -> Iterator[Done]:
        self._happens()
        return super().__call__(tasks)


def test_of_a_file_that_grows_a_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(lasting(2))

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"9.00.000.000 E srv  strange: valve 4 is stuck\n" * 10 + b"9.00.000.000 E srv  half a li")

    _, report = read_in_ranges(path, _Late(grow), 3)
    read = path.read_bytes()[: report.input.n_bytes]
    assert len(read) >= len(lasting(2))
    assert facts_of(report) == facts_of(large(read))


@pytest.mark.parametrize("n_bytes", [0, 1000, 1_000_000, 1_900_000])
def test_of_a_file_cut_off_what_was_read_counts(n_bytes: int, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(lasting(2))
    _, report = read_in_ranges(path, _Late(lambda: os.truncate(path, n_bytes)), 3)
    read = lasting(2)[: report.input.n_bytes]
    assert len(read) < len(lasting(2))
    assert report.input.n_lines == read.count(b"\n") + (not read.endswith(b"\n"))
    assert report.sessions[0].started
