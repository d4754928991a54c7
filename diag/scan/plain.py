"""Finding many literals with the standard library alone, for platforms without Hyperscan.

A search for each literal in turn is the fastest for a short text. In a large log most lines are alike but for their
figures, so what one of them holds is remembered by its text with all digits made the same. Lines that are long are
seldom alike: there, the places are tried at which some literal may begin.
"""

import re
from collections.abc import Callable, Iterable, Sequence

from diag.model.alike import DIGITS

_SHORT = 64 << 10  # bytes of a buffer that is not worth to be taken apart
_LONG_LINE = 2048
_MOST_REMEMBERED = 20_000
_HEAD = 4  # bytes of a literal by which a place is told
Places = list[tuple[int, int]]
"""(index of a literal, where it ends)"""


def plain_ends(literals: Sequence[bytes]) -> Callable[[bytes], dict[int, list[int]]]:
    """Return a search that gives the end offsets of each literal in a buffer, ascending."""
    every = list(enumerate(literals))
    by_lines: Callable[[bytes], dict[int, list[int]]] | None = None  # made when there is a buffer to take apart

    def search(buffer: bytes) -> dict[int, list[int]]:
        nonlocal by_lines
        if len(buffer) >= _SHORT:
            by_lines = by_lines or _search_by_lines(literals)
            return by_lines(buffer)
        found: dict[int, list[int]] = {}
        _add(found, _each_in_turn(every, buffer), 0)
        return found

    return search


def _search_by_lines(literals: Sequence[bytes]) -> Callable[[bytes], dict[int, list[int]]]:
    across = [(index, literal) for index, literal in enumerate(literals) if b"\n" in literal]
    within = [(index, literal) for index, literal in enumerate(literals) if b"\n" not in literal]
    alike = [(index, literal.translate(DIGITS)) for index, literal in within]
    exact = {index for index, literal in within if re.search(rb"\d", literal)}
    in_long_line = _place_search(within)
    remembered: dict[bytes, Places] = {}

    def search(buffer: bytes) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        _add(found, _each_in_turn(across, buffer), 0)
        begin = 0
        for line in buffer.split(b"\n"):
            if len(line) > _LONG_LINE:
                _add(found, in_long_line(line), begin)
            elif line:
                key = line.translate(DIGITS)
                places = remembered.get(key)
                if places is None:
                    places = _each_in_turn(alike, key)
                    if len(remembered) < _MOST_REMEMBERED:
                        remembered[key] = places
                for index, end in places:
                    if index not in exact or line.startswith(literals[index], end - len(literals[index])):
                        found.setdefault(index, []).append(begin + end)
            begin += len(line) + 1
        return found

    return search


def _add(found: dict[int, list[int]], places: Places, begin: int) -> None:
    for index, end in places:
        found.setdefault(index, []).append(begin + end)


def _each_in_turn(literals: Iterable[tuple[int, bytes]], text: bytes) -> Places:
    places: Places = []
    for index, literal in literals:
        at = text.find(literal)
        while at >= 0:
            places.append((index, at + len(literal)))
            at = text.find(literal, at + 1)
    return places


def _place_search(literals: Sequence[tuple[int, bytes]]) -> Callable[[bytes], Places]:
    """Return a search of one long text: one pattern finds where a literal may begin, the literals decide."""
    heads: dict[bytes, list[tuple[int, bytes]]] = {}
    short = [(index, literal) for index, literal in literals if len(literal) < _HEAD]
    for index, literal in literals:
        if len(literal) >= _HEAD:
            heads.setdefault(literal[:_HEAD], []).append((index, literal))
    by_first: dict[bytes, list[bytes]] = {}
    for head in heads:
        by_first.setdefault(head[:1], []).append(re.escape(head[1:]))
    # only the first byte is taken, so that places may overlap
    starts = [b"%b(?=%b)" % (re.escape(first), b"|".join(rests)) for first, rests in by_first.items()]
    pattern = re.compile(b"|".join(starts) or b"(?!)")

    def search(text: bytes) -> Places:
        places = _each_in_turn(short, text)
        for found in pattern.finditer(text):
            at = found.start()
            for index, literal in heads[text[at : at + _HEAD]]:
                if text.startswith(literal, at):
                    places.append((index, at + len(literal)))
        return places

    return search
