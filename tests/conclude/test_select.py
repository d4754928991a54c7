"""A report cut down to one start."""

import pytest

from diag.conclude.select import select_session
from tests.build import report, sample

START = """0.00.003.321 I srv  llama_server: initializing ...
0.00.006.394 I srv    load_model: loading model '/models/a.gguf'
0.00.011.022 E llama_init_from_model: failed to initialize the context: dflash requires ctx_other to be set (this warning is normal during memory fitting)
0.00.025.535 I srv  llama_server: model loaded
0.00.080.339 E ggml_new: a message of next year, the {nth}
"""


@pytest.mark.parametrize("number", [1, 2])
def test_one_start_keeps_its_own_facts_lines_and_failures(number: int) -> None:
    whole = report(START.format(nth="first") + START.format(nth="second"))
    assert [one.number for one in whole.sessions] == [1, 2]
    found = select_session(whole, number)
    assert [one.number for one in found.sessions] == [number]
    shown = {evidence.line for item in found.benign for evidence in item.evidence}
    assert 5 * number - 2 in shown
    assert shown <= set(range(5 * number - 4, 5 * number + 1))
    assert [item.line for item in found.unknown] == [5 * number]


@pytest.mark.xfail(strict=True, reason="equal failures are counted over all starts")
@pytest.mark.parametrize("number", [1, 2])
def test_a_failure_that_every_start_shows_is_shown_with_each(number: int) -> None:
    found = select_session(report(START * 2), number)
    assert [(item.line, item.count) for item in found.unknown] == [(5 * number, 1)]


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(
            n, marks=pytest.mark.xfail(strict=True, reason="the answer about the log belongs to the last start")
        )
        for n in (1, 2)
    ]
    + [3],
)
def test_each_of_three_healthy_starts_has_an_answer(number: int) -> None:
    found = select_session(report(sample("restarts-three-clean-b11434")), number)
    assert [item.signature for item in found.diagnoses] == ["no-failure-found"]
