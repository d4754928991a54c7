"""The drafters `diag positions` can play: what each is given of an image, how it numbers, where that was seen.

Rows are data; play.py is the arithmetic. Behaviour without a build is that of b11434, the newest build recorded.
"""

from typing import Literal

from diag.errors import InputError
from diag.model.noun import noun
from diag.positions.prompt import Target
from diag.positions.rule import DFLASH_SKIPS_PINNED_ROWS, DFLASH_TAKES_IMAGE_ROWS

DFLASH_READS_SECTIONS = 10825  # first source read in which rope.dimension_sections gives a DFlash file M-RoPE positions
DFLASH_LAST_SKIP = 10456  # last source read in which DFlash skips every image; the change came after it and by b10605

Axis = Literal["one-axis", "mrope"]
Cache = Literal["own", "shared", "none"]
ImageRows = Literal["skipped", "taken", "pinned-skipped"]


@noun
class Drafter:
    """One kind of drafter.

    `family` and `position_class` are the words of the JSON report. `axis` is how its own cache numbers. `image_rows`:
    whether a batch of image embeddings is given to it. `holds_back`: the last row of a text batch waits for the next
    token. `embeds_text`: text too reaches its cache as embeddings, so an M-RoPE cache checks it with `X <= Y`.
    `targets`: position schemes of the targets it occurs with. `seen`: what recorded servers did with an image.
    `misuse`: a wrong setting, shown only when asked for by name.
    """

    name: str
    label: str
    family: str
    position_class: str
    cache: Cache
    axis: Axis
    image_rows: ImageRows
    targets: tuple[Target, ...]
    seen: str
    holds_back: bool = False
    embeds_text: bool = False
    misuse: bool = False


_BOTH = (Target.ONE_AXIS, Target.MROPE)

DRAFTERS: tuple[Drafter, ...] = (
    Drafter(
        "mtp-one-axis", "MTP head, one axis", "one-axis-separate", "one-axis-separate", "own", "one-axis", "skipped",
        (Target.ONE_AXIS,), "refused on b9871, b10189 and b11434 (step35, one and three heads)",
    ),
    Drafter(
        "mtp-mrope", "MTP head, M-RoPE", "mrope-separate", "mrope-separate", "own", "mrope", "skipped",
        (Target.MROPE,), "works on b9464, b9871, b10189 and b11434 (qwen35)",
    ),
    Drafter(
        "shared-cache", "MTP head, shared cache", "shared-cache", "shared-cache", "shared", "one-axis", "skipped",
        (Target.ONE_AXIS,), "works on b9871, b10189 and b11434 (gemma4 with gemma4-assistant)",
    ),
    Drafter(
        "dflash-one-axis", "DFlash, one axis", "dflash", "one-axis-separate", "own", "one-axis", "pinned-skipped",
        _BOTH,
        "one-axis target refused on b9871 and b10189, works on b11434; M-RoPE target refused on all three",
        embeds_text=True,
    ),
    Drafter(
        "dflash-mrope", "DFlash, M-RoPE sections", "dflash", "mrope-separate", "own", "mrope", "pinned-skipped",
        (Target.MROPE,), "refused on b9871 and b10189, which ignore the sections; works on b11434",
        embeds_text=True,
    ),
    Drafter(
        "eagle3", "EAGLE-3", "eagle3", "one-axis-separate", "own", "one-axis", "skipped",
        _BOTH, "one-axis target refused on b9871, b10189 and b11434, M-RoPE target on b9871 and b11434",
        holds_back=True,
    ),
    Drafter(
        "independent-one-axis", "independent draft, one axis", "independent-draft", "one-axis-separate", "own",
        "one-axis", "taken", _BOTH,
        "one-axis target works from b9464 to b11434; M-RoPE target refused on b9464 (the server aborts), b9871, "
        "b10189 and b11434",
    ),
    Drafter(
        "independent-mrope", "independent draft, M-RoPE", "independent-draft", "mrope-separate", "own", "mrope",
        "taken", (Target.MROPE,), "works on b9464, b9871, b10189 and b11434",
    ),
    Drafter(
        "ngram", "ngram (no draft model)", "ngram", "none", "none", "one-axis", "skipped",
        _BOTH, "ngram-mod works with images from b9464 to b11434",
    ),
    Drafter(
        "shared-cache-as-simple", "shared cache as plain draft", "independent-draft", "shared-cache", "shared",
        "one-axis", "taken", (Target.ONE_AXIS,),
        "a gemma4-assistant under --spec-type draft-simple: every text request is refused with Y = 0",
        misuse=True,
    ),
)  # fmt: skip

NAMES: tuple[str, ...] = tuple(drafter.name for drafter in DRAFTERS)
FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(drafter.family for drafter in DRAFTERS))


def choose(name: str | None) -> tuple[Drafter, ...]:
    """The drafters a name means, in table order: a drafter's own name, a family, or None for all but misuses.

    A family may hold several drafters (`dflash`: one axis and M-RoPE). Raises InputError for a name that is neither.
    """
    if name is None:
        return tuple(drafter for drafter in DRAFTERS if not drafter.misuse)
    exact = tuple(drafter for drafter in DRAFTERS if drafter.name == name)
    if exact:
        return exact
    family = tuple(drafter for drafter in DRAFTERS if drafter.family == name and not drafter.misuse)
    if not family:
        raise InputError(f"no drafter {name!a}; one of {', '.join(dict.fromkeys(NAMES + FAMILIES))}")
    return family


def fitting_target(drafters: tuple[Drafter, ...]) -> Target:
    """The position scheme of the targets these drafters occur with: M-RoPE where one does, else one axis."""
    return Target.MROPE if any(Target.MROPE in drafter.targets for drafter in drafters) else Target.ONE_AXIS


def axis_on(drafter: Drafter, build: int | None) -> Axis:
    """How the drafter's cache numbers on a build; a DFlash file's sections count only where builds read that key."""
    if drafter.family == "dflash" and build is not None and build < DFLASH_READS_SECTIONS:
        return "one-axis"
    return drafter.axis


def image_rows_on(drafter: Drafter, build: int | None) -> ImageRows:
    """What a build gives the drafter of an image; only DFlash changed. b10457 to b10604 are not known."""
    if drafter.family != "dflash" or build is None or build >= DFLASH_SKIPS_PINNED_ROWS:
        return drafter.image_rows
    return "taken" if build >= DFLASH_TAKES_IMAGE_ROWS else "skipped"


def caveats(drafter: Drafter, target: Target, build: int | None) -> tuple[str, ...]:
    """Sentences a reader needs beside the numbers: pairings that do not occur, unknown behaviour. May be empty."""
    found = []
    if target not in drafter.targets:
        found.append("This drafter does not occur with such a target as far as known; the numbers are arithmetic only.")
    if drafter.family == "dflash" and build is not None:
        if DFLASH_LAST_SKIP < build < DFLASH_TAKES_IMAGE_ROWS:
            found.append("DFlash began to take image rows between b10456 and b10605; this build is counted as not.")
        if drafter.axis == "mrope" and DFLASH_TAKES_IMAGE_ROWS < build < DFLASH_READS_SECTIONS:
            found.append("DFlash sections began to be read between b10605 and b10825; this build is counted as not.")
    if drafter.family == "dflash" and build is None:
        found.append("Counted as on b11434. Older builds differ: up to b10456 DFlash skips every image.")
    if drafter.family == "independent-draft" and not drafter.misuse:
        found.append(
            "The thread of PR 25144 says that such a draft gets a text-only prompt; recorded servers from b9464 on "
            "give it the image's rows (from b11236 on zeros if its width differs)."
        )
    if drafter.misuse:
        found.append("A wrong setting and no numbering fault: use --spec-type draft-mtp. No remedy changes it.")
    return tuple(found)
