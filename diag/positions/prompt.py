"""A prompt described in words -> segments, and the positions the target gives them.

`text:3 image:4 text:3` is three text tokens, an image of one row of four tokens, three text tokens; `image:7x5` is an
image of 7 by 5 tokens (after the projector merged its patches).
"""

from enum import StrEnum
from typing import Literal

from diag.errors import InputError
from diag.model.noun import noun

N_SEGMENTS_MAX = 64
N_ROWS_MAX = 9_999_999  # above any context, and what the columns of the table have room for
N_SHOWN = 8  # rows of a segment that are written out one by one

Kind = Literal["text", "image"]


class Target(StrEnum):
    """How the target numbers an image: a position per row, or one shared position and a jump (M-RoPE)."""

    ONE_AXIS = "one-axis"
    MROPE = "mrope"


@noun
class Segment:
    """A run of text, or one image. `grid` is (width, height) in tokens for an image, None for text."""

    kind: Kind
    n_rows: int
    grid: tuple[int, int] | None = None

    def span(self, target: Target) -> int:
        """Positions by which the target moves on: the rows, or max(width, height) for an image on M-RoPE."""
        if self.grid is None or target is Target.ONE_AXIS:
            return self.n_rows
        return max(self.grid)


@noun
class Placed:
    """A segment at its place: `first` and `last` position of its rows, `span` up to the next segment.

    On M-RoPE all rows of an image carry the same (temporal) position, so last == first there.
    """

    segment: Segment
    first: int
    last: int
    span: int

    @property
    def after(self) -> int:
        """The position of whatever comes next."""
        return self.first + self.span


def parse_prompt(text: str) -> tuple[Segment, ...]:
    """The segments of a described prompt, in order. Neighbouring text is one segment: the server decodes it in one run.

    Raises InputError with one sentence for an empty prompt, an unknown word, a size that is no whole number above 0,
    more than 64 segments, or more than 9,999,999 rows.
    """
    words = text.split()
    if not words:
        raise InputError("the prompt is empty; write for example 'text:3 image:4 text:3'")
    segments: list[Segment] = []
    for word in words:
        segment = _segment(word)
        if segments and segment.kind == "text" == segments[-1].kind:
            segments[-1] = Segment("text", segments[-1].n_rows + segment.n_rows)
        else:
            segments.append(segment)
    if len(segments) > N_SEGMENTS_MAX:
        raise InputError(f"the prompt has {len(segments)} segments; {N_SEGMENTS_MAX} are the most that can be shown")
    if sum(segment.n_rows for segment in segments) > N_ROWS_MAX:
        raise InputError(f"the prompt has more than {N_ROWS_MAX} rows, which no context holds")
    return tuple(segments)


def _segment(word: str) -> Segment:
    kind, colon, size = word.partition(":")
    if kind == "text" and colon:
        return Segment("text", _count(size, word))
    if kind == "image" and colon:
        width, by, height = size.lower().partition("x")
        grid = (_count(width, word), _count(height, word) if by else 1)
        return Segment("image", grid[0] * grid[1], grid)
    raise InputError(f"{_quoted(word)} is not a part of a prompt; use text:N, image:N or image:WxH")


def _count(digits: str, word: str) -> int:
    # int() alone would also take "+3", "1_000" and digits of other scripts
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 10 or int(digits) == 0:
        raise InputError(f"{_quoted(word)} needs whole numbers above 0; use text:N, image:N or image:WxH")
    return int(digits)


def _quoted(word: str) -> str:
    return ascii(word if len(word) <= 40 else word[:37] + "...")


def place(segments: tuple[Segment, ...], target: Target) -> tuple[Placed, ...]:
    """The segments with the target's positions, starting at 0.

    Source: `decode_embd_batch` in tools/mtmd/mtmd-helper.cpp (b9871) for the rows, and recorded logs for the jump: 16
    positions for a 16-token image on one axis, 7 for a 7x7 image on M-RoPE.
    """
    placed: list[Placed] = []
    position = 0
    for segment in segments:
        span = segment.span(target)
        shares_one = segment.kind == "image" and target is Target.MROPE
        placed.append(Placed(segment, position, position if shares_one else position + segment.n_rows - 1, span))
        position += span
    return tuple(placed)


def target_numbers(placed: tuple[Placed, ...]) -> str:
    """The target's numbering in one line, images in brackets: `0 1 2 [3 3 3 3] 7 8 9`. Long runs are cut with `..`."""
    return " ".join(_numbers(each) for each in placed)


def _numbers(each: Placed) -> str:
    if each.segment.kind == "text":
        return numbers(each.first, each.last)
    if each.first == each.last and each.segment.n_rows > N_SHOWN:
        return f"[{each.first} x {each.segment.n_rows} rows]"
    if each.first == each.last:
        return "[" + " ".join([str(each.first)] * each.segment.n_rows) + "]"
    return f"[{numbers(each.first, each.last)}]"


def numbers(first: int, last: int) -> str:
    """The positions first..last in words, `0 1 2` or `0 1 2 .. 20`; empty if last < first."""
    if last - first < N_SHOWN:
        return " ".join(str(position) for position in range(first, last + 1))
    return f"{first} {first + 1} {first + 2} .. {last}"


def local_numbers(segments: tuple[Segment, ...]) -> str:
    """The draft-local numbering of the same prompt: text only, consecutive from 0, no image. Empty without text."""
    return numbers(0, sum(segment.n_rows for segment in segments if segment.kind == "text") - 1)
