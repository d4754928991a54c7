"""Figures of draft acceptance."""

import pytest

from diag.model.run import Acceptance
from diag.model.statistics import FLOOR, mean_accepted_length, rate, wilson_interval


@pytest.mark.parametrize(("accepted", "drafted", "expected"), [(0, 0, None), (0, 10, 0.0), (5, 10, 0.5), (10, 10, 1.0)])
def test_the_rate_is_a_share_of_the_drafted_tokens(accepted: int, drafted: int, expected: float | None) -> None:
    assert rate(Acceptance(1, drafted, accepted)) == expected


# Wilson's interval at z = 1.959964, worked out by hand: (p + z2/2n +- z sqrt(p(1-p)/n + z2/4n2)) / (1 + z2/n)
@pytest.mark.parametrize(
    ("accepted", "drafted", "low", "high"),
    [
        (5, 10, 0.23659, 0.76341),
        (0, 10, 0.0, 0.27753),
        (10, 10, 0.72247, 1.0),
        (81, 263, 0.25529, 0.36621),
        (1, 1, 0.20655, 1.0),
    ],
)
def test_the_interval_is_wilsons(accepted: int, drafted: int, low: float, high: float) -> None:
    found = wilson_interval(accepted, drafted)
    assert found == (pytest.approx(low, abs=1e-5), pytest.approx(high, abs=1e-5))


def test_no_drafted_token_has_no_interval() -> None:
    assert wilson_interval(0, 0) is None


def test_more_tokens_make_a_narrower_interval() -> None:
    few, many = wilson_interval(50, 100), wilson_interval(500, 1000)
    assert few is not None
    assert many is not None
    assert few[0] < many[0] < 0.5 < many[1] < few[1]


def test_the_mean_length_is_one_more_than_the_tokens_of_a_round() -> None:
    # 18 accepted tokens in 11 rounds
    assert mean_accepted_length(Acceptance(2, 31, 18, cycles=11.0)) == pytest.approx(1 + 18 / 11)
    assert mean_accepted_length(Acceptance(2, 31, 18)) is None


def test_a_rate_of_a_handful_of_tokens_is_below_the_floor() -> None:
    assert FLOOR >= 50
