"""Logs of hostile shapes, and logs of one server that lasts: blocks of bytes, so that no size is too large to write."""

import base64
import io
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.generate import Writer

_CLOCK = b"0.01.000.000 "
_ERROR = _CLOCK + b"E srv  update_slots: Invalid input batch. i = 0, n_batch = 2048, ret = -1\n"
_QUIET = _CLOCK + b"I srv  update_slots: all slots are idle\n"
_RAW = b"CUDA error: out of memory\n"
_REQUEST = (
    b"%(at)sprocessing task, is_child = 0\n"
    b"%(at)sprompt eval time =      15.39 ms /    61 tokens (    0.25 ms per token,  3964.90 tokens per second)\n"
    b"%(at)sdraft acceptance = 0.50000 (%(accepted)5d accepted / %(drafted)5d generated), mean len =  2.00\n"
    b"%(at)sstop processing: n_tokens = 9, truncated = 0\n"
)
_STEP = 1000  # small pieces that are yielded together


def start() -> bytes:
    """Return the lines of a server's start."""
    return next(Writer("A").pieces()).encode()


def long_line(scale: float = 1) -> Iterator[bytes]:
    """Yield a log with one line of 300 MB."""
    yield start()
    yield from [b"x" * 1_000_000] * int(300 * scale)
    yield b"\n" + _QUIET


def identical_errors(scale: float = 1) -> Iterator[bytes]:
    """Yield a million incidents of one line, each a failure of the same kind."""
    yield start()
    yield from [(_ERROR + _QUIET) * _STEP] * int(1000 * scale)


def requests(scale: float = 1) -> Iterator[bytes]:
    """Yield a million requests with a drafter: the sums of all of them have to be exact."""
    yield start()
    for thousand in range(int(1000 * scale)):
        yield b"".join(
            _REQUEST
            % {
                b"at": b"%sI slot print_timing: id  0 | task %d | " % (_CLOCK, task),
                b"accepted": task % 7,
                b"drafted": task % 7 + 3,
            }
            for task in range(thousand * _STEP, (thousand + 1) * _STEP)
        )


def short_lines(scale: float = 1) -> Iterator[bytes]:
    """Yield ten million lines of one character; nothing ends the last one."""
    yield start()
    yield from [b"x\n" * 100_000] * int(100 * scale)
    yield b"x"


def raw_failures(scale: float = 1) -> Iterator[bytes]:
    """Yield 100,000 failure lines without a clock, one after the other."""
    yield start()
    yield from [_RAW * _STEP] * int(100 * scale)


def bodies(scale: float = 1) -> Iterator[bytes]:
    """Yield 200 request bodies of 1 MB: images in base64, and a pasted log in the midst of each."""
    draw = random.Random(1)
    pasted = (_ERROR + _RAW).decode().replace("\n", "\\n") * 40
    yield start()
    for _ in range(int(200 * scale)):
        image = base64.b64encode(draw.randbytes(375_000)).decode()
        body = f'{{"messages":[{{"role":"user","content":"{image}{pasted}{image}"}}]}}\n'
        yield _CLOCK + b"D srv  log_server_r: request:  " + body.encode() + _QUIET


def restarts(scale: float = 1) -> Iterator[bytes]:
    """Yield 20,000 starts of a server that cannot have its port."""
    crash = _CLOCK + b"E srv  start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080\n"
    yield from [(start() + crash) * 100] * int(200 * scale)


SHAPES: Mapping[str, Callable[[float], Iterator[bytes]]] = {
    "one line of 300 MB": long_line,
    "1,000,000 identical errors": identical_errors,
    "1,000,000 requests with a drafter": requests,
    "10,000,000 lines of one character": short_lines,
    "100,000 raw failure lines without a clock": raw_failures,
    "200 bodies of 1 MB, a log pasted in each": bodies,
    "20,000 starts that fail": restarts,
}


def lasting(variant: str = "A", n_megabytes: int | None = None) -> Iterator[bytes]:
    """Yield a log of one server, a megabyte at a time: the same lines again and again, the clock going on."""
    out = io.StringIO()
    pieces = Writer(variant).pieces()
    yield next(pieces).encode()
    while out.tell() < 1_000_000:
        out.write(next(pieces))
    rows = out.getvalue().encode()
    minute = 0
    while n_megabytes is None or minute < n_megabytes:
        yield re.sub(rb"^\d+\.", b"%d." % minute, rows, flags=re.MULTILINE)
        minute += 1


def write(blocks: Iterator[bytes], path: Path) -> Path:
    """Write blocks to a file; return its path."""
    with path.open("wb") as file:
        file.writelines(blocks)
    return path
