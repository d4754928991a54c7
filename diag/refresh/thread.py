"""A document of the API -> a Sighting."""

import datetime as dt
import re
from typing import Any

from diag.model.refresh import Sighting

_HTML_URL = re.compile(r"https?://[^/]+/([\w.-]+/[\w.-]+)/(?:issues|pull|releases/tag|discussions)/([^/?#\s]+)")
_TITLE_LENGTH = 300


def read_thread(document: Any, ref: str, today: dt.date) -> Sighting:
    """Return an issue (/issues/N) or pull request (/pulls/N) as it was seen.

    Raises ValueError, which says what the document lacks. Only /pulls/N tells whether a pull request was merged.
    """
    fields = _object(document)
    state = _text(fields, "state")
    if state not in ("open", "closed"):
        raise ValueError(f"its state is {state[:20]!a}")
    pull = "merged_at" in fields
    merged = _day(fields, "merged_at") if pull else None
    if merged is not None:
        state = "merged"
    elif state == "open" and fields.get("draft") is True:
        state = "draft"
    return Sighting(
        ref=ref,
        kind="pull-request" if pull else "issue",
        title=title_of(_text(fields, "title")),
        state=state,
        checked=today,
        opened=_day(fields, "created_at"),
        merged=merged,
        closed=_day(fields, "closed_at") if state == "closed" else None,
        moved_to=_moved(fields, ref, "#"),
    )


def read_release(document: Any, ref: str, today: dt.date) -> Sighting:
    """Return a release (/releases/tags/TAG) as it was seen: merged on the day it came out. Raises ValueError."""
    fields = _object(document)
    name = fields.get("name")
    tag = ref.rpartition("@")[2]
    return Sighting(
        ref=ref,
        kind="release",
        title=title_of(name if isinstance(name, str) and name.strip() else tag),
        state="merged",
        checked=today,
        merged=_day(fields, "published_at"),
        moved_to=_moved(fields, ref, "@"),
    )


def is_pull(document: Any) -> bool:
    """Return whether a document of /issues/N is that of a pull request, of which it tells only a part."""
    return isinstance(document, dict) and isinstance(document.get("pull_request"), dict)


def title_of(text: str) -> str:
    """Return the title in one line, without characters that steer a terminal."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_TITLE_LENGTH]


def _object(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise ValueError("it is no object")
    return document


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"it lacks {key}")
    return value


def _day(fields: dict[str, Any], key: str) -> dt.date | None:
    """Return the day (UTC; the API writes 2026-09-24T08:15:30Z) or None where it is null."""
    value = fields.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"its {key} is no date")
    try:
        return dt.date.fromisoformat(value[:10])
    except ValueError:
        raise ValueError(f"its {key} is {value[:20]!a}") from None


def _moved(fields: dict[str, Any], ref: str, joint: str) -> str:
    """Return where the thread is now when that is not where the registry has it; "" otherwise.

    GitHub answers for the new place after a redirect, and spells names as their owners do: case is no move.
    """
    found = _HTML_URL.match(str(fields.get("html_url") or ""))
    if found is None:
        return ""
    now = f"{found[1]}{joint}{found[2]}"
    return now if now.lower() != ref.lower() else ""
