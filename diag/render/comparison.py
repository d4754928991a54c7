"""What changed between a good and a bad run, as text and as plain values for JSON."""

from collections.abc import Sequence
from typing import Any

from diag.model.catalog import UpstreamItem
from diag.model.comparison import BuildSpan, Comparison
from diag.render.acceptance import FAMILIES
from diag.render.sheet import Sheet
from diag.render.upstream import ref_words

N_ITEMS = 12  # changes of a span that fit the screen; JSON holds all


def render_comparison(
    comparison: Comparison,
    names: tuple[str, str],
    landed: Sequence[UpstreamItem] = (),
    *,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return the differences, what could not be compared, and the builds to bisect.

    `names` are the good and the bad file; `landed` the registry's changes that came between their builds, by build.
    """
    sheet = Sheet(width, color)
    for label, name, (number, n_sessions) in (
        ("good", names[0], comparison.good_session),
        ("bad", names[1], comparison.bad_session),
    ):
        which = f" (start {number}, the last of {n_sessions})" if n_sessions > 1 else ""
        sheet.row(label, f"{'standard input' if name == '-' else name}{which}", label_width=6)
    if not comparison.differences:
        sheet.heading("Nothing that the logs show changed.")
    for difference in comparison.differences:
        sheet.heading(difference.name, "red" if difference.what == "failure" else "bold")
        words = FAMILIES if difference.name == "drafter" else {}
        sheet.row("good", words.get(difference.good, difference.good), indent=2, label_width=6)
        sheet.row("bad", words.get(difference.bad, difference.bad), indent=2, label_width=6)
        sheet.row("", difference.why, "dim", indent=2, label_width=6)
    if comparison.span is not None:
        _span(sheet, comparison.span, landed)
    if comparison.untold:
        sheet.heading("Not compared")
        for text in comparison.untold:
            sheet.line(text, indent=2, hang=2)
    return sheet.text()


def bisect_words(span: BuildSpan) -> str:
    """Return what to do with the builds between the two runs."""
    n_builds = span.up_to - span.after
    if span.backwards:
        return (
            f"The bad run has the older build: what repaired it came after b{span.after} and by b{span.up_to}. "
            "Upgrading may be the whole answer."
        )
    if n_builds == 1:
        return f"The builds follow each other: the change came with b{span.up_to}."
    steps = (n_builds - 1).bit_length()
    return (
        f"The change came after b{span.after} and by b{span.up_to}: about {steps} step{'s' if steps != 1 else ''} of "
        f"`git bisect start b{span.up_to} b{span.after}` in a llama.cpp checkout, if the build is to blame."
    )


def _span(sheet: Sheet, span: BuildSpan, landed: Sequence[UpstreamItem]) -> None:
    sheet.heading("Builds between")
    sheet.line(bisect_words(span), indent=2)
    whom = f"the drafter family {span.family}" if span.family is not None else "drafters or images"
    if not landed:
        sheet.line(f"The registry holds no change between them that concerns {whom}.", indent=2)
        return
    sheet.line(f"Changes between them that concern {whom}, as far as the registry knows:", indent=2)
    for item in landed[:N_ITEMS]:
        sheet.row(f"b{item.first_build}", f"{ref_words(item)} {item.title}", indent=4, label_width=8)
    if len(landed) > N_ITEMS:
        sheet.line(f"{len(landed) - N_ITEMS} more: diag upstream --timeline", "dim", indent=4)


def comparison_dict(
    comparison: Comparison, names: tuple[str, str], landed: Sequence[UpstreamItem] = ()
) -> dict[str, Any]:
    """Return what `render_comparison` tells as plain values."""
    span = comparison.span
    return {
        "good": {"name": names[0], "session": comparison.good_session[0], "sessions": comparison.good_session[1]},
        "bad": {"name": names[1], "session": comparison.bad_session[0], "sessions": comparison.bad_session[1]},
        "differences": [
            {"what": item.what, "name": item.name, "good": item.good, "bad": item.bad, "why": item.why}
            for item in comparison.differences
        ],
        "not_compared": list(comparison.untold),
        "builds_between": {
            "after": span.after,
            "up_to": span.up_to,
            "bad_is_older": span.backwards,
            "family": span.family,
            "what_to_do": bisect_words(span),
            "changes": [{"ref": item.ref, "first_build": item.first_build, "title": item.title} for item in landed],
        }
        if span is not None
        else None,
    }
