"""Answers about lines, remembered: a log has many lines and few kinds of them."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bool, str)
DIGITS = bytes.maketrans(b"123456789", b"000000000")  # makes lines the same that differ in digits alone
_MOST, _LONGEST = 1000, 400  # answers, and characters of a line: what is remembered stays small


def alike(ask: Callable[[str], T]) -> Callable[[str], T]:
    """Return the question asked once for all lines that differ in digits alone; no digit's value may decide it."""
    known: dict[bytes, T] = {}

    def answer(text: str) -> T:
        if len(text) > _LONGEST:
            return ask(text)
        key = text.encode("utf-8", "surrogatepass").translate(DIGITS)
        found = known.get(key)
        if found is None:
            if len(known) == _MOST:
                known.clear()
            found = known[key] = ask(text)
        return found

    return answer
