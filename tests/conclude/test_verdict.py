"""Does the fault exist in this session's build, and which build repairs it."""

import dataclasses

import pytest

from diag.conclude.verdict import rope_of_class, verdict
from diag.model.run import Build, Drafter, Session, Target
from diag.model.signature import Applies, BuildRange, Signature
from tests.build import session

PLAIN = session("0.00.006.394 I srv    load_model: loading model '/models/a.gguf'")


def at(build: Build, **facts: object) -> Session:
    return dataclasses.replace(PLAIN, build=build, **facts)  # type: ignore[arg-type]  # fields of a session


def signature(*ranges: BuildRange) -> Signature:
    return Signature("a", "t", "server", "error", (), {}, "cause", ("step",), applies=Applies(builds=ranges))


FIXED = BuildRange(9745, 11434, "ggml-org/llama.cpp#1")
OPEN = BuildRange(9745)

TABLE = [
    # (ranges, build, verdict, fixed in)
    ((), Build(9871), "affects", None),
    ((), Build(), "affects", None),  # a fault of use, not of a build
    ((), Build(flavour="fork"), "affects", None),
    ((FIXED,), Build(9871), "fixed-later", 11434),
    ((FIXED,), Build(11433), "fixed-later", 11434),
    ((FIXED,), Build(11434), "already-fixed", 11434),
    ((FIXED,), Build(12000), "already-fixed", 11434),
    ((FIXED,), Build(), "unknown-build", 11434),
    ((OPEN,), Build(12000), "affects", None),
    ((OPEN,), Build(), "unknown-build", None),
    # bounds decide where all the builds between them agree
    ((FIXED,), Build(at_least=9812, at_most=10239), "fixed-later", 11434),
    ((FIXED,), Build(at_most=10239), "fixed-later", 11434),
    ((FIXED,), Build(at_least=11500), "already-fixed", 11434),
    ((FIXED,), Build(at_least=11011), "unknown-build", 11434),
    ((FIXED,), Build(at_least=9812, at_most=11500), "unknown-build", 11434),
    ((OPEN,), Build(at_least=9812), "affects", None),
    # forks count their own builds
    ((FIXED,), Build(4000, flavour="ik_llama.cpp"), "unknown-build", None),
    ((OPEN,), Build(4000, flavour="fork"), "unknown-build", None),
]


@pytest.mark.parametrize(("ranges", "build", "expected", "fixed_in"), TABLE)
def test_a_build_against_the_ranges_of_a_fault(
    ranges: tuple[BuildRange, ...], build: Build, expected: str, fixed_in: int | None
) -> None:
    assert verdict(signature(*ranges), at(build)) == (expected, fixed_in)


ONE_AXIS = Drafter("dflash", "one-axis-separate", "dflash")
MROPE = Drafter("dflash", "mrope-separate", "dflash")
NO_POSITIONS = Drafter("dflash", "unknown", "dflash")
EAGLE3 = Drafter("eagle3", "one-axis-separate", "eagle3")

BY_FACTS = [
    # (range's own facts, the session's facts, does the range speak of it)
    ({"families": ("dflash",)}, {"drafter": ONE_AXIS}, True),
    ({"families": ("dflash",)}, {"drafter": EAGLE3}, False),
    ({"families": ("dflash",)}, {"drafter": Drafter()}, True),
    ({"drafter_rope": "one-axis"}, {"drafter": ONE_AXIS}, True),
    ({"drafter_rope": "one-axis"}, {"drafter": MROPE}, False),
    ({"drafter_rope": "one-axis"}, {"drafter": NO_POSITIONS}, True),
    ({"target_rope": "mrope"}, {"target": Target(rope="mrope")}, True),
    ({"target_rope": "mrope"}, {"target": Target(rope="one-axis")}, False),
    ({"target_rope": "mrope"}, {"target": Target()}, True),
    ({"backends": ("cuda",)}, {"backends": ("cuda", "cpu")}, True),
    ({"backends": ("cuda",)}, {"backends": ("rocm",)}, False),
    ({"backends": ("cuda",)}, {"backends": ()}, True),
]


@pytest.mark.parametrize(("asked", "facts", "fits"), BY_FACTS)
def test_a_range_of_one_sort_of_session_speaks_of_no_other(
    asked: dict[str, object], facts: dict[str, object], fits: bool
) -> None:
    found = dataclasses.replace(FIXED, **asked)  # type: ignore[arg-type]
    expected = ("fixed-later", 11434) if fits else ("unknown-build", None)
    assert verdict(signature(found), at(Build(9871), **facts)) == expected


ONE_AXIS_FIXED = BuildRange(9847, 10605, "ggml-org/llama.cpp#1", drafter_rope="one-axis")
MROPE_FIXED = BuildRange(9847, 10825, "ggml-org/llama.cpp#2", drafter_rope="mrope")


def test_of_several_ranges_the_one_that_fits_the_drafter_counts() -> None:
    found = signature(ONE_AXIS_FIXED, MROPE_FIXED)
    assert verdict(found, at(Build(10700), drafter=ONE_AXIS)) == ("already-fixed", 10605)
    assert verdict(found, at(Build(10700), drafter=MROPE)) == ("fixed-later", 10825)


def test_ranges_that_disagree_say_nothing_where_the_drafter_is_unknown() -> None:
    found = signature(ONE_AXIS_FIXED, MROPE_FIXED)
    assert verdict(found, at(Build(10700), drafter=NO_POSITIONS)) == ("unknown-build", None)


def test_a_fault_fixed_for_some_and_open_for_others_says_nothing_where_it_is_unknown_which() -> None:
    found = signature(ONE_AXIS_FIXED, BuildRange(9847, drafter_rope="mrope"))
    assert verdict(found, at(Build(10700), drafter=NO_POSITIONS)) == ("unknown-build", None)
    assert verdict(found, at(Build(10700), drafter=MROPE)) == ("affects", None)


@pytest.mark.parametrize(
    ("position_class", "rope"),
    [
        ("one-axis-separate", "one-axis"),
        ("mrope-separate", "mrope"),
        ("shared-cache", None),
        ("none", None),
        ("unknown", None),
    ],
)
def test_the_positions_of_a_class(position_class: str, rope: str | None) -> None:
    assert rope_of_class(position_class) == rope
