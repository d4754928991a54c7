"""diag positions: target and draft numbering of a described prompt, side by side."""

import json

import click

from diag.cli.analyze import Build
from diag.positions.drafters import FAMILIES, NAMES
from diag.positions.play import Remedy
from diag.positions.prompt import Target
from diag.positions.table import as_dict, describe

PROMPT = "text:3 image:4 text:3"


@click.command(name="positions", short_help="Play KV positions of a described prompt.")
@click.option("--prompt", default=PROMPT, show_default=True, help="text:N, image:N or image:WxH, in order.")
@click.option(
    "--target", type=click.Choice([item.value for item in Target]), default=Target.MROPE.value, show_default=True
)
@click.option(
    "--family",
    metavar="NAME",
    help=f"One drafter or family: {', '.join(dict.fromkeys((*NAMES, *FAMILIES)))}. All without it.",
)
@click.option("--remedy", type=click.Choice([item.value for item in Remedy]), help="One remedy. All without it.")
@click.option("--build", type=Build(), help="Number drafters as this build does (else as b11434).")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(prompt: str, target: str, family: str | None, remedy: str | None, build: int | None, form: str) -> None:
    """Show which batches of a prompt a drafter's cache takes or refuses, and what each proposed remedy changes.

    X is the last position in the draft cache, Y the first of the batch it is given. Nothing is measured here: it is
    the arithmetic that real servers were recorded to follow.

    \b
    diag positions
    diag positions --family dflash --build b9871
    diag positions --prompt "text:20 image:7x7 text:5" --family eagle3 --remedy verbatim
    """
    chosen = Remedy(remedy) if remedy is not None else None
    if form == "json":
        click.echo(json.dumps(as_dict(prompt, Target(target), family, chosen, build), indent=2))
        return
    click.echo(describe(prompt, Target(target), family, chosen, build), nl=False)
