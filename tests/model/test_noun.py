"""Data classes that are made when they are used: they behave as the standard library's do."""

import dataclasses
import pickle
from dataclasses import field

import pytest

from diag.model.noun import fact, noun


@noun
class Place:
    line: int
    part: int = 0
    tags: dict[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        return f"{self.line}.{self.part}"


@fact
class Said:
    line: int
    level: str | None = None


@fact
class Refused(Said):
    x: int
    y: int | None = None


def test_fields_are_given_by_place_or_by_name_and_defaults_fill_the_rest() -> None:
    assert (Place(3).line, Place(3).part, Place(3).tags) == (3, 0, {})
    assert Place(3, 1) == Place(part=1, line=3)
    assert Place(3, 1).shown == "3.1"


def test_a_default_that_is_made_is_made_for_each() -> None:
    assert Place(1).tags is not Place(1).tags
    assert Place(1, 0, {"a": 1}).tags == {"a": 1}


@pytest.mark.parametrize("given", [{}, {"line": 1, "nobody": 2}])
def test_a_missing_or_an_unknown_field_is_an_error(given: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        Place(**given)  # type: ignore[arg-type]  # what is tested


def test_nouns_are_equal_by_value_and_facts_only_to_themselves() -> None:
    assert Place(1) == Place(1) != Place(2)
    assert Place(1) != (1, 0, {})
    one, other = Said(line=1), Said(line=1)
    assert one == one  # the identity is what is tested
    assert one != other


def test_a_noun_of_plain_values_can_be_a_key() -> None:
    @noun
    class Key:
        name: str
        number: int = 0

    assert {Key("a"): 1}[Key("a")] == 1


def test_nothing_can_be_assigned_or_added() -> None:
    place = Place(1)
    for name in ("line", "nobody"):
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
            setattr(place, name, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del place.line
    assert not hasattr(place, "__dict__")


def test_facts_take_their_fields_by_name_only() -> None:
    assert Refused(line=1, x=2).y is None
    with pytest.raises(TypeError):
        Refused(1, 2)  # type: ignore[misc]  # what is tested


def test_a_fact_inherits_the_fields_of_the_fact_above_it() -> None:
    refused = Refused(line=1, x=2, level="E")
    assert isinstance(refused, Said)
    assert [item.name for item in dataclasses.fields(refused)] == ["line", "level", "x", "y"]
    assert (refused.line, refused.level, refused.x) == (1, "E", 2)


def test_the_tools_of_the_standard_library_work() -> None:
    assert [item.name for item in dataclasses.fields(Place)] == ["line", "part", "tags"]
    assert dataclasses.replace(Place(1, 2), line=5) == Place(5, 2)
    assert dataclasses.is_dataclass(Place)
    assert dataclasses.asdict(Place(1)) == {"line": 1, "part": 0, "tags": {}}


@pytest.mark.parametrize("item", [Place(1, 2, {"a": 1})])
def test_a_noun_survives_being_kept_on_disk(item: Place) -> None:
    assert pickle.loads(pickle.dumps(item)) == item


def test_a_noun_shows_its_fields() -> None:
    assert repr(Place(1)).endswith("Place(line=1, part=0, tags={})")
