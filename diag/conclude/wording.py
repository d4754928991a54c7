"""Texts of signatures with the log's own figures filled in."""

from collections.abc import Mapping

from diag.late import late
from diag.model.figures import filled, places
from diag.model.signature import Value

_SENTENCE = late(r"(?<=[.;!?])\s+")


def spell(text: str, values: Mapping[str, Value]) -> str:
    """Return the text with {name} replaced; a sentence that names a figure the log does not hold is left out."""
    if "{" not in text:
        return text
    kept = [
        filled(sentence, values)
        for sentence in _SENTENCE.split(text)
        if all(name in values for name in places(sentence))
    ]
    return " ".join(kept)
