"""Lines in which another program speaks (ollama, llama-swap, a shell) or the server spoke in 2024 -> plain messages."""

from diag.late import late
from diag.read.layer import LEVELS, Layer, Peeled, unescape

_LOGFMT = late(r"(?:time=(?P<time>\"[^\"]{1,60}\"|\S{8,40}) )?level=(?P<level>[A-Za-z]{3,9})(?:[+-]\d)?\b ?")
_PAIR = late(r'([A-Za-z_@][\w.@/-]{0,80})=("(?:[^"\\]|\\.)*"?|\S*) ?')
_GO_SOURCE = late(r" level=[A-Z]{4,5} source=[\w.-]{1,40}\.go:\d{1,5} ")
_OLD_TEXT = late(r" ?(?P<level>INFO|WARN|ERR|ERROR|VERB) {1,2}\[(?P<pad> {0,30})(?P<function>[\w ()~:]{2,60})\] ")
_OLD_STAMP = late(r"\btimestamp=(\d{9,11})")
_YEAR_2025 = 1_735_689_600  # seconds since 1970
_OLD_NOISE = late(r'(?: ?\b(?:tid="?\d{1,20}"?|timestamp=(?P<time>\d{9,11})))')
_TAGGED = late(r"\[(?P<level>DEBUG|INFO|WARN|WARNING|ERROR)\] (?=\S)")
_POWERSHELL = late(r"[\w./\\:-]{0,200}llama-[\w-]{2,20}(?:\.exe)? : ")
_SCRIPT = late(r"Script (?:started|done) on .{10,80}")
_BARE_CLOCK = late(
    r"\[?\d\d:\d\d:\d\d\]?$|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})? {1,3}\[(?:INFO|DEBUG|WARN|ERROR)\]$"
)


def peel_logfmt(text: str) -> Peeled | None:
    """Return the message of a `time=... level=... msg=...` record (ollama and other Go programs).

    The first line is the message with the record's other fields behind it; the lines of `error` follow.
    """
    found = _LOGFMT.match(text)
    if found is None or ("msg=" not in text and "error=" not in text):
        return None
    message, errors, rest = "", "", []
    place, end = found.end(), min(len(text), 1 << 16)
    while place < end:
        pair = _PAIR.match(text, place, end)
        if pair is None:
            break
        place = pair.end()
        key, value = pair[1], pair[2]
        plain = (
            unescape(value[1:-1] if len(value) > 1 and value.endswith('"') else value[1:])
            if value[:1] == '"'
            else value
        )
        if key == "msg":
            message = plain
        elif key in ("error", "err"):
            errors = plain
        elif key != "source":
            rest.append(f"{key}={value}")
    rest.append(text[place : place + 8192].strip())
    # A message that itself holds lines is a program's output passed on: nothing may stick to its last line.
    lines = message.rstrip("\n").split("\n")
    behind = " ".join(part for part in rest if part)
    if behind and len(lines) == 1:
        lines = [f"{lines[0]} {behind}".strip()]
    elif behind:
        lines.append(behind)
    if errors:
        lines += errors.rstrip("\n").split("\n")
    time = found["time"]
    return Peeled(tuple(lines), time=time.strip('"') if time else None, level=LEVELS.get(found["level"].upper()))


def peel_ollama(text: str) -> Peeled | None:
    """Return the message of a record that names its place in ollama's sources (`source=sched.go:571`)."""
    return peel_logfmt(text) if _GO_SOURCE.search(text, 0, 200) else None


def peel_old_text(text: str) -> Peeled | None:
    """Return `function: message | key=value ...` of the server's text lines of 2024 (and of ik_llama.cpp today)."""
    found = _OLD_TEXT.match(text)
    if found is None:
        return None
    rest = text[found.end() :]
    bar = rest.rfind(" | ", 0, 8192)
    if not found["pad"] and not (bar >= 0 and "=" in rest[bar:]):
        return None  # "INFO [llamacpp] ..." is a front end's tag
    time = None
    if "timestamp=" in rest or "tid=" in rest:
        stamp = _OLD_STAMP.search(rest)
        time = stamp[1] if stamp else None
        head, middle, fields = rest.partition(" | ")
        fields = _OLD_NOISE.sub("", fields).strip()
        rest = f"{head} | {fields}" if middle and fields else head
    return Peeled((f"{found['function'].strip()}: {rest}",), time=time, level=LEVELS[found["level"]], final=True)


def peel_ik_text(text: str) -> Peeled | None:
    """Return the message of such a line with a clock of 2025 or later: upstream had left the form by then."""
    stamp = _OLD_STAMP.search(text) if _OLD_TEXT.match(text) else None
    return peel_old_text(text) if stamp is not None and int(stamp[1]) >= _YEAR_2025 else None


def peel_tag(text: str) -> Peeled | None:
    """Return a line without the bracketed level in front (llama-swap and others); only W and E are kept as level."""
    found = _TAGGED.match(text)
    if found is None:
        return None
    level = LEVELS[found["level"]]
    return Peeled((text[found.end() :],), level=level if level in ("E", "W") else None)


def peel_powershell(text: str) -> Peeled | None:
    """Return the first stderr line without the `program : ` that PowerShell puts before it."""
    found = _POWERSHELL.match(text)
    return Peeled((text[found.end() :],)) if found else None


def peel_recorder(text: str) -> Peeled | None:
    """Return nothing for the header of `script`, and its closing line only where that tells an exit code."""
    if not _SCRIPT.match(text):
        return None
    return Peeled((text,), final=True) if "EXIT_CODE=" in text else Peeled(())


def peel_bare_clock(text: str) -> Peeled | None:
    """Return nothing for a line that is only a front end's clock (and level); the message is on the next line."""
    return Peeled((), time=text.strip("[]")[:19]) if _BARE_CLOCK.match(text) else None


MESSAGE_LAYERS = (
    Layer("ollama", "ollama's key=value records read", "t", peel_ollama),
    Layer("logfmt", "key=value records (ollama and others) read", "tl", peel_logfmt),
    Layer("text-ik", "ik_llama.cpp's text log (INFO [function] ...) read", "IWEV ", peel_ik_text),
    Layer("text-2024", "llama-server's text log of 2024 (INFO [function] ...) read", "IWEV ", peel_old_text),
    Layer("level-tag", "bracketed level of another program removed", "[", peel_tag),
    Layer("powershell", "PowerShell error records undone", "a0.\\", peel_powershell),
    Layer("script", "header of a terminal recording removed", "S", peel_recorder),
    Layer("clock", "clock of another program removed", "0[", peel_bare_clock),
)
