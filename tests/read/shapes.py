"""A plain llama-server log -> the same log as users paste it, one function a shape."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.read import line_shapes
from tests.read.line_shapes import each, plain

Where = Callable[[int], int]
"""Number of an original line -> physical line of the output where it begins (both from 1)."""


@dataclass(frozen=True)
class Shape:
    """One way a log gets wrapped or damaged."""

    wrap: Callable[[list[str]], str]
    where: Callable[[list[str]], Where]  # the original lines -> how their numbers map
    stacks: bool = True  # its output is lines again, so another shape can go on top


def _same(_lines: list[str]) -> Where:
    return lambda number: number


def _shifted(by: int) -> Callable[[list[str]], Where]:
    return lambda _lines: lambda number: number + by


def supervisord(lines: list[str]) -> str:
    """One header for each block of four lines, and a blank line behind it."""
    out = []
    for start in range(0, len(lines), 4):
        out.append("2026-11-27 10:00:00,123 DEBG 'llama-server' stdout output:")
        out += [*lines[start : start + 4], ""]
    return plain(out)


def _in_supervisord(_lines: list[str]) -> Where:
    return lambda number: number + 1 + 2 * ((number - 1) // 4)


def jsonl(lines: list[str]) -> str:
    """llama-server's own --log-jsonl: one object a message, its continuation lines inside."""
    out = []
    for head, rest in _messages(lines):
        found = _NATIVE.match(head)
        assert found is not None
        minutes, seconds, ms, us = (int(part) for part in found.group(1, 2, 3, 4))
        level = {"I": "info", "W": "warn", "E": "error", "D": "debug"}[found[5]]
        elapsed = ((minutes * 60 + seconds) * 1000 + ms) * 1000 + us
        message = "\n".join([head[found.end() :], *rest]) + "\n"
        out.append(json.dumps({"type": "log", "time": elapsed, "level": level, "msg": message}, separators=(",", ":")))
    return plain(out)


_NATIVE = re.compile(r"(\d+)\.(\d\d)\.(\d{3})\.(\d{3}) ([IWED]) ")


def _messages(lines: list[str]) -> list[tuple[str, list[str]]]:
    messages: list[tuple[str, list[str]]] = []
    for line in lines:
        if _NATIVE.match(line):
            messages.append((line, []))
        else:
            messages[-1][1].append(line)
    return messages


def _in_jsonl(lines: list[str]) -> Where:
    where = []
    for index, (_, rest) in enumerate(_messages(lines), 1):
        where += [index] * (1 + len(rest))
    return lambda number: where[number - 1]


_COLOURS = {"W": "35", "E": "31", "D": "33"}


def _painted(line: str) -> str:
    found = _NATIVE.match(line)
    if found is None:
        return line
    clock, rest = line[: found.end() - 3], line[found.end() :]
    if found[5] == "I":
        return f"\x1b[34m{clock}\x1b[0m \x1b[32mI \x1b[0m{rest}"
    return f"\x1b[34m{clock}\x1b[0m \x1b[{_COLOURS[found[5]]}m{found[5]} {rest}\x1b[0m"


def colours(lines: list[str]) -> str:
    return each(lambda _i, line: _painted(line))(lines)


def lost_esc(lines: list[str]) -> str:
    return colours(lines).replace("\x1b", "")


def replaced_esc(lines: list[str]) -> str:
    return colours(lines).replace("\x1b", "\ufffd")


def markdown_fence(lines: list[str]) -> str:
    return "The server dies when I send an image.\n\n```console\n" + plain(lines) + "```\n\nAny idea?\n"


def unclosed_fence(lines: list[str]) -> str:
    return "It says:\n```\n" + plain(lines)


def details(lines: list[str]) -> str:
    comment = '<!-- Copy-pasted short logs go into the "console" area here -->'
    return f"<details>\n<summary>Logs</summary>\n{comment}\n\n```console\n" + plain(lines) + "```\n\n</details>\n"


def quoted(lines: list[str]) -> str:
    return each(lambda _i, line: f"> {line}")(lines)


def quoted_twice(lines: list[str]) -> str:
    return each(lambda _i, line: f"> > {line}")(lines)


FORM_HEAD = """### Name and Version

version: 0.6.0-dev (build 11434, commit 1a2b3c4d5)
built with GNU 13.3.0 for Linux x86_64

### Operating systems

Linux

### GGML backends

CPU

### Hardware

Ryzen 7950X

### Models

_No response_

### Problem description & steps to reproduce

Images fail, see below. I start it so:

```sh
llama-server -m /models/target.gguf \\
  --mmproj /models/mmproj.gguf --spec-type draft-mtp
```

### First Bad Commit

_No response_

### Relevant log output

```console
"""


def form_body(lines: list[str]) -> str:
    return FORM_HEAD + plain(lines) + "```\n"


def hard_wrap(lines: list[str], width: int = 80) -> str:
    out = []
    for line in lines:
        out += [line[start : start + width] for start in range(0, len(line), width)] or [""]
    return plain(out)


def hard_wrap_120(lines: list[str]) -> str:
    return hard_wrap(lines, 120)


def _in_hard_wrap(width: int) -> Callable[[list[str]], Where]:
    def where(lines: list[str]) -> Where:
        starts, place = [], 1
        for line in lines:
            starts.append(place)
            place += max(1, -(-len(line) // width))
        return lambda number: starts[number - 1]

    return where


def double_spaced(lines: list[str]) -> str:
    return "".join(f"{line}\n\n" for line in lines)


def indented(lines: list[str]) -> str:
    return each(lambda _i, line: f"    {line}")(lines)


def entities(lines: list[str]) -> str:
    return each(lambda _i, line: html.escape(line))(lines)


def typographic(lines: list[str]) -> str:
    """Opening and closing marks in turn, as a word processor sets them."""

    def one(_i: int, line: str) -> str:
        for mark, pair in (("'", "‘’"), ('"', "“”")):
            pieces = line.split(mark)
            line = pieces[0] + "".join(pair[index % 2] + piece for index, piece in enumerate(pieces[1:]))
        return line

    return each(one)(lines)


def crlf(lines: list[str]) -> str:
    return "".join(line + "\r\n" for line in lines)


def flat(lines: list[str]) -> str:
    """Line ends lost before every line that has the program's clock."""
    text = plain(lines)
    return re.sub(r"\n(?=\d+\.\d\d\.\d{3}\.\d{3} [IWED] )", " ", text)


def _in_flat(lines: list[str]) -> Where:
    where, place = [], 1
    for index, line in enumerate(lines):
        if index and not _NATIVE.match(line):
            place += 1
        where.append(place)
    return lambda number: where[number - 1]


SHAPES: dict[str, Shape] = {
    "plain": Shape(plain, _same),
    "journald_short": Shape(line_shapes.journald_short, _same),
    "journald_iso": Shape(line_shapes.journald_iso, _same),
    "journald_localised": Shape(line_shapes.journald_localised, _same),
    "journald_indented": Shape(line_shapes.journald_indented, _same),
    "journald_json": Shape(line_shapes.journald_json, _same),
    "rsyslog": Shape(line_shapes.rsyslog, _same),
    "compose": Shape(line_shapes.compose, _same),
    "json_file": Shape(line_shapes.json_file, _same),
    "cri": Shape(line_shapes.cri, _same),
    "rfc3339": Shape(line_shapes.rfc3339, _same),
    "bracket_clock": Shape(line_shapes.bracket_clock, _same),
    "router_port": Shape(line_shapes.router_port, _same),
    "compose_rfc3339_port": Shape(line_shapes.compose_rfc3339_port, _same),
    "ollama_like": Shape(line_shapes.ollama_like, _same),
    "lemonade": Shape(line_shapes.lemonade, _same),
    "lmstudio": Shape(line_shapes.lmstudio, _same),
    "jan": Shape(line_shapes.jan, _same),
    "pm2": Shape(line_shapes.pm2, _same),
    "pino": Shape(line_shapes.pino, _same),
    "supervisord": Shape(supervisord, _in_supervisord, stacks=False),
    "unknown_prefix": Shape(line_shapes.unknown_prefix, _same),
    "jsonl": Shape(jsonl, _in_jsonl),
    "colours": Shape(colours, _same),
    "lost_esc": Shape(lost_esc, _same),
    "replaced_esc": Shape(replaced_esc, _same),
    "markdown_fence": Shape(markdown_fence, _shifted(3), stacks=False),
    "unclosed_fence": Shape(unclosed_fence, _shifted(2), stacks=False),
    "details": Shape(details, _shifted(5), stacks=False),
    "quoted": Shape(quoted, _same),
    "quoted_twice": Shape(quoted_twice, _same),
    "form_body": Shape(form_body, _shifted(FORM_HEAD.count("\n")), stacks=False),
    "hard_wrap": Shape(hard_wrap, _in_hard_wrap(80)),
    "hard_wrap_120": Shape(hard_wrap_120, _in_hard_wrap(120)),
    "double_spaced": Shape(double_spaced, lambda _lines: lambda number: 2 * number - 1),
    "indented": Shape(indented, _same),
    "entities": Shape(entities, _same),
    "typographic": Shape(typographic, _same),
    "crlf": Shape(crlf, _same, stacks=False),
    "flat": Shape(flat, _in_flat),
}
"""Every shape that is text. `jsonl` takes the program's clock off each line into fields of its own."""

CLOCKLESS = frozenset({"jsonl"})
"""Shapes whose lines come back without the program's clock in the text."""

ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "utf8": lambda text: text.encode(),
    "utf8_bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf16": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf16_be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf16_bare": lambda text: text.encode("utf-16-le"),
    "latin1": lambda text: text.encode("latin-1", "replace"),
}
"""Encodings a shaped text can be stored in."""


def stacked(outer: str, inner: str, lines: list[str]) -> tuple[str, Where]:
    """Return the log in shape `inner` put into shape `outer`, and how line numbers map through both."""
    middle = SHAPES[inner].wrap(lines).removesuffix("\n").split("\n")
    first, second = SHAPES[inner].where(lines), SHAPES[outer].where(middle)
    return SHAPES[outer].wrap(middle), lambda number: second(first(number))
