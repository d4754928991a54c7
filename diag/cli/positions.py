"""diag positions: target and draft numbering of a described prompt, side by side."""

import json

import click

from diag.cli.options import Build, catalog_of
from diag.positions.drafters import FAMILIES, NAMES, choose, fitting_target
from diag.positions.play import Remedy
from diag.positions.prompt import Target
from diag.render.positions import as_dict, describe

PROMPT = "text:3 image:4 text:3"


@click.command(name="positions", short_help="Play KV positions of a described prompt.")
@click.option("--prompt", default=PROMPT, show_default=True, help="text:N, image:N or image:WxH, in order.")
@click.option(
    "--target",
    type=click.Choice([item.value for item in Target]),
    help="How the target numbers an image (default: as targets of the family do; mrope where both occur).",
)
@click.option(
    "--family",
    metavar="NAME",
    help=f"One drafter or family: {', '.join(dict.fromkeys((*NAMES, *FAMILIES)))}. All without it.",
)
@click.option("--remedy", type=click.Choice([item.value for item in Remedy]), help="One remedy. All without it.")
@click.option("--build", type=Build(), help="Number drafters as this build does (else as b11434).")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def command(
    prompt: str, target: str | None, family: str | None, remedy: str | None, build: int | None, form: str
) -> None:
    """Show which batches of a prompt a drafter's cache takes or refuses, and what each proposed remedy changes.

    X is the last position in the draft cache, Y the first of the batch it is given. Nothing is measured here: it is
    the arithmetic that real servers were recorded to follow.

    \b
    verbatim  the drafter copies the target's positions: what builds do today
    relaxed   the position check lets a jump through; the cache keeps a hole
    dropped   no drafts from the refused batch on
    local     the draft cache counts its own rows (pull request 25144)

    None of the remedies is a switch of llama-server. What can be done today is to start without the drafter.

    \b
    diag positions
    diag positions --family dflash --build b9871
    diag positions --prompt "text:20 image:7x7 text:5" --family eagle3 --remedy verbatim
    """
    chosen = Remedy(remedy) if remedy is not None else None
    scheme = Target(target) if target is not None else fitting_target(choose(family))
    upstream = catalog_of(()).upstream
    if form == "json":
        click.echo(json.dumps(as_dict(prompt, scheme, family, chosen, build, upstream=upstream), indent=2))
        return
    click.echo(describe(prompt, scheme, family, chosen, build, upstream=upstream), nl=False)
