"""diag signatures anchors: what is searched for, in other tools' languages."""

from collections.abc import Sequence

import click

from diag.cli.options import catalog_of, signature_option
from diag.lookup.signatures import chosen
from diag.model.comparison import Anchor
from diag.model.signature import SEVERITIES
from diag.parse.wordings import WORDINGS
from diag.render.anchors import LANGUAGES, WITH_PATTERNS, render_anchors


@click.command(name="anchors")
@click.option("--format", "form", type=click.Choice(LANGUAGES), default="rg", show_default=True)
@click.option("--patterns", is_flag=True, help="The exact patterns instead of the literals (rg, re2, logql, json).")
@click.option("--area", "areas", multiple=True, metavar="AREA", help="Only what this area's kinds need (repeatable).")
@click.option("--severity", "severities", multiple=True, type=click.Choice(SEVERITIES), help="Only what these need.")
@signature_option
def command(form: str, patterns: bool, areas: Sequence[str], severities: Sequence[str], folders: Sequence[str]) -> None:
    """Print the literals of all wordings and signatures, so that another tool can look for candidate lines.

    \b
    diag signatures anchors --format rg > anchors.txt; rg -a -f anchors.txt server.log
    diag signatures anchors --format grep > anchors.txt; grep -a -F -f anchors.txt server.log
    logcli query "{app=\\"llama-server\\"} $(diag signatures anchors --format logql --severity fatal)" -o raw
    """
    if patterns and form not in WITH_PATTERNS:
        raise click.UsageError(f"--patterns: {form} takes literals only; {', '.join(WITH_PATTERNS)} take patterns")
    catalog = catalog_of(folders)
    narrowed = bool(areas or severities)
    signatures = chosen(catalog, areas=areas, severities=severities)
    events = {condition.event for one in signatures for condition in one.conditions.values()}
    rows = [
        Anchor(wording.anchor, wording.pattern, wording.event.__name__)
        for wording in WORDINGS
        if not narrowed or wording.event.__name__ in events
    ]
    rows += [
        Anchor(condition.anchor, condition.text, f"{one.id}/{condition.name}")
        for one in signatures
        for condition in one.conditions.values()
        if condition.anchor is not None and condition.text is not None
    ]
    click.echo(render_anchors(rows, form, patterns=patterns))
