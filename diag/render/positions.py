"""Plays -> plain rows, plain text of at most 80 columns, and a dict for JSON. No colours and no I/O."""

from collections.abc import Iterable, Mapping
from textwrap import wrap

from diag.model.catalog import UpstreamItem
from diag.positions.cost import cost
from diag.positions.drafters import Drafter, choose
from diag.positions.play import Play, Remedy, Step, play
from diag.positions.prompt import Placed, Segment, Target, local_numbers, parse_prompt, place, target_numbers
from diag.positions.rule import gap

WIDTH = 80
N_TRACES_MAX = 4  # with more plays than this the batches are left out and only the overview is printed

_PURPOSE = (
    "What each kind of drafter does with this prompt: whether its cache takes the batches after the image as builds "
    "number today, and what three proposed remedies would change. None of them is a switch of llama-server."
)
_LEGEND = (
    "no: a batch that starts at Y is refused by a draft cache that ends at X. --family shows the batches, costs and "
    "sources of one."
)

REMEDY_WORDS: dict[Remedy, str] = {
    Remedy.VERBATIM: "the drafter copies the target's positions: what builds do today",
    Remedy.RELAXED: "the position check lets a jump forward through, and the cache keeps a hole",
    Remedy.DROPPED: "no drafts from the refused batch on; only starting without the drafter does that today",
    Remedy.LOCAL: "the draft cache counts its own rows, so no gap forms (pull request 25144)",
}

REMEDY_LABELS: dict[Remedy, str] = {
    Remedy.VERBATIM: "verbatim copy",
    Remedy.RELAXED: "relaxed check",
    Remedy.DROPPED: "dropped",
    Remedy.LOCAL: "draft-local",
}


def plays(
    segments: tuple[Segment, ...],
    target: Target,
    drafters: Iterable[Drafter],
    remedies: Iterable[Remedy],
    build: int | None = None,
) -> tuple[Play, ...]:
    """Every drafter under every remedy, drafter by drafter."""
    chosen = tuple(remedies)
    return tuple(play(segments, target, drafter, remedy, build) for drafter in drafters for remedy in chosen)


def rows(played: Iterable[Play]) -> list[tuple[str, ...]]:
    """One row a drafter: its label, then one cell a remedy, in the order of the plays. Empty for no plays."""
    table: dict[str, list[str]] = {}
    for each in played:
        table.setdefault(each.drafter.label, []).append(cell(each))
    return [(label, *cells) for label, cells in table.items()]


def cell(each: Play) -> str:
    """The outcome of a play in at most 13 characters, such as `X=2 Y=7 no`, `hole of 4`, `no drafts` or `accepted`."""
    if each.verdict == "refused" and each.refused is not None and each.remedy is Remedy.VERBATIM:
        short = f"X={each.refused.x} Y={each.refused.first} no"
        return short if len(short) <= 13 else "refused"
    if each.verdict == "let through":
        short = f"hole of {each.n_hole}"
        return short if each.n_hole and len(short) <= 13 else "let through"
    return {"dropped": "no drafts", "no own cache": "unaffected"}.get(each.verdict, each.verdict)


def describe(
    prompt: str,
    target: Target = Target.MROPE,
    family: str | None = None,
    remedy: Remedy | None = None,
    build: int | None = None,
    *,
    upstream: Mapping[str, UpstreamItem],
) -> str:
    """The text of `diag positions`, lines of at most 80 columns, ending in a newline.

    `family` is a drafter's name or a family (None: all), `remedy` one remedy (None: all four). With at most four
    plays the batches of each follow the overview. Raises InputError for a prompt or family it cannot read.
    """
    segments = parse_prompt(prompt)
    remedies = (remedy,) if remedy is not None else tuple(Remedy)
    played = plays(segments, target, choose(family), remedies, build)
    lines = [*wrap(_PURPOSE, WIDTH), "", *_heading(segments, target, build)]
    # said before the numbers: a reader takes a table for what happens
    odd = [each.drafter for each in played if target not in each.drafter.targets]
    if family is not None and odd:
        lines += ["", *wrap(f"No {odd[0].label} with a {target.value} target is known: only arithmetic.", WIDTH)]
    lines += ["", *_overview(played, remedies)]
    if len(played) <= N_TRACES_MAX:
        for each in played:
            lines += ["", *_trace(each, upstream)]
        lines += _notes(played, upstream)
    else:
        lines += ["", *wrap(_LEGEND, WIDTH)]
    for remedy in remedies:
        lines += wrap(f"{REMEDY_LABELS[remedy]}: {REMEDY_WORDS[remedy]}", WIDTH, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def _heading(segments: tuple[Segment, ...], target: Target, build: int | None) -> list[str]:
    n_rows = sum(segment.n_rows for segment in segments)
    as_on = "drafters as on b11434" if build is None else f"drafters as on b{build}"
    lines = wrap(f"{_words(segments)}: {n_rows} rows, {target.value} target, {as_on}", WIDTH)
    numberings = {"target": target_numbers(place(segments, target)), "draft-local": local_numbers(segments)}
    for label, numbered in numberings.items():
        lines += wrap(f"{label:<13}{numbered or '-'}", WIDTH, subsequent_indent=" " * 13)
    return lines


def _words(segments: Iterable[Segment]) -> str:
    return " ".join(_word(segment) for segment in segments)


def _word(segment: Segment) -> str:
    if segment.grid is None or segment.grid[1] == 1:
        return f"{segment.kind}:{segment.n_rows}"
    return f"image:{segment.grid[0]}x{segment.grid[1]}"


def _overview(played: tuple[Play, ...], remedies: tuple[Remedy, ...]) -> list[str]:
    header = ("drafter", *(REMEDY_LABELS[remedy] for remedy in remedies))
    return [_columns(each, (28, 14, 14, 11, 11)) for each in (header, *rows(played))]


def _columns(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    # a row may be shorter than the widths; a cell that fills its column still gets a space
    padded = (f"{text:<{width - 1}} " for text, width in zip(cells, widths, strict=False))
    return "".join(padded).rstrip()


def _trace(each: Play, upstream: Mapping[str, UpstreamItem]) -> list[str]:
    lines = wrap(f"{each.drafter.label}, {REMEDY_LABELS[each.remedy]}: {_sentence(each)}", WIDTH)
    widths = (3, 14, 16, 16, 8, 10, 12)
    lines.append("  " + _columns(("#", "holds", "target", "draft", "X", "rule", "outcome"), widths))
    lines += ["  " + _columns(_cells(step), widths) for step in each.steps]
    if each.drafter.cache == "own":
        lines += _labelled("draft", each.draft_numbers or "-")
    arithmetic = _gap_sentence(each)
    if arithmetic:
        lines += _labelled("gap", arithmetic)
    elif each.n_unseen_rows:
        lines += _labelled("lacks", f"{each.n_unseen_rows} image rows it is never given")
    lines += _labelled("cost", cost(each, upstream).text)
    return lines


def _gap_sentence(each: Play) -> str:
    step, n_missed = each.refused, each.missed
    if step is None or step.first is None or n_missed is None:
        return ""
    hole = gap(step.x, step.first)
    text = f"Y - X - 1 = {step.first} - {step.x} - 1 = {hole}"
    if n_missed < hole:
        return f"{text}: {n_missed} of the image and the one row that waits for its next token"
    if n_missed > hole:
        return f"{text}: the image's {n_missed} positions less the one its rows were stored at"
    return f"{text}: the image's positions"


def _sentence(each: Play) -> str:
    step = each.refused
    if step is None:
        return "no batch refused" if each.verdict == "accepted" else "no batch of its own"
    where = f"batch {step.number} (X = {step.x}, Y = {step.first})"
    return {
        "refused": f"refused at {where}",
        "let through": f"{where} let through",
        "dropped": f"no drafts from {where}",
    }[each.verdict]


def _cells(step: Step) -> tuple[str, ...]:
    segment = step.placed.segment
    holds = f"new token {step.generated}" if step.generated else f"{segment.kind} {segment.n_rows}"
    draft = "-" if step.first is None or step.last is None else _range(step.first, step.last)
    rule = "-" if step.rule is None else "empty" if step.x < 0 else step.rule.wording
    x = "-" if step.outcome in ("no batch", "not reached") else str(step.x)
    return (str(step.number), holds, _range(step.placed.first, step.placed.last), draft, x, rule, step.outcome)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _labelled(label: str, text: str) -> list[str]:
    return wrap(f"  {label:<7}{text}", WIDTH, subsequent_indent=" " * 9)


def _notes(played: tuple[Play, ...], upstream: Mapping[str, UpstreamItem]) -> list[str]:
    lines: list[str] = []
    for drafter in dict.fromkeys(each.drafter for each in played):
        notes = next(each.notes for each in played if each.drafter == drafter)
        lines += ["", *wrap(f"{drafter.label}, recorded with images: {drafter.seen}.", WIDTH)]
        for note in notes:
            lines += wrap(note, WIDTH)
    sources = dict.fromkeys(source for each in played for source in cost(each, upstream).sources)
    lines += ["", "Sources"]
    for source in sources:
        lines += wrap(f"  {source.ref}, checked {source.checked}", WIDTH, subsequent_indent="    ")
    return lines


def as_dict(
    prompt: str,
    target: Target = Target.MROPE,
    family: str | None = None,
    remedy: Remedy | None = None,
    build: int | None = None,
    *,
    upstream: Mapping[str, UpstreamItem],
) -> dict[str, object]:
    """The content of `describe`, complete and ready for json.dumps; absent numbers are None. Raises InputError too."""
    segments = parse_prompt(prompt)
    remedies = (remedy,) if remedy is not None else tuple(Remedy)
    placed = place(segments, target)
    return {
        "prompt": _words(segments),
        "build": build,
        "target": {
            "scheme": target.value,
            "positions": target_numbers(placed),
            "segments": [_placed_dict(each) for each in placed],
        },
        "draft_local": local_numbers(segments),
        "plays": [_play_dict(each, upstream) for each in plays(segments, target, choose(family), remedies, build)],
    }


def _placed_dict(each: Placed) -> dict[str, object]:
    grid = each.segment.grid
    return {
        "kind": each.segment.kind, "n_rows": each.segment.n_rows, "grid": None if grid is None else list(grid),
        "first": each.first, "last": each.last, "span": each.span,
    }  # fmt: skip


def _play_dict(each: Play, upstream: Mapping[str, UpstreamItem]) -> dict[str, object]:
    step = each.refused
    y = None if step is None else step.first
    price = cost(each, upstream)
    return {
        "drafter": each.drafter.name,
        "label": each.drafter.label,
        "family": each.drafter.family,
        "position_class": each.drafter.position_class,
        "remedy": each.remedy.value,
        "verdict": each.verdict,
        "refused_at_batch": None if step is None else step.number,
        "rule": None if step is None or step.rule is None else step.rule.value,
        "x": None if step is None else step.x,
        "y": y,
        "gap": None if step is None or y is None else gap(step.x, y),
        "missed": each.missed,
        "n_hole": each.n_hole,
        "n_unseen_rows": each.n_unseen_rows,
        "draft_positions": each.draft_numbers,
        "batches": [_step_dict(batch) for batch in each.steps],
        "cost": price.text,
        "seen": each.drafter.seen,
        "notes": list(each.notes),
        "sources": [{"ref": source.ref, "checked": source.checked} for source in price.sources],
    }


def _step_dict(step: Step) -> dict[str, object]:
    return {
        "number": step.number, "kind": step.placed.segment.kind, "generated": step.generated,
        "target": {"first": step.placed.first, "last": step.placed.last, "n_rows": step.placed.segment.n_rows},
        "draft": None if step.first is None else {"first": step.first, "last": step.last, "n_rows": step.n_rows},
        "x": step.x, "rule": None if step.rule is None else step.rule.value, "outcome": step.outcome,
    }  # fmt: skip
