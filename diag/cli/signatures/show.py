"""diag signatures show: one signature's file."""

from collections.abc import Sequence
from pathlib import Path

import click

from diag.catalog.locate import shipped_place
from diag.cli.options import catalog_of, signature_option
from diag.lookup.signatures import find_signature


@click.command(name="show")
@click.argument("name", metavar="ID")
@signature_option
def command(name: str, folders: Sequence[str]) -> None:
    """Print the path of the signature ID as a comment, then its text."""
    signature = find_signature(catalog_of(folders), name)
    places = [shipped_place("signatures"), *folders]
    for folder in reversed(places):  # a later folder's signature replaces an earlier one
        path = Path(folder, signature.area, f"{signature.id}.toml")
        if path.is_file():
            click.echo(f"# {path}")
            click.echo(path.read_text(encoding="utf-8"), nl=False)
            return
