"""Fixes judged for a session, with the user's own command line changed."""

import shlex
from collections.abc import Callable, Iterable

from diag.conclude.verdict import rope_of_class
from diag.model.report import FixAdvice
from diag.model.run import Session
from diag.model.signature import Edit, Fix, FixWhen
from diag.model.spelling import CANONICAL

_Judged = tuple[bool | None, str, str]  # applies, the condition in words, the fact in words


def advise(fixes: Iterable[Fix], session: Session, spell: Callable[[str], str]) -> tuple[FixAdvice, ...]:
    """Return the fixes in their order, those that do not apply last; `spell` fills captures into texts."""
    advice = []
    for fix in fixes:
        judged = _judge(fix.when, session)
        answers = [answer for answer, _, _ in judged]
        applies = False if False in answers else None if None in answers else True
        advice.append(
            FixAdvice(
                do=spell(fix.do),
                kind=fix.kind,
                applies=applies,
                when="; ".join(condition for _, condition, _ in judged),
                because="; ".join(fact for answer, _, fact in judged if answer is applies) if judged else "",
                cost=spell(fix.cost),
                verify=spell(fix.verify),
                command=edited(session.command, fix.edit) if applies is not False else None,
                evidence=fix.evidence,
                checked=fix.checked,
            )
        )
    return tuple(sorted(advice, key=lambda item: item.applies is False))


def _judge(when: FixWhen, session: Session) -> list[_Judged]:
    judged: list[_Judged] = []
    build = session.build
    if when.build_from is not None or when.build_below is not None:
        judged.append(_judge_build(when, session))
    for wanted, known, name in (
        (when.backends, tuple(b for b in session.backends if b != "cpu" or "cpu" in when.backends), "backend"),
        (when.families, (session.drafter.family,) if session.drafter.family != "unknown" else (), "drafter"),
        (when.os, (session.os,) if session.os else (), "system"),
        (when.flavours, (build.flavour,), "flavour"),
    ):
        if wanted:
            condition = f"{name} {' or '.join(wanted)}"
            if not known:
                judged.append((None, condition, f"the log does not show the {name}"))
            else:
                judged.append((bool(set(wanted) & set(known)), condition, f"{name} is {', '.join(known)}"))
    for wanted_rope, rope, name in (
        (when.target_rope, session.target.rope, "target positions"),
        (when.drafter_rope, rope_of_class(session.drafter.position_class), "drafter positions"),
    ):
        if wanted_rope:
            condition = f"{name} {wanted_rope}"
            if rope is None:
                judged.append((None, condition, f"the log does not show the {name}"))
            else:
                judged.append((rope == wanted_rope, condition, f"{name} are {rope}"))
    if when.flags:
        condition = f"started with {' or '.join(when.flags)}"
        if not session.flags:
            judged.append((None, condition, "the command line is not in the log"))
        else:
            given = [flag for flag in when.flags if flag in session.flags]
            judged.append(
                (
                    bool(given),
                    condition,
                    f"the command line has {given[0]}" if given else "the command line has none of them",
                )
            )
    if when.image is not None:
        judged.append(
            (
                None if session.image_input == "unknown" else session.image_input == when.image,
                f"image input {when.image}",
                f"image input is {session.image_input}",
            )
        )
    return judged


def _judge_build(when: FixWhen, session: Session) -> _Judged:
    build = session.build
    start, end = when.build_from, when.build_below
    words = [f"from b{start}" if start is not None else "", f"before b{end}" if end is not None else ""]
    condition = "builds " + " and ".join(word for word in words if word)
    if build.flavour != "upstream":
        return None, condition, f"{build.flavour} counts its own builds"
    low, high = build.low, build.high
    if start is not None and high is not None and high < start:
        return False, condition, _build_words(session)
    if end is not None and low is not None and low >= end:
        return False, condition, _build_words(session)
    inside_start = start is None or (low is not None and low >= start)
    inside_end = end is None or (high is not None and high < end)
    if inside_start and inside_end:
        return True, condition, _build_words(session)
    return None, condition, _build_words(session)


def _build_words(session: Session) -> str:
    build = session.build
    if build.number is not None:
        return f"build is b{build.number}"
    if build.at_least is not None and build.at_most is not None:
        return f"build is between b{build.at_least} and b{build.at_most}"
    if build.at_least is not None:
        return f"build is b{build.at_least} or later"
    return f"build is b{build.at_most} or earlier" if build.at_most is not None else "the log does not show the build"


def edited(command: str | None, edit: Edit | None) -> str | None:
    """Return the command line with the edit applied, ready to paste; None where one is missing or nothing changes."""
    if command is None or edit is None:
        return None
    try:
        words = shlex.split(command)
    except ValueError:  # an unbalanced quote in a paste
        return None
    kept: list[str] = []
    index = 0
    changing = {CANONICAL.get(flag, flag) for flag in (*edit.drop, *edit.set)}
    while index < len(words):
        word = words[index]
        index += 1
        name = word.partition("=")[0]
        if CANONICAL.get(name, name) in changing and word.startswith("-"):
            if "=" not in word and index < len(words) and not _is_flag(words[index]):
                index += 1
            continue
        kept.append(word)
    for flag, value in edit.set.items():
        kept.extend([flag, value] if value else [flag])
    return shlex.join(kept) if kept != words else None


def _is_flag(word: str) -> bool:
    return word.startswith("-") and not word[1:2].isdigit()
