"""diag analyze as a program: every option, every exit code, its output and how it ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from diag import __version__
from diag.cli.main import cli
from tests.build import SAMPLES, sample

ROOT = SAMPLES.parent
OLD_BUILD = ROOT / "tests" / "data" / "b8722-draft-and-projector-refused.log"
MTP = "mtp-one-axis-image-position-gap"


def log(name: str) -> str:
    return str(SAMPLES / name / "log.txt")


FAILING = log("mtp-one-axis-image-fails-b11434")
HEALTHY = log("no-drafter-text-ok-b9871")
TWO_STARTS = log("mtp-one-axis-image-fails-then-healthy-b11434")
EMPTY = log("no-drafter-text-ok-lv1-b11434")
COLLAPSE = log("independent-draft-image-acceptance-collapses-lv4-b11434")


def run(*arguments: str, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> Result:
    colours = {"NO_COLOR": "", "FORCE_COLOR": "", "DIAG_SIGNATURES": ""}
    return CliRunner().invoke(cli, ["analyze", *arguments], input=stdin, env={**colours, **(env or {})})


def document(*arguments: str, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> dict[str, Any]:
    result = run("--format", "json", *arguments, stdin=stdin, env=env)
    assert result.stderr == ""
    loaded: dict[str, Any] = json.loads(result.stdout)
    return loaded


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "NO_COLOR": "", "FORCE_COLOR": "", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "diag", *arguments], capture_output=True, text=True, env=env, check=False, **options
    )


# What the user states.


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ((), "unknown-build"),
        (("--build", "b8722"), "fixed-later"),
        (("--build", "9108"), "fixed-later"),
        (("--build", "B9109"), "already-fixed"),
        (("--build", "b9200"), "already-fixed"),
    ],
)
def test_a_stated_build_decides_the_verdict_where_the_log_hides_it(options: tuple[str, ...], verdict: str) -> None:
    """Speculation beside a projector came with b9109 (ggml-org/llama.cpp#22838)."""
    hidden = OLD_BUILD.read_text(encoding="utf-8").replace("build_info: b8722-unknown\n", "")
    report = document(*options, "-", stdin=hidden)
    first = report["diagnoses"][0]
    assert first["signature"] == "speculation-with-mmproj-refused"
    assert (first["verdict"], first["fixed_in"]) == (verdict, 9109)
    upgrade = next(fix for fix in first["fixes"] if fix["kind"] == "upgrade")
    assert upgrade["applies"] is {"unknown-build": None, "fixed-later": True, "already-fixed": False}[verdict]
    if options:
        assert report["sessions"][0]["sources"]["build"]["from"] == "option"


def test_a_stated_system_decides_which_fixes_apply() -> None:
    text = "llama-server: error while loading shared libraries: libggml-base.so: cannot open shared object file\n"
    judged = {}
    for system in (None, "linux", "macos"):
        report = document(*(("--os", system) if system else ()), "-", stdin=text)
        judged[system] = {fix["when"]: fix["applies"] for fix in report["diagnoses"][0]["fixes"] if fix["when"]}
        assert report["sessions"][0]["os"] == system
    assert judged == {
        None: {"system linux": None, "system macos": None},
        "linux": {"system linux": True, "system macos": False},
        "macos": {"system linux": False, "system macos": True},
    }


@pytest.mark.parametrize(
    ("options", "flavour", "at_least", "verdict"),
    [
        ((), "upstream", 11011, "affects"),
        (("--flavour", "upstream"), "upstream", 11011, "affects"),
        (("--flavour", "ik_llama.cpp"), "ik_llama.cpp", None, "unknown-build"),
    ],
)
def test_a_stated_flavour_takes_upstream_builds_out_of_the_answer(
    options: tuple[str, ...], flavour: str, at_least: int | None, verdict: str
) -> None:
    """The wordings of this log came with upstream b11011; a fork may have them under any number."""
    report = document(*options, FAILING)
    build = report["sessions"][0]["build"]
    assert (build["flavour"], build["at_least"]) == (flavour, at_least)
    assert report["diagnoses"][0]["verdict"] == verdict


OWN_SIGNATURE = """
id       = "gateway-full"
title    = "The gateway's queue is full"
area     = "server"
severity = "degraded"
aliases  = ["queue-full"]
[[match]]
grade = "certain"
scope = "session"
all   = ["full"]
[when.full]
anchor = "gateway queue is full"
text   = '''gateway queue is full \\((?P<waiting>\\d{1,6}) waiting\\)'''
[cause]
text  = "{waiting} requests wait."
chain = ["too many requests", "the queue is full"]
[[fix]]
kind = "config"
do   = "Vulkan only: lower the queue."
when = { backends = ["vulkan"] }
cost = ""
verify = "No such line."
evidence = ["ggml-org/llama.cpp#14747"]
checked = 2026-11-30
[[example]]
expect = "match"
provenance = "composed"
log = '''
0.00.001.000 W srv  gateway: gateway queue is full (12 waiting)
'''
[[example]]
expect = "no-match"
why = "it has room again"
provenance = "composed"
log = '''
0.00.001.000 I srv  gateway: gateway queue has room
'''
"""


@pytest.fixture
def own(tmp_path: Path) -> tuple[str, str]:
    """A folder with a signature of one's own, and a healthy log with the line it is about."""
    folder = tmp_path / "signatures"
    (folder / "server").mkdir(parents=True)
    (folder / "server" / "gateway-full.toml").write_text(OWN_SIGNATURE, encoding="utf-8")
    path = tmp_path / "server.log"
    path.write_text(
        sample("no-drafter-text-ok-b9871") + "0.01.001.000 W srv  gateway: gateway queue is full (12 waiting)\n"
    )
    return str(folder), str(path)


@pytest.mark.parametrize("way", ["option", "environment"])
def test_signatures_of_a_folder_are_read_too(own: tuple[str, str], way: str) -> None:
    folder, path = own
    options = ("--signatures", folder) if way == "option" else ()
    env = {"DIAG_SIGNATURES": folder} if way == "environment" else {}
    first = document(*options, path, env=env)["diagnoses"][0]
    assert (first["signature"], first["captures"]["waiting"]) == ("gateway-full", 12)
    assert first["summary"].startswith("12 requests wait.")


@pytest.mark.parametrize(("backend", "applies"), [(None, None), ("vulkan", True), ("cuda", False)])
def test_a_stated_backend_decides_which_fixes_apply(
    own: tuple[str, str], backend: str | None, applies: bool | None
) -> None:
    folder, path = own
    report = document("--signatures", folder, *(("--backend", backend) if backend else ()), path)
    assert report["diagnoses"][0]["fixes"][0]["applies"] is applies
    assert (backend in report["sessions"][0]["backends"]) is (backend is not None)


# Which starts, what is left out, what is shown around it.


@pytest.mark.parametrize(
    ("choice", "numbers", "first"),
    [
        ("all", [1, 2], MTP),
        ("1", [1], MTP),
        ("2", [2], "no-failure-found"),
        ("last", [2], "no-failure-found"),
        ("LAST", [2], "no-failure-found"),
    ],
)
def test_a_session_option_answers_for_those_starts_only(choice: str, numbers: list[int], first: str) -> None:
    report = document("--session", choice, TWO_STARTS)
    assert [session["number"] for session in report["sessions"]] == numbers
    assert report["diagnoses"][0]["signature"] == first
    assert run("--session", choice, TWO_STARTS).exit_code == (1 if first == MTP else 0)


def test_a_start_that_the_log_does_not_have_is_an_input_error() -> None:
    result = run("--session", "3", TWO_STARTS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "--session 3" in result.stderr


def test_a_start_that_one_file_does_not_have_leaves_the_others_their_answer() -> None:
    result = run("--format", "json", "--session", "2", FAILING, TWO_STARTS)
    assert result.exit_code == 2
    assert [json.loads(line)["input"]["name"] for line in result.stdout.splitlines()] == [TWO_STARTS]


def test_an_ignored_signature_makes_room_for_what_it_absorbed() -> None:
    assert document(FAILING)["diagnoses"][0]["consequences"] == ["speculative-batch-failed"]
    signatures = [item["signature"] for item in document("--ignore", MTP, FAILING)["diagnoses"]]
    assert MTP not in signatures
    assert signatures[0] == "speculative-batch-failed"


def test_several_signatures_can_be_ignored_by_id_or_alias(own: tuple[str, str]) -> None:
    folder, path = own
    report = document("--signatures", folder, "--ignore", "queue-full", "--ignore", MTP, path)
    assert report["diagnoses"][0]["signature"] == "no-failure-found"


def shown(text: str) -> list[int]:
    """Return the numbers of the log lines that a text report shows."""
    rows = [line.split("│")[0].split("▸")[0].strip() for line in text.splitlines() if "│" in line or "▸" in line]
    return [int(number) for number in rows if number.isdigit()]


def test_context_shows_the_lines_around_the_evidence() -> None:
    evidence = {item["line"] for item in document(FAILING)["diagnoses"][0]["evidence"]}
    assert set(shown(run(FAILING).stdout)) <= evidence
    for room in (1, 3):
        wanted = {near for line in evidence for near in range(line - room, line + room + 1) if 1 <= near <= 40}
        assert shown(run("--context", str(room), FAILING).stdout) == sorted(wanted)


def test_full_shows_every_fix_and_thread() -> None:
    diagnosis = document(FAILING)["diagnoses"][0]
    text = run("--full", "--width", "400", FAILING).stdout
    for fix in diagnosis["fixes"]:
        assert fix["do"] in text
    for thread in diagnosis["upstream"]:
        assert thread["ref"].removeprefix("ggml-org/llama.cpp") in text


def test_redaction_masks_paths_in_every_format_and_is_off_in_the_terminal() -> None:
    for form in ("text", "json"):
        assert "target-step35-mtp.gguf" in run("--format", form, FAILING).stdout
        masked = run("--format", form, "--redact", FAILING)
        assert masked.exit_code == 1
        assert "/models/" not in masked.stdout
        assert MTP in masked.stdout


# Exit codes.


@pytest.mark.parametrize(
    ("level", "failing", "degraded", "healthy"),
    [
        ("info", 1, 1, 1),
        ("degraded", 1, 1, 0),
        ("error", 1, 0, 0),
        ("fatal", 0, 0, 0),
        ("never", 0, 0, 0),
    ],
)
def test_the_exit_code_is_1_from_the_stated_severity_on(level: str, failing: int, degraded: int, healthy: int) -> None:
    """A healthy log has one diagnosis of severity info: that no failure was found."""
    assert document(COLLAPSE)["diagnoses"][0]["severity"] == "degraded"
    assert run("--fail-on", level, FAILING).exit_code == failing
    assert run("--fail-on", level, COLLAPSE).exit_code == degraded
    assert run("--fail-on", level, HEALTHY).exit_code == healthy


def test_a_fatal_failure_reaches_every_level_but_never() -> None:
    path = log("draft-file-missing-b11434")
    codes = {
        level: run("--fail-on", level, path).exit_code for level in ("info", "degraded", "error", "fatal", "never")
    }
    assert codes == {"info": 1, "degraded": 1, "error": 1, "fatal": 1, "never": 0}


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ((HEALTHY, HEALTHY), 0),
        ((HEALTHY, FAILING), 1),
        ((EMPTY, HEALTHY), 0),
        ((EMPTY, EMPTY), 3),
        ((EMPTY, FAILING), 1),
        (("no-such.log", FAILING), 2),
        ((FAILING, "no-such.log"), 2),
        (("no-such.log", EMPTY), 2),
        ((HEALTHY, "no-such.log"), 2),
    ],
)
def test_over_several_files_the_worst_code_wins(names: tuple[str, ...], code: int) -> None:
    """2 where a file could not be read, else 1 where one reached the level, else 0 where one is a log, else 3."""
    assert run(*names).exit_code == code


def test_with_code_1_and_3_the_document_is_printed_all_the_same() -> None:
    for name, code, first in ((FAILING, 1, MTP), (EMPTY, 3, "empty-log")):
        result = run("--format", "json", name)
        assert result.exit_code == code
        assert json.loads(result.stdout)["diagnoses"][0]["signature"] == first


# Documents and texts.


def test_one_file_is_one_indented_document() -> None:
    result = run("--format", "json", FAILING)
    assert result.stdout.startswith('{\n  "schema_version": 1,\n')
    assert result.stdout.endswith("\n}\n")
    assert json.loads(result.stdout)["input"]["name"] == FAILING


def test_several_files_are_json_lines_in_the_order_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    odd = "./kürzel log.txt"
    Path(odd).write_text(sample("eagle3-image-fails-b9871"))
    names = [HEALTHY, odd, FAILING, odd]
    result = run("--format", "json", *names)
    assert result.stdout.isascii()
    assert result.stdout.count("\n") == len(names)
    assert [json.loads(line)["input"]["name"] for line in result.stdout.splitlines()] == names


def test_several_texts_follow_each_other_in_the_order_given() -> None:
    text = run(FAILING, HEALTHY, log("eagle3-image-fails-b9871")).stdout
    places = [text.index(words) for words in (MTP, "no-failure-found", "eagle3-image-position-gap")]
    assert places == sorted(places)


# Standard input, colours, width, the program as a whole.


def test_a_dash_is_standard_input() -> None:
    given = sample("mtp-one-axis-image-fails-b11434").encode()
    report = document("-", stdin=given)
    assert (report["input"]["name"], report["input"]["bytes"]) == ("-", len(given))
    assert report["diagnoses"][0]["signature"] == MTP
    assert run("-", stdin=given).stdout.startswith("standard input")


@pytest.mark.parametrize(
    ("options", "env", "painted"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_follow_the_option_then_the_environment(
    options: tuple[str, ...], env: dict[str, str], painted: bool
) -> None:
    text = run(*options, FAILING, env=env).stdout
    assert ("\x1b[" in text) is painted
    assert "\x1b" not in run("--format", "json", *options, FAILING, env=env).stdout


@pytest.mark.parametrize("width", [40, 60, 80, 132])
def test_no_line_is_wider_than_the_stated_width(width: int) -> None:
    for name in (FAILING, HEALTHY, TWO_STARTS, EMPTY):
        assert max(map(len, run("--width", str(width), name).stdout.splitlines())) <= width


@pytest.mark.parametrize("engine", ["hyperscan", "standard-library"])
def test_both_engines_give_the_same_document(engine: str) -> None:
    assert document("--engine", engine, TWO_STARTS) == document(TWO_STARTS)


def test_the_module_runs_as_a_program() -> None:
    result = program("analyze", FAILING)
    assert (result.returncode, result.stderr) == (1, "")
    assert MTP in result.stdout


def test_the_version_is_printed() -> None:
    result = program("--version")
    assert (result.returncode, result.stdout) == (0, f"diag {__version__}\n")


def test_a_log_comes_through_a_pipe() -> None:
    result = program("analyze", "-", input=sample("mtp-one-axis-image-fails-b11434"))
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell's pipe")
def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    """As `diag analyze ... | head -1`: the reader takes one line and closes the pipe."""
    with subprocess.Popen(
        [sys.executable, "-m", "diag", "analyze", "--full", *[FAILING] * 60],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"log.txt")
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait()


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_an_interrupt_ends_it_with_130_and_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "diag", "analyze", "--format", "json", FAILING, "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()  # the first file is done: it waits for standard input now
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        error = process.stderr.read().decode()
        assert process.returncode == 130
        assert "Traceback" not in error


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_an_interrupt_ends_several_processes_without_a_word(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", "diag", "analyze", "--jobs", "2", "--format", "json", str(pipe), str(pipe)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        try:
            writer = _opened_for_writing(pipe)  # one of them reads, without an end
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
            assert process.wait(timeout=20) == 130
            assert process.stderr.read() == b""  # which ends when the last of them has
            os.close(writer)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the children of a process, as Linux tells them")
def test_a_process_that_is_ended_from_outside_is_an_error_and_no_wait(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", "diag", "analyze", "--jobs", "2", "--format", "json", str(pipe), str(pipe)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        try:
            writer = _opened_for_writing(pipe)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            workers = [pid for pid in children if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
            assert len(workers) == 2
            os.kill(int(workers[0]), signal.SIGKILL)  # as a system does that is out of memory
            os.kill(int(workers[1]), signal.SIGKILL)
            assert process.wait(timeout=20) == 2
            assert b"ended from outside" in process.stderr.read()
            os.close(writer)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _opened_for_writing(pipe: Path) -> int:
    """Return the open pipe, once somebody reads it."""
    for _ in range(200):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody reads the pipe")
