"""diag signatures new: the skeleton of a signature from a log."""

import datetime as dt
import re
from collections.abc import Sequence
from pathlib import Path

import click

from diag.catalog.schema import AREAS
from diag.catalog.skeleton import Seen, skeleton
from diag.cli.options import catalog_of, signature_option
from diag.errors import InputError
from diag.model.catalog import Catalog
from diag.model.line import Line
from diag.model.signature import FAULTS
from diag.parse.prefix import split_prefix
from diag.pipeline import Analyzer, analyzer
from diag.read.repair import read_lines
from diag.read.source import open_source

BEFORE, AFTER = 1, 3  # lines of the example around the failing one
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@click.command(name="new")
@click.argument("name", metavar="ID")
@click.option("--area", required=True, type=click.Choice(AREAS), metavar="AREA", help="The folder it belongs to.")
@click.option("--log", "log", metavar="LOG", help="A log that shows the failure (or `-`).")
@click.option(
    "--line", "number", type=click.IntRange(1), help="The line that shows it (default: the first failing one)."
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("signatures"),
    show_default=True,
    help="Where the areas are.",
)
@signature_option
def command(name: str, area: str, log: str | None, number: int | None, folder: Path, folders: Sequence[str]) -> None:
    """Write FOLDER/AREA/ID.toml: the failing line of a log made into a condition, its lines into an example.

    What only a person can write is marked; the command lists it, and so does `diag signatures check`. The example holds
    lines of your log: look it through for paths and prompts before you share it.
    """
    if not _ID.fullmatch(name):
        raise InputError(
            f"{name[:80]!a} is no id: small letters, digits and single hyphens, such as draft-file-missing"
        )
    catalog = catalog_of(folders)
    known = catalog.resolve(name)
    if known is not None:
        raise InputError(f"{name} exists already, in area {known.area}: diag signatures show {known.id}")
    path = folder / area / f"{name}.toml"
    if path.exists():
        raise InputError(f"{path} exists already")
    if number is not None and log is None:
        raise InputError("--line names a line of a --log")
    seen = _seen(log, number, catalog) if log is not None else None
    text = skeleton(name, area, seen, dt.datetime.now(tz=dt.UTC).date())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    click.echo(f"Wrote {path}")
    if seen is not None and seen.others:
        click.echo(f"Known kinds hold in these lines too: {', '.join(seen.others)}. Is it one of them?")
    click.echo("Still to write: every text that begins with WRITE: (the check names them one by one).")
    click.echo(f"Check it: diag signatures check {path}")
    if log is not None:
        click.echo(f"Try it:   diag analyze --signatures {folder} {log}")


def _seen(log: str, number: int | None, catalog: Catalog) -> Seen:
    """Return the failing line of the log with its neighbours. Raises InputError when there is none."""
    with open_source(log) as source:
        lines, _, _, _ = read_lines(b"".join(source.blocks()).decode("utf-8", "replace"))
        ready = analyzer(catalog)
        wanted = number if number is not None else _first_failing(ready, lines, log)
    index = next((at for at, line in enumerate(lines) if line.number == wanted), None)
    if index is None:
        raise InputError(f"{log}: no line {wanted} with a message")
    stream = lines[index].stream
    own = [line for line in lines[max(0, index - BEFORE) : index + AFTER + 1] if line.stream == stream]
    example = [Line(at, 0, line.text.rstrip()) for at, line in enumerate(own, 1)]
    others = dict.fromkeys(
        found.signature for found in ready.findings(example) if catalog.signatures[found.signature].severity in FAULTS
    )
    prefixed = split_prefix(lines[index])
    return Seen(prefixed.message[: prefixed.body_at], tuple(line.text for line in example), tuple(others))


def _first_failing(ready: Analyzer, lines: Sequence[Line], log: str) -> int:
    """Return the number of the first failing line that nothing knows, else of the answer's first evidence."""
    from diag.model.line import InputFacts

    report = ready.analyze_lines(lines, InputFacts(log, 0, len(lines), "utf-8", (), ()))
    if report.unknown:
        return min(failure.line for failure in report.unknown)
    for diagnosis in report.diagnoses:
        trigger = next((item for item in diagnosis.evidence if item.role == "trigger"), None)
        if diagnosis.severity in FAULTS and trigger is not None:
            return trigger.line
    raise InputError(f"{log}: no failing line is in it; name one with --line")
