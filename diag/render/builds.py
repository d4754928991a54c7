"""A build of llama.cpp between those whose day is known, as text and as plain values for JSON."""

from collections.abc import Sequence
from typing import Any

from diag.model.builds import DatedBuild
from diag.model.catalog import UpstreamItem
from diag.model.registry import BuildPlace
from diag.render.sheet import Sheet
from diag.render.upstream import ref_words, title_words


def render_build(place: BuildPlace, *, width: int = 80, color: bool = False) -> str:
    """Return between which dated builds the build lies, and what came for drafters and images just before and after."""
    sheet = Sheet(width, color)
    sheet.line(f"b{place.build}", "bold")
    sheet.line(f"{_where(place)}.")
    for heading, items in (
        (f"For drafters and images, up to b{place.build}", place.landed),
        (f"After b{place.build}", place.coming),
    ):
        sheet.heading(heading)
        if not items:
            sheet.line("nothing that the registry knows", "dim", indent=2)
        for item in items:
            thread = f"{ref_words(item)} " if item.kind != "release" else ""
            text = f"{thread}{title_words(item)}".strip()
            sheet.row(f"b{item.first_build}", text, indent=2, label_width=8)
    sheet.blank()
    sheet.line("Only what the registry holds: other changes landed too. Forks count their own builds.", "dim")
    return sheet.text()


def build_dict(place: BuildPlace) -> dict[str, Any]:
    """Return what `render_build` tells as plain values."""

    def dated(found: DatedBuild | None) -> dict[str, Any] | None:
        return (
            {"build": found.build, "date": found.date.isoformat(), "source": found.source}
            if found is not None
            else None
        )

    def items(found: Sequence[UpstreamItem]) -> list[dict[str, Any]]:
        return [{"ref": item.ref, "first_build": item.first_build, "title": item.title} for item in found]

    return {
        "build": place.build,
        "before": dated(place.before),
        "after": dated(place.after),
        "about": place.about.isoformat() if place.about is not None else None,
        "landed": items(place.landed),
        "coming": items(place.coming),
    }


def _where(place: BuildPlace) -> str:
    before, after = place.before, place.after
    if before is not None and before.build == place.build:
        return f"Of {before.date} ({before.source})"
    if before is not None and after is not None:
        about = f", so about {place.about}" if before.date != after.date else ""
        return f"Between b{before.build} ({before.date}) and b{after.build} ({after.date}){about}"
    if before is not None:
        return f"After b{before.build} ({before.date}), the newest build whose day is known"
    if after is not None:
        return f"Before b{after.build} ({after.date}), the oldest build whose day is known"
    return "No build whose day is known"
