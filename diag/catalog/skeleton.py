"""A log's line -> the skeleton of a signature: what a machine can write, and marks where a person must."""

import datetime as dt
import json
import re
from collections.abc import Iterator

from diag.errors import InputError
from diag.model.noun import noun
from diag.model.signature import Signature

MARK = "WRITE:"  # stands where a person must still write; the check names every place that has it

_RUN = re.compile(r"[A-Za-z0-9 _.:,()=+/-]{8,}")
_TAG = re.compile(r"^(?:slot|srv|que|res|cmn|spec) +[\w~]+(?: ?\(\))?: (?:id +\d+ \| task -?\d+ \| )?")
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
# What changes from run to run, with the pattern that stands for it.
_CHANGING = re.compile(
    r"""(?P<path>(?:[A-Za-z]:)?(?:[\\/][\w.+-]+){2,})
    | (?P<quoted>'[^']{1,200}')
    | (?P<hex>0x[0-9a-fA-F]+)
    | (?P<number>-?\d+(?:\.\d+)*)
    | (?P<spaces>[ ]{2,}|\t+)""",
    re.VERBOSE,
)
_STANDS = {"path": r"\S+", "quoted": "'[^']+'", "hex": "0x[0-9a-fA-F]+", "number": r"-?[\d.]+", "spaces": r"\s+"}
_MAX_PATTERN = 240


@noun
class Seen:
    """The failing line and what stands around it."""

    message: str  # without clock and level
    log: tuple[str, ...]  # lines of the example, the failing one among them
    others: tuple[str, ...] = ()  # ids of signatures that hold in these lines too


def skeleton(name: str, area: str, seen: Seen | None, today: dt.date) -> str:
    """Return the text of signatures/<area>/<name>.toml; without a line the condition and the example are marks too.

    Raises InputError when the line holds no literal of 8 characters that could be its anchor.
    """
    anchor, pattern = condition_of(seen.message) if seen is not None else (f"{MARK} a literal", f"{MARK} a pattern")
    log = "\n".join(seen.log) if seen is not None else f"{MARK} the lines that show it"
    others = json.dumps(list(seen.others) if seen is not None else [])
    return f'''id       = {json.dumps(name)}
title    = "{MARK} what failed, in one line"
area     = {json.dumps(area)}
severity = "error" # fatal: the server dies | error | degraded | info | benign
aliases  = []
not_to_confuse_with = {others}
consequences = []
references = []

# certain: the line names the failure itself. likely: one quoted phrase. possible: inferred.
[[match]]
grade = "likely"
all   = ["failed"]

# The anchor is a literal that every such line holds; the text is searched in the line without clock and level.
[when.failed]
anchor = {json.dumps(anchor)}
text   = {_quoted(pattern)}

[cause]
text  = "{MARK} what went wrong and why, as the log and the source show it"
chain = [
  "{MARK} the cause",
  "{MARK} what the user sees",
]

# kind: upgrade | flag | config | model | driver | rebuild | workaround | report
[[fix]]
kind = "config"
do   = "{MARK} what to do"
cost = ""
verify = "{MARK} how to see that it helped"
evidence = ["{MARK} owner/repository#number, or: reproduced on bNNNN"]
checked = {today.isoformat()}

[[example]]
expect = "match"
provenance = "composed" # or: recorded bNNNN | report owner/repository#number
log = {_block(log)}

# A near rival: lines that look alike and mean something else.
[[example]]
expect = "no-match"
why = "{MARK} what these lines mean instead"
provenance = "composed"
log = {_block(f"{MARK} the lines of a near rival")}
'''


def condition_of(message: str) -> tuple[str, str]:
    """Return the anchor and the pattern of a message: its longest literal, and the message with what changes left open.

    Raises InputError when no literal is long enough for an anchor.
    """
    text = _TAG.sub("", message.strip())
    pieces = list(_pieces(text))
    while pieces and pieces[0][0] != "literal":  # a pattern begins with a literal, or it is slow
        pieces.pop(0)
    pattern = ""
    literals: list[str] = []
    for kind, piece in pieces:
        step = _SPECIAL.sub(lambda found: "\\" + found[0], piece) if kind == "literal" else _STANDS[kind]
        if len(pattern) + len(step) > _MAX_PATTERN and literals:
            break
        pattern += step
        if kind == "literal":
            literals.append(piece)
    runs = [run.strip() for piece in literals for run in _RUN.findall(piece)]
    anchor = max(runs, key=len, default="")
    if len(anchor) < 8:
        raise InputError(f"{message[:60]!a} holds no literal of 8 plain characters; choose another line with --line")
    return anchor, re.sub(r"(?:\\s\+| )+$", "", pattern)


def unwritten(signature: Signature) -> list[str]:
    """Return the keys that a person must still write, in the order of the file; empty when the skeleton is filled."""
    return [key for key, text in _texts(signature) if MARK in text]


def _texts(signature: Signature) -> Iterator[tuple[str, str]]:
    yield "title", signature.title
    for condition in signature.conditions.values():
        yield f"when.{condition.name}", f"{condition.anchor} {condition.text}"
    yield "cause.text", signature.cause
    for number, step in enumerate(signature.chain, 1):
        yield f"cause.chain {number}", step
    for number, fix in enumerate(signature.fixes, 1):
        yield from ((f"fix {number} {key}", text) for key, text in (("do", fix.do), ("verify", fix.verify)))
        yield f"fix {number} evidence", " ".join(fix.evidence)
    for number, example in enumerate(signature.examples, 1):
        yield from ((f"example {number} {key}", text) for key, text in (("why", example.why), ("log", example.log)))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    for found in _CHANGING.finditer(text):
        if found.start() > at:
            yield "literal", text[at : found.start()]
        yield found.lastgroup or "literal", found[0]
        at = found.end()
    if at < len(text):
        yield "literal", text[at:]


def _quoted(text: str) -> str:
    return f"'''{text}'''" if _literal(text) and not text.endswith("'") else _basic(text)


def _block(text: str) -> str:
    """Return the text as a literal block, or escaped where a block could not hold it."""
    return f"'''\n{text}\n'''" if _literal(text) else _basic(text)


def _literal(text: str) -> bool:
    return "'''" not in text and text.replace("\n", "").replace("\t", "").isprintable()


def _basic(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON lets DEL stand, TOML does not
