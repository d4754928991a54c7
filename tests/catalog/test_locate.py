"""Where the shipped folders are: in a checkout, and in a wheel as a user gets it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from diag.catalog.locate import shipped
from diag.errors import CatalogError

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("name", ["signatures", "samples"])
def test_a_checkout_has_the_folder_beside_the_package(name: str) -> None:
    assert shipped(name) == ROOT / name


def test_a_folder_that_does_not_ship_is_one_line_for_the_user() -> None:
    with pytest.raises(CatalogError, match=r"no-such-folder: .* reinstall it"):
        shipped("no-such-folder")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what a wheel of this checkout holds."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the unpacked wheel, with another folder as the current one and a home of its own."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "NO_COLOR": "1", "HOME": str(folder), "COLUMNS": "80"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_wheel_holds_the_signatures_and_the_samples(installed: Path) -> None:
    for name in ("signatures", "samples"):
        packed = {
            str(path.relative_to(installed / "diag" / f"_{name}"))
            for path in (installed / "diag" / f"_{name}").rglob("*")
            if path.is_file()
        }
        kept = {str(path.relative_to(ROOT / name)) for path in (ROOT / name).rglob("*.toml")}
        assert kept <= packed
    assert not (installed / "tests").exists()


def test_the_wheels_own_folders_are_found(installed: Path, tmp_path: Path) -> None:
    code = "from diag.catalog.locate import shipped; print(shipped('signatures'), shipped('samples'), sep='\\n')"
    found = run(installed, tmp_path, "-c", code)
    assert found.stdout.split() == [str(installed / "diag" / "_signatures"), str(installed / "diag" / "_samples")]


def test_the_demo_runs_from_a_wheel_in_another_folder(installed: Path, tmp_path: Path) -> None:
    found = run(installed, tmp_path, "-m", "diag", "demo")
    assert (found.returncode, found.stderr) == (0, "")
    assert "mtp-one-axis-image-position-gap" in found.stdout


def test_the_version_of_a_wheel_is_the_packages(installed: Path, tmp_path: Path) -> None:
    found = run(installed, tmp_path, "-m", "diag", "--version")
    (metadata,) = installed.glob("llama_diag-*.dist-info/METADATA")
    version = next(
        line.split(": ")[1]
        for line in metadata.read_text(encoding="utf-8").splitlines()
        if line.startswith("Version: ")
    )
    assert (found.returncode, found.stdout) == (0, f"diag {version}\n")


def test_a_wheel_has_the_command(installed: Path) -> None:
    (points,) = installed.glob("llama_diag-*.dist-info/entry_points.txt")
    assert "diag = diag.__main__:main" in points.read_text(encoding="utf-8")
