"""diag signatures check: every gate, over the catalogue or over some files."""

import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from diag.catalog.check import check as check_catalog
from diag.catalog.dates import check_dates, stale_threads
from diag.catalog.load import load_catalog, load_flags
from diag.catalog.locate import shipped
from diag.catalog.skeleton import unwritten
from diag.cli.options import signature_option
from diag.errors import InputError
from diag.examples import check_examples, unseen_conditions
from diag.model.catalog import Catalog
from diag.pipeline import Analyzer, analyzer
from diag.render.plain import STALE_DAYS


@click.command(name="check")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--list", "listed", is_flag=True, help="Name the stale threads and the texts that no example holds.")
@signature_option
def command(files: Sequence[Path], listed: bool, folders: Sequence[str]) -> None:
    """Run every gate over the catalogue, or over the signatures of FILES (signatures/<area>/<id>.toml, anywhere).

    Exit codes: 0 no fault, 1 faults, 2 a file that is no signature at all.
    """
    base = shipped("signatures")
    for folder in folders:
        if not Path(folder).is_dir():
            raise InputError(f"--signatures {folder}: no such folder")
    beside = [path.resolve().parent.parent for path in files]
    extra = [Path(folder).resolve() for folder in folders] + beside
    catalog = load_catalog([base, *(folder for folder in dict.fromkeys(extra) if folder != base.resolve())])
    only = [path.stem for path in files] or None
    for path in files:
        if path.suffix != ".toml" or path.stem not in catalog.signatures:
            raise InputError(f"{path} is no signature; it belongs at signatures/<area>/<id>.toml")
    flags = load_flags(base)
    ready = analyzer(catalog)
    faults = [*check_catalog(catalog, flags, only), *check_examples(ready, only)]
    if only is None:
        faults += check_dates(catalog, flags.snapshots)
    for name in only or catalog.signatures:
        signature = catalog.signatures[name]
        faults.extend(f"{signature.area}/{name}.toml: {part} - still to be written" for part in unwritten(signature))
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(only or catalog.signatures)} signatures, {len(faults)} faults")
    if only is None:
        _notes(catalog, ready, listed=listed)
    sys.exit(1 if faults else 0)


def _notes(catalog: Catalog, ready: Analyzer, *, listed: bool) -> None:
    """Print what is no fault but gets worse unseen: old sightings of open threads, texts without an example."""
    stale = stale_threads(catalog, dt.datetime.now(dt.UTC).date(), STALE_DAYS)
    unseen = unseen_conditions(catalog, ready)
    texts = sum(c.text is not None for found in catalog.signatures.values() for c in found.conditions.values())
    click.echo(f"{len(stale)} open threads were last seen more than {STALE_DAYS} days ago (`diag upstream refresh`)")
    for item in stale if listed else ():
        click.echo(f"  {item.seen}  {item.ref}")
    click.echo(f"{texts - len(unseen)} of {texts} texts stand in an example")
    for name in unseen if listed else ():
        click.echo(f"  {name}")
