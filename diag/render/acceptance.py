"""Draft acceptance of several logs, beside published figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from diag.model.comparison import Tally
from diag.model.run import Acceptance
from diag.model.statistics import FLOOR, mean_accepted_length, rate, wilson_interval
from diag.render.plain import short_ref
from diag.render.sheet import Sheet

TURNS = {"text": "text", "image": "image", "unknown": "not told apart"}
FAMILIES = {
    "one-axis-separate": "MTP (one-axis cache of its own)",
    "mrope-separate": "MTP (M-RoPE cache of its own)",
    "shared-cache": "MTP (reads the target's cache)",
    "dflash": "DFlash",
    "eagle3": "EAGLE-3",
    "independent-draft": "an independent draft model",
    "ngram": "n-gram drafting",
}
JUDGEMENTS = {
    "collapse": "Drafting has collapsed on image turns: under a third of the text rate, far outside chance.",
    "lower": "Image turns accept less than text turns; the 95 % intervals do not overlap.",
    "higher": "Image turns accept more than text turns; the 95 % intervals do not overlap.",
    "same": "Image and text turns cannot be told apart: the 95 % intervals overlap.",
    "too-few": f"Too few to say: a comparison needs {FLOOR} drafted tokens in each class.",
    "no-image": "No turn with an image has drafted tokens that could be told apart.",
    "no-text": "No text turn to compare the image turns with.",
    "none": "Nothing was drafted.",
    "mixed": "Several drafters: text turns of one against image turns of another say nothing.",
}
N_PUBLISHED = 5


def render_acceptance(
    tallies: Sequence[tuple[Tally, Sequence[Tally]]],
    total: Tally | None,
    families: Sequence[Tally],
    measurements: Sequence[Mapping[str, Any]],
    missing: Sequence[str],
    warnings: Sequence[str] = (),
    *,
    full: bool = False,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return each file with its sessions, the sums over families and files, then published figures of the families.

    `tallies` holds a file's sum and its sessions'; `total` the sum over files (None for one file);
    `families` that of each drafter family, where there are several; `missing` sentences
    on figures that nobody published; `warnings` what reports say of image turns.
    """
    sheet = Sheet(width, color)
    for file, sessions in tallies:
        sheet.heading(file.name if file.name != "-" else "standard input")
        if not sessions:
            sheet.line("No acceptance line and no draft_n in it: nothing was drafted, or it was not logged.", indent=2)
        for session in sessions:
            words = ", ".join(part for part in (session.build_words, session.family_words) if part)
            sheet.line(f"start {session.session}: {words}", indent=2, hang=2)
            _table(sheet, session)
        if len(sessions) > 1:
            sheet.line(f"all {len(sessions)} starts", "bold", indent=2)
            _table(sheet, file)
    for family in families:
        sheet.heading(f"All starts with {FAMILIES[family.families[0]]}")
        _table(sheet, family)
    if total is not None:
        sheet.heading(f"All {len(tallies)} files")
        _table(sheet, total)
    for warning in warnings:
        sheet.blank()
        sheet.line(f"! {warning}", "yellow", hang=2)
    _published(sheet, measurements, full)
    if missing:
        sheet.blank()
        for sentence in missing:
            sheet.line(sentence, hang=2)
    return sheet.text()


def _table(sheet: Sheet, tally: Tally) -> None:
    rows = [("turns", "requests", "drafted", "accepted", "rate", "95 %", "mean len")]
    for turn, label in TURNS.items():
        sums = tally.sums.get(turn, Acceptance())
        if not sums.requests:
            continue
        share, interval, length = rate(sums), wilson_interval(sums.accepted, sums.drafted), mean_accepted_length(sums)
        rows.append(
            (
                label,
                str(sums.requests),
                str(sums.drafted),
                str(sums.accepted),
                f"{share:.3f}" if share is not None else "-",
                f"{interval[0]:.2f} to {interval[1]:.2f}" if interval is not None else "-",
                f"{length:.2f}" if length is not None else "-",
            )
        )
    if len(rows) > 1:
        sheet.table(rows, indent=4, right=" rrrr")
    few = [label for turn, label in TURNS.items() if 0 < tally.sums.get(turn, Acceptance()).drafted < FLOOR]
    if few and tally.judgement != "too-few":
        sheet.line(f"Too few drafted tokens to say (under {FLOOR}): {', '.join(few)}.", indent=4)
    sheet.line(JUDGEMENTS[tally.judgement], "yellow" if tally.judgement == "collapse" else "", indent=4)
    if tally.image_sign:
        sheet.line(f"How told: {tally.image_sign}", "dim", indent=4, hang=2)


def _published(sheet: Sheet, measurements: Sequence[Mapping[str, Any]], full: bool) -> None:
    if not measurements:
        return
    sheet.heading("Published figures of the same drafters")
    sheet.line("Other models, prompts and machines: compare within a row, not between rows.", "dim", indent=2)
    shown = measurements if full else measurements[:N_PUBLISHED]
    for row in shown:
        sheet.line(f"text {figure(row.get('text_rate'))} · image {figure(row.get('image_rate'))}", "cyan", indent=2)
        where = short_ref(str(row["ref"])) if row.get("ref") else str(row.get("source", ""))
        sheet.line(f"{row.get('setting', '')} [{row.get('backend', 'unknown')}; {where}, {row.get('date')}]", indent=6)
    if len(shown) < len(measurements):
        sheet.line(f"{len(measurements) - len(shown)} more: --full", "dim", indent=2)


def figure(span: Any) -> str:
    """Return a published rate: one figure, or from and to; "not given" for none."""
    if not isinstance(span, list | tuple) or len(span) != 2:
        return "not given"
    low, high = float(span[0]), float(span[1])
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def tally_dict(tally: Tally) -> dict[str, Any]:
    """Return a tally as plain values; rates are None without drafted tokens."""
    return {
        "name": tally.name or None,
        "session": tally.session,
        "families": list(tally.families),
        "acceptance": {turn: _sums(tally.sums.get(turn, Acceptance())) for turn in TURNS},
        "image_against_text": tally.judgement,
        "image_turns": tally.image_sign,
    }


def _sums(sums: Acceptance) -> dict[str, Any]:
    share, interval, length = rate(sums), wilson_interval(sums.accepted, sums.drafted), mean_accepted_length(sums)
    return {
        "requests": sums.requests,
        "drafted": sums.drafted,
        "accepted": sums.accepted,
        "rate": round(share, 5) if share is not None else None,
        "ci95": [round(interval[0], 5), round(interval[1], 5)] if interval is not None else None,
        "mean_len": round(length, 2) if length is not None else None,
        "enough": sums.drafted >= FLOOR,
    }
