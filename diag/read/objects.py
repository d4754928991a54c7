"""A line that is one JSON object -> the message inside: llama-server's own two formats and every collector's."""

from typing import Any

from diag.late import late
from diag.read.layer import LEVELS, Layer, Peeled, unescape

_LARGEST = 1 << 18  # characters of an object worth parsing; longer ones are request bodies
_NATIVE_LEVELS = {"error": "E", "warn": "W", "warning": "W", "info": "I", "trace": "I", "debug": "D"}
_MESSAGE_KEYS = ("MESSAGE", "log", "msg", "message", "event")
_MORE_KEYS = (
    "error", "err", "exc", "exception", "exc_info", "stderr", "detail", "details", "reason", "cause", "stack",
    "stack_trace", "stacktrace", "traceback",
)  # fmt: skip
_TIME_KEYS = ("__REALTIME_TIMESTAMP", "time", "timestamp", "ts", "@timestamp", "asctime")
# A cut object no longer parses; its message is taken up to the closing quote or the end.
_CUT_MESSAGE = late(r'"(?:MESSAGE|log|msg|message|event)" ?: ?"((?:[^"\\]|\\.){1,8000})')


def _load(text: str) -> dict[str, Any] | None:
    if len(text) > _LARGEST or '"' not in text[:8]:
        return None
    import json  # here and below: most logs hold no object

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # cut, not JSON at all, or nested beyond any logger's habit
        return None
    return value if isinstance(value, dict) else None


def _lines(message: str) -> tuple[str, ...]:
    return tuple(message.rstrip("\r\n").split("\n"))


def peel_native(text: str) -> Peeled | None:
    """Return the message of a `--log-jsonl` object (b10825 and later); None for another type, which stays whole."""
    if '"type"' not in text[:400] and '"type"' not in text[-200:]:
        return None
    value = _load(text)
    if value is None or value.get("type") != "log" or not isinstance(value.get("msg"), str):
        return None
    elapsed, level = value.get("time"), value.get("level")
    return Peeled(
        _lines(value["msg"]),
        level=_NATIVE_LEVELS.get(level) if isinstance(level, str) else None,
        elapsed_us=elapsed if isinstance(elapsed, int) else None,
    )


def peel_old_native(text: str) -> Peeled | None:
    """Return `function: message | key=value ...` of the server's JSON lines of 2023 and 2024."""
    if '"function"' not in text[:400]:
        return None
    value = _load(text)
    if value is None or not isinstance(value.get("msg") or value.get("message"), str) or "level" not in value:
        return None
    import json

    rest = " ".join(
        f"{key}={json.dumps(item, ensure_ascii=False)}"
        for key, item in value.items()
        if key not in ("tid", "timestamp", "level", "function", "line", "msg", "message")
    )
    message = f"{value['function']}: {value.get('msg') or value.get('message')}"
    lines = _lines(message)
    if rest:
        lines = (*lines[:-1], f"{lines[-1]} | {rest}")
    return Peeled(lines, time=_time(value), level=LEVELS.get(str(value["level"]).upper()), final=True)


def peel_docker(text: str) -> Peeled | None:
    """Return the line inside an object of docker's json-file driver."""
    if '"log"' not in text[:200] or '"stream"' not in text:
        return None
    value = _load(text)
    if value is None or not isinstance(value.get("log"), str):
        return None
    return Peeled(_lines(value["log"]), stream=_pod(value), time=_time(value))


def peel_journal(text: str) -> Peeled | None:
    """Return the message of a `journalctl -o json` object, whose MESSAGE is a string or an array of bytes."""
    if '"MESSAGE"' not in text:
        return None
    value = _load(text)
    if value is None:
        return None
    message = value.get("MESSAGE")
    if isinstance(message, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in message):
        message = bytes(message).decode("utf-8", "replace")
    if not isinstance(message, str):
        return Peeled(())
    name = value.get("SYSLOG_IDENTIFIER") or value.get("_COMM")
    pid = value.get("_PID") or value.get("SYSLOG_PID")
    stream = f"{name}[{pid}]" if name and pid else name
    return Peeled(_lines(message), stream=stream if isinstance(stream, str) else None, time=_time(value))


def peel_any(text: str) -> Peeled | None:
    """Return the message of any other logger's object (pino, structlog, zap ...), its error text as further lines."""
    value = _load(text)
    if value is None:
        return _peel_cut(text)
    # The body of an HTTP error ({"code":500,"message":...}) is what the server answered, not a logger's record.
    if ("code" in value and "type" in value) or "messages" in value:
        return None
    for key in _MESSAGE_KEYS:
        message = value.get(key)
        if isinstance(message, str):
            break
    else:
        return None
    lines = _lines(message)
    for key in _MORE_KEYS:
        more = value.get(key)
        if isinstance(more, dict):
            more = more.get("stack") or more.get("message")
        if isinstance(more, list):
            more = "\n".join(item for item in more if isinstance(item, str))
        if isinstance(more, str) and more and not any(more in line for line in (message, *lines)):
            lines += _lines(more)
    return Peeled(lines, stream=_pod(value), time=_time(value))


def _peel_cut(text: str) -> Peeled | None:
    if len(text) > _LARGEST or text.rstrip().endswith("}"):
        return None
    found = _CUT_MESSAGE.search(text, 0, 16384)
    return Peeled(_lines(unescape(found[1]))) if found else None


def _time(value: dict[str, Any]) -> str | None:
    for key in _TIME_KEYS:
        time = value.get(key)
        if isinstance(time, (str, int, float)) and not isinstance(time, bool):
            return str(time)
    return None


def _pod(value: dict[str, Any]) -> str | None:
    place = value.get("kubernetes")
    if not isinstance(place, dict):
        return None
    names = [place.get(key) for key in ("pod_name", "container_name")]
    return "/".join(name for name in names if isinstance(name, str)) or None


OBJECT_LAYERS = (
    Layer("jsonl", "llama-server's JSON log unpacked", "{", peel_native),
    Layer("json-2024", "llama-server's JSON log of 2023 and 2024 unpacked", "{", peel_old_native),
    Layer("docker-json", "docker json-file objects unpacked", "{", peel_docker),
    Layer("journald-json", "journald JSON unpacked", "{", peel_journal),
    Layer("json", "JSON records of another logger unpacked", "{", peel_any),
)
