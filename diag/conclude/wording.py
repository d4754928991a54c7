"""Texts of signatures with the log's own figures filled in."""

import re
from collections.abc import Mapping

from diag.model.signature import Value

_PLACE = re.compile(r"\{(\w+)\}")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+")


def spell(text: str, values: Mapping[str, Value]) -> str:
    """Return the text with {name} replaced; a sentence that names a figure the log does not hold is left out."""
    if "{" not in text:
        return text
    kept = [
        _PLACE.sub(lambda found: str(values[found[1]]), sentence)
        for sentence in _SENTENCE.split(text)
        if all(name in values for name in _PLACE.findall(sentence))
    ]
    return " ".join(kept)


def places(text: str) -> set[str]:
    """Return the names that the text asks for."""
    return set(_PLACE.findall(text))
