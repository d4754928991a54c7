"""Rows in which a single line was cut inside a word or a quoted name -> rows with the two halves put together.

A wrap over many lines shows by its width; one cut, in a window of any width, shows only by what it tore.
"""

import re
from collections.abc import Sequence

from diag.late import late
from diag.read.starts import is_strong, wrapper_kind
from diag.read.wraps import Row

_NARROWEST = 40  # columns below which nothing was cut by a window

# Long words of failure messages, none of them made of two words.
_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
acceptance allocate allocated allocating allocation architecture argument arguments assertion attempted attention
available characters combination compatible compiled consecutive corrupted current decoding dependencies devices
different dimensions disabled discovery embedding embeddings encountered encoding environment exceeded exceeds
exception exceptions execution expected failure general goroutine grammar handling illegal implemented
incompatible inconsistent incorrect initialization initialize initialized initializing instance instruction
insufficient invalidated library loading measure memory minimum missing multimodal operation
operators parallelism parameters parsing permission physical position positions possible prematurely previous
processing projector provided quantization quantized recurrent rendering repository requested required requires
residency resource resources returned sampler segmentation sequence sequences specified speculative
supported tensors terminate terminated terminating tokenizer transaction unavailable
undefined unexpected unexpectedly unhandled unknown unrecognized unspecified unsupported variable violation
""",
    )
)
# Halves have three letters: "in" and "valid" may stand at an end and a beginning by chance.
_LAST_LETTERS = late(r"[A-Za-z]{3,20}$")
_FIRST_LETTERS = late(r"[a-z]{3,20}(?![A-Za-z_])")
_OPEN_NAME = late(r"(?:^|[ (=])'[^'\s]{0,300}$")
_CLOSED_NAME = late(r"[^'\s]{1,300}'(?:$|[\s).,;:].{0,200}$)")


def join_halves(rows: Sequence[Row], loose: Sequence[int]) -> tuple[list[Row], int] | None:
    """Return the rows with torn words and torn quoted names whole again, and the first such row's number; or None.

    A joined row keeps the number of its first half. `loose`: the rows that `loose_rows` gives.
    """
    torn: list[int] = []  # places of second halves
    for place in loose:
        text, before = rows[place][1], rows[place - 1][1] if place else ""
        # what follows a row that was joined already is no second half
        if text and len(before) >= _NARROWEST and place - 1 not in torn[-1:] and _are_halves(before, text):
            torn.append(place)
    if not torn:
        return None
    joined: list[Row] = []
    seconds = frozenset(torn)
    for place, (number, text) in enumerate(rows):
        if place in seconds:
            joined[-1] = (joined[-1][0], joined[-1][1] + text)
        else:
            joined.append((number, text))
    return joined, rows[torn[0] - 1][0]


def _are_halves(text: str, following: str) -> bool:
    if following[0] in " \t":
        return False
    # The cheap tests first: a healthy log has few rows that end in a letter above one that begins with a small one.
    if text[-1:].isalpha() and following[0].islower():
        head, tail = _LAST_LETTERS.search(text, len(text) - 20), _FIRST_LETTERS.match(following)
        if head and tail and (head[0] + tail[0]).lower() in _WORDS:
            return not is_strong(following)
    if "'" in following[:301] and "'" in text[-302:]:
        opened = _OPEN_NAME.search(text, max(0, len(text) - 302))
        if opened and text.count("'") % 2 and _CLOSED_NAME.match(following):
            return not is_strong(following) and wrapper_kind(following) is None
    return False
