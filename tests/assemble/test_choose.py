"""One start of several is answered for as if it stood alone."""

import pytest

from diag.errors import InputError
from diag.model.stated import Stated
from tests.build import SAMPLES, ready

TWO = SAMPLES / "mtp-one-axis-image-fails-then-healthy-b11434" / "log.txt"
THREE = SAMPLES / "restarts-three-clean-b11434" / "log.txt"


@pytest.mark.parametrize(
    ("choice", "answer"),
    [
        ("all", "mtp-one-axis-image-position-gap"),
        ("1", "mtp-one-axis-image-position-gap"),
        ("2", "no-failure-found"),
        ("last", "no-failure-found"),
    ],
)
def test_the_chosen_start_alone_gives_the_answer(choice: str, answer: str) -> None:
    report = ready().analyze(str(TWO), stated=Stated(session=choice))
    assert report.diagnoses[0].signature == answer
    assert len(report.sessions) == (2 if choice == "all" else 1)


def test_a_chosen_start_keeps_its_number() -> None:
    assert [item.number for item in ready().analyze(str(THREE), stated=Stated(session="2")).sessions] == [2]


def test_a_start_that_is_not_there_is_said_in_one_line() -> None:
    with pytest.raises(InputError, match=r"--session 4: the log has 3 starts"):
        ready().analyze(str(THREE), stated=Stated(session="4"))
