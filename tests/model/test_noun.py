"""The cheap data classes behave as the standard ones do."""

import dataclasses
import pickle
from collections.abc import Mapping
from dataclasses import field

import pytest

from diag.model.noun import fact, noun, record


@noun
class Point:
    """A noun with every kind of field."""

    x: int
    y: int = 7
    marks: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.x + self.y


@fact
class Seen:
    """A fact."""

    line: int
    level: str | None = None


@fact
class SeenTwice(Seen):
    """A fact with more."""

    again: int


@record
class Count:
    """A record."""

    name: str
    n: int = 0
    lines: list[int] = field(default_factory=list)


def test_a_noun_takes_its_fields_by_place_and_by_name() -> None:
    assert Point(1, 2).total == 3
    assert Point(x=1).total == 8
    assert Point(1).marks == {}
    assert Point(1).marks is not Point(1).marks


def test_nouns_with_equal_fields_are_equal() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(2, 2)
    assert Point(1, 2) != (1, 2, {})
    assert len({Seen(line=1), Seen(line=1)}) == 2


@pytest.mark.parametrize("values", [{}, {"x": 1, "z": 2}], ids=["one is missing", "one is too many"])
def test_wrong_fields_are_refused(values: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        Point(**values)


def test_a_fact_wants_names() -> None:
    with pytest.raises(TypeError):
        Seen(1)  # type: ignore[misc]


def test_an_instance_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.y


def test_an_instance_has_no_room_for_anything_else() -> None:
    assert not hasattr(Point(1), "__dict__")
    assert not hasattr(SeenTwice(line=1, again=2), "__dict__")


def test_the_standard_tools_know_its_fields() -> None:
    assert [item.name for item in dataclasses.fields(Point)] == ["x", "y", "marks"]
    assert [item.name for item in dataclasses.fields(SeenTwice)] == ["line", "level", "again"]
    assert dataclasses.replace(Point(1, 2), y=5) == Point(1, 5)
    assert dataclasses.replace(SeenTwice(line=3, again=2), line=4).again == 2
    assert dataclasses.asdict(Point(1, 2, {"a": 1})) == {"x": 1, "y": 2, "marks": {"a": 1}}


def test_an_instance_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Point(1, 2, {"a": 3}))) == Point(1, 2, {"a": 3})
    again = pickle.loads(pickle.dumps(SeenTwice(line=1, level="E", again=2)))
    assert (again.line, again.level, again.again) == (1, "E", 2)


def test_it_shows_its_fields() -> None:
    assert repr(Point(1, 2)) == "Point(x=1, y=2, marks={})"


def test_a_record_changes_and_is_itself_alone() -> None:
    count, other = Count("a"), Count("a")
    count.n += 1
    count.lines.append(3)
    assert (count.n, count.lines, other.lines) == (1, [3], [])
    assert Count("a") != other
    assert len({count, other}) == 2
    assert not hasattr(count, "__dict__")
    again = pickle.loads(pickle.dumps(count))
    assert (again.name, again.n, again.lines) == ("a", 1, [3])


@pytest.mark.parametrize("made", [Point, Count], ids=["a noun", "a record"])
def test_the_first_instances_are_like_the_later_ones(made: type[Point] | type[Count]) -> None:
    names = [item.name for item in dataclasses.fields(made)]
    shown = {repr(made(1)) for _ in range(40)}  # the constructor is compiled on the way
    assert len(shown) == 1
    for _ in range(40):
        with pytest.raises(TypeError, match="z"):
            made(1, z=2)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=names[0]):
            made()  # type: ignore[call-arg]
