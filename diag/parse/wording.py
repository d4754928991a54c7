"""A wording: one sentence in which some build states a fact."""

import functools
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping

from diag.model.events import Event
from diag.model.noun import names_of

Value = str | int | float | bool


def _int(text: str) -> int:
    return int(text, 16) if text[:2].lower() == "0x" else int(text)


def _float(text: str) -> float:
    return float(text.replace(",", "."))  # a decimal comma comes from localised Windows builds


_CONVERTERS: Mapping[type, Callable[[str], Value]] = {int: _int, float: _float, str: str}


class Wording(typing.NamedTuple):
    """One row: the event it states, a literal that every such line holds, the pattern, and a line as seen.

    Named groups of the pattern are fields of the event and convert by the field's annotation. `example` is the message
    without clock and level; it is the row's own test. `not_before` and `not_after` bound the upstream builds that print
    the wording (None = no bound known); `constants` are fields that the wording itself settles.
    """

    event: type[Event]
    anchor: str
    pattern: str
    seen: str
    example: str
    constants: Mapping[str, Value] = types.MappingProxyType({})
    not_before: int | None = None
    not_after: int | None = None
    raw: bool = False  # only lines without a level letter
    end: str = ""  # with what every such line ends, white space apart, where most lines with the anchor do not
    in_body: bool = False  # may stand inside a logged request or answer, where every other text is a user's

    def read(self, message: str) -> tuple[int, dict[str, Value]] | None:
        """Return where the wording stands in the message and its fields, or None when the message is another one."""
        search, groups = _reader(self.pattern, self.event)
        found = search(message)
        if found is None:
            return None
        values: dict[str, Value] = dict(self.constants)
        for name, index, convert in groups:
            text = found[index]
            if text is not None:
                try:
                    values[name] = convert(text)
                except ValueError:  # a figure that a paste damaged: the line states nothing
                    return None
        return found.start(), values


_Search = Callable[[str], re.Match[str] | None]
_Groups = tuple[tuple[str, int, Callable[[str], Value]], ...]
_readers: dict[tuple[str, type[Event]], tuple[_Search, _Groups]] = {}


def _reader(pattern: str, event: type[Event]) -> tuple[_Search, _Groups]:
    """Return what searches for the pattern, and of each named group its field, its number and its converter."""
    known = _readers.get((pattern, event))
    if known is None:
        ready, converters = compiled(pattern), converters_of(event)
        # interned, a name is found at once among the fields of a constructor
        groups = [(sys.intern(name), index, converters[name]) for name, index in ready.groupindex.items()]
        known = _readers[pattern, event] = (ready.search, tuple(groups))
    return known


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern; most are never asked for in one log."""
    return re.compile(pattern)


_known: dict[type[Event], Mapping[str, Callable[[str], Value]]] = {}


def converters_of(event: type[Event]) -> Mapping[str, Callable[[str], Value]]:
    """Return the converter of each simple field of an event class, by its annotation."""
    if event not in _known:
        _known[event] = _read_converters(event)
    return _known[event]


def _read_converters(event: type[Event]) -> Mapping[str, Callable[[str], Value]]:
    hints: dict[str, type | types.UnionType] = {}  # as they stand: typing would look for names in them
    for base in reversed(event.__mro__):
        hints |= getattr(base, "__annotations__", {})
    converters: dict[str, Callable[[str], Value]] = {}
    for name in names_of(event):
        hint = hints[name]
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        for option in options:
            if option in _CONVERTERS:
                converters[name] = _CONVERTERS[option]
                break
    return converters
