"""Times `diag analyze` beside cat and ripgrep on generated logs: `python -m benchmarks.run --size 200MB`.

All commands of a row run in turn, round after round, so that a busy moment of the machine hits each of them; medians and
their ratios are printed as Markdown. ripgrep gets the tool's own anchors (`diag signatures anchors --format rg`), and in a
second column its exact patterns, as far as ripgrep's language has them.
"""

import argparse
import datetime as dt
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from benchmarks.generate import VARIANTS, size_of, write_log, write_small_files

DIAG = [sys.executable, "-m", "diag"]
_LOOK_AROUND = re.compile(r"\(\?<?[!=]")
_PACKED = {"A.log.gz": "gzip", "A.log.zst": "zstd", "A-utf16.log": "UTF-16"}


@dataclass
class Command:
    """A command with the processor seconds and the memory of its runs: wall time says little on a shared machine."""

    name: str
    argv: Sequence[str]
    seconds: list[float] = field(default_factory=list)
    peaks_mib: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Run it once; what it prints is thrown away. RuntimeError when it fails."""
        with subprocess.Popen(self.argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said = process.stderr.read() if process.stderr is not None else b""
        self.seconds.append(usage.ru_utime + usage.ru_stime)
        self.peaks_mib.append(usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024))
        if process.returncode not in (0, 1, 3):
            raise RuntimeError(f"{self.argv}: {said.decode(errors='replace')}")

    @property
    def median(self) -> float:
        """Processor seconds."""
        return statistics.median(self.seconds)


def exact_patterns() -> list[str]:
    """Return the patterns of all wordings and text conditions in ripgrep's language: named groups are groups of no
    name, look-around is left out, and so are the few that use what a group matched."""
    from diag.cli.options import catalog_of
    from diag.pipeline import analyzer

    table = analyzer(catalog_of(())).table
    rows = [row.pattern for rows in (*table.wordings, *table.texts) for row in rows]
    found = [_without_look_around(re.sub(r"\(\?P<\w+>", "(?:", pattern)) for pattern in rows if "(?P=" not in pattern]
    return sorted({pattern for pattern in found if pattern})


def _without_look_around(pattern: str) -> str:
    while (found := _LOOK_AROUND.search(pattern)) is not None:
        depth, at, in_class = 0, found.start(), False
        while True:
            character = pattern[at]
            if character == "\\":
                at += 2
                continue
            if in_class:
                in_class = character != "]"
            elif character == "[":
                in_class = True
                at += pattern[at + 1] in "^]"
            elif character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
                if not depth:
                    break
            at += 1
        pattern = pattern[: found.start()] + pattern[at + 1 :]
    return pattern


def _in_turn(commands: Sequence[Command], rounds: int) -> None:
    for _ in range(rounds):
        for command in commands:
            command.run()


def _row(name: str, commands: Sequence[Command]) -> str:
    mine, *others = commands
    cells = [f"{mine.median:.2f}", f"{max(mine.peaks_mib):.0f}"]
    for other in others:
        cells += [f"{other.median:.2f}", f"{mine.median / other.median:.2f}"]
    return f"| {name} | {' | '.join(cells)} |"


def _ripgrep() -> str | None:
    beside = Path(sys.executable).with_name("rg")
    return str(beside) if beside.exists() else shutil.which("rg")


def large_logs(folder: Path, size: int, rounds: int, variants: Sequence[str]) -> list[str]:
    """Return the table of the large logs."""
    rg = _ripgrep()
    anchors, exact = folder / "anchors.txt", folder / "patterns.txt"
    anchors.write_bytes(
        subprocess.run([*DIAG, "signatures", "anchors", "--format", "rg"], capture_output=True, check=True).stdout
    )
    exact.write_text("\n".join(exact_patterns()) + "\n", encoding="utf-8")
    head = "| log | diag s | peak MiB | cat s | ratio |"
    if rg is not None:
        head += " rg, anchors s | ratio | rg, exact patterns s | ratio |"
    rows = [head, "|" + "---|" * (head.count("|") - 1)]
    logs = {f"{variant}.log": variant for variant in variants} | (_PACKED if "A" in variants else {})
    for name, what in logs.items():
        path = folder / name
        write_log(name[0], size, path, encoding="utf-16" if "utf16" in name else "utf-8")
        commands = [
            Command("diag", [*DIAG, "analyze", "--format", "json", str(path)]),
            Command("cat", ["cat", str(path)]),
        ]
        if rg is not None:
            searched = [rg, "-a", "-c", *(["-z"] if path.suffix in (".gz", ".zst") else [])]
            limits = ["--regex-size-limit", "4G", "--dfa-size-limit", "4G"]
            commands.append(Command("anchors", [*searched, "-f", str(anchors), str(path)]))
            commands.append(Command("exact", [*searched, *limits, "-f", str(exact), str(path)]))
        _in_turn(commands, rounds)
        rows.append(_row(what, commands))
        path.unlink()
    return rows


def small_logs(folder: Path, n_files: int, rounds: int) -> list[str]:
    """Return the table of many small files: one process for all of them, and two."""
    many = folder / "many"
    n_bytes = write_small_files(many, n_files)
    files = sorted(str(path) for path in many.glob("*/*.log"))
    names = folder / "names"
    names.write_text("\0".join(files), encoding="utf-8")
    shell = f"xargs -0 -a {names}"
    diag = " ".join([*DIAG, "analyze --format json --fail-on never"])
    commands = [
        Command("diag", ["sh", "-c", f"{shell} -n {n_files} {diag}"]),
        Command("diag, two processes", ["sh", "-c", f"{shell} -n {n_files} {diag} --jobs 2"]),
        Command("cat", ["sh", "-c", f"{shell} cat"]),
    ]
    _in_turn(commands, rounds)
    rows = [f"| {n_files:,} files, {n_bytes / 1e6:.0f} MB | s | ms a file |", "|---|---|---|"]
    return rows + [f"| {one.name} | {one.median:.2f} | {one.median / n_files * 1000:.2f} |" for one in commands]


def starts(folder: Path, rounds: int) -> list[str]:
    """Return the table of start-up times against an empty Python program."""
    small, middle = folder / "small.log", folder / "middle.log"
    write_log("A", 50_000, small)
    write_log("A", 200_000, middle)
    base = Command("python -c pass", [sys.executable, "-c", "pass"])
    commands = [
        base,
        Command("diag --version", [*DIAG, "--version"]),
        Command("diag --help", [*DIAG, "--help"]),
        Command("diag analyze, 50 KB", [*DIAG, "analyze", "--format", "json", str(small)]),
        Command("diag analyze, 200 KB", [*DIAG, "analyze", "--format", "json", str(middle)]),
    ]
    _in_turn(commands[3:4], 1)  # the first run reads the catalogue from its sources and keeps it
    for command in commands:
        command.seconds.clear()
    _in_turn(commands, 3 * rounds)
    rows = ["| command | ms | against python -c pass |", "|---|---|---|"]
    return rows + [f"| {one.name} | {one.median * 1000:.0f} | {one.median / base.median:.1f} |" for one in commands]


def about() -> str:
    """Return date, machine and versions in one line."""
    rg = _ripgrep()
    version = (
        subprocess.run([rg, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        if rg
        else "none"
    )
    packages = ", ".join(f"{name} {metadata.version(name)}" for name in ("hyperscan", "click") if _installed(name))
    return (
        f"{dt.datetime.now(dt.UTC).date()}, {platform.system()} {platform.machine()}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, {packages}, ripgrep {version}"
    )


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def main(argv: Sequence[str] | None = None) -> None:
    """Run the measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="200MB", help="bytes of each large log (default 200MB)")
    parser.add_argument("--files", type=int, default=20_000, help="number of small logs; 0 leaves them out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--variants", default="".join(VARIANTS))
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        tables = [large_logs(folder, size_of(asked.size), asked.rounds, asked.variants), starts(folder, asked.rounds)]
        if asked.files:
            tables.insert(1, small_logs(folder, asked.files, asked.rounds))
    sys.stdout.write(f"{about()}; {asked.size} a log, processor seconds, medians of {asked.rounds} runs in turn.\n\n")
    sys.stdout.write("\n\n".join("\n".join(rows) for rows in tables) + "\n")


if __name__ == "__main__":
    main()
