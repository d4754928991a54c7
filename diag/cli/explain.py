"""diag explain: a failure kind in full, or a word of the reports."""

import json
import re
from collections.abc import Mapping, Sequence

import click

from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.lookup.glossary import TERMS, find_term
from diag.lookup.signatures import find_signature, matching
from diag.lookup.upstream import looks_like_ref
from diag.model.catalog import Catalog
from diag.model.signature import FAULTS, Signature

_INFO = re.compile(r"[\d.]+ [ID] ")  # at the head of a line of the newer builds


@click.command(name="explain", short_help="Explain a failure kind in full, or a word.")
@click.argument("name", metavar="ID")
@click.option("--full", is_flag=True, help="Also the exact conditions, with their patterns.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(name: str, full: bool, form: str, folders: Sequence[str], color: str, width: int | None) -> None:
    """Tell what is known of the failure kind ID: cause, fixes, look-alikes, upstream, lines that show it.

    A report prints the id under its title. Any other text lists the kinds whose id, title or alias holds it, and some
    words of the reports are explained themselves.

    \b
    diag explain port-in-use
    diag explain "out of memory"
    diag explain one-axis
    """
    from diag.parse.wordings import WORDINGS
    from diag.render.signature import render_signature, signature_dict
    from diag.render.signatures import render_search

    catalog = catalog_of(folders)
    room, colored = columns(width), wants_color(color)
    if catalog.resolve(name.strip().lower()) is None and form == "text":
        term = find_term(name, catalog.upstream)
        held = matching(catalog, name) if not looks_like_ref(name) else []
        if term is not None or held:
            names = [one.name for one in TERMS]
            click.echo(render_search(name, held, term=term, terms=names, width=room, color=colored), color=True)
            return
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
    telling = _telling(signature, catalog)
    if form == "json":
        document = signature_dict(signature, titles=titles, upstream=catalog.upstream, anchors=anchors, telling=telling)
        click.echo(json.dumps(document, indent=2))
        return
    click.echo(
        render_signature(
            signature,
            titles=titles,
            upstream=catalog.upstream,
            anchors=anchors,
            telling=telling,
            full=full,
            width=room,
            color=colored,
        ),
        color=True,
    )


def _telling(signature: Signature, catalog: Catalog) -> Mapping[int, str]:
    """Return the line of each example that the kind, or what it is taken for instead, rests on; by its index.

    An example without one, whose kind only the whole report decides, is left out.
    """
    from diag.pipeline import analyzer

    ready = analyzer(catalog)
    found: dict[int, str] = {}
    for index, example in enumerate(signature.examples):
        findings = ready.findings(example.log.strip("\n"))
        mine = [one for one in findings if one.signature == signature.id]
        others = [one for one in findings if catalog.signatures[one.signature].severity in FAULTS]
        for one in mine or others:
            telling = [item.text for item in one.evidence if item.role == "trigger" and not _INFO.match(item.text)]
            found.setdefault(index, telling[0] if telling else one.trigger.text)
    return found
