"""Answers about lines, remembered: a log has many lines and few kinds of them."""

from collections.abc import Callable
from typing import Generic, TypeVar, cast

T = TypeVar("T")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MOST, _LONGEST = 1000, 400  # answers, and characters of a line: what is remembered stays small
_UNKNOWN = object()


class Alike(Generic[T]):
    """Asks a question about a line once for all lines that differ in digits alone; no digit's value may decide it."""

    def __init__(self, ask: Callable[[str], T]) -> None:
        """Remember the answers of `ask`."""
        self._ask = ask
        self._known: dict[bytes, T] = {}

    def __call__(self, text: str) -> T:
        """Return the answer for the text."""
        if len(text) > _LONGEST:
            return self._ask(text)
        key = text.encode("utf-8", "surrogatepass").translate(_DIGITS)
        found = self._known.get(key, _UNKNOWN)
        if found is not _UNKNOWN:
            return cast(T, found)
        answer = self._ask(text)
        if len(self._known) < _MOST:
            self._known[key] = answer
        return answer
