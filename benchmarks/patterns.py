"""What ripgrep looks for beside `diag`: files of the tool's own anchors and patterns."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.commands import diag, python

FAULTS = ("fatal", "error", "degraded")
YARDSTICKS = ("literals", "patterns", "failures", "exact")

_LOOK_AROUND = re.compile(r"\(\?<?[!=]")


def write_patterns(folder: Path, names: Sequence[str] = YARDSTICKS) -> dict[str, tuple[Path, list[str]]]:
    """Return name of a yardstick -> its file of patterns, written to the folder, and the options that ripgrep needs.

    literals and patterns: what `diag signatures anchors --format rg` prints, without and with `--patterns`. failures: the
    patterns that faults need, without what every request prints. exact: all that `diag` tries, without look-around and in
    Unicode, which ripgrep takes only with its limits raised.
    """
    printed = diag("signatures", "anchors", "--format", "rg")
    faults = [word for severity in FAULTS for word in ("--severity", severity)]
    sources = {
        "literals": printed,
        "patterns": [*printed, "--patterns"],
        "failures": [*printed, "--patterns", *faults],
        "exact": python("-m", "benchmarks.patterns"),  # another process: the catalogue would make this one large
    }
    limits = ["--regex-size-limit", "4G", "--dfa-size-limit", "4G"]
    found = {}
    for name in names:
        path = folder / f"{name}.txt"
        path.write_bytes(subprocess.run(sources[name], capture_output=True, check=True).stdout)
        found[name] = (path, limits if name == "exact" else [])
    return found


def exact_patterns() -> list[str]:
    """Return the patterns of all wordings and text conditions in ripgrep's language.

    Named groups are groups of no name, look-around is left out, and so are the few that use what a group matched.
    """
    from diag.cli.options import catalog_of
    from diag.pipeline import analyzer

    table = analyzer(catalog_of(())).table
    rows = [row.pattern for rows in table.wordings for row in rows] + [
        row.pattern for rows in table.texts for row in rows
    ]
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


if __name__ == "__main__":
    sys.stdout.write("\n".join(exact_patterns()) + "\n")
