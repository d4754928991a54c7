"""Draft acceptance summed over sessions and files, and image turns judged against text turns."""

import pytest

from diag.compare.acceptance import add, by_family, differs, judge, total_tally
from diag.model.comparison import Tally
from diag.model.run import Acceptance


def sums(text: tuple[int, int] = (0, 0), image: tuple[int, int] = (0, 0)) -> dict[str, Acceptance]:
    """(accepted, drafted) of each class; one request where anything was drafted."""
    return {
        "text": Acceptance(1 if text[1] else 0, text[1], text[0]),
        "image": Acceptance(1 if image[1] else 0, image[1], image[0]),
        "unknown": Acceptance(),
    }


def tally(family: str, text: tuple[int, int], image: tuple[int, int]) -> Tally:
    found = sums(text, image)
    return Tally("a.log", 1, found, judge(found), (family,))


def test_sums_of_two_sessions_are_exact() -> None:
    one = {"text": Acceptance(2, 100, 40, 20.0, 2), "image": Acceptance(1, 10, 3, 1.5, 1)}
    other = {"text": Acceptance(1, 50, 10, 5.0, 1), "unknown": Acceptance(4, 7, 7)}
    assert add([one, other]) == {
        "text": Acceptance(3, 150, 50, 25.0, 3),
        "image": Acceptance(1, 10, 3, 1.5, 1),
        "unknown": Acceptance(4, 7, 7),
    }


def test_nothing_to_sum_gives_every_class_with_zeros() -> None:
    assert add([]) == {"text": Acceptance(), "image": Acceptance(), "unknown": Acceptance()}


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        # Wilson by hand: 80 of 100 is 0.711 to 0.867, 60 of 100 is 0.502 to 0.691, 70 of 100 is 0.604 to 0.781
        ((80, 100), (60, 100), True),
        ((80, 100), (70, 100), False),
        ((60, 100), (80, 100), True),
        ((80, 99), (0, 1000), None),  # one token below the floor
        ((0, 0), (80, 100), None),
    ],
)
def test_two_rates_differ_only_when_their_intervals_do_not_overlap(
    one: tuple[int, int], other: tuple[int, int], answer: bool | None
) -> None:
    assert differs(Acceptance(1, one[1], one[0]), Acceptance(1, other[1], other[0])) is answer


@pytest.mark.parametrize(
    ("text", "image", "word"),
    [
        ((0, 0), (0, 0), "none"),
        ((50, 100), (0, 0), "no-image"),
        ((0, 0), (50, 100), "no-text"),
        ((50, 100), (5, 99), "too-few"),
        ((50, 100), (48, 100), "same"),
        ((80, 100), (60, 100), "lower"),
        ((60, 100), (80, 100), "higher"),
        ((80, 100), (26, 100), "collapse"),  # 0.26 / 0.80 = 0.325, under a third
        ((80, 100), (27, 100), "lower"),  # 0.27 / 0.80 = 0.3375, above it
    ],
)
def test_image_turns_are_judged_against_text_turns(text: tuple[int, int], image: tuple[int, int], word: str) -> None:
    assert judge(sums(text, image)) == word


def test_text_turns_of_one_drafter_are_not_held_against_image_turns_of_another() -> None:
    parts = [tally("dflash", (80, 100), (0, 0)), tally("eagle3", (0, 0), (1, 100))]
    assert total_tally("", parts).judgement == "mixed"
    assert [(one.families, one.judgement) for one in by_family(parts)] == [
        (("dflash",), "no-image"),
        (("eagle3",), "no-text"),
    ]


def test_one_drafter_over_two_files_is_judged_as_one() -> None:
    parts = [tally("dflash", (80, 100), (0, 0)), tally("dflash", (0, 0), (1, 100))]
    assert total_tally("", parts).judgement == "collapse"
    assert by_family(parts) == []
