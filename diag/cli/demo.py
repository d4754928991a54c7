"""diag demo: a shipped sample, analysed."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import click

from diag.catalog.locate import shipped
from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.errors import InputError

SAMPLE = "mtp-one-axis-image-fails-b11434"


@click.command(name="demo", short_help="Diagnose a log that ships with the tool.")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--list", "listing", is_flag=True, help="List the samples, one line each.")
@signature_option
@look_options
def command(name: str | None, listing: bool, folders: Sequence[str], color: str, width: int | None) -> None:
    """Diagnose the sample NAME (default: an image that an MTP drafter refuses) as `diag analyze` would.

    The samples are whole logs of real llama-server processes. A demo exits with 0, whatever the log holds.
    """
    if listing:
        from diag.render.samples import render_list

        click.echo(render_list(samples(), width=columns(width), color=wants_color(color)), color=True)
        return
    path = shipped("samples") / _known(name or SAMPLE) / "log.txt"
    from diag.pipeline import analyzer
    from diag.render import renderer

    report = analyzer(catalog_of(folders)).analyze(str(path))
    text = renderer("text")(report, width=columns(width), color=wants_color(color))
    click.echo(f"$ diag analyze {_shown(path)}\n")
    click.echo(text, color=True)


def samples() -> dict[str, str]:
    """Return what is true of each sample, by its name."""
    return {
        path.parent.name: str(tomllib.loads(path.read_text(encoding="utf-8")).get("truth", ""))
        for path in sorted(shipped("samples").glob("*/expected.toml"))
    }


def _known(name: str) -> str:
    known = samples()
    if name in known:
        return name
    import difflib

    near = difflib.get_close_matches(name, known, 1, 0.5) or [found for found in known if found.startswith(name)][:1]
    hint = f"; did you mean {near[0]}?" if near else ""
    raise InputError(f"no sample {name!a}{hint} (`diag demo --list` names them)")


def _shown(path: Path) -> str:
    """Return the path as a person would type it: from the current folder where it lies below it."""
    here = Path.cwd()
    text = str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
    if sys.platform != "win32":
        import shlex

        return shlex.quote(text)
    return f'"{text}"' if " " in text else text
