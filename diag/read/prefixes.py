"""A line with something in front (journal, container, cluster, clock, port) -> the line without it."""

import re
from collections.abc import Callable

from diag.late import late
from diag.read.layer import LEVELS, Layer, Peeled

_RFC3339 = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"

# Month names are any word: the journal prints them in the user's language (Mär, дек, 3月).
_JOURNAL = late(
    r"(?:<\d{1,3}>)?(?P<time>"
    r"(?:[^\s\d]{2,10}\.?|\d{1,2}月) {1,2}\d{1,2} \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"|\d{1,2}[. ]{1,2}(?:[^\s\d]{2,10}\.?|\d\d\.?) \d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r") (?P<host>[^\s:\[\]|]{1,64}) (?P<stream>[\w./@+-]{1,64}(?:\[\d{1,8}\])?): ?"
)
# With a plain clock "slot launch_slot_:" would pass for host and program, so a process id (or the kernel) is wanted.
_JOURNAL_ISO = late(
    r"(?:<\d{1,3}>)?(?P<time>"
    r"(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: [A-Z]{2,5}|Z|[+-]\d\d:?\d\d)?"
    r"|\[ {0,6}\d{1,9}\.\d{6}\]"
    r") (?P<host>[^\s:\[\]|]{1,64}) (?P<stream>[\w./@+-]{1,64}\[\d{1,8}\]|kernel): ?"
)
_SYSLOG_5424 = late(
    r"<\d{1,3}>1 (?P<time>\S{10,40}) \S{1,64} (?P<name>\S{1,48}) (?P<pid>\S{1,16}) \S{1,32} (?:-|\[.{0,400}?\]) ?"
)
_JOURNAL_NOISE = late(
    r"-- (?:Boot [0-9a-f]{8}|Logs begin|Journal begins|No entries|Reboot)|Hint: You are currently not seeing"
)
_JOURNAL_FIELD = late(r" {0,8}(?:_{1,2}[A-Z][A-Z0-9_]{2,40}|PRIORITY|SYSLOG_[A-Z]{3,20}|MESSAGE)=")
_OCTAL = late(r"#(011|012|015|033)")
_OCTAL_TEXT = {"011": "\t", "012": "\n", "015": "", "033": "\x1b"}

_COMPOSE = late(r"(?P<stream>[A-Za-z0-9][\w.-]{0,62}) {1,40}\|(?: |$)")
_COMPOSE_EXIT = late(r"(?P<stream>[A-Za-z0-9][\w.-]{0,62}) exited with code \d{1,3}(?: \(restarting\))?$")
_PM2 = late(r"\d{1,3}\|(?P<stream>[\w.@/-]{1,40}) {0,40}\| ?")
_CRI = late(rf"(?P<time>{_RFC3339}) (?:stdout|stderr) [FP](?: |$)")
_KUBECTL = late(r"\[(?P<stream>pod/[\w./-]{1,200})\] ?")
_ACTIONS = late(rf"[^\t\n]{{1,100}}\t[^\t\n]{{1,100}}\t(?={_RFC3339} )")
_CONTAINER = late(
    rf"\[(?P<stream>[A-Za-z][\w./:-]{{0,60}})\] ?(?={_RFC3339}|\d{{1,7}}\.\d\d\.\d{{3}}\.\d{{3}} [IWED] "
    rf"|\[ {{0,4}}\d{{4,5}}\] )"
)
_PROGRAM = late(r"(?P<stream>(?:llama|ollama)[\w.-]{0,32} ?\[[\w:.-]{1,60}\]): ?")
_PORT = late(r"\[ {0,4}(?P<port>\d{1,5})\] ?")
_KERNEL = late(r"\[(?P<time> {0,6}\d{1,9}\.\d{6})\] ?")
_STAMP = late(
    rf"(?P<time>\[?{_RFC3339}\]?:?"
    r"|\[\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]"
    r"|\[\d{4}-\d\d-\d\d\]\[\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]"
    r"|\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: [+-]\d\d:?\d\d)?:?"
    r"|\[\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]"
    r"|\[\d{10}\]"
    r"|\d{1,2}:\d\d:\d\d [ap]m\.\d{3}(?=std)"
    r"|\d{1,2}:\d\d(?::\d\d)? ?[AP]M(?= [A-Z]{3} ))(?=[ \[\t(sa-z]|$)[ \t]?"
)
_LEVEL_WORDS = "(?:TRACE|DEBUG|DEBG|DBG|INFO|INF|NOTICE|WARN|WARNING|WRN|ERROR|ERR|CRITICAL|CRIT|FATAL|VERBOSE)"
# What front ends put between their clock and the message, one at a time.
_TAG = late(
    r"[ \t]{0,8}(?:"
    rf"\[(?P<level>(?i:{_LEVEL_WORDS}))\]|(?P<word>{_LEVEL_WORDS})(?= {{1,8}}[\[A-Za-z('-])"
    r"|\((?P<origin>Process|WrappedServer|Server|Router|ModelManager)\)"
    r"|\[(?P<tag>llamacpp(?:[\w.-]{0,30})(?: std(?:out|err))?|[a-z_]{2,40}(?:::[A-Za-z_]{1,40}){1,5}|WASI-NN)\]"
    r"|(?P<fd>std(?:out|err))(?=[a-z_])|(?P<dash>- [\w.]{1,60} -(?= [A-Z]{4,8} ))|(?P<bare>-(?= ))"
    r"|GRPC\((?P<model>[^)\s]{1,120})\): std(?:out|err)"
    r"|(?P<engine>llama\.cpp|GGML backend):(?= )"
    r")"
)
_OLD_TEXT = late(r" {0,4}(?:INFO|WARN|ERR|ERROR|VERB) {1,2}\[(?: {1,30}\w|.{0,80}\] .{0,400}\| tid=\")")
_SUPERVISED = late(r"'(?P<stream>[\w.:-]{1,64})' std(?:out|err) output:$")


def _whole(pattern: re.Pattern[str]) -> Callable[[str], Peeled | None]:
    """Return a peel function for a prefix that says a stream, a time, or both."""

    def peel(text: str) -> Peeled | None:
        found = pattern.match(text)
        if found is None:
            return None
        named = found.groupdict()
        return Peeled((text[found.end() :],), stream=named.get("stream"), time=named.get("time"))

    return peel


def peel_journal(text: str) -> Peeled | None:
    """Return the entry of a journal or syslog line; its `#011` and `#012` become tab and line end."""
    found = _JOURNAL.match(text) or _JOURNAL_ISO.match(text)
    if found is None:
        return None
    rest = text[found.end() :]
    if "#0" in rest:
        rest = _OCTAL.sub(lambda octal: _OCTAL_TEXT[octal[1]], rest)
    return Peeled(tuple(rest.rstrip("\n").split("\n")), stream=found["stream"], time=found["time"])


def peel_syslog_5424(text: str) -> Peeled | None:
    """Return the message of an RFC 5424 line."""
    found = _SYSLOG_5424.match(text)
    if found is None:
        return None
    stream = found["name"] if found["pid"] == "-" else f"{found['name']}[{found['pid']}]"
    return Peeled((text[found.end() :],), stream=stream, time=found["time"])


def peel_journal_field(text: str) -> Peeled | None:
    """Return the message of a field block (`-o verbose`, `-o export`); the other fields are noise."""
    if _JOURNAL_NOISE.match(text):
        return Peeled(())
    found = _JOURNAL_FIELD.match(text)
    if found is None:
        return None
    return Peeled((text[found.end() :],)) if found[0].endswith("MESSAGE=") and "_" not in found[0] else Peeled(())


def peel_compose_exit(text: str) -> Peeled | None:
    """Return compose's own line about a container that ended, with the container as its stream."""
    found = _COMPOSE_EXIT.match(text)
    return Peeled((text,), stream=found["stream"], final=True) if found else None


def peel_port(text: str) -> Peeled | None:
    """Return a child's line as the router passes it on; the stream is the child's port."""
    found = _PORT.match(text)
    if found is None or (text.index("]") != 6 and len(found["port"]) < 4):
        return None  # the router pads to five; a shorter bracket is somebody's counter
    return Peeled((text[found.end() :],), stream=f"port {found['port']}")


def peel_kernel(text: str) -> Peeled | None:
    """Return a line of the kernel log (dmesg)."""
    found = _KERNEL.match(text)
    return Peeled((text[found.end() :],), stream="kernel", time=found["time"].strip()) if found else None


def peel_stamp(text: str) -> Peeled | None:
    """Return a line without a clock and without the level and origin words that front ends put after it.

    The level is kept where it says that the front end itself complains (W, E).
    """
    found = _STAMP.match(text)
    if found is None:
        return None
    time = found["time"].strip("[]:").replace("][", " ")
    place, level, passed_on, dashed = found.end(), None, False, False
    stream = None
    for _ in range(5):
        if _OLD_TEXT.match(text, place):
            break
        tag = _TAG.match(text, place)
        if tag is None or (tag["bare"] and not dashed):
            break
        dashed = dashed or tag["dash"] is not None
        word = tag["level"] or tag["word"]
        if word is not None and level is not None:
            break
        if word is not None:
            level = LEVELS[word.upper()]
        passed_on = passed_on or tag["origin"] == "Process" or bool(tag["tag"] or tag["fd"] or tag["model"])
        stream = stream or tag["model"]
        place = tag.end()
    rest = text[place:]
    if place > found.end():
        rest = rest.removeprefix(" ")
    if not rest.strip():
        return Peeled((), time=time)
    supervised = _SUPERVISED.match(rest)
    if supervised:
        return Peeled(())
    return Peeled((rest,), stream=stream, time=time, level=level if level in ("E", "W") and not passed_on else None)


PREFIX_LAYERS = (
    Layer("cri", "Kubernetes container prefix removed", "0", _whole(_CRI)),
    Layer("journald", "journald prefix removed", "*", peel_journal),
    Layer("syslog", "syslog prefix removed", "<", peel_syslog_5424),
    Layer("journald-fields", "journald field blocks read", "a_ -", peel_journal_field),
    Layer("kubectl", "kubectl pod prefix removed", "[", _whole(_KUBECTL)),
    Layer("actions", "CI job prefix removed", "a0", _whole(_ACTIONS)),
    Layer("container", "container name prefix removed", "[", _whole(_CONTAINER)),
    Layer("pm2", "pm2 prefix removed", "0", _whole(_PM2)),
    Layer("compose", "docker compose prefix removed", "a0", _whole(_COMPOSE), risky=True),
    Layer("compose", "docker compose prefix removed", "a0", peel_compose_exit, risky=True),
    Layer("program", "program name prefix removed", "a", _whole(_PROGRAM)),
    Layer("router", "router child prefix removed", "[", peel_port),
    Layer("kernel", "kernel log clock removed", "[", peel_kernel),
    Layer("clock", "clock of another program removed", "0[", peel_stamp),
)
