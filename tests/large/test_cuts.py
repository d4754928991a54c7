"""It does not matter where a block ends: a small log with all that is of interest, cut at every place there is."""

import dataclasses
import functools
import io

import pytest

from diag.read.source import open_source
from diag.read.stream import HEAD
from diag.scan.span import Budgets
from tests.build import ready
from tests.large.reference import TINY, facts_of, read_blocks, small

_JUMP = "W find_slot: non-consecutive token position {n} after 4 for sequence 0 with 512 new tokens"
_REQUEST = """\
I slot get_availabl: id  0 | task -1 | selected slot by LRU, t_last = -1
I slot launch_slot_: id  0 | task {n} | processing task, is_child = 0
I slot print_timing: id  0 | task {n} | prompt eval time =      15.39 ms /    61 tokens (    0.25 ms per token,  3964.90 tokens per second)
I slot print_timing: id  0 | task {n} |        eval time =      10.12 ms /    16 tokens (    0.63 ms per token,  1580.87 tokens per second)
I slot print_timing: id  0 | task {n} | draft acceptance = 0.91667 (   11 accepted /    12 generated), mean len =  3.75
I slot      release: id  0 | task {n} | stop processing: n_tokens = 76, truncated = 0"""
_START = """\
I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)
I srv    load_model: loading model '/models/target.gguf'
I srv  llama_server: model loaded
I srv  llama_server: listening on http://127.0.0.1:8080"""
_FAILURE = """\
W init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:
| - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19
| - the tokens for sequence 0 in the input batch have a starting position of Y = 36
| it is required that the sequence positions remain consecutive: Y = X + 1
E decode: failed to initialize batch
E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)
E srv  update_slots: decode() failed: failed to process speculative batch
E srv    send_error: task id = 7, error: decode() failed: failed to process speculative batch"""
_BODY = 'D srv  log_server_r: request:  {"prompt":"why CUDA error: out of memory?"}'
_DYING = """\
E srv  strange: valve 4 is stuck
|CUDA error: out of memory
|  current device: 0, in function launch at ggml-cuda.cu:90"""


def _log() -> bytes:
    rows: list[str] = []
    for parts in (
        [_START, _REQUEST, _FAILURE, _REQUEST, *[_JUMP] * 12, _REQUEST, _BODY],
        [_START, _FAILURE, _REQUEST, _DYING],  # another start, whose clock begins again
    ):
        ms = task = 0
        for row in "\n".join(parts).split("\n"):
            ms += 7
            task += "processing task" in row
            rows.append(row[1:] if row[0] == "|" else f"0.00.{ms:03d}.000 {row}".replace("{n}", str(task)))
    return "\n".join(rows).encode()  # the last line is not ended


LOG = _log()
LINE_ENDS = [at + 1 for at, byte in enumerate(LOG) if byte == 10]


def _parts(cut: int) -> list[bytes]:
    """Return the log cut at a line end, and where the reader cuts it anyway: before a last line that is not ended."""
    return [part for part in (LOG[:cut], LOG[cut : LINE_ENDS[-1]], LOG[LINE_ENDS[-1] :]) if part]


@functools.cache
def _wanted(*, turns: bool = True) -> object:
    return facts_of(small(LOG), turns=turns)


@pytest.mark.parametrize(
    ("engine", "budgets"),
    [("hyperscan", TINY), ("standard-library", TINY), ("hyperscan", Budgets())],
    ids=["hyperscan", "standard library", "with windows of the usual size"],
)
def test_two_blocks_cut_at_any_line_end_give_the_report_of_one(engine: str, budgets: Budgets) -> None:
    for cut in LINE_ENDS:
        _, report = read_blocks(_parts(cut), len(LOG), budgets=budgets, engine=engine)
        assert facts_of(report) == _wanted(), f"cut at {cut}"


def test_a_flood_may_begin_at_any_line_end() -> None:
    # behind it the turns with an image are not told from the others
    for cut in LINE_ENDS:
        _, report = read_blocks(_parts(cut), len(LOG), budgets=dataclasses.replace(TINY, flood=5))
        assert facts_of(report, turns=False) == _wanted(turns=False), f"cut at {cut}"


@pytest.mark.parametrize("n_lines", [1, 2, 3, 7])
def test_blocks_of_a_few_lines_give_the_report_of_one(n_lines: int) -> None:
    lines = LOG.splitlines(keepends=True)
    blocks = [b"".join(lines[at : at + n_lines]) for at in range(0, len(lines), n_lines)]
    assert facts_of(read_blocks(blocks, len(LOG), budgets=TINY)[1]) == _wanted()


class _Halting(io.RawIOBase):
    """A pipe that gives as much at a time as it is told to, and then all that is left."""

    def __init__(self, data: bytes, *sizes: int) -> None:
        self._data = data
        self._sizes = iter(sizes)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]  # the type of a buffer has no name before 3.12
        n = min(next(self._sizes, len(self._data)), len(buffer), len(self._data))
        buffer[:n], self._data = self._data[:n], self._data[n:]
        return n


_HEAD = b"0.00.001.000 I srv  before: nothing happens here\n" * 1300
_HEAD += b"x" * (HEAD - len(_HEAD) - 1) + b"\n"  # what the reader takes at once


def _blocks(*sizes: int) -> list[bytes]:
    with open_source("-", stdin=_Halting(_HEAD + LOG, *sizes)) as source:  # type: ignore[arg-type]
        return list(source.blocks())


def test_the_reader_cuts_at_the_line_end_before_any_byte_at_which_it_stops() -> None:
    for stop in range(1, len(LOG)):
        cut = LOG.rfind(b"\n", 0, stop) + 1
        assert _blocks(HEAD, stop) == [_HEAD, *_parts(cut)]


def test_a_report_is_the_same_wherever_a_pipe_halts() -> None:
    wanted = facts_of(small(_HEAD + LOG))
    analyzer = dataclasses.replace(ready(), small=0, plain=0)
    for size in (1, 61, 997):
        pipe = _Halting(_HEAD + LOG, HEAD, *[size] * (len(LOG) // size))
        assert facts_of(analyzer.analyze("-", stdin=pipe)) == wanted  # type: ignore[arg-type]  # raw, and read as such
