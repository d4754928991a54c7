"""diag diff: what changed between a good and a bad run."""

import json
from collections.abc import Sequence

import click

from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.compare.difference import compare
from diag.errors import InputError
from diag.lookup.upstream import landed_between
from diag.pipeline import analyzer
from diag.render.comparison import comparison_dict, render_comparison


@click.command(name="diff", short_help="What changed between a good and a bad run.")
@click.argument("good")
@click.argument("bad")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(good: str, bad: str, form: str, folders: Sequence[str], color: str, width: int | None) -> None:
    """Show what the logs of a GOOD and a BAD run show to differ, most important first.

    Of a log with several starts the last one counts. One of the two may be `-`. Exit codes: 0 compared, 2 a log could
    not be read, 3 one is no llama.cpp log.
    """
    if good == bad == "-":
        raise InputError("only one of the two logs can come from standard input")
    catalog = catalog_of(folders)
    ready = analyzer(catalog)
    reports = [ready.analyze(name) for name in (good, bad)]
    for name, report in zip((good, bad), reports, strict=True):
        if not report.is_llama_log or not report.sessions:
            click.echo(f"diag: {name}: this is no llama.cpp log; there is nothing to compare", err=True)
            raise SystemExit(3)
    found = compare(*reports)
    span = found.span
    landed = landed_between(catalog, span.after, span.up_to, span.family) if span is not None else []
    if form == "json":
        click.echo(json.dumps(comparison_dict(found, (good, bad), landed), indent=2))
        return
    click.echo(
        render_comparison(found, (good, bad), landed, width=columns(width), color=wants_color(color)), color=True
    )
