"""Two reports -> what the logs show to differ."""

from collections.abc import Iterator, Mapping, Sequence

from diag.compare.acceptance import TURNS, differs
from diag.model.comparison import BuildSpan, Comparison, Difference
from diag.model.events import Event
from diag.model.events.request import PromptEvaluated, TokensGenerated
from diag.model.report import Report
from diag.model.run import Acceptance, Build, Device, Session
from diag.model.signature import FAULTS
from diag.model.statistics import FLOOR, rate, wilson_interval

N_TIMED = 64  # tokens below which a speed says nothing: warm-up weighs more than the work
SPEED = 0.1  # relative difference from which on a speed is reported: two runs of one server differ by some percent
# Flags that decide what a server does come before those that name files and addresses.
_DECISIVE = (
    "--spec-type", "-md", "-hfd", "--mmproj", "--no-mmproj", "-ngl", "-ngld", "-fa", "-c", "-np", "-b", "-ub", "-ctk",
    "-ctv", "--kv-unified", "--draft-max", "--draft-min", "--draft-p-min", "-sm", "-ts", "-dev", "-fit",
)  # fmt: skip
_ADDRESSES = ("--host", "--port", "--api-key", "--alias", "-lv")


def compare(good: Report, bad: Report) -> Comparison:
    """Return the differences between the last sessions of two reports, most important first.

    Only what both logs tell is compared; what one of them hides stands in `untold`. Both reports must have a session:
    raises ValueError otherwise.
    """
    if not good.sessions or not bad.sessions:
        raise ValueError("both reports need a session")
    left, right = good.sessions[-1], bad.sessions[-1]
    untold: list[str] = []
    differences = [
        *_failure(good, left, bad, right),
        *_build(left.build, right.build, untold),
        *_drafter(left, right, untold),
        *_plain("target", _target(left), _target(right), untold),
        *_plain("image input", _images(left), _images(right), untold),
        *_flags(left.flags, right.flags, untold),
        *_plain("backend", ", ".join(sorted(left.backends)), ", ".join(sorted(right.backends)), untold),
        *_plain("device", _devices(left.devices), _devices(right.devices), untold),
        *_plain("system", left.os or "", right.os or "", untold),
        *_plain("slots", _number(left.n_slots), _number(right.n_slots), untold),
        *_plain("context of a slot", _number(left.n_ctx_slot), _number(right.n_ctx_slot), untold),
        *_context(left.context, right.context),
        *_acceptance(left, right, untold),
        *_speed(left, right, untold),
        *_plain("ending", _ending(left), _ending(right), untold),
    ]
    return Comparison(
        tuple(differences),
        tuple(dict.fromkeys(untold)),
        _span(left, right),
        (left.number, len(good.sessions)),
        (right.number, len(bad.sessions)),
    )


def _plain(what: str, good: str, bad: str, untold: list[str]) -> Iterator[Difference]:
    if good == bad:
        return
    if not good or not bad:
        untold.append(f"{what} ({_side(good, bad)} log does not tell)")
    else:
        yield Difference(what, what, good, bad, "")


def _side(good: object, bad: object) -> str:
    """Return which log lacks a value, where at least one does."""
    return "the good" if bad else "the bad" if good else "neither"


def _failure(good: Report, left: Session, bad: Report, right: Session) -> Iterator[Difference]:
    first = [
        next(
            (
                item
                for item in report.diagnoses
                if item.session == session.number and item.severity in FAULTS and item.withdrawn_by_line is None
            ),
            None,
        )
        for report, session in ((good, left), (bad, right))
    ]
    ids = [item.signature if item is not None else "" for item in first]
    if ids[0] == ids[1]:
        return
    words = [f"{item.title} (line {item.first.line})" if item is not None else "none found" for item in first]
    why = first[1].summary if first[1] is not None else "the bad log holds no failure that is known"
    yield Difference("failure", "first failure", words[0], words[1], why)


def _build(good: Build, bad: Build, untold: list[str]) -> Iterator[Difference]:
    if good.flavour != bad.flavour:
        why = "forks count their own builds: the numbers cannot be compared"
        yield Difference("flavour", "flavour", good.flavour, bad.flavour, why)
        return
    words = _build_words(good), _build_words(bad)
    if good.number is not None and bad.number is not None:
        if good.number != bad.number:
            yield Difference("build", "build", *words, "")
        elif good.commit and bad.commit and not _same_commit(good.commit, bad.commit):
            yield Difference("build", "commit", good.commit, bad.commit, "the same number: somebody's own builds")
        return
    if (good.high is not None and bad.low is not None and good.high < bad.low) or (
        bad.high is not None and good.low is not None and bad.high < good.low
    ):
        yield Difference("build", "build", *words, "told apart by wordings that changed between builds")
    else:
        untold.append("build (not in both logs; run with -lv 4, or add `llama-server --version`)")


def _same_commit(one: str, other: str) -> bool:
    short = min(len(one), len(other))
    return one[:short] == other[:short]


def _build_words(build: Build) -> str:
    if build.number is not None:
        return f"b{build.number}" + (f" ({build.commit})" if build.commit and build.commit != "unknown" else "")
    low, high = build.at_least, build.at_most
    if low is not None and high is not None:
        return f"b{low} to b{high}"
    return f"b{low} or later" if low is not None else f"b{high} or earlier" if high is not None else "not in the log"


def _drafter(left: Session, right: Session, untold: list[str]) -> Iterator[Difference]:
    good, bad = left.drafter, right.drafter
    if "unknown" in (good.family, bad.family) and good.family != bad.family:
        missing = "the good" if good.family == "unknown" else "the bad"
        untold.append(f"drafter ({missing} log does not tell)")
        return
    if good.family != bad.family:
        why = "two families fail and accept in different ways"
        if "none" in (good.family, bad.family):
            why = "one run drafts, the other does not"
        yield Difference("drafter", "drafter", good.family, bad.family, why)
    elif good.position_class != bad.position_class and "unknown" not in (good.position_class, bad.position_class):
        why = "how the drafter's cache counts positions decides what an image does to it"
        yield Difference("drafter", "drafter positions", good.position_class, bad.position_class, why)
    if good.spec_types and bad.spec_types and good.spec_types != bad.spec_types:
        yield Difference("drafter", "spec types", ", ".join(good.spec_types), ", ".join(bad.spec_types), "")
    if good.path and bad.path and _base(good.path) != _base(bad.path):
        yield Difference("drafter", "draft file", _base(good.path), _base(bad.path), "")
    for name in sorted(set(good.params) & set(bad.params)):
        if good.params[name] != bad.params[name]:
            yield Difference("drafter", name, f"{good.params[name]:g}", f"{bad.params[name]:g}", "")


def _target(session: Session) -> str:
    target = session.target
    name = _base(target.path) if target.path else target.name or ""
    return ", ".join(part for part in (name, target.arch or "") if part)


def _images(session: Session) -> str:
    return {"seen": "on", "possible": "on", "excluded": "no projector"}.get(session.image_input, "")


def _base(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _flags(good: Mapping[str, str], bad: Mapping[str, str], untold: list[str]) -> Iterator[Difference]:
    if not good or not bad:
        if good or bad:
            untold.append(f"flags ({_side(good, bad)} log holds no command line)")
        return
    changed = [name for name in {**good, **bad} if good.get(name) != bad.get(name)]

    def weight(name: str) -> tuple[int, str]:
        if name in _DECISIVE:
            return _DECISIVE.index(name), name
        return len(_DECISIVE) + (name in _ADDRESSES), name

    for name in sorted(changed, key=weight):
        why = "added" if name not in good else "removed" if name not in bad else "changed"
        yield Difference("flag", name, _given(good, name), _given(bad, name), why)


def _given(flags: Mapping[str, str], name: str) -> str:
    return "not given" if name not in flags else flags[name] or "given"


def _devices(devices: Sequence[Device]) -> str:
    named = {
        " ".join(part for part in (device.name, device.description, device.arch or "") if part) for device in devices
    }
    return "; ".join(sorted(named))


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _context(good: Mapping[str, str], bad: Mapping[str, str]) -> Iterator[Difference]:
    for name in good:
        if name in bad and good[name] != bad[name]:
            yield Difference("context", name, good[name], bad[name], "")


def _acceptance(left: Session, right: Session, untold: list[str]) -> Iterator[Difference]:
    for turn in TURNS:
        good, bad = left.acceptance.get(turn, Acceptance()), right.acceptance.get(turn, Acceptance())
        if not good.drafted or not bad.drafted:
            continue
        label = f"acceptance, {turn} turns" if turn != "unknown" else "acceptance"
        different = differs(good, bad)
        if different is None:
            untold.append(f"{label} (a comparison needs {FLOOR} drafted tokens in each log)")
        elif different:
            why = "the 95 % intervals do not overlap"
            yield Difference("acceptance", label, _share(good), _share(bad), why)


def _share(sums: Acceptance) -> str:
    interval = wilson_interval(sums.accepted, sums.drafted)
    assert interval is not None  # drafted > 0
    return f"{rate(sums):.2f} ({interval[0]:.2f} to {interval[1]:.2f}) of {sums.drafted} drafted"


def _speed(left: Session, right: Session, untold: list[str]) -> Iterator[Difference]:
    for label, kind in (("prompt speed", PromptEvaluated), ("generation speed", TokensGenerated)):
        good, bad = _timed(left.events, kind), _timed(right.events, kind)
        if not good[0] or not bad[0]:
            continue
        if min(good[0], bad[0]) < N_TIMED:
            untold.append(f"{label} (fewer than {N_TIMED} timed tokens)")
            continue
        speeds = [n_tokens / ms * 1000 for n_tokens, ms in (good, bad)]
        change = speeds[1] / speeds[0] - 1
        if abs(change) >= SPEED:
            why = f"{abs(change):.0%} {'slower' if change < 0 else 'faster'}, if the requests were alike"
            yield Difference("speed", label, f"{speeds[0]:.1f} tokens/s", f"{speeds[1]:.1f} tokens/s", why)


def _timed(events: Sequence[Event], kind: type[PromptEvaluated] | type[TokensGenerated]) -> tuple[int, float]:
    """Return tokens and milliseconds of all timing lines; (0, 0.0) where none was printed."""
    found = [event for event in events if isinstance(event, kind) and event.ms > 0]
    return sum(event.n_tokens for event in found), sum(event.ms for event in found)


def _ending(session: Session) -> str:
    ending = session.ending
    code = f", exit code {ending.exit_code}" if ending.exit_code is not None else ""
    reached = "" if session.reached == "ready" else f", before it was ready ({session.reached})"
    return f"{ending.kind} during {ending.during}{reached}{code}"


def _span(left: Session, right: Session) -> BuildSpan | None:
    good, bad = left.build, right.build
    if good.flavour != "upstream" or bad.flavour != "upstream" or good.number is None or bad.number is None:
        return None
    if good.number == bad.number:
        return None
    family = right.drafter.family if right.drafter.family not in ("unknown", "none") else None
    low, high = sorted((good.number, bad.number))
    return BuildSpan(low, high, backwards=good.number > bad.number, family=family)
