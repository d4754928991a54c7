"""A strange log is never an error: cut, torn, mixed and damaged logs are analysed and printed."""

import random

import pytest

from diag.model.report import Report
from diag.render import renderer
from tests.build import SAMPLES, ready

SHORT = sorted(
    path.parent.name for path in SAMPLES.glob("*/log.txt") if path.read_text(encoding="utf-8").count("\n") < 150
)

DAMAGED = {
    "a figure with too many points": "0.00.063.756 I slot print_timing: id  0 | task 0 | draft acceptance = 0.50000 (    1 accepted /    2 generated), mean len =  1.2.3",
    "a figure that is no number of a machine": f"0.00.080.352 E decode: failed to find a memory slot for batch of size {'9' * 5000}",
    "more tokens accepted than drafted": "0.00.063.756 I slot print_timing: id  0 | task 0 | draft acceptance = 0.50000 (   99 accepted /   11 generated), mean len =  2.00",
    "a clock of a month": "9999999.00.000.000 I srv  llama_server: model loaded",
    "a negative position": "find_slot: non-consecutive token position -5 after -9 for sequence 0 with 49 new tokens",
    "a task without a slot": "0.00.063.819 I slot      release: stop processing: n_tokens = 61, truncated = 0",
    "a device without a name": "  Device 0: , compute capability 8.6, VMM: yes",
    "an assert without an end": "GGML_ASSERT(",
    "an empty quotation": "srv    load_model: loading model ''",
    "a line of one letter": "E",
    "a prefix without a message": "0.00.063.819 E ",
    "digits of another script": "decode: failed to find a memory slot for batch of size ٣٤",
}


def printed(text: str) -> Report:
    """Return the report, after every format that a test can afford has printed it."""
    found = ready().analyze_text(text)
    assert renderer("text")(found, width=80, color=False)
    assert renderer("json")(found)
    return found


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_line_is_read_or_passed_over(name: str) -> None:
    head = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'\n0.00.025.535 I srv  llama_server: model loaded"
    printed(f"{head}\n{DAMAGED[name]}")
    printed(DAMAGED[name])


@pytest.mark.parametrize("name", SHORT)
def test_a_log_that_was_cut_torn_or_mixed_is_analysed(name: str) -> None:
    chance = random.Random(name)
    whole = (SAMPLES / name / "log.txt").read_text(encoding="utf-8").splitlines()
    other = (SAMPLES / chance.choice(SHORT) / "log.txt").read_text(encoding="utf-8").splitlines()
    mixed = whole.copy()
    chance.shuffle(mixed)
    for lines in (
        whole[chance.randrange(len(whole) + 1) :] + other[: chance.randrange(len(other) + 1)],
        [line[: chance.randrange(len(line) + 1)] for line in whole],
        [line[chance.randrange(len(line) + 1) :] for line in whole],
        mixed,
        chance.sample(whole, min(len(whole), 5)),
    ):
        found = printed("\n".join(lines))
        assert found.diagnoses, "every log has an answer, if only that it does not tell"


@pytest.mark.parametrize("name", SHORT)
def test_every_line_that_a_report_cites_is_in_the_log(name: str) -> None:
    text = (SAMPLES / name / "log.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    for diagnosis in ready().analyze_text(text).diagnoses:
        for evidence in diagnosis.evidence:
            # a wrapper may stand before it, a colour within it
            assert evidence.text[-24:] in lines[evidence.line - 1]
