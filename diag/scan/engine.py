"""Finding many literals in one pass: Hyperscan where it is installed, the standard library elsewhere."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diag.kept import keep, kept
from diag.scan.plain import plain_ends

Hits = list[tuple[int, int]]
"""(end offset, index of the literal), ordered by end offset; every occurrence, overlapping ones too."""

Ends = dict[int, list[int]]
"""Index of a literal -> its end offsets, ascending; those that were not found are missing."""

_PATIENCE = 16 << 10  # bytes up to which the plain search is faster than getting Hyperscan
_CALL = 1 << 10  # bytes that a call counts for beside its buffer


def literal_engine(literals: Sequence[bytes], name: str | None = None) -> tuple[str, Callable[[bytes], Hits]]:
    """Return the engine's name and its search function over a buffer.

    `name` picks "hyperscan" or "standard-library"; None takes Hyperscan when it can be imported. A buffer must be
    smaller than 4 GiB: Hyperscan's length is 32 bits wide and it stops there without a word. A short text is searched
    by the standard library, until there is enough to search.
    """
    plain = _plain_hits(literals)
    if not _takes_hyperscan(name):
        return "standard-library", plain
    search, left, ready = plain, _PATIENCE, False

    def look(buffer: bytes) -> Hits:
        nonlocal search, left, ready
        if not ready:
            left -= len(buffer) + _CALL
            if left < 0:
                search, ready = _hyperscan_hits(literals), True
        return search(buffer)

    return "hyperscan", look


def ends_engine(
    literals: Sequence[bytes],
    name: str | None = None,
    patterns: Mapping[int, bytes] | None = None,
    once: frozenset[int] = frozenset(),
) -> Callable[[bytes], Ends]:
    """Return a search of large buffers that tells the literals apart; `name` as in `literal_engine`.

    `patterns` are what Hyperscan looks for in place of some literals, by their index: regular expressions in its
    language, of which a hit ends somewhere behind its literal. `once` are those of which the first hit will do.
    """
    return _hyperscan_ends(literals, patterns or {}, once) if _takes_hyperscan(name) else plain_ends(literals)


def _takes_hyperscan(name: str | None) -> bool:
    if name == "standard-library":
        return False
    import importlib.util

    there = importlib.util.find_spec("hyperscan") is not None
    if name == "hyperscan" and not there:
        raise ImportError("hyperscan is not installed")
    return there


def _hyperscan_hits(literals: Sequence[bytes]) -> Callable[[bytes], Hits]:
    import hyperscan

    database = _database(list(literals), [0] * len(literals), literal=True)
    scratch = hyperscan.Scratch(database)

    def search(buffer: bytes) -> Hits:
        hits: Hits = []

        def hit(literal: int, _start: int, end: int, _flags: int, _context: object) -> None:
            hits.append((end, literal))

        if buffer:
            database.scan(buffer, match_event_handler=hit, scratch=scratch)
        return hits

    return search


def _hyperscan_ends(
    literals: Sequence[bytes], patterns: Mapping[int, bytes], once: frozenset[int]
) -> Callable[[bytes], Ends]:
    import hyperscan

    expressions = [patterns.get(index, re.escape(literal)) for index, literal in enumerate(literals)]
    flags = [hyperscan.HS_FLAG_SINGLEMATCH if index in once else 0 for index in range(len(expressions))]
    database = _database(expressions, flags, literal=False)
    scratch = hyperscan.Scratch(database)

    def search(buffer: bytes) -> Ends:
        ends: list[list[int]] = [[] for _ in expressions]
        add = [one.append for one in ends]

        def hit(literal: int, _start: int, end: int, _flags: int, _context: object) -> None:
            add[literal](end)

        if buffer:
            database.scan(buffer, match_event_handler=hit, scratch=scratch)
        return {literal: found for literal, found in enumerate(ends) if found}

    return search


def _database(expressions: list[bytes], flags: list[int], *, literal: bool) -> Any:
    """Return Hyperscan's database of the expressions: the kept one, where this version on this processor takes it."""
    import hyperscan

    key = repr((getattr(hyperscan, "__version__", ""), literal, expressions, flags)).encode()
    data = kept("scan", key)
    if data is not None:
        try:
            return hyperscan.loadb(bytes(data), hyperscan.HS_MODE_BLOCK)
        except hyperscan.error:  # another processor's
            pass
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    ids = list(range(len(expressions)))
    database.compile(expressions=expressions, ids=ids, elements=len(ids), flags=flags, literal=literal)
    keep("scan", key, hyperscan.dumpb(database))
    return database


def _plain_hits(literals: Sequence[bytes]) -> Callable[[bytes], Hits]:
    apart = plain_ends(literals)

    def search(buffer: bytes) -> Hits:
        return sorted([(end, index) for index, ends in apart(buffer).items() for end in ends])

    return search
