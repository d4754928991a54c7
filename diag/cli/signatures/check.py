"""diag signatures check: every gate, over the catalogue or over some files."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from diag.catalog.check import check as check_catalog
from diag.catalog.dates import check_dates
from diag.catalog.load import load_catalog, load_flags
from diag.catalog.locate import shipped
from diag.catalog.skeleton import unwritten
from diag.cli.options import signature_option
from diag.errors import InputError
from diag.examples import check_examples
from diag.pipeline import analyzer


@click.command(name="check")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@signature_option
def command(files: Sequence[Path], folders: Sequence[Path]) -> None:
    """Run every gate over the catalogue, or over the signatures of FILES (signatures/<area>/<id>.toml, anywhere).

    Exit codes: 0 no fault, 1 faults, 2 a file that is no signature at all.
    """
    base = shipped("signatures")
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"--signatures {folder}: no such folder")
    beside = [path.resolve().parent.parent for path in files]
    extra = [folder.resolve() for folder in folders] + beside
    catalog = load_catalog([base, *(folder for folder in dict.fromkeys(extra) if folder != base.resolve())])
    only = [path.stem for path in files] or None
    for path in files:
        if path.suffix != ".toml" or path.stem not in catalog.signatures:
            raise InputError(f"{path} is no signature; it belongs at signatures/<area>/<id>.toml")
    flags = load_flags(base)
    faults = [*check_catalog(catalog, flags, only), *check_examples(analyzer(catalog), only)]
    if only is None:
        faults += check_dates(catalog, flags.snapshots)
    for name in only or catalog.signatures:
        signature = catalog.signatures[name]
        faults.extend(f"{signature.area}/{name}.toml: {part} - still to be written" for part in unwritten(signature))
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(only or catalog.signatures)} signatures, {len(faults)} faults")
    sys.exit(1 if faults else 0)
