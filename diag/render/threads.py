"""Threads under a diagnosis or a failure kind: which come first, and what one line says of them."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from diag.model.report import UpstreamStatus
from diag.render.plain import short_ref

HOME = "ggml-org/llama.cpp"
_ORDER = {"would-fix": 0, "fixed-by": 1, "report": 2, "introduced-by": 3, "related": 4}
_STATES = {"open": 0, "draft": 0, "merged": 1, "closed": 2, "unknown": 3}
N_NAMED = 5  # threads of unknown state that one line names


class Thread(Protocol):
    """What a link and its item have in common."""

    @property
    def ref(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def relation(self) -> str: ...


T = TypeVar("T", bound=Thread)


def ranked(threads: Iterable[T], *, home_first: bool = True) -> tuple[list[T], list[T]]:
    """Return the threads of a known state, what would help first, and those of which no state was seen.

    `home_first`: llama.cpp's own stand before those of forks and front ends; False for a log of a fork.
    """
    found = sorted(
        threads,
        key=lambda item: (
            home_first and not item.ref.startswith((f"{HOME}#", f"{HOME}@")),
            _ORDER.get(item.relation, 5),
            _STATES.get(item.state, 4),
        ),
    )
    known = [item for item in found if item.state != "unknown"]
    return known, [item for item in found if item.state == "unknown"]


def told(state_words: str, first_build: int | None, state: str, seen: str, title: str) -> str:
    """Return what is known of a thread behind its number: "merged 2026-09-24, in b11163 (last seen ...): title"."""
    build = f", in b{first_build}" if first_build is not None and state == "merged" else ""
    return f"{state_words}{build} (last seen {seen})" + (f": {title}" if title else "")


def status_words(item: UpstreamStatus) -> str:
    """Return what is known of a thread of a report, behind its number."""
    return told(item.since or item.state, item.first_build, item.state, item.seen or str(item.checked), item.title)


def also_reported(threads: Sequence[Thread]) -> str:
    """Return one line for the threads whose state was not seen; "" for none."""
    if not threads:
        return ""
    word = "reported" if all(item.relation == "report" for item in threads) else "named"
    names = ", ".join(short_ref(item.ref) for item in threads[:N_NAMED])
    more = f" and {len(threads) - N_NAMED} more" if len(threads) > N_NAMED else ""
    return f"also {word}: {names}{more} (state not known)"
