"""The places in a signature's texts where a figure of the log goes: {x}, {n_ctx}."""

from collections.abc import Iterator, Mapping

from diag.model.signature import Value


def places(text: str) -> list[str]:
    """Return the names that the text asks for, in order, with repetitions."""
    return [name for _, name in _pieces(text) if name]


def filled(text: str, values: Mapping[str, Value]) -> str:
    """Return the text with each {name} replaced by its value. Raises KeyError for a name without one."""
    return "".join(before + (str(values[name]) if name else "") for before, name in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before each place, with the place's name; the last piece has none.

    A name is letters, digits and _ between braces; other braces are text.
    """
    before, *rest = text.split("{")
    for part in rest:
        name, closed, after = part.partition("}")
        if closed and name and all(character.isalnum() or character == "_" for character in name):
            yield before, name
            before = after
        else:
            before += "{" + part
    yield before, ""
