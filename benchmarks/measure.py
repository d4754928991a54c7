"""What is measured: each function returns a table as Markdown rows."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks import bars
from benchmarks.commands import Command, analyze, diag, in_turn, python, times, tool
from benchmarks.generate import write_log, write_small_files
from benchmarks.hostile import SHAPES, lasting, write
from benchmarks.patterns import write_patterns

JOBS = "2"
_PACKED = {"gzip": ("gz", "gzip"), "zstd": ("zst", "zstd")}  # packing -> suffix, program that unpacks it


def warm_up(folder: Path) -> None:
    """Run `diag` once on a short log and once on a large one: the first runs read the catalogue and keep what they make."""
    for n_bytes in (50_000, 2_000_000):
        path = folder / "first.log"
        write_log("A", n_bytes, path)
        Command("diag", analyze(path)).run()
        path.unlink()


def large_logs(
    folder: Path, size: int, rounds: int, variants: Sequence[str], yardsticks: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return `diag` and cat on large logs of each variant, A in UTF-16 as well; and `diag` beside ripgrep on the same."""
    rg, files = tool("rg"), write_patterns(folder, yardsticks)
    taken = table(["log", "diag s", "wall s", "peak MiB", f"≤ {bars.PEAK_MIB}", "cat s", "ratio"])
    beside = table(["log", "bar", "diag s", *(cell for name in files for cell in (f"rg, {name} s", "ratio"))])
    logs = [(variant, variant, "utf-8") for variant in variants]
    logs += [("A in UTF-16", "A", "utf-16")] if "A" in variants else []
    for what, variant, encoding in logs:
        path = folder / "server.log"
        write_log(variant, size, path, encoding=encoding)
        mine, cat = Command("diag", analyze(path)), Command("cat", ["cat", str(path)])
        others = [
            Command(name, [rg, "-a", "-c", *options, "-f", str(file), str(path)])
            for name, (file, options) in files.items()
            if rg and (encoding == "utf-8" or name == "literals")  # ripgrep takes minutes for patterns in UTF-16
        ]
        in_turn([mine, cat, *others], rounds)
        path.unlink()
        taken.append(row([what, *_taken(mine), seconds(cat), ratio(mine, cat)]))
        bar = bars.RIPGREP[variant]
        cells = [cell for other in others for cell in (seconds(other), bars.marked(times(mine, other), bar))]
        cells = [what, f"≤ {bar:g}", seconds(mine), *cells]
        beside.append(row([*cells, *[""] * (3 + 2 * len(files) - len(cells))]))
    return taken, beside if rg else []


def packed_logs(folder: Path, size: int, rounds: int) -> list[str]:
    """Return `diag` on packed logs of variant A beside the program that only unpacks them, and ripgrep."""
    rg, (literals, _) = tool("rg"), write_patterns(folder, ["literals"])["literals"]
    rows = table(
        [
            "A, packed by",
            "diag s",
            "wall s",
            "peak MiB",
            f"≤ {bars.PEAK_MIB}",
            "unpacking s",
            "ratio",
            "rg -z s",
            "ratio",
        ]
    )
    for what, (suffix, program) in _PACKED.items():
        path = folder / f"server.log.{suffix}"
        write_log("A", size, path)
        commands = [Command("diag", analyze(path))]
        unpacker = tool(program)
        if unpacker:
            commands.append(Command(program, [unpacker, "-dc", str(path)]))
            if rg:
                commands.append(Command("rg", [rg, "-a", "-c", "-z", "-f", str(literals), str(path)]))
        in_turn(commands, rounds)
        path.unlink()
        cells = [what, *_taken(commands[0])]
        for other in commands[1:]:
            cells += [seconds(other), ratio(commands[0], other)]
        rows.append(row([*cells, *[""] * (9 - len(cells))]))
    return rows


def jobs(folder: Path, size: int, rounds: int) -> list[str]:
    """Return one process beside two for one large log: here the time that passes counts."""
    rows = table(["one log", "processes", "s", "wall s", "peak MiB of the largest", "wall, of one process"])
    for variant in "AB":
        path = folder / "server.log"
        write_log(variant, size, path)
        commands = [Command("1", analyze(path)), Command(JOBS, analyze("--jobs", JOBS, path))]
        in_turn(commands, rounds)
        path.unlink()
        rows += [
            row(
                [
                    variant,
                    one.name,
                    seconds(one),
                    f"{one.wall:.2f}",
                    f"{one.peak_mib:.0f}",
                    f"{one.wall / commands[0].wall:.2f}",
                ]
            )
            for one in commands
        ]
    return rows


def small_logs(folder: Path, n_files: int, rounds: int) -> list[str]:
    """Return many small files: one process for all of them, two, and `find | xargs cat`."""
    many = folder / "many"
    n_bytes = write_small_files(many, n_files)
    asked = " ".join(analyze("--fail-on", "never"))
    listed = f"find {many} -name '*.log' -print0 | xargs -0"
    cat = Command("`find \\| xargs cat`", ["sh", "-c", f"{listed} cat"])
    commands = [
        Command("diag", ["sh", "-c", f"{listed} -n {n_files} {asked}"]),
        Command(f"diag --jobs {JOBS}", ["sh", "-c", f"{listed} -n {n_files} {asked} --jobs {JOBS}"]),
        cat,
    ]
    in_turn(commands, rounds)
    rows = table([f"{n_files:,} files, {n_bytes / 1e6:.0f} MB", "s", "wall s", "ms a file", "ratio", "bar"])
    for one in commands:
        bar = bars.judged(times(one, cat), bars.SMALL_FILES if one is not cat else None)
        rows.append(
            row([one.name, seconds(one), f"{one.wall:.2f}", f"{one.cpu / n_files * 1000:.2f}", ratio(one, cat), bar])
        )
    return rows


def starts(folder: Path, rounds: int) -> list[str]:
    """Return start-up times beside an empty Python program."""
    small, middle = folder / "small.log", folder / "middle.log"
    write_log("A", 50_000, small)
    write_log("A", 200_000, middle)
    base = Command("python -c pass", python("-c", "pass"))
    commands = [
        base,
        Command("diag --version", diag("--version")),
        Command("diag --help", diag("--help")),
        Command("diag analyze, 50 KB", analyze(small)),
        Command("diag analyze, 200 KB", analyze(middle)),
    ]
    in_turn(commands, 3 * rounds)
    rows = table(["command", "ms", "wall ms", "of python -c pass", "bar"])
    for one in commands:
        bar = bars.judged(times(one, base), bars.STARTS.get(one.name))
        rows.append(row([one.name, f"{one.cpu * 1000:.0f}", f"{one.wall * 1000:.0f}", f"{times(one, base):.1f}", bar]))
    return rows


def hostile(folder: Path, scale: float, rounds: int) -> list[str]:
    """Return `diag` on logs of hostile shapes; scale shrinks them."""
    rows = table(["shape", "MB", "diag s", "wall s", "peak MiB", f"≤ {bars.PEAK_MIB}", "cat s"])
    for name, blocks in SHAPES.items():
        path = write(blocks(scale), folder / "server.log")
        mine, cat = Command("diag", analyze(path)), Command("cat", ["cat", str(path)])
        in_turn([mine, cat], rounds)
        rows.append(row([name, f"{path.stat().st_size / 1e6:.0f}", *_taken(mine), seconds(cat)]))
        path.unlink()
    return rows


def memory(folder: Path, megabytes: Sequence[int]) -> list[str]:
    """Return the peak of `diag` on logs of one server, whose sizes are far apart."""
    rows = table(["one server", "MB", "diag s", "wall s", "peak MiB", f"≤ {bars.PEAK_MIB}"])
    for variant in "AB":
        for n_megabytes in megabytes:
            path = write(lasting(variant, n_megabytes), folder / "server.log")
            mine = Command("diag", analyze(path))
            mine.run()
            rows.append(row([variant, f"{n_megabytes:,}", *_taken(mine)]))
            path.unlink()
    return rows


def table(head: Sequence[str]) -> list[str]:
    """Return the first two rows of a table."""
    return [row(head), "|" + "---|" * len(head)]


def row(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def seconds(command: Command) -> str:
    """Return the processor seconds of a command."""
    return f"{command.cpu:.2f}"


def ratio(mine: Command, other: Command) -> str:
    """Return how many times the processor seconds of another command one takes."""
    return f"{times(mine, other):.2f}"


def _taken(command: Command) -> list[str]:
    return [
        seconds(command),
        f"{command.wall:.2f}",
        f"{command.peak_mib:.0f}",
        bars.judged(command.peak_mib, bars.PEAK_MIB).partition(": ")[2],
    ]
