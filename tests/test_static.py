"""What needs no run of the program: types, lint and layout."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "arguments",
    [("mypy",), ("ruff", "check", "."), ("ruff", "format", "--check", ".")],
    ids=" ".join,
)
def test_the_tree_is_clean(arguments: tuple[str, ...]) -> None:
    found = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
