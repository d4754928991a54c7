"""diag signatures: the catalogue seen and checked."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from diag.catalog.check import check as check_catalog
from diag.catalog.load import load_catalog, load_flags
from diag.catalog.locate import shipped
from diag.examples import check_examples
from diag.pipeline import analyzer


@click.group(name="signatures")
def command() -> None:
    """Check, list and show the failure signatures."""


@command.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def check(files: Sequence[Path]) -> None:
    """Run every gate over the catalogue, or over the signatures of FILES."""
    catalog = load_catalog([shipped("signatures")])
    only = [path.stem for path in files] or None
    faults = [*check_catalog(catalog, load_flags(shipped("signatures")), only), *check_examples(analyzer(catalog), only)]
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(only or catalog.signatures)} signatures, {len(faults)} faults")
    sys.exit(1 if faults else 0)
