"""Options that several commands share."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from diag.catalog.compiled import open_catalog
from diag.catalog.locate import overlay_place, shipped_place
from diag.errors import InputError
from diag.model.catalog import Catalog

Command = TypeVar("Command", bound=Callable[..., Any])


class Build(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A build number: b9871 or 9871."""

    name = "bNNNN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).lower().removeprefix("b")
        if not text.isdigit() or not 0 < int(text) < 1_000_000:
            self.fail(f"{value!r} is no build number; write b9871 or 9871", param, ctx)
        return int(text)


def signature_option(command: Command) -> Command:
    """Add --signatures, which may repeat; DIAG_SIGNATURES names folders too."""
    return click.option(
        "--signatures",
        "folders",
        multiple=True,
        metavar="DIR",
        help="Also read the signatures of DIR (repeatable; or DIAG_SIGNATURES).",
        envvar="DIAG_SIGNATURES",
        type=click.Path(),
    )(command)


def look_options(command: Command) -> Command:
    """Add --color and --width."""
    command = click.option(
        "--color", type=click.Choice(("auto", "always", "never")), default="auto", help="Colours; wins over NO_COLOR."
    )(command)
    return click.option("--width", type=click.IntRange(40, 400), help="Columns (default: the terminal's, else 80).")(
        command
    )


def catalog_of(folders: Sequence[str]) -> Catalog:
    """Return the shipped catalogue with the folders and the user's refreshed states on top.

    Raises InputError for a folder that is none. What of the user's states cannot be used is said on standard error.
    """
    for folder in folders:
        if not os.path.isdir(folder):
            raise InputError(f"--signatures {folder}: no such folder")
    catalog = open_catalog([shipped_place("signatures"), *folders], overlay=overlay_place())
    for note in catalog.notes:
        click.echo(f"diag: note: {note}", err=True)
    return catalog


def wants_color(choice: str) -> bool:
    """Return whether to colour: the option, then NO_COLOR and FORCE_COLOR (empty = not set), then the terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _is_terminal() and os.environ.get("TERM") != "dumb"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # None: started with standard output closed


def columns(width: int | None) -> int:
    """Return the width to write for: the option, else the terminal's up to 120, else 80."""
    if width is not None:
        return width
    if not _is_terminal():
        return 80
    return max(40, min(os.get_terminal_size(sys.stdout.fileno()).columns, 120))
