"""What X and Y of a refused batch mean: the rule that refused, the gap, the image behind it, and what left it.

X is the last position a context stores for the sequence (-1: nothing), Y the first position of the batch. Source of
the rules: `llama_batch_allocr::init` in src/llama-batch.cpp, read in b9871 and b11434.

Traps, all seen in recorded logs:

* Only X, Y and "sequence N" belong to the refused sequence. `pos=` (MTP) and `ubatch_pos[0]=` (EAGLE-3) in the
  `process:` line are the first row of the whole batch, so with several slots they often belong to another slot
  (recorded: `Y = 36` beside `pos=372`).
* b8722 prints the same four lines for the *target*, when an M-RoPE projector meets a one-axis text model. There is no
  drafter then; `Invalid input batch` follows instead of a speculative line. The figures below speak of a draft
  context only.
* Y = 0 with X > 0 beside `sharing with layer` lines is a shared-cache assistant run as `draft-simple`: X is the
  target's last position, and no image is involved (recorded on b9871, b10189 and b11434).
* The gap grows in a conversation. After a refused image turn the target keeps image and text, the drafter does not,
  so a later turn is refused with everything since in its gap (recorded EAGLE-3: X = 10, Y = 28, 55, 101). Y - X - 1
  equals the image's positions only in the request that decodes the image.
"""

from enum import StrEnum
from typing import Literal

Relation = Literal["next", "ahead", "equal", "behind"]
LeftBy = Literal["image", "lag", "loop", "stale", "unknown"]
ImageInput = Literal["seen", "possible", "excluded", "unknown"]

N_TRIES_OF_A_LAG = 3  # fewer refusals of one shape can be one image sent again

DFLASH_TAKES_IMAGE_ROWS = 10605  # first source read in which DFlash takes the rows of an image; b10456 still skips them
DFLASH_SKIPS_PINNED_ROWS = 10896  # PR 28587: rows that share one position are skipped again


class Rule(StrEnum):
    """A rule of the position check, chosen by the context's own positions per row and the batch, not by the target."""

    CONSECUTIVE = "consecutive"
    MROPE_TOKEN = "mrope-token"
    MROPE_EMBEDDING = "mrope-embedding"

    @property
    def wording(self) -> str:
        """The relation as llama.cpp prints it at the end of the fourth line of the check."""
        return {"consecutive": "Y = X + 1", "mrope-token": "X < Y", "mrope-embedding": "X <= Y"}[self.value]


def accepts(rule: Rule, x: int, y: int) -> bool:
    """True if a context that ends at x takes a batch that starts at y.

    An empty sequence (x = -1) takes any start: the check is skipped. That is why an image at the very start of a
    prompt passes.
    """
    if x < 0:
        return True
    if rule is Rule.CONSECUTIVE:
        return y == x + 1
    if rule is Rule.MROPE_TOKEN:
        return x < y
    return x <= y


def gap(x: int, y: int) -> int:
    """Positions between cache and batch as logged, y - x - 1: 0 fits, positive is a hole, negative an overlap."""
    return y - x - 1


def missed(family: str, position_class: str, gap: int, build: int | None = None) -> int | None:
    """Positions of the image behind a gap, or None where the gap says nothing of an image.

    `family` and `position_class` are the words of the JSON report; `gap` is `gap(x, y)`.

    * MTP with one axis, DFlash: the gap itself. The drafter is not given the image and stores every text row.
    * EAGLE-3: one less. The last row of a text batch waits for the next token, so its cache stands one position
      lower. A gap of 1 is therefore no image at all but that one row lost (recorded: X = 6, Y = 8 after a reused
      prefix).
    * One-axis independent draft: one more. It is given the image, under an M-RoPE target, with all rows at one
      position.
    * DFlash of b10605 to b10895: one more, for the same reason (source of b10605; no recording of those builds).

    None: gap <= 0 (not a hole), M-RoPE drafters (they may jump forward, so a hole never refuses them), shared caches,
    ngram, and a family that is not known (the corrections differ). Valid only in the request that decodes the image,
    see the module's traps.
    """
    if gap <= 0 or position_class in ("mrope-separate", "shared-cache", "none"):
        return None
    if family == "eagle3":
        return gap - 1
    if family == "independent-draft":
        return gap + 1
    if family == "dflash":
        injects_pinned = build is not None and DFLASH_TAKES_IMAGE_ROWS <= build < DFLASH_SKIPS_PINNED_ROWS
        return gap + 1 if injects_pinned else gap
    return gap if family == "one-axis-separate" else None


def relation(x: int, y: int) -> Relation:
    """Where the batch starts, seen from the end of the cache.

    "next" y == x + 1, which no rule refuses; "ahead" y > x + 1, a hole of at least one position; "equal" y == x;
    "behind" y < x.
    """
    if y == x + 1:
        return "next"
    if y > x:
        return "ahead"
    return "equal" if y == x else "behind"


def left_by(
    rule: Rule,
    x: int,
    y: int,
    *,
    image: ImageInput,
    x_constant: bool = False,
    y_rises: bool = False,
    repeats: int = 1,
    drafting: bool | None = None,
    shared_cache: bool = False,
) -> LeftBy:
    """What left a draft context and its batch apart. For a batch that the draft refused, not for the target's refusals.

    * "image": a hole, and an image was decoded ("seen") or a projector is loaded ("possible").
    * "lag": a hole without an image; the draft was no longer fed. Without knowledge of images ("unknown": no server
      start in the log) only X unmoved while Y rises over `repeats` >= 3 refusals says so.
    * "loop": y == x, or y one below x: a second draft step used the last stored position again.
    * "stale": y further below x: the cache holds rows that the target gave up (rewind, prompt-cache swap, another
      slot's rows).
    * "unknown": the rule accepts x and y (a damaged paste), or the evidence does not decide.

    `x_constant`, `y_rises`: over the refusals of one shape in the session. `drafting`: the failing line is of the
    draft loop (`draft: llama_decode[i] returned`) rather than of `process:`; None if it is not in the log. False
    turns y == x - 1 into "stale". `shared_cache`: `sharing with layer` lines stand in the log; y = 0 is then the
    assistant run as draft-simple and "unknown" here, because none of the four causes made it.
    """
    if accepts(rule, x, y) or (shared_cache and y == 0):
        return "unknown"
    if y > x:
        return _left_a_hole(image, x_constant and y_rises and repeats >= N_TRIES_OF_A_LAG)
    if y == x or (y == x - 1 and drafting is not False):
        return "loop"
    return "stale"


def _left_a_hole(image: ImageInput, counts_up: bool) -> LeftBy:
    if image in ("seen", "possible"):
        return "image"
    if image == "excluded" or counts_up:
        return "lag"
    return "unknown"
