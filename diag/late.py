"""Patterns that cost nothing until they are used: most logs meet few of the wrappers, forms and failures known here."""

import re
from typing import AnyStr, cast


class _Late:
    """Stands for a pattern; its methods are the compiled one's from the first use on."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        pattern = re.compile(self._source, self._flags)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub", "split"):
            self.__dict__[method] = getattr(pattern, method)
        return getattr(pattern, name)


def late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what behaves as `re.compile(source, flags)`, compiled when it is first used; an error shows only then."""
    return cast(re.Pattern[AnyStr], _Late(source, flags))
