"""Advice in the words of the program that starts the server: ollama's settings, LM Studio's sliders."""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from diag.late import late
from diag.model.events.server import FlavourNamed
from diag.model.frontends import FrontEnd
from diag.model.report import Untold
from diag.model.run import Session
from diag.model.signature import Fix
from diag.model.spelling import canonical

_QUOTED = late(r"`([^`]{2,200})`")
_FLAG = late(r"(?<![\w-])--?[A-Za-z][\w-]*")
_LOG = late(r"\b(?:log|lines)\b")
_OTHER_LOG = late(r"`dmesg|\bkernel|\brpc-server|\blog of the client")  # a log that no front end keeps
_ASKING = ("--help", "--version", "--list-devices")  # run by hand for an answer; nothing stands for them in a front end
_PLAIN = late(r"[^a-z0-9]+")


def front_end_of(session: Session, known: Sequence[FrontEnd]) -> FrontEnd | None:
    """Return the program that started the session's server, or None where none is seen.

    The flavour says it; else a line that names a launcher; else the name of the log's stream (a unit, a service).
    """
    named = [session.build.flavour, *(event.flavour for event in session.events if isinstance(event, FlavourNamed))]
    for name in named:
        for front_end in known:
            if any(_plain(name) == _plain(other) for other in (front_end.name, *front_end.flavours)):
                return front_end
    if session.build.flavour != "upstream" or not session.stream:
        return None
    for front_end in known:
        for word in front_end.streams:
            if re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", session.stream.lower()):
                return front_end
    return None


def translated(fix: Fix, front_end: FrontEnd | None, spellings: Mapping[str, str]) -> str:
    """Return the fix in the front end's words: "In ollama: `num_ctx` ..."; "" where it has none or needs none."""
    if front_end is None or front_end.name in fix.do:
        return ""
    words = ""
    if fix.kind == "upgrade":
        words = front_end.upgrade
    elif fix.kind == "rebuild":
        words = front_end.rebuild
    else:
        words = _settings(_flags(fix, spellings), front_end)
        own_log = _LOG.search(fix.do) and not _OTHER_LOG.search(fix.do)
        if not words and fix.kind == "report" and not front_end.same and own_log:
            words = front_end.log
    return f"In {front_end.name}: {words}" if words else ""


def told_in(untold: Iterable[Untold], front_end: FrontEnd | None) -> list[Untold]:
    """Return the same with what would help in the front end's words, where llama-server's flag is no help."""
    if front_end is None or front_end.same or front_end.passes:
        return list(untold)
    help_there = f"in {front_end.name}: {front_end.log}"
    return [replace(item, would_help=help_there) if item.by_verbosity else item for item in untold]


def _settings(flags: Sequence[str], front_end: FrontEnd) -> str:
    """Return what stands for the flags, flags of one setting together; "" where there is nothing to say."""
    by_setting: dict[str, list[str]] = {}
    without: list[str] = []
    for flag in flags:
        setting = front_end.settings.get(flag)
        if setting is not None:
            by_setting.setdefault(setting.text, []).append(flag)
        else:
            without.append(flag)
    parts = [
        text if len(flags) == len(given) else f"{_listed(given)} {'is' if len(given) == 1 else 'are'} {text}"
        for text, given in by_setting.items()
    ]
    if without and front_end.passes:
        parts.append(f"{_listed(without)} {'goes' if len(without) == 1 else 'go'} into {front_end.passes}")
    elif without and not front_end.same:
        parts.append(f"no setting is known for {_listed(without)}")
    return "; ".join(parts)


def _flags(fix: Fix, spellings: Mapping[str, str]) -> list[str]:
    """Return the flags that the fix names or changes, each once by its one name, in order."""
    named = [flag for quoted in _QUOTED.findall(fix.do) if _is_command(quoted) for flag in _FLAG.findall(quoted)]
    if fix.edit is not None and not named:
        named = [*fix.edit.set, *fix.edit.drop]
    given = (flag for flag in named if flag not in _ASKING and not re.match(r"-D[A-Z]", flag))
    return list(dict.fromkeys(canonical(flag, spellings) for flag in given))


def _is_command(quoted: str) -> bool:
    """True for a flag or llama-server's command line; other programs have flags of their own."""
    return quoted.startswith(("-", "llama-server"))


def _listed(flags: Sequence[str]) -> str:
    return ", ".join(f"`{flag}`" for flag in flags)


@functools.cache  # of the few names that a catalogue and flavours have
def _plain(name: str) -> str:
    return _PLAIN.sub("", name.lower())
