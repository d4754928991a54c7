"""Signatures by what a person types."""

import difflib
from collections.abc import Sequence

from diag.errors import InputError
from diag.lookup.upstream import looks_like_ref
from diag.model.catalog import Catalog
from diag.model.signature import Signature


def find_signature(catalog: Catalog, name: str) -> Signature:
    """Return the signature of an id or an alias.

    Raises InputError for any other text: it names the nearest id, or where a reference such as 25144 is explained.
    """
    wanted = name.strip().lower()
    found = catalog.resolve(wanted)
    if found is not None:
        return found
    if looks_like_ref(name):
        raise InputError(
            f"{name!a} is a thread or a release, no failure kind: diag upstream {name.strip().lstrip('#')}"
        )
    near = nearest(catalog, wanted)
    hint = f"; did you mean {' or '.join(near)}?" if near else " (`diag signatures list` names them)"
    raise InputError(f"no failure kind {name[:80]!a}{hint}")


def nearest(catalog: Catalog, name: str) -> list[str]:
    """Return up to three ids that are written much like the name, the nearest first; an alias counts for its id."""
    names = {alias: found.id for found in catalog.signatures.values() for alias in (found.id, *found.aliases)}
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not close:
        words = set(name.split("-"))
        close = [known for known in names if words and words <= set(known.split("-"))][:3]
    return list(dict.fromkeys(names[found] for found in close))


def chosen(catalog: Catalog, *, areas: Sequence[str] = (), severities: Sequence[str] = ()) -> list[Signature]:
    """Return the signatures of the areas and severities, in the order of the catalogue; none named means all."""
    return [
        found
        for found in catalog.signatures.values()
        if (not areas or found.area in areas) and (not severities or found.severity in severities)
    ]
