"""How far a large log has been read, on a terminal."""

import sys
import time
from collections.abc import Iterator

from diag.read.range import Progress

_PATIENCE = 0.7  # seconds before anything is shown
_STEP = 0.1


def watched(blocks: Iterator[bytes], progress: Progress) -> Iterator[bytes]:
    """Yield the blocks and keep one line of progress on standard error; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        yield from blocks
        return
    begun = shown = time.monotonic()
    n_bytes, drawn = 0, False
    try:
        for block in blocks:
            yield block
            n_bytes += len(block) * progress.n_ranges
            now = time.monotonic()
            if now - begun > _PATIENCE and now - shown > _STEP:
                shown, drawn = now, True
                rate = n_bytes / (now - begun) / 1e6
                share = f"{progress.share:4.0%}, " if progress.share is not None else ""
                sys.stderr.write(f"\r\x1b[Kdiag: {share}{n_bytes / 1e6:,.0f} MB read, {rate:,.0f} MB/s")
                sys.stderr.flush()
    finally:
        if drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
