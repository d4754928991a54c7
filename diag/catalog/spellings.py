"""Which spellings of a flag mean the same: from the flag table, which has every build's, to one name each."""

from collections.abc import Iterable, Sequence

from diag.model.flags import Flag

# How reports, signatures and the stages call a flag. One that is not here is called by a long spelling of its newest
# builds.
CALLED = (
    "-b", "-c", "-cd", "-ctk", "-ctkd", "-ctv", "-ctvd", "-dev", "-devd", "-fa", "-fit", "-hf", "-hfd", "-lv", "-m",
    "-md", "-mg", "-mmu", "-mu", "-n", "-ngl", "-ngld", "-np", "-p", "-sm", "-t", "-tbd", "-td", "-ts", "-ub", "-v",
    "--draft-max", "--draft-p-min",
)  # fmt: skip


def spellings(flags: Sequence[Flag]) -> dict[str, str]:
    """Return spelling -> name for each spelling that is not the name itself.

    Spellings of one row mean the same, and so do rows that point to each other, whenever they came and went.
    """
    groups: dict[str, list[Flag]] = {}
    for flag in flags:
        joined = [flag]
        for word in (*flag.spellings(), *flag.same_as):
            joined = _merged(groups.get(word, []), joined)
        for row in joined:
            groups.update(dict.fromkeys(row.spellings(), joined))
        groups.update(dict.fromkeys((*flag.spellings(), *flag.same_as), joined))
    found: dict[str, str] = {}
    for spelling, rows in groups.items():
        name = _name(rows)
        if spelling != name:
            found[spelling] = name
    return found


def _merged(one: Iterable[Flag], other: Iterable[Flag]) -> list[Flag]:
    rows = list(one)
    return [*rows, *(flag for flag in other if flag not in rows)]


def _name(rows: Sequence[Flag]) -> str:
    """Return how the flag of these rows is called."""
    every = [spelling for row in rows for spelling in row.spellings()]
    known = [spelling for spelling in CALLED if spelling in every]
    if known:
        return known[0]
    newest_first = sorted(rows, key=lambda row: (row.life.last_seen is not None, -(row.life.last_seen or 0)))
    every = [spelling for row in newest_first for spelling in row.spellings()]
    return next((spelling for spelling in every if spelling.startswith("--")), every[0])
