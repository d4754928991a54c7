"""Literals and patterns in the languages of other search tools."""

import json
import re
from collections.abc import Callable, Iterable, Sequence

from diag.model.comparison import Anchor

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$#&~-]")
# What Rust's regex and RE2 do not have, and what ties a pattern to a message's start, which in a file has a prefix.
_NOT_PORTABLE = re.compile(r"\(\?(?:=|!|<=|<!|P=|>|\()|\\[AZGK1-9]|(?<!\[)\^|[*+?}]\+")
_NAMED = re.compile(r"\(\?P<\w+>")


def literal(anchor: Anchor) -> str:
    """Return the literal as a pattern; every mark with a meaning is escaped."""
    return _SPECIAL.sub(lambda found: "\\" + found[0] if found[0] not in "#&~-" else found[0], anchor.literal)


def portable(anchor: Anchor) -> str:
    """Return the exact pattern without group names, or the literal where the pattern would not hold in a raw line."""
    if _NOT_PORTABLE.search(anchor.pattern) or anchor.pattern.endswith("$"):
        return literal(anchor)
    return _NAMED.sub("(?:", anchor.pattern)


def _rg(words: Sequence[str]) -> str:
    return "\n".join(words)


def _re2(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(words)})"


def _logql(words: Sequence[str]) -> str:
    raw = "|".join(word for word in words if "`" not in word)
    quoted = "|".join(word for word in words if "`" in word)
    filters = [f"`{raw}`"] if raw else []
    filters += [json.dumps(quoted)] if quoted else []
    return f"|~ {' or '.join(filters)}"


def _lucene(words: Sequence[str]) -> str:
    phrases = " OR ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    return f"message:({phrases})"


_WRITERS: dict[str, Callable[[Sequence[str]], str]] = {
    "rg": _rg,
    "grep": _rg,
    "re2": _re2,
    "logql": _logql,
    "lucene": _lucene,
}
LANGUAGES = (*_WRITERS, "json")
WITH_PATTERNS = ("rg", "re2", "logql", "json")


def render_anchors(anchors: Iterable[Anchor], language: str, *, patterns: bool = False) -> str:
    """Return the anchors in a language, each once, in their order.

    rg: a regular expression a line, for `rg -f`; grep: a literal a line, for `grep -F -f`; re2: one alternation;
    logql: a line filter; lucene: a query on the field `message`; json: a list with the pattern and owner of each.
    """
    rows = list(anchors)
    if language == "json":
        return json.dumps([{"anchor": row.literal, "pattern": row.pattern, "name": row.name} for row in rows], indent=2)
    if language in ("grep", "lucene"):
        words = [row.literal for row in rows]
    else:
        words = [portable(row) if patterns else literal(row) for row in rows]
        if patterns and language == "rg":
            # bytes, not Unicode: else the classes of a thousand patterns outgrow ripgrep's size limit
            words = [f"(?-u){word}" if word.isascii() else word for word in words]
    return _WRITERS[language](list(dict.fromkeys(words)))
