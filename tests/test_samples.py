"""Every shipped sample through the whole tool, against what a person said of it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from diag.model.report import Report
from diag.model.run import Acceptance
from tests.build import SAMPLES, ready

FAULTS = ("fatal", "error", "degraded")
CASES = sorted(path.parent for path in SAMPLES.glob("*/expected.toml"))


def _expected(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))


def _report(folder: Path) -> Report:
    return ready().analyze(str(folder / "log.txt"))


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_sample_gets_the_answer_that_a_person_gave(folder: Path) -> None:
    wanted, report = _expected(folder), _report(folder)
    if wanted["healthy"]:
        # a note worth reading may stand where "no failure found" would
        assert report.diagnoses[0].signature == wanted["first"] or report.diagnoses[0].severity == "info"
        assert not [item.signature for item in report.diagnoses if item.severity in FAULTS]
    else:
        assert report.diagnoses[0].signature == wanted["first"]
    if "trigger_line" in wanted:
        assert wanted["trigger_line"] in {item.line for item in report.diagnoses[0].evidence}
    for key, value in wanted.get("positions", {}).items():
        assert getattr(report.diagnoses[0].positions, key) == value, key


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_sample_gets_the_facts_that_a_person_gave(folder: Path) -> None:
    wanted, report = _expected(folder), _report(folder)
    assert len(report.sessions) == wanted["sessions"]
    if not report.sessions:
        return
    families = {session.drafter.family for session in report.sessions}
    hinted = all(session.drafter.confidence in ("unknown", "possible") for session in report.sessions)
    # a hint (a file name, a flag) may name a family that the log's lines do not prove
    assert wanted["family"] in families or (wanted["family"] == "unknown" and hinted)
    if "ending" in wanted:
        assert report.sessions[-1].ending.kind == wanted["ending"]
    for turn, sums in wanted.get("acceptance", {}).items():
        found = [session.acceptance.get(turn, Acceptance()) for session in report.sessions]
        assert {key: sum(getattr(item, key) for item in found) for key in sums} == sums, turn
