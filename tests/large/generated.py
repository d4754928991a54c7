"""Logs of the benchmarks' generator, kept for the tests of one process."""

import functools
import io
import re

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
    """Return a log of about so many megabytes of one server: the same requests again and again, its clock going on."""
    start, _, rest = generated("A", 1_000_000).partition(b"listening on")
    rest = rest.partition(b"\n")[2]
    minutes = (_at_minute(rest, minute) for minute in range(n_megabytes))
    return b"".join([start, b"listening on http://127.0.0.1:8080\n", *minutes])


def _at_minute(rows: bytes, minute: int) -> bytes:
    return re.sub(rb"^0\.", b"%d." % minute, rows, flags=re.MULTILINE)
