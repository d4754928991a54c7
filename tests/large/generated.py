"""Logs of the benchmarks' generator, kept for the tests of one process."""

import functools
import io

from benchmarks import hostile
from benchmarks.generate import Writer


@functools.cache
def generated(variant: str, n_bytes: int = 600_000, seed: int = 7) -> bytes:
    """Return a log of at least n_bytes that ends with a whole piece."""
    out = io.StringIO()
    for piece in Writer(variant, seed=seed).pieces():
        out.write(piece)
        if out.tell() >= n_bytes:
            return out.getvalue().encode()
    raise AssertionError("a writer goes on without end")


@functools.cache
def lasting(n_megabytes: int) -> bytes:
    """Return a log of about so many megabytes of one server."""
    return b"".join(hostile.lasting("A", n_megabytes))
