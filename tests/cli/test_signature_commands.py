"""diag signatures: list, show, schema, new, check, anchors."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from diag.catalog.locate import shipped
from diag.cli.main import cli

LOG = """\
0.00.052.715 I srv    load_model: loaded multimodal model, '/models/mmproj-llava.gguf'
0.00.068.920 I srv  llama_server: listening on http://127.0.0.1:8080
0.00.188.366 E srv  update_slots: frobnicator of slot 3 lost its 'spindle' after 17.5 turns (0xdeadbeef)
0.00.188.370 I srv  update_slots: all slots are idle
"""
FILLED = {
    'title    = "WRITE: what failed, in one line"': 'title    = "The frobnicator lost its spindle"',
    "WRITE: what went wrong and why, as the log and the source show it": "The spindle turned too often and came off.",
    "WRITE: the cause": "the spindle turns too often",
    "WRITE: what the user sees": "the frobnicator stops",
    "WRITE: what to do": "Start with fewer turns in the request.",
    "WRITE: how to see that it helped": "The line does not come back.",
    "WRITE: owner/repository#number, or: reproduced on bNNNN": "reproduced on b9871",
    "WRITE: what these lines mean instead": "the spindle is only oiled",
    "WRITE: the lines of a near rival": "0.00.188.366 W srv  update_slots: frobnicator of slot 3 oiled its 'spindle'",
}


def run(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["signatures", *words], input=stdin)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_text(LOG, encoding="utf-8")
    return path


def test_list_names_every_kind_and_filters() -> None:
    rows = json.loads(run("list", "--format", "json").output)
    assert {row["id"] for row in rows} == {path.stem for path in shipped("signatures").glob("*/*.toml")}
    benign = json.loads(run("list", "--severity", "benign", "--area", "benign", "--format", "json").output)
    assert benign
    assert {row["severity"] for row in benign} == {"benign"}


def test_show_prints_path_and_text() -> None:
    result = run("show", "port-in-use")
    path = shipped("signatures") / "server" / "port-in-use.toml"
    first, _, rest = result.output.partition("\n")
    assert first == f"# {path}"
    assert rest == path.read_text(encoding="utf-8")


def test_show_prefers_the_file_of_a_folder_that_replaces_it(tmp_path: Path) -> None:
    text = (shipped("signatures") / "server" / "port-in-use.toml").read_text(encoding="utf-8")
    own = tmp_path / "server" / "port-in-use.toml"
    own.parent.mkdir()
    own.write_text(f"# mine\n{text}", encoding="utf-8")
    assert run("show", "port-in-use", "--signatures", str(tmp_path)).output.startswith(f"# {own}\n# mine\n")


def test_schema_is_a_json_schema_with_every_key() -> None:
    schema = json.loads(run("schema").output)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"id", "title", "area", "severity", "match", "when", "cause", "fix", "example"} <= set(schema["properties"])


def test_a_skeleton_passes_the_check_but_for_what_a_person_must_write(tmp_path: Path, log: Path) -> None:
    made = run("new", "frobnicator-lost", "--area", "server", "--log", str(log), "--folder", str(tmp_path / "mine"))
    path = tmp_path / "mine" / "server" / "frobnicator-lost.toml"
    assert made.exit_code == 0
    assert str(path) in made.output
    checked = run("check", str(path))
    assert checked.exit_code == 1
    *faults, total = checked.output.splitlines()
    assert total == "1 signatures, 9 faults"
    assert all(fault.endswith("still to be written") for fault in faults)


def test_a_filled_skeleton_passes_and_diagnoses_its_log(tmp_path: Path, log: Path) -> None:
    folder = tmp_path / "mine"
    run("new", "frobnicator-lost", "--area", "server", "--log", str(log), "--folder", str(folder))
    path = folder / "server" / "frobnicator-lost.toml"
    text = path.read_text(encoding="utf-8")
    for mark, words in FILLED.items():
        assert mark in text
        text = text.replace(mark, words)
    path.write_text(text, encoding="utf-8")
    checked = run("check", str(path))
    assert checked.output == "1 signatures, 0 faults\n"
    assert checked.exit_code == 0
    report = CliRunner().invoke(cli, ["analyze", "--format", "json", "--signatures", str(folder), str(log)])
    first = json.loads(report.output)["diagnoses"][0]
    assert (first["signature"], first["evidence"][0]["line"]) == ("frobnicator-lost", 3)


def test_a_line_can_be_chosen_and_a_known_kind_in_it_is_named(tmp_path: Path) -> None:
    sample = shipped("samples") / "mtp-one-axis-image-fails-b11434" / "log.txt"
    lines = sample.read_text(encoding="utf-8").splitlines()
    number = next(at for at, line in enumerate(lines, 1) if "llama_process(ctx_dft) head=" in line)
    made = run(
        "new", "head-failed", "--area", "server", "--log", str(sample), "--line", str(number), "--folder", str(tmp_path)
    )
    assert made.exit_code == 0
    assert "mtp-one-axis-image-position-gap" in made.output
    text = (tmp_path / "server" / "head-failed.toml").read_text(encoding="utf-8")
    assert "llama_process\\(ctx_dft\\) head=" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("again", "--area", "server"), "exists already"),
        (("port-in-use", "--area", "server"), "exists already"),
        (("other", "--area", "server", "--line", "3"), "--log"),
        (("other", "--area", "server", "--log", "-", "--line", "99"), "no line 99"),
        (("other", "--area", "server", "--log", "-"), "no failing line"),
    ],
)
def test_nothing_is_overwritten_and_nothing_is_made_of_nothing(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    old = tmp_path / "server" / "again.toml"
    old.parent.mkdir()
    old.write_text("old", encoding="utf-8")
    healthy = "".join(line for line in LOG.splitlines(keepends=True) if " E " not in line)
    result = run("new", *words, "--folder", str(tmp_path), stdin=healthy)
    assert result.exit_code == 2
    assert says in result.stderr
    assert old.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.rglob("*.toml")) == [old]


def test_only_a_signature_can_be_checked(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    other = tmp_path / "server" / "notes.md"
    other.write_text("words", encoding="utf-8")
    result = run("check", str(other))
    assert result.exit_code == 2
    assert "no signature" in result.stderr
    assert run("check", str(tmp_path / "none.toml")).exit_code == 2


def test_anchors_hold_wordings_and_signatures_and_can_be_narrowed() -> None:
    rows = json.loads(run("anchors", "--format", "json").output)
    names = {row["name"] for row in rows}
    assert "PositionsRefused" not in names  # put together from fragments, never searched for
    assert "PositionFragment" in names
    assert any("/" in name for name in names)
    few = json.loads(run("anchors", "--format", "json", "--area", "grammar").output)
    assert 0 < len(few) < len(rows)


def test_literals_for_grep_are_those_for_ripgrep_unescaped() -> None:
    grep, rg = run("anchors", "--format", "grep").output, run("anchors", "--format", "rg").output
    assert len(grep.splitlines()) == len(rg.splitlines()) == len(set(grep.splitlines()))


def test_a_language_without_patterns_says_so() -> None:
    result = run("anchors", "--format", "lucene", "--patterns")
    assert result.exit_code == 2
    assert "literals only" in result.stderr
