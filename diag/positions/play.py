"""A prompt played batch by batch through a drafter and a remedy: what its cache holds, which batch it refuses.

An image is taken to fit one batch, and every text segment to be one; recorded servers that split text further gave
the same X and Y.
"""

from dataclasses import replace
from enum import StrEnum
from typing import Literal

from diag.model.noun import noun
from diag.positions.drafters import Drafter, axis_on, caveats, image_rows_on
from diag.positions.prompt import Placed, Segment, Target, numbers, place
from diag.positions.rule import Rule, accepts, gap, missed

Outcome = Literal["accepted", "refused", "let through", "not given", "waits", "dropped", "not reached", "no batch"]
Verdict = Literal["accepted", "refused", "let through", "dropped", "no own cache"]

N_GENERATED = 2  # EAGLE-3 stores the first generated token only with the second


class Remedy(StrEnum):
    """What is done about positions the drafter never saw. Sources of the last three: ggml-org/llama.cpp#25144."""

    VERBATIM = "verbatim"  # the draft is numbered as the target is: what released builds do
    RELAXED = "relaxed"  # the same, without the check
    DROPPED = "dropped"  # the same, but a sequence that would be refused gets no more drafts
    LOCAL = "local"  # the draft counts its own rows: last position + 1; an image is never numbered


@noun
class Step:
    """One batch of the target and what becomes of it in the draft context.

    `number` counts from 1. `generated` is 0 for a batch of the prompt, k for the k-th generated token. `first`,
    `last` and `n_rows` are the rows the draft context gets (None, None, 0: none). `x` is its last position before the
    batch, -1 when empty. `rule` is None where nothing is checked.
    """

    number: int
    placed: Placed
    generated: int
    first: int | None
    last: int | None
    n_rows: int
    x: int
    rule: Rule | None
    outcome: Outcome


@noun
class Play:
    """The batches of one prompt under one drafter and one remedy.

    `refused` is the batch at which the check said no (also under the relaxed and the dropped remedy), None if there
    is none. `n_hole` counts the positions the draft cache lacks before its end, or before the refused batch;
    `n_unseen_rows` the image rows it was never given up to there. `missed` is the image's positions behind the
    refusal, corrected per drafter, else None.
    """

    drafter: Drafter
    target: Target
    remedy: Remedy
    build: int | None
    steps: tuple[Step, ...]
    segments: tuple[Segment, ...]
    refused: Step | None
    n_hole: int
    n_unseen_rows: int
    missed: int | None
    verdict: Verdict
    notes: tuple[str, ...]

    @property
    def draft_numbers(self) -> str:
        """Positions the draft cache holds at the end, batch by batch; empty if it has no cache of its own."""
        stored = (step for step in self.steps if step.outcome in ("accepted", "let through"))
        return " ".join(_stored(step) for step in stored if step.first is not None)


def _stored(step: Step) -> str:
    if step.first is None or step.last is None:
        return ""
    if step.first == step.last and step.n_rows > 1:
        return f"[{step.first} x {step.n_rows} rows]"
    return numbers(step.first, step.last)


def play(
    segments: tuple[Segment, ...], target: Target, drafter: Drafter, remedy: Remedy, build: int | None = None
) -> Play:
    """The play of a prompt. Without `build` the drafter behaves as on b11434.

    If no batch of the prompt is refused but one of the first generated tokens would be (a prompt that ends with an
    image), those tokens are further steps. Reproduces X and Y of every recorded refusal; tests/positions lists them.
    """
    placed = place(segments, target)
    steps: tuple[Step, ...] = ()
    for n_generated in range(N_GENERATED + 1):
        longer = _Context(drafter, target, remedy, build).run(placed, n_generated)
        if n_generated == 0 or _troubled(longer[-1]):
            steps = longer
        if any(map(_troubled, longer)):
            break
    refused = next((step for step in steps if _troubled(step)), None)
    return Play(
        drafter, target, remedy, build, steps, segments, refused, _n_hole(steps), _n_unseen_rows(steps),
        _missed(drafter, build, refused), _verdict(drafter, refused), _notes(segments, drafter, target, build),
    )  # fmt: skip


def _notes(segments: tuple[Segment, ...], drafter: Drafter, target: Target, build: int | None) -> tuple[str, ...]:
    notes = caveats(drafter, target, build)
    if segments[-1].kind == "image":
        notes += (
            "A /completion prompt that ends with an image aborts b9871, b10189 and b11434 with or without a drafter "
            "(GGML_ASSERT(batch.size() > 0)).",
        )
    return notes


def _troubled(step: Step) -> bool:
    return step.outcome in ("refused", "let through", "dropped")


class _Context:
    """A draft context while a prompt runs: `x` its last position, `waiting` the place of EAGLE-3's row held back."""

    def __init__(self, drafter: Drafter, target: Target, remedy: Remedy, build: int | None) -> None:
        self.drafter = drafter
        self.one_axis = axis_on(drafter, build) == "one-axis"
        # A wrong setting has no numbering that could be repaired: every remedy meets the same refusal.
        self.remedy = Remedy.VERBATIM if drafter.misuse else remedy
        self.images = image_rows_on(drafter, build)
        self.pinned = target is Target.MROPE
        self.x = -1
        self.waiting: int | None = None
        self.ended: Outcome | None = None

    def run(self, placed: tuple[Placed, ...], n_generated: int) -> tuple[Step, ...]:
        steps = [self.step(number, each) for number, each in enumerate(placed, 1)]
        for nth in range(n_generated):
            position = placed[-1].after + nth
            token = Placed(Segment("text", 1), position, position, 1)
            steps.append(replace(self.step(len(steps) + 1, token), generated=nth + 1))
        return tuple(steps)

    def step(self, number: int, placed: Placed) -> Step:
        if self.ended is not None:
            return self.bare(number, placed, self.ended)
        if self.drafter.misuse:
            # The draft context looks into the target's cache, which already ends with this very batch.
            self.x = placed.last
        elif self.drafter.cache != "own":
            return self.bare(number, placed, "no batch")
        if placed.segment.kind == "image" and not self.takes(placed):
            return self.bare(number, placed, "not given")
        first, last, n_rows = self.rows(placed)
        if n_rows == 0:
            return self.bare(number, placed, "waits")
        return self.offer(number, placed, first, last, n_rows)

    def bare(self, number: int, placed: Placed, outcome: Outcome) -> Step:
        return Step(number, placed, 0, None, None, 0, self.x, None, outcome)

    def takes(self, placed: Placed) -> bool:
        if self.remedy is Remedy.LOCAL or self.images == "skipped":
            return False
        # PR 28587 skips rows that share a position only if there is more than one of them
        return self.images == "taken" or not (self.pinned and placed.segment.n_rows > 1)

    def rows(self, placed: Placed) -> tuple[int, int, int]:
        """First and last position and number of the rows this batch brings to the draft."""
        first, last, n_rows = placed.first, placed.last, placed.segment.n_rows
        if self.remedy is Remedy.LOCAL:
            first = (self.x if self.waiting is None else self.waiting) + 1
            last = first + n_rows - 1
        if not self.drafter.holds_back:
            return first, last, n_rows
        # EAGLE-3 stores (token p+1, features p) at p: the last row waits, and comes with the next batch only if that
        # continues it. Source: common_speculative_impl_draft_eagle3::process, b11434.
        joins = self.waiting is not None and self.waiting + 1 == first
        self.waiting = last
        return (first - 1, last - 1, n_rows) if joins else (first, last - 1, n_rows - 1)

    def offer(self, number: int, placed: Placed, first: int, last: int, n_rows: int) -> Step:
        rule = self.rule(placed)
        x = self.x
        outcome: Outcome = "accepted"
        if not accepts(rule, x, first):
            outcome = _REFUSAL[self.remedy]
            if outcome != "let through":
                self.ended = "dropped" if outcome == "dropped" else "not reached"
        if self.ended is None:
            self.x = last
        return Step(number, placed, 0, first, last, n_rows, x, rule, outcome)

    def rule(self, placed: Placed) -> Rule:
        if self.one_axis:
            return Rule.CONSECUTIVE
        return Rule.MROPE_EMBEDDING if self.drafter.embeds_text or placed.segment.kind == "image" else Rule.MROPE_TOKEN


_REFUSAL: dict[Remedy, Outcome] = {
    Remedy.VERBATIM: "refused",
    Remedy.RELAXED: "let through",
    Remedy.DROPPED: "dropped",
    Remedy.LOCAL: "refused",
}


def _n_hole(steps: tuple[Step, ...]) -> int:
    hole = 0
    given: Step | None = None
    for step in steps:
        if step.first is None:
            continue
        # An M-RoPE cache that holds an image jumps after it as the target does: that is numbering, nothing is absent.
        after_image = given is not None and given.placed.segment.kind == "image"
        if not after_image or step.rule is Rule.CONSECUTIVE:
            hole += max(0, gap(step.x, step.first))
        given = step
    return hole


def _n_unseen_rows(steps: tuple[Step, ...]) -> int:
    return sum(step.placed.segment.n_rows for step in steps if step.outcome == "not given")


def _missed(drafter: Drafter, build: int | None, refused: Step | None) -> int | None:
    if refused is None or refused.first is None:
        return None
    # a DFlash file whose sections are not read refuses as a one-axis drafter does
    one_axis = refused.rule is Rule.CONSECUTIVE and not drafter.misuse
    position_class = "one-axis-separate" if one_axis else drafter.position_class
    return missed(drafter.family, position_class, gap(refused.x, refused.first), build)


def _verdict(drafter: Drafter, refused: Step | None) -> Verdict:
    if refused is None:
        return "accepted" if drafter.cache == "own" else "no own cache"
    if refused.outcome == "let through":
        return "let through"
    return "dropped" if refused.outcome == "dropped" else "refused"
