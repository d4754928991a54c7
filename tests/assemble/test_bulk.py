"""Sums of a large log: whose they are, and what they say of turns that nobody looked at."""

import pytest

from diag.assemble.bulk import Bulk, bulk_acceptance, count_unknown, failed_lines, is_of_one, leave_open
from diag.model.events import Event
from diag.model.events.request import TaskReleased, TaskStarted
from diag.model.events.server import LinesSkipped
from diag.model.line import Line
from diag.model.run import Acceptance, Task
from diag.model.selection import ONLY, Stretch, Sums

SUMS = Sums(n_started=10, n_accepted_lines=8, accepted=40, drafted=100, cycles=20.0, n_measured=8)


def _stretch(first: int, last: int, **fields: object) -> Stretch:
    return Stretch(first, last, fields.pop("sums", {ONLY: SUMS}), fields.pop("unknown", {}), {}, **fields)  # type: ignore[arg-type]


def test_a_stretch_belongs_to_the_session_it_shares_most_lines_with_and_to_no_other() -> None:
    stretch = _stretch(90, 300)
    shares = Bulk(stretches=[stretch]).share([(None, 1, 100), (None, 101, 290), (None, 291, 400)])
    assert shares == [[], [(stretch, SUMS)], []]


def test_sums_of_a_stream_go_to_its_own_session() -> None:
    stretch = _stretch(1, 100, sums={"port 1": SUMS, "port 2": Sums(n_started=3)})
    shares = Bulk(stretches=[stretch]).share([("port 2", 1, 100), ("port 1", 1, 100)])
    assert [[sums.n_started for _, sums in share] for share in shares] == [[3], [10]]


def test_a_stretch_outside_every_session_is_given_to_none() -> None:
    assert Bulk(stretches=[_stretch(200, 300)]).share([(None, 1, 100)]) == [[]]


def test_turns_are_text_only_where_images_would_show() -> None:
    whole = Acceptance(8, 100, 40, 20.0, 8)
    share = [(_stretch(1, 9), SUMS)]
    for image_input, visible, turn in (("excluded", False, "text"), ("on", True, "text"), ("on", False, "unknown")):
        found = bulk_acceptance(share, [], image_input=image_input, images_visible=visible)
        assert {name: sums for name, sums in found.items() if sums.requests} == {turn: whole}


def test_turns_of_which_no_line_was_kept_are_unknown_where_images_were_seen() -> None:
    found = bulk_acceptance([(_stretch(1, 9, signs=True), SUMS)], [], image_input="on", images_visible=True)
    assert found["unknown"] == Acceptance(8, 100, 40, 20.0, 8)
    assert (found["text"].requests, found["image"].requests) == (0, 0)


def test_lines_that_nothing_knows_add_up_once_for_each_stretch() -> None:
    twice = _stretch(1, 9, unknown={"valve # is stuck": 2})
    share = [(twice, SUMS), (twice, SUMS), (_stretch(10, 20, unknown={"valve # is stuck": 5, "other": 1}), SUMS)]
    assert count_unknown(share) == {"valve # is stuck": 7, "other": 1}


@pytest.mark.parametrize(
    ("task_id", "released_at", "of_one", "outcome"),
    [
        (7, None, True, "open"),  # the last that starts, and nothing ends behind it
        (7, 30, True, "unseen"),  # what ends behind it may be this one
        (7, None, False, "unseen"),  # the last line of its kind may be another server's
        (None, 30, True, "unseen"),  # older builds name no task here
    ],
)
def test_a_request_that_begins_before_a_gap_is_open_only_where_it_must_be(
    task_id: int | None, released_at: int | None, of_one: bool, outcome: str
) -> None:
    events: list[Event] = [TaskStarted(line=Line(10, 0, ""), task_id=task_id), LinesSkipped(line=Line(20, 0, ""))]
    if released_at is not None:
        events.append(TaskReleased(line=Line(released_at, 0, ""), task_id=99, n_tokens=9))
    (left,) = leave_open([Task(0, task_id, 10, 10, "open")], events, of_one=of_one)
    assert left.outcome == outcome


def test_failed_requests_are_told_by_line_only_where_one_server_wrote() -> None:
    one = _stretch(1, 9, failed=(3, 5), n_failed_behind=2)
    several = _stretch(1, 9, sums={"port 1": SUMS, "port 2": SUMS}, failed=(3, 5))
    mixed = _stretch(1, 9, sums={ONLY: SUMS, "port 2": SUMS}, failed=(3, 5))
    assert [is_of_one([(stretch, SUMS)]) for stretch in (one, several, mixed)] == [True, False, False]
    assert [failed_lines([(stretch, SUMS)]) for stretch in (one, several, mixed)] == [((3, 5), 2), ((), 0), ((), 0)]
