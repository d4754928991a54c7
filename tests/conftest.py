"""Options and fixtures that several tests share."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from diag.catalog.compiled import open_catalog
from diag.catalog.locate import shipped
from diag.pipeline import Analyzer, analyzer


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew instead of comparing")


def pytest_configure(config: pytest.Config) -> None:
    """What the person who runs the tests has refreshed or cached is neither read nor changed."""
    home = tempfile.mkdtemp(prefix="diag-tests-")
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ |= {"XDG_DATA_HOME": f"{home}/data", "XDG_CACHE_HOME": f"{home}/cache"}


@pytest.fixture(scope="session")
def shipped_analyzer() -> Analyzer:
    """The analyzer of the shipped signatures."""
    return analyzer(open_catalog([shipped("signatures")]))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with a golden file, or writes it with --update-goldens."""

    def check(file: Path, text: str) -> None:
        if request.config.getoption("--update-goldens"):
            file.write_text(text + "\n", encoding="utf-8")
        assert text + "\n" == file.read_text(encoding="utf-8")

    return check
