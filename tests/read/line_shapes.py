"""Shapes that wrap every line by itself: what collectors and front ends put round it; one function a shape."""

import json
from collections.abc import Callable


def each(wrap_one: Callable[[int, str], str]) -> Callable[[list[str]], str]:
    """Return a wrapper of whole logs from one of a single line and its index."""

    def wrap(lines: list[str]) -> str:
        return "".join(wrap_one(index, line) + "\n" for index, line in enumerate(lines))

    return wrap


def plain(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def journald_short(lines: list[str]) -> str:
    return each(lambda i, line: f"Mar 14 09:21:{i % 60:02} host01 llama-server[2417]: {line}")(lines)


def journald_iso(lines: list[str]) -> str:
    return each(lambda i, line: f"2026-03-14T09:21:{i % 60:02}+0100 host01 llama-server[2417]: {line}")(lines)


def journald_localised(lines: list[str]) -> str:
    return each(lambda i, line: f"14.03 09:21:{i % 60:02} HOST01 llama-server[2417]: {line}")(lines)


def journald_indented(lines: list[str]) -> str:
    return each(lambda i, line: f"    Mär 14 09:21:{i % 60:02} host01 llama-server[2417]: {line}")(lines)


def journald_json(lines: list[str]) -> str:
    def one(i: int, line: str) -> str:
        message: object = list(line.encode()) if i % 3 == 0 else line
        entry = {
            "__REALTIME_TIMESTAMP": str(1773476460000000 + i),
            "_PID": "2417",
            "MESSAGE": message,
            "SYSLOG_IDENTIFIER": "llama-server",
        }
        return json.dumps(entry)

    return each(one)(lines)


def rsyslog(lines: list[str]) -> str:
    return each(
        lambda i, line: (
            f"<30>Mar 14 09:21:{i % 60:02} host01 llama-server[2417]: "
            + line.replace("\t", "#011").replace("\x1b", "#033")
        )
    )(lines)


def compose(lines: list[str]) -> str:
    return each(lambda _i, line: f"llama-cpp-1    | {line}")(lines)


def json_file(lines: list[str]) -> str:
    return each(
        lambda i, line: json.dumps(
            {"log": line + "\n", "stream": "stderr", "time": f"2026-02-11T18:04:{i % 60:02}.118403911Z"},
            separators=(",", ":"),
        )
    )(lines)


def cri(lines: list[str]) -> str:
    return each(lambda i, line: f"2026-01-19T07:40:{i % 60:02}.007919313Z stderr F {line}")(lines)


def rfc3339(lines: list[str]) -> str:
    return each(lambda i, line: f"2026-01-19T07:40:{i % 60:02}.007919313Z {line}")(lines)


def bracket_clock(lines: list[str]) -> str:
    return each(lambda i, line: f"[2026-01-13 10:02:{i % 60:02}] {line}")(lines)


def router_port(lines: list[str]) -> str:
    return each(lambda _i, line: f"[56285] {line}")(lines)


def compose_rfc3339_port(lines: list[str]) -> str:
    return each(lambda i, line: f"llama-cpp-1  | 2026-05-31T16:40:{i % 60:02}.782Z [40111] {line}")(lines)


def ollama_like(lines: list[str]) -> str:
    return each(
        lambda i, line: (
            f"time=2025-06-30T09:12:{i % 60:02}.311+02:00 level=INFO source=server.go:135 msg={json.dumps(line)}"
        )
    )(lines)


def lemonade(lines: list[str]) -> str:
    return each(lambda i, line: f"2026-06-02 11:40:{i % 60:02}.123 [Info] (Process) {line}")(lines)


def lmstudio(lines: list[str]) -> str:
    return each(lambda i, line: f"[2026-01-13 10:02:{i % 60:02}][DEBUG] {line}")(lines)


def jan(lines: list[str]) -> str:
    return each(lambda i, line: f"[00:03:{i % 60:02}] INFO [llamacpp-router stdout] [63091] {line}")(lines)


def pm2(lines: list[str]) -> str:
    return each(lambda _i, line: f"0|llama  | {line}")(lines)


def pino(lines: list[str]) -> str:
    return each(
        lambda i, line: json.dumps(
            {"level": 50, "time": 1752700112000 + i, "pid": 9120, "hostname": "PC-01", "msg": line + "\n"}
        )
    )(lines)


def unknown_prefix(lines: list[str]) -> str:
    return each(lambda i, line: f"<<gateway-7 #{i}>> {line}")(lines)
