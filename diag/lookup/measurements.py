"""Published acceptance figures by drafter family."""

from collections.abc import Mapping, Sequence
from typing import Any

from diag.model.catalog import Catalog

# Backends for which it is said when nobody has published a figure: the question that was asked of the registry.
ASKED = {"dflash": ("Metal",)}


def published(catalog: Catalog, families: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return figures of the families that somebody published, those with image turns first, then the newest.

    Runs with small random-weight models are left out: they show wordings and say nothing of draft quality.
    """
    rows: list[Mapping[str, Any]] = [
        row
        for row in catalog.measurements
        if row.get("family") in families
        and row.get("provenance") != "recorded"
        and (row.get("text_rate") or row.get("image_rate"))
    ]
    rows.sort(key=lambda row: str(row.get("date")), reverse=True)
    return sorted(rows, key=lambda row: (not row.get("image_rate"), not row.get("text_rate")))


def missing_figures(catalog: Catalog, words: Mapping[str, str]) -> list[str]:
    """Return a sentence for each family and backend asked about of which no figure is known; `words` names families."""
    looked = max((str(row.get("checked")) for row in catalog.measurements), default="")
    found = []
    for family, backends in ASKED.items():
        for backend in backends:
            known = any(
                row.get("family") == family and backend in str(row.get("backend", "")) for row in catalog.measurements
            )
            if not known:
                when = f" (looked for on {looked})" if looked else ""
                found.append(
                    f"No acceptance figure for {words.get(family, family)} on {backend} was found, on text or on image "
                    f"turns{when}: a log of yours would be the first."
                )
    return found
