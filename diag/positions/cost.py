"""What a remedy costs, said for one play, with its sources and the day each was last checked."""

from collections.abc import Mapping

from diag.model.catalog import UpstreamItem
from diag.model.noun import noun
from diag.positions.play import Play, Remedy, play


@noun
class Citation:
    """Where a statement comes from and the day it was last looked up (ISO date)."""

    ref: str
    checked: str


@noun
class Cost:
    """A few sentences on what a remedy costs, and their sources."""

    text: str
    sources: tuple[Citation, ...]


_CHECK = Citation("src/llama-batch.cpp, llama_batch_allocr::init, read in b9871 and b11434", "2026-11-30")
_PROCESS = Citation("common/speculative.cpp, process(), read in b9871, b10605 and b11434", "2026-11-30")
_RECORDED = Citation("servers recorded for this project (b9464, b9871, b10189, b11434)", "2026-11-29")
_PATCH = "ggml-org/llama.cpp#25144"
# The two figures below are known only as stated by a reader of the threads; no later copy of them was found. The day
# is that of the reading and stays when the threads move.
_THREAD_FIGURE = Citation("ggml-org/llama.cpp#25144, discussion of July 2026", "2026-08-29")
_FORK = Citation("z-lab/llama.cpp-fork#5", "2026-08-29")


def cost(played: Play, upstream: Mapping[str, UpstreamItem]) -> Cost:
    """The price of the play's remedy for its prompt: a lost request, useless drafts, no speed-up, or nothing.

    The state of the pull request that proposes the remedies, and its day, are those of `upstream`.
    The figures (no accepted draft, about 0.75) were stated for MTP heads in the thread of the pull request; for
    DFlash there is one request of a fork, for the other drafters nothing, and the text says which.
    """
    if played.drafter.misuse:
        return Cost("Every request fails with HTTP 500; use --spec-type draft-mtp.", (_RECORDED,))
    if played.drafter.cache == "none":
        return Cost("Nothing: there is no draft context that could refuse.", (_RECORDED,))
    if played.drafter.cache == "shared":
        text = "Nothing: the drafter reads the target's cache and decodes no batch of its own for the prompt."
        return Cost(text, (_PROCESS, _RECORDED))
    if played.remedy is Remedy.LOCAL:
        return _local(played, upstream)
    if played.refused is None:
        return Cost("Nothing: no batch is refused." + _blind(played), (_CHECK, _RECORDED))
    if played.remedy is Remedy.RELAXED:
        text = (
            "The request goes on, but the hole stays: no draft was accepted any more (reported for an MTP head), "
            "so drafting is paid for and gains nothing."
        )
        return Cost(text, (_THREAD_FIGURE,))
    if played.remedy is Remedy.DROPPED:
        text = "The request goes on at the speed without a drafter. Sequences without an image keep their drafts."
        return Cost(text, (_thread(upstream),))
    text = (
        "The request fails with HTTP 500 (`failed to process speculative batch`), and so does every request running "
        "beside it."
    )
    if played.drafter.family == "independent-draft":
        text += " b9464 aborts instead."
    return Cost(text, (_CHECK, _PROCESS, _RECORDED))


def _blind(played: Play) -> str:
    if played.n_unseen_rows == 0:
        return ""
    return f" The drafter does not see the image ({played.n_unseen_rows} rows), so it may guess worse on image turns."


def _thread(upstream: Mapping[str, UpstreamItem]) -> Citation:
    item = upstream[_PATCH]
    return Citation(f"{_PATCH}, {item.state_words}", item.seen)


def _local(played: Play, upstream: Mapping[str, UpstreamItem]) -> Cost:
    thread = _thread(upstream)
    if played.n_unseen_rows == 0:
        return Cost("Nothing: the prompt holds no image.", (thread,))
    plain = play(played.segments, played.target, played.drafter, Remedy.VERBATIM, played.build)
    text = "" if plain.refused is not None else "Not needed: the verbatim copy is accepted. "
    text += "The drafter does not see the image; a reviewer expects fewer accepted drafts on image turns."
    if played.drafter.family.endswith("-separate"):
        return Cost(f"{text} About 0.75 accepted on the author's quick probe.", (thread, _THREAD_FIGURE))
    if played.drafter.family == "dflash":
        text += " Upstream has no figure for DFlash; a fork reports 42 of 63 drafts accepted on one request."
        return Cost(text, (thread, _THREAD_FIGURE, _FORK))
    return Cost(f"{text} No implementation and no figure is known for this drafter.", (thread, _THREAD_FIGURE))
