"""The words that reports use and a reader may have to guess."""

from collections.abc import Mapping
from dataclasses import replace

from diag.model.catalog import UpstreamItem
from diag.model.term import Term

_LOCAL = "ggml-org/llama.cpp#25144"

TERMS: tuple[Term, ...] = (
    Term(
        "position",
        "The number under which a context stores a row of a sequence. Before a batch is taken, its first position"
        " Y is held against the last stored one, X; a batch that does not fit is refused.",
        ("positions", "x and y"),
        "src/llama-batch.cpp, b9871 and b11434",
    ),
    Term(
        "one-axis",
        "A context that counts one position a row: text and image rows are numbered 1, 2, 3 and so on, and a "
        "batch must go on where the cache ends (Y = X + 1). Any jump is refused.",
        ("one axis", "one-axis-separate"),
        "src/llama-batch.cpp, b11434",
    ),
    Term(
        "m-rope",
        "Positions with several axes, as Qwen's vision models have them: the rows of an image share a position, "
        "and the text after it may jump forward (X < Y). A cache that counts so tolerates an image that a drafter"
        " was not given.",
        ("mrope", "imrope", "mrope-separate"),
        "src/llama-batch.cpp, b11434; jump recorded on b9464 to b11434",
    ),
    Term(
        "drafter",
        "What proposes the next tokens that the target then accepts or rejects: an MTP head, DFlash, EAGLE-3, an "
        "independent draft model, or n-grams without a model. It mostly keeps a cache of its own, with its own "
        "positions.",
        ("draft model", "draft", "speculation"),
    ),
    Term(
        "target",
        "The model that answers; a drafter only proposes, the target decides. Its context takes images, the "
        "drafter's mostly does not.",
    ),
    Term(
        "shared-cache",
        "An MTP head that reads the target's cache instead of keeping its own, such as Gemma 4's assistant: "
        "nothing can be missing from it after an image.",
        ("shared cache",),
        "recorded on b9871, b10189 and b11434",
    ),
    Term(
        "gap",
        "The positions between the end of the draft cache and the next batch, Y - X - 1 in the log's own figures."
        " After an image it is as wide as the image, less or more one row for some drafters: `diag positions` "
        "plays it.",
        ("y - x - 1", "hole"),
    ),
    Term(
        "draft-local",
        "A remedy that was proposed upstream: the draft cache counts its own rows, without the target's "
        "positions, so that an image leaves no gap.",
        ("draft local", "draft-local numbering"),
        _LOCAL,
    ),
    Term(
        "acceptance",
        "Accepted drafts out of drafted tokens. With few drafts the share says little: the bracket behind it is "
        "the 95 % interval, and a note says when there are too few to judge.",
        ("accepted", "draft acceptance"),
    ),
    Term(
        "incident",
        "Failing lines that follow each other with nothing else between: they are read as one event, its first "
        "line as the cause.",
    ),
    Term(
        "start",
        "One run of the server, from its first line to its end; a log of restarts holds several. Facts and "
        "findings are counted by start.",
        ("session", "starts"),
    ),
    Term(
        "flavour",
        "Whose build of the engine wrote the log: llama.cpp itself, or a fork or front end such as ik_llama.cpp "
        "or ollama. Forks count their own builds, so b-numbers are not applied to them. A build that is not "
        "printed is bounded by wordings that changed.",
        ("from wordings", "build"),
    ),
)


def find_term(name: str, upstream: Mapping[str, UpstreamItem]) -> Term | None:
    """Return the entry of a word or one of its other names, in any case, with hyphens or blanks; None for another.

    What an entry tells of a thread, its state and the day it was seen, is read from `upstream`.
    """
    wanted = _plain(name)
    found = next((term for term in TERMS if wanted in map(_plain, (term.name, *term.aliases))), None)
    item = upstream.get(found.source) if found is not None else None
    if found is None or item is None:
        return found
    state = f" Pull request {item.ref.rpartition('#')[2]} does that: {item.state_words}, {_builds(item)}."
    return replace(found, text=found.text + state, source=f"{item.ref}, last seen {item.seen}")


def _builds(item: UpstreamItem) -> str:
    return "in no upstream build that is known" if item.first_build is None else f"in b{item.first_build} and later"


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").split())
