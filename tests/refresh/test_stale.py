"""A report says how old the status of its threads is, once that is old."""

import datetime as dt
from dataclasses import replace

import pytest

from diag.model.report import Report
from diag.render.plain import oldest_check, stale_words
from diag.render.text import render
from tests.build import SAMPLES, ready

DAY = dt.date(2026, 12, 1)


def report(*checks: dt.date) -> Report:
    """Return a report of a shipped sample whose first diagnosis has a thread a day, checked on that day."""
    found = ready().analyze(str(SAMPLES / "mtp-one-axis-image-fails-b11434" / "log.txt"))
    first = found.diagnoses[0]
    threads = tuple(replace(first.upstream[0], checked=day) for day in checks)
    return replace(found, diagnoses=(replace(first, upstream=threads),))


@pytest.mark.parametrize(
    ("checks", "today", "words"),
    [
        ((DAY,), DAY + dt.timedelta(days=90), ""),
        ((DAY,), DAY + dt.timedelta(days=91), "as of 2026-12-01; `diag upstream refresh` updates it"),
        ((dt.date(2026, 1, 1), DAY), DAY + dt.timedelta(days=90), ""),
        (
            (DAY, dt.date(2026, 1, 1)),
            DAY + dt.timedelta(days=91),
            "as of 2026-01-01; `diag upstream refresh` updates it",
        ),
        ((), DAY, ""),
        ((DAY,), None, ""),
    ],
    ids=["90 days", "91 days", "one check is young", "the oldest counts", "no threads", "no day given"],
)
def test_old_states_are_said_to_be_old(checks: tuple[dt.date, ...], today: dt.date | None, words: str) -> None:
    found = report(*checks)
    assert stale_words(found, today) == words
    assert ("Status" in render(found, today=today)) is bool(words)


def test_the_oldest_check_is_that_of_all_diagnoses_or_of_the_first() -> None:
    one, other = report(DAY).diagnoses[0], report(dt.date(2026, 5, 1)).diagnoses[0]
    found = replace(report(), diagnoses=(one, other))
    assert oldest_check(found) == dt.date(2026, 5, 1)
    assert oldest_check(found, 1) == DAY
    assert oldest_check(report()) is None
