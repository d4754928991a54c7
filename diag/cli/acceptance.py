"""diag acceptance: text turns against image turns, over many logs."""

import dataclasses
import json
import sys
from collections.abc import Sequence

import click

from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.compare.acceptance import by_family, drafting_sessions, session_tally, total_tally
from diag.errors import InputError
from diag.lookup.measurements import missing_figures, published
from diag.model.comparison import Tally
from diag.pipeline import analyzer
from diag.render.acceptance import FAMILIES, JUDGEMENTS, render_acceptance, tally_dict
from diag.render.plain import build_words, drafter_words


@click.command(name="acceptance", short_help="Draft acceptance: text turns against image turns.")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--full", is_flag=True, help="Every published figure of the same drafters.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(logs: Sequence[str], full: bool, form: str, folders: Sequence[str], color: str, width: int | None) -> None:
    """Sum how many drafted tokens the target accepted in LOGs (files, or `-`): text turns, image turns, unknown.

    Counts the `draft acceptance` lines of every wording and draft_n / draft_n_accepted of pasted answers. Exit codes:
    0 summed, 2 a log could not be read, 3 no llama.cpp log.
    """
    catalog = catalog_of(folders)
    ready = analyzer(catalog)
    tallies: list[tuple[Tally, list[Tally]]] = []
    warnings: list[str] = []
    unreadable, recognised = False, False
    for name in logs:
        try:
            report = ready.analyze(name)
        except InputError as error:
            click.echo(f"diag: {error}", err=True)
            unreadable = True
            continue
        recognised |= report.is_llama_log
        parts = [
            dataclasses.replace(
                session_tally(name, session),
                build_words=build_words(session.build),
                family_words=drafter_words(session.drafter),
            )
            for session in drafting_sessions(report)
        ]
        tallies.append((total_tally(name, parts), parts))
        for diagnosis in report.diagnoses:
            conditions = catalog.signatures[diagnosis.signature].conditions.values()
            if any(condition.event == "AcceptanceMeasured" for condition in conditions):
                warnings.append(
                    f"{name}, start {diagnosis.session}: {diagnosis.title} (diag explain {diagnosis.signature})"
                )
    everything = [part for _, parts in tallies for part in parts]
    total, families = total_tally("", everything), by_family(everything)
    if total.judgement == "collapse" and len(tallies) > 1:
        warnings.append(f"Over all files: {JUDGEMENTS['collapse']}")
    figures = published(catalog, total.families)
    missing = missing_figures(catalog, FAMILIES)
    if form == "json":
        document = {
            "files": [
                {**tally_dict(file), "sessions": [tally_dict(part) for part in parts]} for file, parts in tallies
            ],
            "total": tally_dict(total),
            "by_family": [tally_dict(tally) for tally in families],
            "warnings": warnings,
            "published": [dict(row) for row in figures],
            "missing": missing,
        }
        click.echo(json.dumps(document, indent=2, default=str))
    elif tallies:
        text = render_acceptance(
            tallies,
            total if len(tallies) > 1 else None,
            families,
            figures,
            missing,
            warnings,
            full=full,
            width=columns(width),
            color=wants_color(color),
        )
        click.echo(text, color=True)
    sys.exit(2 if unreadable else 0 if recognised else 3)
