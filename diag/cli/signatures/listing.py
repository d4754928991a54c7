"""diag signatures list: ids and titles."""

import json
from collections.abc import Sequence

import click

from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.errors import InputError
from diag.lookup.signatures import chosen
from diag.model.signature import SEVERITIES
from diag.render.signatures import render_signatures


@click.command(name="list")
@click.argument("text", metavar="[WORD]", required=False, default="")
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only this area (repeatable).")
@click.option("--severity", "severities", multiple=True, type=click.Choice(SEVERITIES), help="Only this one.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(
    text: str,
    areas: Sequence[str],
    severities: Sequence[str],
    form: str,
    folders: Sequence[str],
    color: str,
    width: int | None,
) -> None:
    """List the failure kinds: id, severity and title, by area; with a WORD those whose id, title or alias holds it.

    \b
    diag signatures list --severity fatal
    diag signatures list "out of memory"
    """
    catalog = catalog_of(folders)
    known = dict.fromkeys(found.area for found in catalog.signatures.values())
    for area in areas:
        if area not in known:
            raise InputError(f"--area {area[:40]!a}: one of {', '.join(known)}")
    found = chosen(catalog, areas=areas, severities=severities, text=text)
    if text and not found:
        raise InputError(f"no failure kind holds {text[:80]!a}")
    if form == "json":
        rows = [{"id": one.id, "area": one.area, "severity": one.severity, "title": one.title} for one in found]
        click.echo(json.dumps(rows, indent=2))
        return
    click.echo(render_signatures(found, width=columns(width), color=wants_color(color)), color=True)
