"""Signatures by what a person types."""

import difflib
import re
from collections.abc import Sequence

from diag.errors import InputError
from diag.lookup.upstream import looks_like_ref
from diag.model.catalog import Catalog
from diag.model.signature import Signature

# what people type -> how ids say it
_SPOKEN = {"out of memory": "oom", "no memory": "oom", "seg fault": "segfault", "segmentation fault": "segfault"}


def find_signature(catalog: Catalog, name: str) -> Signature:
    """Return the signature of an id or an alias.

    Raises InputError for any other text: it names the kinds that could be meant, or where a reference such as 25144 is
    explained.
    """
    found = catalog.resolve(name.strip().lower())
    if found is not None:
        return found
    if looks_like_ref(name):
        raise InputError(
            f"{name!a} is a thread or a release, no failure kind: diag upstream {name.strip().lstrip('#')}"
        )
    near = nearest(catalog, name)
    hint = f"; did you mean {' or '.join(near)}?" if near else " (`diag signatures list WORD` searches them)"
    raise InputError(f"no failure kind {name[:80]!a}{hint}")


def matching(catalog: Catalog, text: str) -> list[Signature]:
    """Return the signatures whose id, title or alias holds the text, in the order of the catalogue.

    Hyphens count as blanks. Where none holds it as it stands, those that hold all of its words; empty for an empty
    text.
    """
    wanted = _words(text)
    if not wanted:
        return []
    spoken = [f" {short} " for long, short in _SPOKEN.items() if long in wanted]
    texts = {
        signature.id: f" {_words(' | '.join((signature.id, signature.title, *signature.aliases)))} "
        for signature in catalog.signatures.values()
    }
    found = [one for one in catalog.signatures.values() if any(form in texts[one.id] for form in (wanted, *spoken))]
    if not found:
        parts = wanted.split()
        found = [one for one in catalog.signatures.values() if all(part in texts[one.id] for part in parts)]
    return found


def nearest(catalog: Catalog, name: str) -> list[str]:
    """Return up to three ids that could be meant: they hold the text, else they are written much like it."""
    held = matching(catalog, name)
    if held:
        return [found.id for found in sorted(held, key=lambda one: len(one.id))[:3]]
    names = {alias: found.id for found in catalog.signatures.values() for alias in (found.id, *found.aliases)}
    close = difflib.get_close_matches(name.strip().lower(), names, n=3, cutoff=0.6)
    return list(dict.fromkeys(names[found] for found in close))


def chosen(
    catalog: Catalog, *, areas: Sequence[str] = (), severities: Sequence[str] = (), text: str = ""
) -> list[Signature]:
    """Return the signatures of the areas and severities that hold the text, in the order of the catalogue.

    None named, and an empty text, means all.
    """
    found = matching(catalog, text) if text.strip() else catalog.signatures.values()
    return [one for one in found if (not areas or one.area in areas) and (not severities or one.severity in severities)]


def _words(text: str) -> str:
    return " ".join(re.sub(r"[-_]", " ", text.lower()).split())
