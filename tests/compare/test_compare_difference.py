"""What differs between the last sessions of two reports."""

import dataclasses

import pytest

from diag.compare.difference import compare
from diag.model.comparison import BuildSpan, Comparison
from diag.model.events.request import TokensGenerated
from diag.model.line import InputFacts, Line
from diag.model.report import Diagnosis, Impact, Moment, Report
from diag.model.run import Acceptance, Build, Device, Drafter, Ending, Session, Target

PLAIN = Session(
    number=1,
    stream=None,
    first_line=1,
    last_line=9,
    events=(),
    incidents=(),
    build=Build(9871, "f00dcafe"),
    ending=Ending("clean", "idle"),
    started=True,
    reached="ready",
    drafter=Drafter("dflash", "one-axis-separate", "dflash", ("draft-dflash",)),
    image_input="possible",
)


def report(*sessions: Session, diagnoses: tuple[Diagnosis, ...] = ()) -> Report:
    return Report(InputFacts("x.log", 0, 9, "utf-8", (), ()), sessions, diagnoses, (), ())


def compared(**changes: object) -> Comparison:
    return compare(report(PLAIN), report(dataclasses.replace(PLAIN, **changes)))  # type: ignore[arg-type]


def told(found: Comparison) -> list[tuple[str, str, str]]:
    return [(item.name, item.good, item.bad) for item in found.differences]


def fault(session: int, severity: str = "error", withdrawn: int | None = None) -> Diagnosis:
    return Diagnosis(
        signature="some-fault",
        title="It broke",
        area="server",
        severity=severity,
        session=session,
        count=1,
        confidence="certain",
        verdict="affects",
        fixed_in=None,
        summary="Because.",
        cause="Because.",
        arithmetic=(),
        chain=(),
        impact=Impact(),
        first=Moment(4),
        last=Moment(4),
        evidence=(),
        captures={},
        positions=None,
        consequences=(),
        fixes=(),
        upstream=(),
        withdrawn_by_line=withdrawn,
    )


def test_a_session_does_not_differ_from_itself() -> None:
    found = compared()
    assert found.differences == ()
    assert found.span is None


@pytest.mark.parametrize(
    ("changes", "rows"),
    [
        ({"build": Build(11434)}, [("build", "b9871 (f00dcafe)", "b11434")]),
        ({"build": Build(9871, "beefbeef")}, [("commit", "f00dcafe", "beefbeef")]),
        ({"build": Build(9871, "f00dcafe99")}, []),  # the same commit, longer
        ({"build": Build(at_least=10000)}, [("build", "b9871 (f00dcafe)", "b10000 or later")]),
        ({"build": Build(at_least=9000, at_most=12000)}, []),
        ({"build": Build(4000, flavour="ik_llama.cpp")}, [("flavour", "upstream", "ik_llama.cpp")]),
        ({"drafter": Drafter("none", "none", "none")}, [("drafter", "dflash", "none")]),
        (
            {"drafter": Drafter("dflash", "mrope-separate", "dflash", ("draft-dflash",))},
            [("drafter positions", "one-axis-separate", "mrope-separate")],
        ),
        ({"image_input": "seen"}, []),  # a projector is a projector, used or not
        ({"image_input": "excluded"}, [("image input", "on", "no projector")]),
        ({"ending": Ending("assert", "request")}, [("ending", "clean during idle", "assert during request")]),
    ],
)
def test_what_changed_is_named_with_both_values(changes: dict[str, object], rows: list[tuple[str, str, str]]) -> None:
    assert told(compared(**changes)) == rows


def test_flags_are_added_removed_and_changed_decisive_ones_first() -> None:
    good = dataclasses.replace(PLAIN, flags={"--port": "1", "-c": "4096", "--jinja": "", "-np": "2"})
    bad = dataclasses.replace(PLAIN, flags={"--port": "2", "-c": "8192", "-np": "2", "-fa": "on"})
    found = compare(report(good), report(bad)).differences
    assert [(item.name, item.good, item.bad, item.why) for item in found] == [
        ("-fa", "not given", "on", "added"),
        ("-c", "4096", "8192", "changed"),
        ("--jinja", "given", "not given", "removed"),
        ("--port", "1", "2", "changed"),
    ]


def test_what_one_log_hides_is_not_a_difference() -> None:
    known = {"flags": {"-c": "1"}, "devices": (Device("CUDA0"),), "target": Target(arch="llama"), "os": "linux"}
    found = compared(**known, drafter=Drafter(), build=Build())
    assert found.differences == ()
    assert [text.split(" (")[0] for text in found.untold] == ["build", "drafter", "target", "flags", "device", "system"]


def test_the_first_failure_stands_first_and_says_why() -> None:
    bad = report(dataclasses.replace(PLAIN, build=Build(9900)), diagnoses=(fault(1),))
    first = compare(report(PLAIN), bad).differences[0]
    assert (first.what, first.good, first.bad, first.why) == (
        "failure", "none found", "It broke (line 4)", "Because.",
    )  # fmt: skip


@pytest.mark.parametrize("diagnosis", [fault(1, "info"), fault(1, withdrawn=7), fault(2)])
def test_a_hint_a_withdrawn_fault_and_another_sessions_fault_are_no_failure(diagnosis: Diagnosis) -> None:
    assert compare(report(PLAIN), report(PLAIN, diagnoses=(diagnosis,))).differences == ()


def test_of_several_sessions_the_last_one_counts() -> None:
    early = dataclasses.replace(PLAIN, build=Build(1))
    last = dataclasses.replace(PLAIN, number=2)
    found = compare(report(early, last), report(PLAIN))
    assert found.differences == ()
    assert (found.good_session, found.bad_session) == ((2, 2), (1, 1))


def test_acceptance_differs_only_outside_chance() -> None:
    def turn(accepted: int, drafted: int) -> Session:
        return dataclasses.replace(PLAIN, acceptance={"image": Acceptance(1, drafted, accepted)})

    found = compare(report(turn(80, 100)), report(turn(60, 100)))
    assert told(found) == [
        ("acceptance, image turns", "0.80 (0.71 to 0.87) of 100 drafted", "0.60 (0.50 to 0.69) of 100 drafted")
    ]
    assert compare(report(turn(80, 100)), report(turn(70, 100))).differences == ()
    few = compare(report(turn(80, 100)), report(turn(1, 99)))
    assert few.differences == ()
    assert any("image turns" in text for text in few.untold)


@pytest.mark.parametrize(
    ("n_tokens", "ms", "rows"),
    [
        (100, 2000.0, [("generation speed", "100.0 tokens/s", "50.0 tokens/s")]),
        (100, 1050.0, []),  # 5 % slower: noise
        (63, 6300.0, []),  # too few tokens to say
    ],
)
def test_speed_is_reported_from_a_tenth_on(n_tokens: int, ms: float, rows: list[tuple[str, str, str]]) -> None:
    def timed(n_tokens: int, ms: float) -> Session:
        event = TokensGenerated(line=Line(5, 0, ""), ms=ms, n_tokens=n_tokens)
        return dataclasses.replace(PLAIN, events=(event,))

    assert told(compare(report(timed(100, 1000.0)), report(timed(n_tokens, ms)))) == rows


@pytest.mark.parametrize(
    ("good", "bad", "span"),
    [
        (9871, 11434, BuildSpan(9871, 11434, backwards=False, family="dflash")),
        (11434, 9871, BuildSpan(9871, 11434, backwards=True, family="dflash")),
    ],
)
def test_two_known_builds_give_a_range_to_bisect(good: int, bad: int, span: BuildSpan) -> None:
    left = dataclasses.replace(PLAIN, build=Build(good))
    right = dataclasses.replace(PLAIN, build=Build(bad))
    assert compare(report(left), report(right)).span == span


def test_builds_of_a_fork_give_no_range() -> None:
    left = dataclasses.replace(PLAIN, build=Build(4000, flavour="ik_llama.cpp"))
    right = dataclasses.replace(PLAIN, build=Build(4100, flavour="ik_llama.cpp"))
    assert compare(report(left), report(right)).span is None


def test_a_report_without_a_session_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="session"):
        compare(report(), report(PLAIN))
