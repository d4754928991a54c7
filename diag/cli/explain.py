"""diag explain: a failure kind in full."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.lookup.signatures import find_signature


@click.command(name="explain", short_help="Explain a failure kind in full.")
@click.argument("name", metavar="ID")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(name: str, form: str, folders: Sequence[Path], color: str, width: int | None) -> None:
    """Tell all that is known of the failure kind ID: cause, lines that show it, fixes, upstream, look-alikes.

    `diag signatures list` names the kinds; a report prints the id under its title.
    """
    from diag.parse.wordings import WORDINGS
    from diag.render.signature import render_signature, signature_dict

    catalog = catalog_of(folders)
    signature = find_signature(catalog, name)
    anchors: dict[str, list[str]] = {}
    for wording in WORDINGS:
        known = anchors.setdefault(wording.event.__name__, [])
        if wording.anchor not in known:
            known.append(wording.anchor)
    titles = {
        other: catalog.signatures[other].title
        for other in (*signature.not_to_confuse_with, *signature.consequences)
        if other in catalog.signatures
    }
    if form == "json":
        document = signature_dict(signature, titles=titles, upstream=catalog.upstream, anchors=anchors)
        click.echo(json.dumps(document, indent=2))
        return
    click.echo(
        render_signature(
            signature,
            titles=titles,
            upstream=catalog.upstream,
            anchors=anchors,
            width=columns(width),
            color=wants_color(color),
        ),
        color=True,
    )
