"""Times `diag analyze` beside cat, ripgrep and an empty Python program: `python -m benchmarks.run --size 200MB`.

All commands of a table's row run in turn, round after round, so that a busy moment of the machine hits each of them;
medians, ratios, and whether they keep the bars are printed as Markdown. Seconds are those of the processor, user and
system; wall seconds stand beside them. ripgrep gets the tool's own anchors and patterns (benchmarks/patterns.py).
"""

import argparse
import datetime as dt
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

from benchmarks import measure
from benchmarks.commands import tool
from benchmarks.generate import VARIANTS, size_of
from benchmarks.patterns import YARDSTICKS

_PACKAGES = ("hyperscan", "click")


def about() -> str:
    """Return date, machine and versions in one line."""
    rg = tool("rg")
    ripgrep = (
        subprocess.run([rg, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        if rg
        else "none"
    )
    packages = ", ".join(f"{name} {version}" for name in _PACKAGES if (version := _version(name)))
    return (
        f"{dt.datetime.now(dt.UTC).date()}, {platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, {packages}, ripgrep {ripgrep}"
    )


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the name of the processor, where the system tells."""
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next((row.partition(": ")[2] for row in rows if row.startswith("model name")), "unknown processor")


def _tables(asked: argparse.Namespace, folder: Path) -> Iterator[tuple[str, list[str]]]:
    size, rounds = size_of(asked.size), asked.rounds
    if asked.variants:
        taken, beside = measure.large_logs(folder, size, rounds, asked.variants, asked.beside.split(","))
        yield f"Large logs, {asked.size} each", taken
        if beside:
            yield "The same beside ripgrep", beside
    if not asked.only_variants:
        yield f"Packed logs, {asked.size} before packing", measure.packed_logs(folder, size, rounds)
        yield f"Two processes for one log of {asked.size}", measure.jobs(folder, size, rounds)
        if asked.files:
            yield "Many small files", measure.small_logs(folder, asked.files, rounds)
        yield "Start-up", measure.starts(folder, rounds)
    if asked.hostile:
        yield "Hostile shapes", measure.hostile(folder, asked.hostile, 1)
    if asked.memory:
        megabytes = [size_of(text) // 1_000_000 for text in asked.memory.split(",")]
        yield "Memory", measure.memory(folder, megabytes)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the measurement and print each table when it is ready."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="200MB", help="bytes of each large log (default 200MB)")
    parser.add_argument("--files", type=int, default=20_000, help="number of small logs; 0 leaves them out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--variants", default="".join(VARIANTS), help="of the large logs (default ABCD)")
    parser.add_argument(
        "--beside", default=",".join(YARDSTICKS), help="what ripgrep looks for in large logs (benchmarks/patterns.py)"
    )
    parser.add_argument(
        "--only-variants", action="store_true", help="nothing but the table of large logs, and what is asked for"
    )
    parser.add_argument(
        "--hostile",
        type=float,
        nargs="?",
        const=1.0,
        metavar="SCALE",
        help="hostile shapes too, so many times their size",
    )
    parser.add_argument(
        "--memory", nargs="?", const="100MB,4GB", metavar="SIZES", help="peaks at sizes far apart too (100MB,4GB)"
    )
    asked = parser.parse_args(argv)
    sys.stdout.write(f"{about()}; medians of {asked.rounds} runs in turn.\n")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        measure.warm_up(Path(name))
        for title, rows in _tables(asked, Path(name)):
            sys.stdout.write("\n".join(["", f"### {title}", "", *rows, ""]))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
