"""The registry of threads and releases as text and as plain values for JSON."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from diag.model.catalog import Question, UpstreamItem
from diag.model.registry import Concern, Dated
from diag.render.plain import short_ref
from diag.render.sheet import STATE_STYLE, Sheet

KIND_WORDS = {"pull-request": "PR", "issue": "issue", "release": "release"}
FAMILY_WORDS = {
    "one-axis-separate": "MTP heads with one-axis positions",
    "mrope-separate": "MTP heads with M-RoPE positions",
    "shared-cache": "MTP heads that read the target's cache",
    "dflash": "DFlash",
    "eagle3": "EAGLE-3",
    "independent-draft": "independent draft models",
    "ngram": "n-gram drafting",
    "several families": "Several drafter families",
    "other": "Not tied to a signature",
}


LEGEND = (
    "A day behind merged, closed or draft is the event's own; last seen is the day for which another state is "
    "supported. bNNNN: the first build with it. *: in words of our own, the exact title was not seen."
)
N_A_TOPIC = 6  # lines of a topic in the short list


def ref_words(item: UpstreamItem) -> str:
    """Return the item as people write it: #25144, b9871, owner/repository#5."""
    return short_ref(item.ref).removeprefix("@")


def title_words(item: UpstreamItem) -> str:
    """Return the title, with an asterisk where the words are our own; "" where none is known."""
    return item.title if item.title_exact or not item.title else f"{item.title} *"


def address(item: UpstreamItem) -> str:
    """Return where the item is read."""
    repository, joint, name = item.ref.partition("#")
    if not joint:
        repository, _, name = item.ref.partition("@")
        return f"https://github.com/{repository}/releases/tag/{name}"
    return f"https://github.com/{repository}/{'pull' if item.kind == 'pull-request' else 'issues'}/{name}"


def since_words(item: UpstreamItem) -> str:
    """Return the state with the event's day ("merged 2026-09-24"), else with the day for which it is supported."""
    final = item.state in ("merged", "closed") and getattr(item, item.state) is not None
    return item.state_words if final else f"{item.state_words}, last seen {item.seen}"


def render_list(
    groups: Sequence[tuple[str, Sequence[UpstreamItem]]],
    questions: Sequence[Question],
    *,
    n_all: int,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return the items by what they concern, the questions with their answers, and how old all of it is."""
    sheet = Sheet(width, color)
    items = [item for _, group in groups for item in group]
    sheet.line(LEGEND, "dim")
    for topic, group in groups:
        sheet.heading(FAMILY_WORDS.get(topic, f"Area {topic}"))
        for item in group:
            build = f"  b{item.first_build}" if item.first_build is not None else ""
            head = f"{ref_words(item)}  {KIND_WORDS[item.kind]}  {since_words(item)}{build}"
            sheet.line(head, STATE_STYLE[item.state], indent=2)
            if item.title:
                sheet.line(title_words(item), indent=6)
    if questions:
        sheet.heading("Questions that were open")
        for question in questions:
            _question(sheet, question)
    sheet.blank()
    sheet.line(f"{_count(items)}{_age(items)}", "dim")
    if len(items) < n_all:
        sheet.line(f"{n_all} are in the registry: --all shows them; diag upstream REF shows one in full.", "dim")
    return sheet.text()


def render_brief(
    groups: Sequence[tuple[str, Sequence[UpstreamItem]]],
    questions: Sequence[Question],
    *,
    n_all: int,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return a line for each of the first items of a topic, and the questions without their answers."""
    sheet = Sheet(width, color)
    shown = [(topic, group[:N_A_TOPIC]) for topic, group in groups if group]
    items = [item for _, group in shown for item in group]
    sheet.line("Open and lately changed threads on drafters, images and positions.", "bold")
    sheet.line(
        "A day in brackets: last seen so; a day without: the event's own. bNNNN: the first build with it.", "dim"
    )
    sheet.line("*: in words of our own, the exact title was not seen.", "dim")
    for topic, group in shown:
        sheet.heading(FAMILY_WORDS.get(topic, f"Area {topic}"))
        for item in group:
            build = f" b{item.first_build}" if item.first_build is not None else ""
            final = item.state_words[-1].isdigit() and item.state != "draft"
            state = item.state_words if final else f"{item.state} ({item.seen})"
            row = f"{ref_words(item).ljust(6)}  {state}{build}  {title_words(item)}"
            sheet.verbatim(row.rstrip(), STATE_STYLE[item.state], indent=2)
    if questions:
        sheet.heading("Questions that were open")
        for question in questions:
            sheet.line(f"{question.text} [{question.status}]", "cyan", indent=2, hang=2)
    sheet.blank()
    sheet.line(
        f"{n_all - len(items)} more: --all, which answers the questions too. diag upstream REF shows one.", "dim"
    )
    if items:
        sheet.line(f"Last seen between {min(i.seen for i in items)} and {max(i.seen for i in items)}.", "dim")
    return sheet.text()


def render_item(
    item: UpstreamItem,
    *,
    pointing: Sequence[UpstreamItem] = (),
    signatures: Sequence[str] = (),
    questions: Sequence[Question] = (),
    width: int = 80,
    color: bool = False,
) -> str:
    """Return one item in full; `pointing` are items that name it, `signatures` ids that rest on it."""
    sheet = Sheet(width, color)
    sheet.line(f"{ref_words(item)}  {item.title}".rstrip(), "bold")
    sheet.line(f"{KIND_WORDS[item.kind]} · {item.state_words} · last seen {item.seen}", STATE_STYLE[item.state])
    sheet.blank()
    sheet.row("Where", address(item))
    if not item.title_exact:
        sheet.row("Title", f"{'in words of our own; the exact one was ' if item.title else ''}not seen")
    for label, date in (
        ("Opened", item.opened),
        ("Draft", item.draft_since),
        ("Out" if item.kind == "release" else "Merged", item.merged),
        ("Closed", item.closed),
    ):
        sheet.row(label, f"{date}" if date is not None else "")
    sheet.row("First in", f"b{item.first_build}" if item.first_build is not None else "")
    sheet.row("Changes", item.changes)
    sheet.row("Families", ", ".join(item.families))
    for label, refs in (
        ("Fixes", item.fixes),
        ("Replaces", item.supersedes),
        ("Replaced by", item.superseded_by),
        ("Related", item.related),
    ):
        sheet.row(label, ", ".join(short_ref(ref) for ref in refs), label_width=12 if label == "Replaced by" else 11)
    known = {*item.related, *item.fixes, *item.supersedes, *item.superseded_by}
    sheet.row("Named by", ", ".join(ref_words(other) for other in pointing if other.ref not in known))
    sheet.row("Explains", ", ".join(signatures))
    if item.arguments:
        sheet.heading("Who argues what")
        for argument in item.arguments:
            by = f" ({argument.by})" if argument.by else ""
            sheet.line(f"{argument.side}: {argument.text}{by}", indent=2, hang=2)
    if item.events:
        sheet.heading("History")
        for event in item.events:
            sheet.row(str(event.date), event.what, indent=2, label_width=12)
    if questions:
        sheet.heading("Questions that were open")
        for question in questions:
            _question(sheet, question)
    sheet.blank()
    sheet.row("Source", item.source, "dim")
    return sheet.text()


def render_timeline(
    steps: Sequence[Dated], items: Sequence[UpstreamItem], *, n_all: int, width: int = 80, color: bool = False
) -> str:
    """Return the dated steps, oldest first, under a heading a month."""
    sheet = Sheet(width, color)
    month = ""
    for step in steps:
        if month != f"{step.date:%Y-%m}":
            month = f"{step.date:%Y-%m}"
            sheet.heading(month)
        text = f"{ref_words(step.item)} {step.what}"
        if not step.told:
            text = f"{text}: {title_words(step.item)}" if step.item.title else text
        sheet.row(f"{step.date}", text, label_width=12)
    sheet.blank()
    sheet.line(f"{len(steps)} dated steps of {_count(items)}{_age(items)}", "dim")
    sheet.line(LEGEND, "dim")
    if len(items) < n_all:
        sheet.line(f"{n_all} are in the registry: --all takes them in.", "dim")
    return sheet.text()


def item_dict(item: UpstreamItem, concern: Concern) -> dict[str, Any]:
    """Return the item as plain values; absent dates and builds are None."""
    return {
        "ref": item.ref,
        "kind": item.kind,
        "title": item.title,
        "title_exact": item.title_exact,
        "state": item.state,
        "since": since_words(item),
        "opened": _day(item.opened),
        "draft_since": _day(item.draft_since),
        "merged": _day(item.merged),
        "closed": _day(item.closed),
        "first_build": item.first_build,
        "changes": item.changes,
        "families": list(item.families),
        "concerns": concern.topic,
        "related": list(item.related),
        "fixes": list(item.fixes),
        "supersedes": list(item.supersedes),
        "superseded_by": list(item.superseded_by),
        "arguments": [{"side": row.side, "text": row.text, "by": row.by} for row in item.arguments],
        "events": [{"date": _day(row.date), "what": row.what} for row in item.events],
        "checked": _day(item.checked),
        "month_only": item.month_only,
        "source": item.source,
    }


def step_dict(step: Dated) -> dict[str, Any]:
    """Return a step of the timeline as plain values."""
    return {"date": _day(step.date), "ref": step.item.ref, "what": step.what, "title": step.item.title}


def question_dict(question: Question) -> dict[str, Any]:
    """Return a question as plain values."""
    return {
        "text": question.text,
        "refs": list(question.refs),
        "asked": _day(question.asked),
        "answer": question.answer,
        "status": question.status,
        "checked": _day(question.checked),
        "source": question.source,
    }


def _question(sheet: Sheet, question: Question) -> None:
    sheet.line(question.text, "cyan", indent=2, hang=2)
    when = f"{question.status}, asked {question.asked}, looked up {question.checked}"
    sheet.line(f"{question.answer} [{when}]", indent=4)


def _count(items: Sequence[UpstreamItem]) -> str:
    return f"{len(items)} item{'s' if len(items) != 1 else ''}"


def _age(items: Sequence[UpstreamItem]) -> str:
    days = [item.seen for item in items]
    return f"; last seen between {min(days)} and {max(days)}" if days else ""


def _day(date: dt.date | None) -> str | None:
    return date.isoformat() if date is not None else None


def item_dict_short(item: UpstreamItem | None) -> dict[str, Any]:
    """Return title, dated state and arguments of an item; {"state": None} for one that the registry lacks."""
    if item is None:
        return {"state": None}
    return {
        "title": item.title,
        "state": item.state,
        "since": since_words(item),
        "checked": _day(item.checked),
        "first_build": item.first_build,
        "arguments": [{"side": row.side, "text": row.text, "by": row.by} for row in item.arguments],
    }
