"""Which finding is the cause, and in which order the answers stand."""

import itertools

import pytest

from diag.conclude.order import Folded, absorb, fold, ordered
from diag.model.finding import Evidence, Finding
from diag.model.signature import Signature


def signature(name: str, *consequences: str, severity: str = "error", fallback: bool = False) -> Signature:
    return Signature(
        name, "title", "server", severity, (), {}, "cause", ("step",), consequences=consequences, fallback=fallback
    )


def finding(name: str, line: int, session: int = 1, grade: str = "likely", withdrawn_by: int | None = None) -> Finding:
    return Finding(name, session, grade, (Evidence(line, 0, "text", "trigger"),), (), withdrawn_by=withdrawn_by)


def absorbed(
    findings: list[Finding], *signatures: Signature, streams: dict[int, str | None] | None = None
) -> dict[tuple[str, int], list[str]]:
    """Return the causes as (id, session) -> ids of what they absorbed."""
    known = {item.id: item for item in signatures}
    sessions: dict[int, str | None] = streams or dict.fromkeys((item.session for item in findings), None)
    return {
        (found.signature.id, found.session): sorted(other.signature.id for other in found.absorbed)
        for found in absorb(fold(findings, known), sessions, known)
    }


def test_occurrences_of_one_kind_in_one_session_are_folded_in_line_order() -> None:
    known = {"a": signature("a")}
    (one, other) = fold([finding("a", 9), finding("a", 4), finding("a", 7, session=2)], known)
    assert [item.evidence[0].line for item in one.findings] == [4, 9]
    assert (one.first_line, one.session, other.session) == (4, 1, 2)


def test_a_folded_kind_has_its_best_grade() -> None:
    (one,) = fold([finding("a", 1, grade="possible"), finding("a", 2, grade="certain")], {"a": signature("a")})
    assert one.grade == "certain"


@pytest.mark.parametrize(("withdrawn", "expected"), [((5, 9), 9), ((5, None), None), ((None,), None)])
def test_a_folded_kind_is_withdrawn_only_when_every_occurrence_is(
    withdrawn: tuple[int | None, ...], expected: int | None
) -> None:
    (one,) = fold([finding("a", at, withdrawn_by=by) for at, by in enumerate(withdrawn)], {"a": signature("a")})
    assert one.withdrawn_by == expected


def test_a_cause_absorbs_its_consequence() -> None:
    found = [finding("a", 1), finding("b", 2)]
    assert absorbed(found, signature("a", "b"), signature("b")) == {("a", 1): ["b"]}


def test_strangers_stay_apart() -> None:
    found = [finding("a", 1), finding("b", 2)]
    assert absorbed(found, signature("a"), signature("b")) == {("a", 1): [], ("b", 1): []}


@pytest.mark.parametrize("lines", list(itertools.permutations((1, 2, 3))))
def test_a_chain_ends_in_its_first_cause_whatever_the_order_of_lines(lines: tuple[int, int, int]) -> None:
    found = [finding(name, line) for name, line in zip("abc", lines, strict=True)]
    assert absorbed(found, signature("a", "b"), signature("b", "c"), signature("c")) == {("a", 1): ["b", "c"]}


def test_a_chain_holds_where_its_middle_was_not_found() -> None:
    found = [finding("a", 1), finding("c", 3)]
    assert absorbed(found, signature("a", "b"), signature("b", "c"), signature("c")) == {("a", 1): ["c"]}


def test_two_that_name_each_other_the_better_grade_is_the_cause() -> None:
    known = (signature("a", "b"), signature("b", "a"))
    assert absorbed([finding("a", 1), finding("b", 2, grade="certain")], *known) == {("b", 1): ["a"]}


def test_two_that_name_each_other_with_equal_grades_the_earlier_line_is_the_cause() -> None:
    known = (signature("a", "b"), signature("b", "a"))
    assert absorbed([finding("a", 5), finding("b", 2)], *known) == {("b", 1): ["a"]}


def test_three_in_a_ring_have_one_cause() -> None:
    known = (signature("a", "b"), signature("b", "c"), signature("c", "a"))
    assert absorbed([finding("a", 3), finding("b", 1), finding("c", 2)], *known) == {("b", 1): ["a", "c"]}


def test_a_kind_that_names_itself_absorbs_nothing_of_its_own() -> None:
    assert absorbed([finding("a", 1)], signature("a", "a")) == {("a", 1): []}


def test_another_start_of_the_same_stream_keeps_its_own_consequence() -> None:
    found = [finding("a", 1, session=1), finding("b", 9, session=2)]
    assert absorbed(found, signature("a", "b"), signature("b")) == {("a", 1): [], ("b", 2): []}


def test_a_cause_in_another_stream_absorbs_the_consequence() -> None:
    # a router's child fails, the router reports it
    found = [finding("a", 9, session=2), finding("b", 1, session=1)]
    streams = {1: None, 2: "8081"}
    assert absorbed(found, signature("a", "b"), signature("b"), streams=streams) == {("a", 2): ["b"]}


def test_a_cause_of_the_own_session_is_preferred() -> None:
    found = [finding("a", 1, session=1), finding("a", 5, session=2), finding("b", 6, session=2)]
    streams = {1: "8081", 2: "8082"}
    assert absorbed(found, signature("a", "b"), signature("b"), streams=streams) == {("a", 1): [], ("a", 2): ["b"]}


def test_what_a_retry_cured_causes_nothing() -> None:
    found = [finding("a", 1, withdrawn_by=4), finding("b", 9)]
    assert absorbed(found, signature("a", "b"), signature("b")) == {("a", 1): [], ("b", 1): []}


def test_a_benign_line_causes_nothing() -> None:
    found = [finding("a", 1), finding("b", 2)]
    assert absorbed(found, signature("a", "b", severity="benign"), signature("b")) == {("a", 1): [], ("b", 1): []}


@pytest.mark.parametrize(
    ("severity", "line", "gives_way"),
    [("fatal", 1, True), ("fatal", 5, True), ("fatal", 9, False), ("error", 1, False)],
)
def test_a_kind_that_only_says_that_something_died_gives_way_to_a_fatal_one_that_says_why(
    severity: str, line: int, gives_way: bool
) -> None:
    known = (signature("why", severity=severity), signature("died", severity="fatal", fallback=True))
    found = absorbed([finding("why", line), finding("died", 5)], *known)
    assert (("died", 1) not in found) is gives_way


def test_two_fallbacks_do_not_absorb_each_other() -> None:
    known = (signature("a", severity="fatal", fallback=True), signature("b", severity="fatal", fallback=True))
    assert absorbed([finding("a", 1), finding("b", 2)], *known) == {("a", 1): [], ("b", 1): []}


def folded(
    name: str, line: int, severity: str = "error", grade: str = "likely", session: int = 1, by: int | None = None
) -> Folded:
    return Folded(signature(name, severity=severity), session, (finding(name, line, session, grade, by),))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (folded("a", 9), folded("b", 1, severity="degraded")),
        (folded("a", 9, severity="fatal"), folded("b", 1)),
        (folded("a", 9, severity="degraded"), folded("b", 1, severity="info")),
        (folded("a", 9, grade="certain"), folded("b", 1, grade="likely")),
        (folded("a", 9, grade="likely"), folded("b", 1, grade="possible")),
        # severity before confidence
        (folded("a", 9, severity="fatal", grade="possible"), folded("b", 1, grade="certain")),
        # the last session that failed is what the user sees now
        (folded("a", 9, session=2), folded("b", 1, session=1)),
        (folded("a", 1), folded("b", 9)),
        # whatever stands before whatever a retry cured
        (folded("a", 9, severity="info"), folded("b", 1, severity="fatal", by=5)),
    ],
)
def test_the_order_of_the_answers(first: Folded, second: Folded) -> None:
    assert ordered([second, first]) == [first, second]
    assert ordered([first, second]) == [first, second]
