"""diag upstream refresh: states and dates of the registry from the GitHub API."""

import datetime as dt
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from diag.catalog.edit import edit_file, edited, items_of
from diag.catalog.locate import overlay_place, shipped
from diag.catalog.overlay import read_overlay, write_overlay
from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.errors import CatalogError, InputError
from diag.lookup.upstream import find_items, looks_like_ref
from diag.model.catalog import Catalog, UpstreamItem
from diag.model.refresh import Outcome, Sighting, Stop
from diag.refresh.api import PUBLIC, Api
from diag.refresh.refresh import Refresh
from diag.render.refresh import refresh_dict, render_refresh

_MOVING = ("open", "draft", "unknown")
_OF_CHECKOUT = "the checkout's"  # stands for --write without a file


@click.command(name="refresh", short_help="Update states and dates through the GitHub API.")
@click.argument("refs", nargs=-1, metavar="[REF]...")
@click.option("--all", "everything", is_flag=True, help="Every item, also merged and closed ones.")
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(0, 36500),
    default=14,
    show_default=True,
    metavar="DAYS",
    help="Leave out what was checked within this many days (not with REF or --all).",
)
@click.option(
    "--write",
    "target",
    is_flag=False,
    flag_value=_OF_CHECKOUT,
    metavar="[FILE]",
    help="Edit upstream.toml in place (default: the checkout's).",
)
@click.option("--dry-run", is_flag=True, help="Ask, say what would change, write nothing.")
@click.option("--wait", is_flag=True, help="Wait where the rate limit is used up, up to two hours at a time.")
@click.option("--api", "base", envvar="GITHUB_API_URL", default=PUBLIC, show_default=True, help="The API's address.")
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(0.1, 600), default=20.0, show_default=True, help="Seconds."
)
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(
    refs: Sequence[str],
    everything: bool,
    days: int,
    target: str | None,
    dry_run: bool,
    wait: bool,
    base: str,
    timeout_s: float,
    form: str,
    folders: Sequence[str],
    color: str,
    width: int | None,
) -> None:
    """Ask the GitHub API for the state of pull requests, issues and releases of the registry.

    Without REF: those that were open, draft or never seen, and not checked lately; the oldest check goes first, so a
    run that the rate limit ends goes on where it stopped. The result is kept in the user's data folder and laid over
    the shipped registry; --write edits the repository's file as well. GITHUB_TOKEN (or GH_TOKEN) raises the limit.

    Exit codes: 0 done, 1 some items were not updated, 2 usage, or nothing was answered.

    \b
    diag upstream refresh
    diag upstream refresh 25144 b9871 z-lab/llama.cpp-fork#5
    diag upstream refresh --all --write signatures/upstream.toml --wait
    """
    if target is not None and not target.endswith(".toml") and looks_like_ref(target):
        refs, target = (target, *refs), _OF_CHECKOUT  # `--write 25144`: the word behind the option is no file
    path = _file(target) if target is not None else None
    overlay = _overlay()
    if overlay is None and path is None and not dry_run:
        raise InputError("there is no home folder to keep the result in; set XDG_DATA_HOME, or use --write FILE")
    catalog = catalog_of(folders)
    if path is not None:
        catalog = replace(catalog, upstream=_items(path))
    today = dt.datetime.now(dt.UTC).date()
    items = chosen(catalog, refs, everything=everything, before=today - dt.timedelta(days=days))
    seen = read_overlay(overlay)[0] if overlay is not None else {}
    try:
        api = Api(base, _token(), wait=wait, timeout_s=timeout_s, on_wait=_tell)
    except ValueError as error:
        raise InputError(f"--api: {error}") from error
    outcomes, run = _asked(api, items, seen, today)
    new = {item.item.ref: item.seen for item in outcomes if item.seen is not None}
    written = None if dry_run else _written(path, overlay, {**seen, **new}, new)
    if dry_run and path is not None:
        edited(path.read_text(encoding="utf-8"), new)  # raises where the edit would be refused
    n_left = len(items) - len(outcomes)
    if form == "json":
        document = refresh_dict(outcomes, run.stop, n_left=n_left, n_requests=api.n_requests, written=written)
        click.echo(json.dumps(document, indent=2))
    else:
        where = "nothing written (--dry-run)" if dry_run else f"written to {written}" if written else "nothing to write"
        click.echo(
            render_refresh(
                outcomes,
                run.stop,
                n_left=n_left,
                n_requests=api.n_requests,
                where=where,
                every=bool(refs),
                width=columns(width),
                color=wants_color(color),
            ),
            color=True,
        )
    sys.exit(exit_code(outcomes, stopped=run.stop is not None, n_items=len(items)))


def chosen(catalog: Catalog, refs: Sequence[str], *, everything: bool, before: dt.date) -> list[UpstreamItem]:
    """Return what to ask, the oldest check first; named items in the order they were named.

    Raises InputError for a ref that the registry does not hold.
    """
    if refs:
        named = [item for ref in refs for item in find_items(catalog, ref)]
        return list({item.ref: item for item in named}.values())
    items = [
        item for item in catalog.upstream.values() if everything or (item.state in _MOVING and item.checked < before)
    ]
    return sorted(items, key=lambda item: item.checked)


def exit_code(outcomes: Sequence[Outcome], *, stopped: bool, n_items: int) -> int:
    """Return 2 when there was something to ask and nothing answered, 1 when an item was not updated, else 0."""
    if n_items and not any(item.reached for item in outcomes) and (outcomes or stopped):
        return 2
    return 1 if stopped or any(item.seen is None for item in outcomes) else 0


def _asked(
    api: Api, items: Sequence[UpstreamItem], known: Mapping[str, Sighting], today: dt.date
) -> tuple[list[Outcome], Refresh]:
    """Return the outcomes and the run; what was asked before Ctrl-C is kept."""
    run = Refresh(api, known, today)
    outcomes: list[Outcome] = []
    shows = sys.stderr.isatty()
    try:
        for outcome in run.run(items):
            outcomes.append(outcome)
            if shows:
                click.echo(f"\r\x1b[K{len(outcomes)}/{len(items)} {outcome.item.ref}", nl=False, err=True)
    except KeyboardInterrupt:
        run.stop = Stop("interrupted")
    if shows and outcomes:
        click.echo("\r\x1b[K", nl=False, err=True)
    return outcomes, run


def _written(
    path: Path | None, overlay: Path | None, kept: Mapping[str, Sighting], new: Mapping[str, Sighting]
) -> str | None:
    """Write the file, then the user's own; return where the result is, None when nothing was seen."""
    if not new:
        return None
    try:
        if path is not None:
            edit_file(path, new)
        if overlay is not None:  # with --write too: its ETags make the next run cheap
            write_overlay(overlay, kept)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}; the result was not kept") from error
    return str(path if path is not None else overlay)


def _file(target: str) -> Path:
    if target != _OF_CHECKOUT:
        path = Path(target)
    else:
        folder = shipped("signatures")
        if folder.name != "signatures":
            raise InputError("--write: this is an installed package, no checkout; name the file to edit")
        path = folder / "upstream.toml"
    if not path.is_file():
        raise InputError(f"--write {path}: no such file")
    return path


def _items(path: Path) -> dict[str, UpstreamItem]:
    try:
        return items_of(path.read_text(encoding="utf-8"))
    except (CatalogError, UnicodeDecodeError) as error:
        raise InputError(f"--write {path}: {error}") from error


def _overlay() -> Path | None:
    place = overlay_place()
    return Path(place) if place is not None else None


def _token() -> str:
    return (os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN") or "").strip()


def _tell(text: str) -> None:
    click.echo(f"diag: {text}", err=True)
