"""A clock that falls tells of another process."""

import pytest

from diag.scan.clock import CLOCK, clock_us, falls, first_fall


def _line(seconds: int) -> bytes:
    return b"%d.%02d.000.000 I srv  update_slots: all slots are idle\n" % divmod(seconds, 60)


def test_a_clock_is_read_in_microseconds() -> None:
    found = CLOCK.match(b"12.34.567.890 W x: y")
    assert found is not None
    assert clock_us(found) == ((12 * 60 + 34) * 1000 + 567) * 1000 + 890


@pytest.mark.parametrize(
    ("before", "line", "wanted"),
    [
        (_line(90), _line(91), False),
        (_line(90), _line(89), False),  # threads write in another order than they read the clock
        (_line(90), _line(3), True),
        (_line(90), b"no clock", False),
        (b"no clock", _line(3), False),
    ],
)
def test_a_fall_of_more_than_a_second_is_one(before: bytes, line: bytes, wanted: bool) -> None:
    assert falls(before, line) is wanted


@pytest.mark.parametrize("at", [0, 1, 77, 450, 899])
def test_the_first_fall_is_found_wherever_it_stands(at: int) -> None:
    rows = [_line(1000 + number) for number in range(at)] + [_line(number) for number in range(900 - at)]
    assert first_fall(b"".join(rows), 1000 * 1_000_000) == sum(map(len, rows[:at]))


def test_a_clock_that_only_goes_on_has_no_fall() -> None:
    assert first_fall(b"".join(_line(number) for number in range(900)), 0) is None
