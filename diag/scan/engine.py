"""Finding many literals in one pass: Hyperscan where it is installed, the standard library elsewhere."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diag.kept import keep, kept

Hits = list[tuple[int, int]]
"""(end offset, index of the literal), ordered by end offset; every occurrence, overlapping ones too."""


def literal_engine(
    literals: Sequence[bytes],
    name: str | None = None,
    patterns: Mapping[int, bytes] | None = None,
    once: frozenset[int] = frozenset(),
) -> tuple[str, Callable[[bytes], Hits]]:
    """Return the engine's name and its search function over a buffer.

    `name` picks "hyperscan" or "standard-library"; None takes Hyperscan when it can be imported. `patterns` are what
    Hyperscan looks for in place of some literals, by their index: regular expressions in its language, of which a hit
    ends somewhere behind its literal. `once` are those of which the first hit in a buffer will do. A buffer must be
    smaller than 4 GiB: Hyperscan's length is 32 bits wide and it stops there without a word.
    """
    if name != "standard-library":
        try:
            return "hyperscan", _patient(literals, patterns or {}, once)
        except ImportError:
            if name == "hyperscan":
                raise
    return "standard-library", _standard_library(literals)


_PATIENCE = 16 << 10  # bytes up to which the plain search is faster than getting Hyperscan
_CALL = 1 << 10  # bytes that a call counts for beside its buffer


def _patient(literals: Sequence[bytes], patterns: Mapping[int, bytes], once: frozenset[int]) -> Callable[[bytes], Hits]:
    """Return a search that makes Hyperscan ready once there is enough to search: a short log is done before that."""
    import importlib.util

    if importlib.util.find_spec("hyperscan") is None:
        raise ImportError("hyperscan is not installed")
    search = _standard_library(literals)
    left, ready = _PATIENCE, False

    def look(buffer: bytes) -> Hits:
        nonlocal search, left, ready
        if not ready:
            left -= len(buffer) + _CALL
            if left < 0:
                search, ready = _hyperscan(literals, patterns, once), True
        return search(buffer)

    return look


def _hyperscan(
    literals: Sequence[bytes], patterns: Mapping[int, bytes], once: frozenset[int]
) -> Callable[[bytes], Hits]:
    import hyperscan

    expressions = list(literals)
    if patterns:
        expressions = [patterns.get(index, re.escape(literal)) for index, literal in enumerate(literals)]
    flags = [hyperscan.HS_FLAG_SINGLEMATCH if index in once else 0 for index in range(len(expressions))]
    database = _database(expressions, flags, literal=not patterns)
    scratch = hyperscan.Scratch(database)

    def search(buffer: bytes) -> Hits:
        hits: Hits = []

        def hit(literal: int, _start: int, end: int, _flags: int, _context: object) -> None:
            hits.append((end, literal))

        if buffer:
            database.scan(buffer, match_event_handler=hit, scratch=scratch)
        return hits

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


def _standard_library(literals: Sequence[bytes]) -> Callable[[bytes], Hits]:
    def search(buffer: bytes) -> Hits:
        hits: Hits = []
        for index, literal in enumerate(literals):
            at = buffer.find(literal)
            while at >= 0:
                hits.append((at + len(literal), index))
                at = buffer.find(literal, at + 1)
        hits.sort()
        return hits

    return search
