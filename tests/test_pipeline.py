"""The stages in order, as a program that uses them sees it."""

import io
from pathlib import Path

import pytest

from diag.catalog.load import load_catalog
from diag.catalog.locate import shipped
from diag.errors import InputError
from diag.model.form import Command, Form
from diag.model.line import InputFacts
from diag.model.stated import Stated
from diag.pipeline import analyzer
from tests.build import SAMPLES, lines, ready, sample

FAILS = "mtp-one-axis-image-fails-b11434"
KIND = "mtp-one-axis-image-position-gap"


def test_a_file_standard_input_and_a_text_give_one_answer() -> None:
    path = SAMPLES / FAILS / "log.txt"
    of_file = ready().analyze(str(path))
    of_stdin = ready().analyze("-", stdin=io.BytesIO(path.read_bytes()))
    of_text = ready().analyze_text(sample(FAILS))
    assert of_file.diagnoses == of_stdin.diagnoses == of_text.diagnoses
    assert of_file.diagnoses[0].signature == KIND


def test_the_facts_of_the_input_are_kept() -> None:
    path = SAMPLES / FAILS / "log.txt"
    found = ready().analyze(str(path)).input
    data = path.read_bytes()
    assert (found.n_bytes, found.n_lines, found.encoding) == (len(data), data.count(b"\n"), "utf-8")
    assert found.name.endswith("log.txt")


def test_a_file_that_is_not_there_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        ready().analyze(str(tmp_path / "nobody.log"))
    assert len(str(caught.value).splitlines()) == 1


def test_the_lines_around_the_answers_evidence_are_given_once_each() -> None:
    given = lines(sample(FAILS))
    facts = InputFacts("log", 0, len(given), "utf-8", (), ())
    bare = ready().analyze_lines(given, facts)
    assert bare.excerpts == ()
    found = ready().analyze_lines(given, facts, context=2)
    shown = [item.line for item in found.excerpts]
    cited = {item.line for item in bare.diagnoses[0].evidence}
    assert shown == sorted(set(shown))
    assert {item.line for item in found.excerpts if item.evidence} == cited
    assert set(shown) == {near for line in cited for near in range(line - 2, line + 3) if 1 <= near <= len(given)}


def test_what_the_user_states_is_believed() -> None:
    given = lines(sample(FAILS))
    facts = InputFacts("log", 0, len(given), "utf-8", (), ())
    stated = Stated(build=11434, backend="cuda", flavour="upstream", os="windows")
    (one,) = ready().analyze_lines(given, facts, stated=stated).sessions
    assert (one.build.number, one.backends, one.os) == (11434, ("cuda",), "windows")
    assert {one.sources[name].origin for name in ("build", "backends", "os")} == {"option"}


def test_the_command_line_beside_the_log_is_corrected_by_the_fixes() -> None:
    given = lines(sample(FAILS))
    facts = InputFacts("log", 0, len(given), "utf-8", (), ())
    text = "llama-server -m /models/target-step35-mtp.gguf --mmproj /models/mmproj-llava.gguf --spec-type draft-mtp"
    found = ready().analyze_lines(given, facts, form=Form(commands=(Command(1, text, tuple(text.split())),)))
    corrected = [fix.command for fix in found.diagnoses[0].fixes if fix.command is not None]
    assert corrected
    assert all(command.startswith("llama-server -m /models/target-step35-mtp.gguf") for command in corrected)
    assert text not in corrected


def test_an_ignored_kind_gives_way_to_what_it_caused() -> None:
    found = ready().analyze(str(SAMPLES / FAILS / "log.txt"), ignore=(KIND,))
    assert KIND not in [item.signature for item in found.diagnoses]
    assert found.diagnoses


@pytest.mark.parametrize("engine", ["hyperscan", "standard-library"])
def test_both_engines_give_one_report(engine: str) -> None:
    pytest.importorskip("hyperscan")
    text = sample(FAILS)
    assert ready(engine).analyze_text(text).diagnoses == ready().analyze_text(text).diagnoses


def test_findings_are_given_before_a_cause_absorbs_its_consequences() -> None:
    found = {item.signature for item in ready().findings(lines(sample(FAILS)))}
    report = ready().analyze_text(sample(FAILS)).diagnoses[0]
    assert {KIND, *(item.signature for item in report.consequences)} <= found
    assert report.consequences


RUNAWAY = """
id = "runaway"
title = "A pattern that nobody bounded"
area = "server"
severity = "error"
[[match]]
grade = "certain"
all = ["it"]
[when.it]
anchor = "odd thing"
text = "odd thing: (a|aa|a{1,9})+[$]"
[cause]
text = "It was written for a test."
chain = ["It was written for a test"]
[[example]]
expect = "match"
provenance = "composed"
log = "odd thing: aaaa$"
[[example]]
expect = "no-match"
why = "no sign of money"
provenance = "composed"
log = "odd thing: aaaa"
"""


def test_a_pattern_of_a_users_folder_that_runs_away_is_a_note_and_no_hang(tmp_path: Path) -> None:
    folder = tmp_path / "own" / "server"
    folder.mkdir(parents=True)
    (folder / "runaway.toml").write_text(RUNAWAY)
    ready = analyzer(load_catalog([shipped("signatures"), tmp_path / "own"]))
    log = f"{sample('draft-file-missing-b11434')}\nodd thing: {'a' * 60}!\n"
    found = ready.analyze_text(log)
    assert [note.what for note in found.input.notes] == ["runaway/it: its pattern ran out of time on 1 lines"]
    assert found.diagnoses[0].signature == "draft-file-missing"
    again = ready.analyze_text("odd thing: aaaa$")
    assert [item.signature for item in again.diagnoses][:1] == ["runaway"]
    assert again.input.notes == ()
