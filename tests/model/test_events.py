"""Events: one class a fact, found by name, each with the fields that all events share."""

import dataclasses
import inspect

import pytest

from diag.model.events import EVENT_CLASSES, Event
from diag.model.events.crash import AssertFailed
from diag.model.events.request import TaskReleased
from diag.model.line import Line
from diag.model.run import Build
from diag.parse.wordings import WORDINGS

DERIVED = {
    "TextMatched": "a signature's own text",
    "UnknownError": "a line that nothing knows",
    "PositionsRefused": "the four lines of the position message, put together",
    "AcceptanceMeasured": "the acceptance of a class of turns",
    "SessionStarted": "the begin of a process",
    "SessionEnded": "the end of a process",
    "Restarted": "several starts of one stream",
    "WrapperMet": "what the log was wrapped in",
    "FlagGiven": "the command line",
    "LinesSkipped": "lines of a large log that were counted and not kept",
    "StartMarked": "also what its subclasses have in common",
}


def test_every_class_is_found_by_its_name() -> None:
    assert EVENT_CLASSES["AssertFailed"] is AssertFailed
    assert "Event" not in EVENT_CLASSES
    assert all(name == cls.__name__ and issubclass(cls, Event) for name, cls in EVENT_CLASSES.items())


@pytest.mark.parametrize("name", sorted(EVENT_CLASSES))
def test_every_event_is_stated_by_a_wording_or_worked_out(name: str) -> None:
    assert name in DERIVED or name in {row.event.__name__ for row in WORDINGS}


@pytest.mark.parametrize("name", sorted(EVENT_CLASSES))
def test_an_event_is_frozen_and_does_not_shadow_what_all_events_share(name: str) -> None:
    cls = EVENT_CLASSES[name]
    assert cls.__setattr__ is not object.__setattr__
    shared = {item.name for item in dataclasses.fields(Event)}
    own = {key for base in cls.__mro__ if base not in (Event, object) for key in inspect.get_annotations(base)}
    assert not own & shared


def released(line: int) -> TaskReleased:
    return TaskReleased(line=Line(line, 2, "text"), column=7, n_tokens=61)


def test_two_events_are_equal_only_when_they_are_the_same() -> None:
    one, other = released(3), released(3)
    assert one == one  # the identity is what is tested
    assert one != other
    assert len({one, other}) == 2


def test_an_event_has_a_place_and_shows_its_fields() -> None:
    event = released(3)
    assert event.place == (3, 2, 7)
    assert repr(event).startswith("TaskReleased(line 3, column=7")
    assert "n_tokens=61" in repr(event)


@pytest.mark.parametrize(
    ("build", "low", "high"),
    [
        (Build(9871), 9871, 9871),
        (Build(at_least=9812, at_most=10239), 9812, 10239),
        (Build(at_least=9812), 9812, None),
        (Build(), None, None),
        (Build(9871, at_least=9812, at_most=10239), 9871, 9871),
    ],
)
def test_a_build_is_known_by_number_or_between_bounds(build: Build, low: int | None, high: int | None) -> None:
    assert (build.low, build.high) == (low, high)
