"""What a refresh found, as text and as plain values for JSON."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from diag.model.catalog import UpstreamItem
from diag.model.refresh import Outcome, Stop
from diag.render.sheet import STATE_STYLE, Sheet
from diag.render.upstream import KIND_WORDS, ref_words, since_words

_DAYS = ("opened", "draft_since", "merged", "closed", "checked")


def render_refresh(
    outcomes: Sequence[Outcome],
    stop: Stop | None,
    *,
    n_left: int,
    n_requests: int,
    where: str,
    every: bool = False,
    width: int = 80,
    color: bool = False,
) -> str:
    """Return what changed, what could not be asked, and the sums; `every` also lists what stayed the same.

    `where` says in words where the result was written. `n_left` items were not asked, because of `stop`.
    """
    sheet = Sheet(width, color)
    changed = [item for item in outcomes if item.seen is not None and item.changed]
    same = [item for item in outcomes if item.seen is not None and not item.changed]
    failed = [item for item in outcomes if item.seen is None]
    if changed:
        sheet.heading("Changed")
        rows = [("was", "is now", "item"), *((_was(row.item), _now(row), ref_words(row.item)) for row in changed)]
        was, now = (max(len(row[column]) for row in rows) for column in (0, 1))
        lines = [f"{row[0].ljust(was)}  {row[1].ljust(now)}  {row[2]}" for row in rows]
        sheet.line(lines[0], "dim", indent=2)
        for line, found in zip(lines[1:], changed, strict=True):
            sheet.line(line, STATE_STYLE[found.new.state], indent=2, hang=2)
            sheet.line(found.new.title, indent=6)
    if same and every:
        sheet.heading("The same")
        for found in same:
            sheet.line(f"{ref_words(found.item)}  {since_words(found.new)}", indent=2)
            sheet.line(found.new.title, indent=6)
    moved = [item for item in outcomes if item.seen is not None and item.seen.moved_to]
    if moved:
        sheet.heading("Moved")
        for item in moved:
            assert item.seen is not None
            sheet.line(f"{ref_words(item.item)} moved to {item.seen.moved_to}", indent=2, hang=2)
    if failed:
        sheet.heading("Not updated")
        for item in failed:
            sheet.line(f"{ref_words(item.item)}: {item.problem}", "yellow", indent=2, hang=2)
    sheet.blank()
    sums = [f"{len(changed)} changed", f"{len(same)} the same"]
    sums += [f"{len(failed)} not updated"] if failed else []
    sums += [f"{n_requests} request{'s' if n_requests != 1 else ''}"]
    sheet.line(", ".join(sums) + (f"; {where}" if where else ""))
    if stop is not None:
        sheet.line(stop_words(stop, n_left), "red")
    return sheet.text()


def stop_words(stop: Stop, n_left: int) -> str:
    """Return why a refresh ended early, what is left, and when to go on."""
    left = f"{n_left} item{'s' if n_left != 1 else ''} not asked"
    when = f"; go on after {stop.resume_at:%Y-%m-%d %H:%M} UTC with the same command" if stop.resume_at else ""
    return f"Stopped: {stop.reason}; {left}{when}{f' ({stop.hint})' if stop.hint else ''}"


def refresh_dict(
    outcomes: Sequence[Outcome], stop: Stop | None, *, n_left: int, n_requests: int, written: str | None
) -> dict[str, Any]:
    """Return the result as plain values; `new` is None for an item that could not be asked."""
    return {
        "schema_version": 1,
        "items": [
            {
                "ref": item.item.ref,
                "old": _values(item.item),
                "new": _values(item.new) if item.seen is not None else None,
                "changed": list(item.changed),
                "moved_to": (item.seen.moved_to if item.seen is not None else "") or None,
                "problem": item.problem or None,
            }
            for item in outcomes
        ],
        "requests": n_requests,
        "written": written,
        "stopped": None
        if stop is None
        else {
            "reason": stop.reason,
            "resume_at": stop.resume_at.isoformat() if stop.resume_at is not None else None,
            "left": n_left,
        },
    }


def _values(item: UpstreamItem) -> dict[str, Any]:
    days = {key: getattr(item, key) for key in _DAYS}
    return {
        "kind": item.kind,
        "title": item.title,
        "title_exact": item.title_exact,
        "state": item.state,
        **{key: day.isoformat() if isinstance(day, dt.date) else None for key, day in days.items()},
    }


def _was(item: UpstreamItem) -> str:
    return "not seen" if item.state == "unknown" else item.state


def _now(item: Outcome) -> str:
    kind = f" ({KIND_WORDS[item.new.kind]})" if "kind" in item.changed else ""
    return f"{since_words(item.new)}{kind}"
