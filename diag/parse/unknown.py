"""Failure lines that nothing knows."""

import re
from collections.abc import Iterable, Set

from diag.late import late
from diag.model.events.event import UnknownError
from diag.model.line import Line
from diag.parse.prefix import split_prefix

# Raw lines (asserts, driver text, shells) carry no level letter; these words are what makes one worth a look.
_RAW = late(
    r"GGML_ASSERT|GGML_ABORT|terminate called|\bwhat\(\)|\bfatal\b|Fatal|FATAL|Traceback \(most recent"
    r"|\b(?:CUDA|ROCm|HIP|MUSA|SYCL) error"
    r"|[Ss]egmentation fault|core dumped|uncaught exception|Assertion .{1,300}failed|\bOOM\b|[Oo]ut of memory"
    r"|^(?:error|Error|ERROR)\b|: error: |vk::\w+::\w+: Error"
)
# Each of these words holds one of them: looking for those is many times faster than trying the pattern.
_RAW_SIGNS = (
    "rror",
    "ERROR",
    "atal",
    "FATAL",
    "GGML_A",
    "OOM",
    "ut of memory",
    "egmentation fault",
    "core dumped",
    "Assertion ",
    "terminate called",
    "what()",
    "uncaught exception",
    "Traceback",
)
_HEALTHY = re.compile(r"\[?\d{1,7}\.[0-5]\d\.\d{3}\.\d{3}\]? [IWD]")  # as `split_prefix` reads clock and level
_LEVEL_E = re.compile(r"\[?\d{1,7}\.\d\d\.\d{3}\.\d{3}\]? E |E \S")


def find_unknown(lines: Iterable[Line], known: Set[tuple[int, int]]) -> list[UnknownError]:
    """Return an event for each failure line whose (number, part) is not known, in line order.

    A failure line is one of level E in any dialect, or a line without a level that holds a failure word outside the
    bodies of requests and answers.
    """
    found: list[UnknownError] = []
    for line in lines:
        if (
            _HEALTHY.match(line.text)
            or (line.number, line.part) in known
            or not (
                line.level == "E"
                or _LEVEL_E.match(line.text)
                or (any(map(line.text.__contains__, _RAW_SIGNS)) and _RAW.search(line.text, 0, 8192))
            )
        ):
            continue
        prefixed = split_prefix(line)
        text = prefixed.message[: prefixed.body_at].strip()
        if prefixed.level == "E" or (prefixed.level is None and _RAW.search(text, 0, 8192)):
            if not text:
                continue
            slot_id, task_id = prefixed.slot_and_task
            found.append(
                UnknownError(
                    line=line,
                    level=prefixed.level,
                    elapsed_us=prefixed.elapsed_us,
                    slot_id=slot_id,
                    task_id=task_id,
                    text=text,
                )
            )
    return found
