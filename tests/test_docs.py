"""What README, ARCHITECTURE and CONTRIBUTING say is so."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from diag.catalog.load import load_catalog
from tests.build import catalog

ROOT = Path(__file__).resolve().parent.parent


def _blocks(name: str, language: str) -> list[str]:
    blocks: list[str] = []
    opened: str | None = None
    body: list[str] = []
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        fence = re.fullmatch(r" *```(\w*)", line)
        if fence is None:
            body.append(line)
        elif opened is None:
            opened, body = fence[1], []
        else:
            if opened == language:
                blocks.append(textwrap.dedent("\n".join(body) + "\n"))
            opened = None
    return blocks


def _diag(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "diag", *shlex.split(command)[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]},
    )


def test_the_readmes_report_is_what_the_tool_prints() -> None:
    (shown,) = [block for block in _blocks("README.md", "") if block.startswith("log.txt")]
    run = _diag("diag analyze samples/mtp-one-axis-image-fails-b11434/log.txt", ROOT)
    assert run.stdout.rstrip() == shown.rstrip()
    assert run.returncode == 1


def test_the_ci_script_runs_the_readmes_test_command() -> None:
    readme = " && ".join(_blocks("README.md", "sh"))
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for step in ("python3 -m venv .venv", "-e '.[test]'", ".venv/bin/python -m pytest"):
        assert step in readme
        assert step in script


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_command_named_exists(name: str) -> None:
    lines = [line for block in _blocks(name, "sh") for line in block.splitlines()]
    commands = {found for line in lines for found in re.findall(r"(?:^|[|&] |bin/)diag ([a-z]+)", line)}
    assert commands
    known = _diag("diag --help", ROOT).stdout
    assert not [command for command in commands if not re.search(rf"^  {command} ", known, re.MULTILINE)]


def test_every_file_named_in_the_architecture_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:diag|signatures|tests|samples)/[\w./-]+)`", text)
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_the_recipe_for_a_signature_works_as_written(tmp_path: Path) -> None:
    log, toml = _blocks("CONTRIBUTING.md", "text")[0], _blocks("CONTRIBUTING.md", "toml")[0]
    new, check_and_try = [block.splitlines() for block in _blocks("CONTRIBUTING.md", "sh")]
    (tmp_path / "paste.log").write_text(log, encoding="utf-8")
    unknown = _diag("diag analyze paste.log", tmp_path)
    assert "Unknown" in unknown.stdout
    (tmp_path / "my-signatures").mkdir()
    made = _diag(new[0], tmp_path)
    assert made.returncode == 0, made.stderr
    file = tmp_path / "my-signatures" / "model-file" / "flux-phase-mismatch.toml"
    skeleton = file.read_text(encoding="utf-8")
    assert "flux capacitor tensor" in skeleton
    assert "WRITE:" in skeleton
    file.write_text(toml, encoding="utf-8")
    checked = _diag(check_and_try[0], tmp_path)
    assert checked.returncode == 0, checked.stdout
    tried = _diag(check_and_try[1], tmp_path)
    assert "flux-phase-mismatch · certain" in tried.stdout
    assert "7 phases where this build expects 88" in " ".join(tried.stdout.split())


def test_the_documented_signature_is_a_valid_one(tmp_path: Path) -> None:
    folder = tmp_path / "model-file"
    folder.mkdir()
    (folder / "flux-phase-mismatch.toml").write_text(_blocks("CONTRIBUTING.md", "toml")[0], encoding="utf-8")
    assert list(load_catalog([tmp_path]).signatures) == ["flux-phase-mismatch"]


def test_every_kind_named_in_the_documents_exists() -> None:
    for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        named = re.findall(r"diag explain ([a-z0-9-]+)", text)
        assert not [found for found in named if catalog().resolve(found) is None], name
