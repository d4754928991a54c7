"""What every wrapper layer is: a name, the characters it can begin with, and a function that takes it off."""

from collections.abc import Callable

from diag.model.noun import noun


@noun
class Peeled:
    """What stood inside one layer, and what the layer said of it."""

    texts: tuple[str, ...]  # () = the layer was noise of its own, nothing stood inside
    stream: str | None = None
    time: str | None = None
    level: str | None = None
    elapsed_us: int | None = None
    final: bool = False  # the texts are the program's own; nothing more is to be taken off


@noun
class Layer:
    """One kind of wrapper."""

    name: str
    undone: str  # the note a reader of the report sees
    starts: str  # first characters it can begin with; "a" = any letter, "0" = any digit, "*" = anything
    peel: Callable[[str], Peeled | None]  # None = this layer is not there
    risky: bool = False  # also matches lines of other programs: wants other lines, or what stands inside, to agree


LEVELS = {
    "E": "E", "ERR": "E", "ERROR": "E", "FATAL": "E", "CRITICAL": "E", "PANIC": "E", "CRIT": "E", "SEVERE": "E",
    "W": "W", "WRN": "W", "WARN": "W", "WARNING": "W",
    "I": "I", "INF": "I", "INFO": "I", "VERB": "I", "VERBOSE": "I", "NOTICE": "I", "TRACE": "I", "TRC": "I",
    "D": "D", "DBG": "D", "DEBG": "D", "DEBUG": "D",
}  # fmt: skip
"""Level words of the programs around llama-server -> its own letters; llama-server prints its trace level as I."""


def unescape(text: str) -> str:
    """Return the text with the escapes of JSON and Go strings undone; an unknown escape stays as it is."""
    if "\\" not in text:
        return text
    pieces = text.split("\\")
    result = [pieces[0]]
    index = 1
    while index < len(pieces):
        piece = pieces[index]
        if not piece:  # two backslashes: one, and the next piece is plain
            result.append("\\")
            if index + 1 < len(pieces):
                result.append(pieces[index + 1])
            index += 2
            continue
        result.append(_escape(piece))
        index += 1
    return "".join(result)


_PLAIN = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "/": "/", "b": "\b", "f": "\f", "'": "'"}


def _escape(piece: str) -> str:
    head = piece[0]
    if head in _PLAIN:
        return _PLAIN[head] + piece[1:]
    size = {"u": 4, "x": 2}.get(head)
    if size:
        code = piece[1 : 1 + size]
        if len(code) == size and all(c in "0123456789abcdefABCDEF" for c in code):
            return chr(int(code, 16)) + piece[1 + size :]
    return "\\" + piece
