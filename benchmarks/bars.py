"""What is promised of the speed, and whether a measurement keeps it."""

from collections.abc import Mapping

RIPGREP: Mapping[str, float] = {"A": 0.35, "B": 0.65, "C": 0.5, "D": 0.5}
"""Time of `diag` over that of ripgrep with the tool's own patterns, for each variant."""

PEAK_MIB = 64  # whatever the size of the log
SMALL_FILES = 2.0  # times `find | xargs cat`
STARTS: Mapping[str, float] = {"diag --version": 5, "diag --help": 5, "diag analyze, 200 KB": 10}
"""Times an empty Python program."""


def judged(value: float, bar: float | None) -> str:
    """Return a bar and whether a value keeps it, as a cell of a table; empty where nothing is promised."""
    return "" if bar is None else f"≤ {bar:g}: {'met' if value <= bar else '**missed**'}"


def marked(value: float, bar: float) -> str:
    """Return a value as a cell of a table, and whether it keeps a bar that stands elsewhere."""
    return f"{value:.2f} {'met' if value <= bar else '**missed**'}"
