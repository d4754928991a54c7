"""Text from a log as Markdown that shows it and does nothing: no mention, link, reference, HTML or broken fence."""

import re
from collections.abc import Iterable

from diag.render.plain import visible

LINE = 400  # characters of one log line
_RUNS = re.compile(r"`+")
_SPAN = re.compile(r"`([^`\n]{1,2000})`")
# A word that Markdown or GitHub could take for more than a word stands as code, so references too: #12, GH-12, a hash.
_LIVELY = re.compile(
    r"[`@\\*_\[\]~$|<>&{}^]|#\d|://|(?<!\w)www\.|(?i:\bgh-\d)|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b|^(?:mailto|xmpp):",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^([(\"']*)(.*?)([.,;:!?)\"']*)$", re.DOTALL)
_BLOCK_MARK = re.compile(r"(?:[-+*>#=~:|]|\d{1,9}[.)](?=\s|$))")
_THREAD = re.compile(r"([\w.-]{1,100}/[\w.-]{1,100})#(\d{1,9})")
_RELEASE = re.compile(r"([\w.-]{1,100}/[\w.-]{1,100})@(b\d{1,7}|v[\d.]{1,20})")


def one_line(text: str, most: int = LINE) -> str:
    """Return the text on one line, without control characters, cut with a mark where it is longer than `most`."""
    line = " ".join(visible(text).splitlines()).rstrip()
    return line if len(line) <= most else f"{line[: most - 1]}…"


def code(text: str) -> str:
    """Return a code span that no text can leave, "" for an empty one."""
    inner = one_line(text).strip()
    if not inner:
        return ""
    ticks = "`" * (max((len(run) for run in _RUNS.findall(inner)), default=0) + 1)
    pad = " " if inner[0] == "`" or inner[-1] == "`" else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def fence(lines: Iterable[str], info: str = "text", most: int = LINE) -> list[str]:
    """Return a fenced block, one string a line; its fence is longer than any run of backticks inside."""
    inner = [one_line(line, most) for line in lines]
    longest = max((len(run) for line in inner for run in _RUNS.findall(line)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{ticks}{info}", *inner, ticks]


def prose(text: str, most: int = 4000) -> str:
    """Return a sentence as Markdown: its code spans stay, and words that could do something become code.

    The result starts no list, heading or quotation and holds no line break.
    """
    line = one_line(text, most)
    parts: list[str] = []
    start = 0
    for span in _SPAN.finditer(line):
        parts += [*_words(line[start : span.start()]), code(span[1])]
        start = span.end()
    parts += _words(line[start:])
    out = ""
    for part in parts:
        if part[:1] == "`" and out[-1:] == "`":  # two runs of backticks must not grow together
            out += " "
        out += part
    out = out.strip()
    return (
        f"\\{out}"
        if _BLOCK_MARK.match(out) and not out[0].isdigit()
        else re.sub(r"^(\d{1,9})([.)])(?=\s|$)", r"\1\\\2", out)
    )


def _words(text: str) -> list[str]:
    return [_word(word) if word.strip() else word for word in re.split(r"(\s+)", text) if word]


def _word(word: str) -> str:
    if not _LIVELY.search(word):
        return word
    edges = _EDGES.match(word)
    assert edges is not None  # each of its parts may be empty
    return f"{edges[1]}{code(edges[2])}{edges[3]}" if edges[2] else word


def cell(text: str) -> str:
    """Return a text for a cell of a table."""
    return prose(text).replace("|", "\\|") or "–"


def link(ref: str) -> str:
    """Return a thread or release of the catalogue as a link, any other source in words.

    The link goes through GitHub's redirecting host, which leaves no "mentioned this" behind in the thread: a report is
    pasted more often than it is worth a maintainer's look.
    """
    thread = _THREAD.fullmatch(ref)
    if thread is not None:
        return f"[{ref}](https://redirect.github.com/{thread[1]}/issues/{thread[2]})"
    release = _RELEASE.fullmatch(ref)
    if release is not None:
        return f"[{release[1]} {release[2]}](https://redirect.github.com/{release[1]}/releases/tag/{release[2]})"
    return prose(ref)


def comment(lines: Iterable[str]) -> list[str]:
    """Return an HTML comment, one string a line, that no text can end."""
    inner = [_unending(one_line(line, 1000)) for line in lines]
    return [f"<!-- {inner[0]}", *inner[1:], "-->"]


def _unending(line: str) -> str:
    return re.sub(r"-(?=-?!?>)", "-\N{ZERO WIDTH NON-JOINER}", line)
