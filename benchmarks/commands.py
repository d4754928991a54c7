"""A command that is run again and again, and what its runs took."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_FINE = (0, 1, 3)  # exit codes: `diag` found something, ripgrep found nothing, the log is of another program


@dataclass
class Command:
    """A command with the processor seconds, the wall seconds and the memory of its runs.

    Processor seconds and memory are those of the process and of all it waits for; of several at a time the memory is that
    of the largest. Linux counts to a child's peak what its parent held as it began: whoever measures must stay small.
    """

    name: str
    argv: Sequence[str]
    cpu_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    peaks_mib: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Run it once; what it prints is thrown away. RuntimeError when it fails."""
        begin = time.perf_counter()
        with subprocess.Popen(
            self.argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment()
        ) as process:
            said = process.stderr.read() if process.stderr is not None else b""
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.wall_s.append(time.perf_counter() - begin)
        self.cpu_s.append(usage.ru_utime + usage.ru_stime)
        self.peaks_mib.append(usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024))
        if process.returncode not in _FINE:
            raise RuntimeError(f"{self.argv}: {said.decode(errors='replace')}")

    @property
    def cpu(self) -> float:
        """Median of the processor seconds."""
        return statistics.median(self.cpu_s)

    @property
    def wall(self) -> float:
        """Median of the wall seconds."""
        return statistics.median(self.wall_s)

    @property
    def peak_mib(self) -> float:
        """The largest of its peaks."""
        return max(self.peaks_mib)


def environment() -> dict[str, str]:
    """Return the environment of the commands: byte code is kept, as an installed package has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def python(*arguments: str) -> list[str]:
    """Return a command line of this interpreter."""
    return [sys.executable, *arguments]


def diag(*arguments: str) -> list[str]:
    """Return a command line of the program, as this interpreter has it."""
    return python("-m", "diag", *arguments)


def analyze(*arguments: str | Path) -> list[str]:
    """Return the command line that is measured: all stages, JSON out."""
    return diag("analyze", "--format", "json", *map(str, arguments))


def tool(name: str) -> str | None:
    """Return where a program is: beside the interpreter, as packages install it, or on the path."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


def times(mine: Command, other: Command) -> float:
    """Return how many times the processor seconds of another command one takes; a clock's step at least."""
    return mine.cpu / max(other.cpu, 0.001)


def in_turn(commands: Sequence[Command], rounds: int) -> None:
    """Run all of them, round after round, so that a busy moment of the machine hits each of them."""
    for _ in range(rounds):
        for command in commands:
            command.run()
