"""Options and fixtures that several tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from diag.catalog.compiled import open_catalog
from diag.catalog.locate import shipped
from diag.pipeline import Analyzer, analyzer


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files anew instead of comparing")


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
