"""Lines of llama-server that nothing knows, counted by shape: where an upstream rewording shows first."""

import re
from collections.abc import Iterable, Set

from diag.model.alike import alike
from diag.model.line import Line
from diag.model.report import Drift
from diag.parse.prefix import CLOCK, split_prefix

# What the server's own macros print before a message (tools/server/server-common.h, common/common.h).
_TAG = re.compile(r"(?:slot|srv|que|res|cmn|spec) +[\w~]{1,12}(?:\(\))?: (?:id +\d+ \| task -?\d+ \| )?")
# Routine messages that carry no fact and so have no wording; each as it begins.
_ROUTINE = (
    "total time = ",
    "graphs reused = ",
    "acc per pos = ",
    "all slots are idle",
    "- prompt ",
    "- cache state: ",
    "- looking for better prompt",
    "updating prompt cache",
    "prompt cache ",
    "use `--cache-ram ",
    "for more info see ",
    "using # threads for HTTP server",
    "binding port ",
    "loading model",
    "context checkpoints ",
    "init: chat template",
    "Chat format: ",
    "chat format: ",
    "Checking checkpoint ",
    "checking checkpoint ",
    "speculative decoding context ",
    "[mtmd] estimated ",
    "[spec] estimated ",
    "n_parallel is set to auto",
    "n_decoded = ",
    "n_gen = ",
    "clearing prompt ",
    "downloading image ",
    "n_past was set to ",
    "idle slots will be saved ",
    "saving idle slot ",
    "api_keys: ",
    "Available models ",
    "[ preset] ",
    "request for name=",
    "waiting until model ",
    "slot available, loading ",
    "proxying request ",
    "child server monitoring thread ",
    "chat template ",
    "prompt processing ",
)
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)*")
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"")
MAX_SHAPES = 20


def find_drift(lines: Iterable[Line], known: Set[tuple[int, int]], *, warnings_only: bool) -> tuple[Drift, ...]:
    """Return the shapes of unknown server lines, most frequent first, at most MAX_SHAPES.

    Counted are warnings in any dialect and, unless `warnings_only`, informational lines with the server's own tag.
    Above verbosity 3 most informational lines are meant for developers and no wording is wanted for them: ask for
    warnings only.
    """
    shapes: dict[str, list[int]] = {}
    shape_of = alike(lambda text: _shape(Line(0, 0, text), warnings_only))
    for line in lines:
        if (line.number, line.part) in known:
            continue
        clock = CLOCK.match(line.text)
        # a figure behind 0x is one for its first digit
        known_by_form = clock is not None and clock[5] is not None and "0x" not in line.text
        shape = shape_of(line.text) if known_by_form else _shape(line, warnings_only)
        if shape:
            shapes.setdefault(shape, []).append(line.number)
    ordered = sorted(shapes.items(), key=lambda item: (-len(item[1]), item[1][0]))
    return tuple(Drift(shape, len(numbers), numbers[0]) for shape, numbers in ordered[:MAX_SHAPES])


def _shape(line: Line, warnings_only: bool) -> str:
    """Return the message with what differs from line to line left out; "" for one that does not count."""
    prefixed = split_prefix(line)
    if not (prefixed.level == "W" or (prefixed.level == "I" and not warnings_only and _TAG.match(prefixed.message))):
        return ""
    message = _TAG.sub("", prefixed.message[: prefixed.body_at], count=1).strip()
    if message.startswith(_ROUTINE):  # none of them holds a figure or a quote: a look saves the shape
        return ""
    shape = " ".join(_NUMBER.sub("#", _QUOTED.sub("'...'", message)).split())[:160]
    return "" if shape.startswith(_ROUTINE) else shape
