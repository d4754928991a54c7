"""The command line of a session as flags and values."""

from collections.abc import Mapping, Sequence

from diag.model.events import Event
from diag.model.events.server import ArgumentListed
from diag.model.form import Command
from diag.model.spelling import canonical


def read_flags(argv: Sequence[str], spellings: Mapping[str, str]) -> dict[str, str]:
    """Return flag -> value ("" for a flag without one), each flag by its one name.

    The last of a repeated flag counts, as in llama.cpp.
    """
    flags: dict[str, str] = {}
    index = 1
    while index < len(argv):
        word = argv[index]
        index += 1
        if not word.startswith("-") or _is_number(word):
            continue
        name, equals, value = word.partition("=")
        if not equals:
            value = ""
            if index < len(argv) and (not argv[index].startswith("-") or _is_number(argv[index])):
                value = argv[index]
                index += 1
        flags[canonical(name, spellings)] = value
    return flags


def listed_arguments(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the words of a router's argument block; a paste may have lost its first lines."""
    return tuple(event.word.strip() for event in events if isinstance(event, ArgumentListed) and event.word is not None)


def _is_number(word: str) -> bool:
    return word[1:2].isdigit()


def command_of(commands: Sequence[Command], first_line: int, last_line: int) -> Command | None:
    """Return the command line that belongs to a session: the last one at or above its end, else the only one given."""
    above = [command for command in commands if command.line <= last_line]
    within = [command for command in above if command.line >= first_line]
    if within:
        return within[0]
    if above:
        return above[-1]
    return commands[0] if len(commands) == 1 else None
