"""A pattern that is compiled when it is first used behaves as one that was compiled at once."""

import re

import pytest

from diag.late import late


def test_it_finds_what_the_compiled_pattern_finds() -> None:
    pattern = late(r"(?P<word>[a-z]+) (\d+)", re.IGNORECASE)
    found = pattern.match("Slot 17 done")
    assert found is not None
    assert (found["word"], found[2], found.span()) == ("Slot", "17", (0, 7))
    assert pattern.search("no figure here") is None
    assert pattern.sub("-", "a 1, b 2") == "-, -"
    assert [hit.start() for hit in pattern.finditer("a 1, b 2")] == [0, 5]
    assert pattern.pattern == r"(?P<word>[a-z]+) (\d+)"
    assert pattern.groups == 2


def test_it_may_be_bytes() -> None:
    assert late(rb"\x00{2,}").split(b"a\x00\x00b") == [b"a", b"b"]


def test_a_fault_in_it_shows_at_the_first_use() -> None:
    pattern = late("(")
    with pytest.raises(re.error):
        pattern.search("text")


def test_what_no_pattern_has_is_missing() -> None:
    with pytest.raises(AttributeError):
        _ = late("a").colour  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        _ = late("a")._made  # type: ignore[attr-defined]


def test_every_pattern_of_the_readers_compiles() -> None:
    import importlib
    import pkgutil

    import diag.read

    n_patterns = 0
    for module in pkgutil.iter_modules(diag.read.__path__, "diag.read."):
        for item in vars(importlib.import_module(module.name)).values():
            if type(item).__name__ == "_Late":
                re.compile(item.pattern, item.flags)
                n_patterns += 1
    assert n_patterns > 80
