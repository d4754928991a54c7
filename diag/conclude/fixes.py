"""Fixes judged for a session, with the user's own command line changed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from diag.conclude.front_end import translated
from diag.conclude.verdict import rope_of_class
from diag.model.boundaries import OLD
from diag.model.frontends import FrontEnd
from diag.model.report import FixAdvice
from diag.model.run import Build, Session
from diag.model.signature import Edit, Fix, FixWhen
from diag.model.spelling import canonical

_NAMES = {
    "cuda": "CUDA",
    "rocm": "ROCm",
    "vulkan": "Vulkan",
    "metal": "Metal",
    "sycl": "SYCL",
    "cpu": "the CPU",
    "linux": "Linux",
    "macos": "macOS",
    "windows": "Windows",
    "one-axis-separate": "an MTP head with one-axis positions",
    "mrope-separate": "an MTP head with M-RoPE positions",
    "shared-cache": "a head on the target's own cache",
    "dflash": "DFlash",
    "eagle3": "EAGLE-3",
    "independent-draft": "a draft model",
    "ngram": "an n-gram type",
    "fork": "another fork",
}


class _Judged(NamedTuple):
    applies: bool | None
    condition: str
    fact: str
    only_if: str  # the condition as a clause: "the backend is ROCm"
    of_build: bool = False  # the condition is one on the build


def advise(
    fixes: Iterable[Fix],
    session: Session,
    spell: Callable[[str], str],
    spellings: Mapping[str, str],
    front_end: FrontEnd | None = None,
) -> tuple[FixAdvice, ...]:
    """Return the fixes, those that do not apply last; `spell` fills captures into texts.

    They keep their order, but of one kind those whose condition the log confirms (this backend, several GPUs) come
    before the others, and those for old builds after them where the build is open. With a front end each says what
    stands for its flags there. `spellings`: of flags, to the one name of each.
    """
    advice: list[tuple[int, FixAdvice]] = []
    for fix in fixes:
        do = spell(fix.do)
        if not do:  # made for a figure that this log does not hold
            continue
        judged = _judge(fix.when, session, spellings)
        answers = [found.applies for found in judged]
        applies = False if False in answers else None if None in answers else True
        told = translated(fix, front_end, spellings)
        command = session.command if applies is not False else None
        if told and applies is None and told in {other.front_end for _, other in advice}:
            continue  # the same for builds of another age, which a front end does not count
        advice.append(
            (
                _rank(fix.when, judged, applies),
                FixAdvice(
                    do=do,
                    kind=fix.kind,
                    applies=applies,
                    when="; ".join(found.condition for found in judged),
                    because="; ".join(found.fact for found in judged if found.applies is applies),
                    cost=spell(fix.cost),
                    verify=spell(fix.verify),
                    command=edited(command, _spelled(fix.edit, spell), spellings),
                    evidence=fix.evidence,
                    checked=fix.checked,
                    only_if=" and ".join(found.only_if for found in judged if found.applies is None and found.only_if),
                    hangs_on_build=any(found.of_build and found.applies is None and found.only_if for found in judged),
                    front_end=told,
                ),
            )
        )
    return tuple(sorted(_ranked(advice), key=lambda item: item.applies is False))


def _spelled(edit: Edit | None, spell: Callable[[str], str]) -> Edit | None:
    return Edit(edit.drop, {flag: spell(value) for flag, value in edit.set.items()}) if edit is not None else None


def _rank(when: FixWhen, judged: Sequence[_Judged], applies: bool | None) -> int:
    """Return 0 for a fix that is meant for this very log, 2 for one of old builds where the build is open, else 1."""
    if applies is True and any(not found.of_build for found in judged):
        return 0
    old = applies is None and when.build_below is not None and when.build_below <= OLD
    return 2 if old else 1


def _ranked(advice: Sequence[tuple[int, FixAdvice]]) -> list[FixAdvice]:
    """Return the advice with the places of each kind filled in the order of their ranks."""
    queues: dict[str, list[FixAdvice]] = {}
    for _, item in sorted(advice, key=lambda pair: pair[0]):
        queues.setdefault(item.kind, []).append(item)
    return [queues[item.kind].pop(0) for _, item in advice]


def _judge(when: FixWhen, session: Session, spellings: Mapping[str, str]) -> list[_Judged]:
    judged: list[_Judged] = []
    build = session.build
    if when.build_from is not None or when.build_below is not None:
        judged.append(_judge_build(when, session))
    for wanted, known, name, clause in (
        (
            when.backends,
            tuple(b for b in session.backends if b != "cpu" or "cpu" in when.backends),
            "backend",
            "the backend is",
        ),
        (
            when.families,
            (session.drafter.family,) if session.drafter.family != "unknown" else (),
            "drafter",
            "the drafter is",
        ),
        (when.os, (session.os,) if session.os else (), "system", "the system is"),
        (when.flavours, (build.flavour,), "flavour", "you run"),
    ):
        if wanted:
            condition = f"{name} {' or '.join(wanted)}"
            only_if = f"{clause} {' or '.join(_NAMES.get(word, word) for word in wanted)}"
            if not known:
                judged.append(_Judged(None, condition, f"the log does not show the {name}", only_if))
            else:
                fact = f"{name} is {', '.join(known)}"
                judged.append(_Judged(bool(set(wanted) & set(known)), condition, fact, only_if))
    for wanted_rope, rope, name in (
        (when.target_rope, session.target.rope, "target positions"),
        (when.drafter_rope, rope_of_class(session.drafter.position_class), "drafter positions"),
    ):
        if wanted_rope:
            condition = f"{name} {wanted_rope}"
            only_if = f"the {name.partition(' ')[0]} has {'M-RoPE' if wanted_rope == 'mrope' else 'one-axis'} positions"
            if rope is None:
                judged.append(_Judged(None, condition, f"the log does not show the {name}", only_if))
            else:
                judged.append(_Judged(rope == wanted_rope, condition, f"{name} are {rope}", only_if))
    if when.flags:
        condition = f"started with {' or '.join(when.flags)}"
        only_if = f"you start it with {' or '.join(f'`{flag}`' for flag in when.flags)}"
        given = [flag for flag in when.flags if canonical(flag, spellings) in session.flags]
        if not session.flags:
            judged.append(_Judged(None, condition, "the command line is not in the log", only_if))
        else:
            fact = f"the command line has {given[0]}" if given else "the command line has none of them"
            judged.append(_Judged(bool(given), condition, fact, only_if))
    if when.image is not None:
        answer = None if session.image_input == "unknown" else session.image_input == when.image
        judged.append(
            _Judged(answer, f"image input {when.image}", f"image input is {session.image_input}", "images are sent")
        )
    if when.n_devices_from is not None:
        judged.append(_judge_devices(when.n_devices_from, session))
    return judged


def _judge_devices(wanted: int, session: Session) -> _Judged:
    count = len({device.name for device in session.devices if device.backend != "cpu"})
    answer = None if not count else count >= wanted
    fact = f"the log shows {count} GPU{'s' if count != 1 else ''}" if count else "the log does not show the GPUs"
    return _Judged(answer, "several GPUs", fact, "there are several GPUs")


def _judge_build(when: FixWhen, session: Session) -> _Judged:
    build = session.build
    start, end = when.build_from, when.build_below
    words = [f"from b{start}" if start is not None else "", f"before b{end}" if end is not None else ""]
    condition = "builds " + " and ".join(word for word in words if word)
    spans = [f"b{start} or later" if start is not None else "", f"older than b{end}" if end is not None else ""]
    if not build.is_upstream:
        return _Judged(None, condition, f"{build.flavour} counts its own builds", "", of_build=True)
    only_if = "the build is " + " and ".join(span for span in spans if span)
    return _Judged(_within(build, start, end), condition, _build_words(session), only_if, of_build=True)


def _within(build: Build, start: int | None, end: int | None) -> bool | None:
    """Return whether the build lies from `start` on and before `end`; None where what is known of it leaves it open."""
    low, high = build.low, build.high
    if start is not None and high is not None and high < start:
        return False
    if end is not None and low is not None and low >= end:
        return False
    inside_start = start is None or (low is not None and low >= start)
    inside_end = end is None or (high is not None and high < end)
    return True if inside_start and inside_end else None


def _build_words(session: Session) -> str:
    build = session.build
    if build.number is not None:
        return f"build is b{build.number}"
    if build.at_least is not None and build.at_most is not None:
        return f"build is between b{build.at_least} and b{build.at_most}"
    if build.at_least is not None:
        return f"build is b{build.at_least} or later"
    return f"build is b{build.at_most} or earlier" if build.at_most is not None else "the log does not show the build"


def edited(command: str | None, edit: Edit | None, spellings: Mapping[str, str]) -> str | None:
    """Return the command line with the edit applied, ready to paste; None where one is missing or nothing changes.

    A flag goes in whichever spelling it is given.
    """
    if command is None or edit is None:
        return None
    import shlex  # here: few logs hold a command line

    try:
        words = shlex.split(command)
    except ValueError:  # an unbalanced quote in a paste
        return None
    kept: list[str] = []
    index = 0
    changing = {canonical(flag, spellings) for flag in (*edit.drop, *edit.set)}
    while index < len(words):
        word = words[index]
        index += 1
        name = word.partition("=")[0]
        if canonical(name, spellings) in changing and word.startswith("-"):
            if "=" not in word and index < len(words) and not _is_flag(words[index]):
                index += 1
            continue
        kept.append(word)
    for flag, value in edit.set.items():
        kept.extend([flag, value] if value else [flag])
    return shlex.join(kept) if kept != words else None


def _is_flag(word: str) -> bool:
    return word.startswith("-") and not word[1:2].isdigit()
