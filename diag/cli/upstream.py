"""diag upstream: the registry of threads and releases."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from diag.catalog.load import load_flags
from diag.catalog.locate import shipped
from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.lookup import upstream as lookup
from diag.model.builds import HOME
from diag.model.catalog import KINDS, STATES, UpstreamItem
from diag.model.registry import Concern
from diag.model.signature import FAMILIES
from diag.render import upstream as render
from diag.render.builds import build_dict, render_build


class _Group(click.Command):
    """The command itself, or `refresh` where that word comes first: click's own groups cannot take a REF."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["refresh"]:
            from diag.cli.refresh import command as refresh  # the only one that needs a network's modules

            return refresh.make_context(f"{info_name} refresh", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(name="upstream", cls=_Group, short_help="Show pull requests, issues and builds, dated.")
@click.argument("ref", required=False)
@click.option("--timeline", "in_time", is_flag=True, help="Every dated step of the items, oldest first.")
@click.option("--family", type=click.Choice(FAMILIES), help="Only what concerns this drafter family.")
@click.option("--state", type=click.Choice(STATES), help="Only items in this state when they were last looked at.")
@click.option("--kind", type=click.Choice(KINDS), help="Only items of this kind.")
@click.option("--all", "everything", is_flag=True, help="Also what concerns neither drafters nor images.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@signature_option
@look_options
def command(
    ref: str | None,
    in_time: bool,
    family: str | None,
    state: str | None,
    kind: str | None,
    everything: bool,
    form: str,
    folders: Sequence[str],
    color: str,
    width: int | None,
) -> None:
    """Show what upstream says: the item REF in full, a build's place in time, or what is open and changed lately.

    REF is 25144 or #25144 (llama.cpp's own), owner/repository#5, a build such as b9871, or the thread's address.

    \b
    diag upstream 25144
    diag upstream b9871
    diag upstream --family dflash --state merged
    diag upstream --timeline
    diag upstream refresh --help   (updates states and dates through the GitHub API)
    """
    catalog = catalog_of(folders)
    about = lookup.concerns(catalog)
    room, colored = columns(width), wants_color(color)
    build = lookup.build_number(ref) if ref is not None else None
    if ref is not None and build is not None and not in_time:
        place = lookup.place_of(catalog, load_flags(shipped("signatures")).snapshots, build)
        items = [item for item in catalog.upstream.values() if item.ref == f"{HOME}@b{build}"]
        if form == "json":
            _json({"build": build_dict(place), "items": [_item(item, about) for item in items]})
            return
        told = [render_build(place, width=room, color=colored)]
        told += [render.render_item(item, width=room, color=colored) for item in items]
        _text("\n\n".join(told))
        return
    if ref is not None:
        items = lookup.find_items(catalog, ref)
    else:
        items = lookup.chosen(catalog, family=family, state=state, kind=kind, everything=everything)
    if in_time:
        steps = lookup.timeline(items)
        if form == "json":
            _json({"steps": [render.step_dict(step) for step in steps]})
        else:
            _text(
                render.render_timeline(
                    steps, items, n_all=len(catalog.upstream) if ref is None else 0, width=room, color=colored
                )
            )
        return
    questions = lookup.questions_about(catalog, items)
    if form == "json":
        _json(
            {
                "items": [_item(item, about) for item in items],
                "questions": [render.question_dict(question) for question in questions],
            }
        )
    elif ref is not None:
        _text(
            "\n\n".join(
                render.render_item(
                    item,
                    pointing=lookup.related_to(catalog, item),
                    signatures=lookup.cited_by(catalog, item),
                    questions=lookup.questions_about(catalog, [item]),
                    width=room,
                    color=colored,
                )
                for item in items
            )
        )
    elif everything or any(value is not None for value in (family, state, kind)):
        _text(
            render.render_list(
                lookup.grouped(items, about), questions, n_all=len(catalog.upstream), width=room, color=colored
            )
        )
    else:
        _text(
            render.render_brief(
                lookup.grouped(lookup.lately(items), about),
                questions,
                n_all=len(catalog.upstream),
                width=room,
                color=colored,
            )
        )


def _item(item: UpstreamItem, about: Mapping[str, Concern]) -> dict[str, Any]:
    return render.item_dict(item, about[item.ref])


def _json(document: object) -> None:
    click.echo(json.dumps(document, indent=2))


def _text(text: str) -> None:
    click.echo(text, color=True)
