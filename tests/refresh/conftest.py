"""Every test here has its own home and its own API on this machine; no proxy and no token of the user's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.refresh.fake_api import FakeApi, fake_api


@pytest.fixture
def api() -> Iterator[FakeApi]:
    with fake_api() as served:
        yield served


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_URL", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return tmp_path
