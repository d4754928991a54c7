"""Inputs that are no log, broken, hostile or huge: a clear line and a documented exit code, never a traceback."""

import base64
import functools
import gzip
import io
import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diag.cli.main import cli
from diag.errors import InputError
from diag.model.report import Report
from diag.render.json_v1 import render as render_json
from diag.render.text import render as render_text
from tests.build import ready, sample
from tests.read.packing import COMPRESS, tar_of, zip_of

FAILING = "mtp-one-axis-image-fails-b11434"
HEALTHY = "mtp-mrope-image-ok-b11434"
FAULTS = ("fatal", "error", "degraded")
# C0 but the line feed, DEL, C1, zero-width and direction characters: what no terminal may get from a log
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def run(*arguments: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["analyze", *arguments], input=given)


def report_of(data: bytes) -> Report:
    return ready().analyze("-", stdin=io.BytesIO(data))


def report_unless_refused(data: bytes) -> Report | None:
    """Return the report, or None for data that is no text; the refusal has to be one line."""
    refusal = ""
    try:
        return report_of(data)
    except InputError as error:
        refusal = str(error)
    assert refusal
    assert "\n" not in refusal
    return None


def texts_of(report: Report) -> tuple[str, ...]:
    return (render_text(report), render_text(report, full=True, width=400), render_json(report))


def faults(report: Report) -> list[str]:
    return [item.signature for item in report.diagnoses if item.severity in FAULTS]


BINARY: dict[str, tuple[bytes, str]] = {
    "model.gguf": (b"GGUF\x03\x00\x00\x00" + bytes(64), "a GGUF model, not a log"),
    "elf": (b"\x7fELF\x02\x01\x01" + bytes(200), "an ELF program or a core dump, not a log"),
    "picture.png": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(100), "a picture, not a log"),
    "noise": (bytes((i * 197 + (i >> 3) * 89) % 256 for i in range(4000)), "binary data, not a log"),
    "cut.gz": (gzip.compress(sample(FAILING).encode())[:300], "the gzip data ends too early"),
    "cut.xz": (COMPRESS["xz"](sample(FAILING).encode())[:300], "the xz data ends too early"),
    "cut.zst": (COMPRESS["zstd"](sample(FAILING).encode())[:300], "the zstd data ends too early"),
    "cut.bz2": (COMPRESS["bzip2"](sample(FAILING).encode())[:300], "the bzip2 data ends too early"),
    "cut.zip": (zip_of({"a.log": sample(FAILING).encode()})[:300], "the zip archive is damaged or cut off"),
    "no-text.zip": (zip_of({"model.gguf": b"GGUF\x03\x00\x00\x00" + bytes(64)}), "a zip archive without a text file"),
    "no-text.tar": (tar_of({"model.gguf": b"GGUF\x03\x00\x00\x00" + bytes(64)}), "a tar archive without a text file"),
}


@pytest.mark.parametrize("name", BINARY)
def test_what_is_no_text_is_named_in_one_line_with_exit_code_2(name: str, tmp_path: Path) -> None:
    data, words = BINARY[name]
    path = tmp_path / name
    path.write_bytes(data)
    result = run(str(path))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"diag: {path}")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", BINARY)
def test_what_is_no_text_is_named_from_a_pipe_too(name: str) -> None:
    data, words = BINARY[name]
    result = run("-", given=data)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("diag: ")
    assert words in result.stderr


def test_a_missing_file_and_a_folder_are_named_in_one_line(tmp_path: Path) -> None:
    missing = run(str(tmp_path / "none.log"))
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert missing.stderr == f"diag: {tmp_path / 'none.log'} does not exist\n"
    folder = run(str(tmp_path))
    assert (folder.exit_code, folder.stdout) == (2, "")
    assert folder.stderr == f"diag: {tmp_path} is a directory; name the log files\n"


def test_a_file_that_may_not_be_read_is_named_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "locked.log"
    path.write_text("x\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    result = run(str(path))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "permission" in result.stderr.lower()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--build", "x"], "no build number"),
        (["--build", "b0"], "no build number"),
        (["--build", "-5"], "no build number"),
        (["--session", "0"], "neither last, all nor the number of a start"),
        (["--session", "first"], "neither last, all nor the number of a start"),
        (["--ignore", "no-such-kind"], "no signature 'no-such-kind'"),
        (["--format", "yaml"], "'yaml' is not one of"),
        (["--fail-on", "warning"], "'warning' is not one of"),
        (["--os", "beos"], "'beos' is not one of"),
        (["--backend", "abacus"], "'abacus' is not one of"),
        (["--context", "51"], "51 is not in the range"),
        (["--context", "-1"], "-1 is not in the range"),
        (["--width", "39"], "39 is not in the range"),
        (["--color", "maybe"], "'maybe' is not one of"),
        (["--no-such-option"], "No such option"),
        (["--signatures", "no-such-folder"], "no-such-folder: no such folder"),
    ],
)
def test_a_bad_option_is_named_with_exit_code_2(options: list[str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(sample(FAILING))
    result = run(*options, str(path))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr.splitlines()[-1]


def test_no_log_at_all_is_a_usage_error() -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "Error: Missing argument 'LOG...'."


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n  \n\t\n", b"\xef\xbb\xbf", b"\xff\xfe"], ids=repr)
def test_an_empty_file_is_a_log_without_lines(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.write_bytes(data)
    result = run("--format", "json", str(path))
    assert result.exit_code == 3
    assert result.stderr == ""
    (first,) = json.loads(result.stdout)["diagnoses"]
    assert (first["signature"], first["severity"]) == ("empty-log", "info")


NO_LLAMA = {
    "prose": "Dear all,\nthe meeting is on Tuesday at ten.\nBring the slides.\n",
    "a JSON document": '{"name": "thing", "values": [1, 2, 3], "nested": {"a": null}}\n',
    "source code": "int main(void) {\n    return 0;\n}\n",
    "CSV": "id,name,value\n1,a,2.5\n2,b,3.5\n",
    "an access log": '10.0.0.1 - - [30/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 612 "-" "curl/8.0"\n' * 5,
    "a web server's errors": "2026/11/30 10:00:01 [error] 12#12: *1 connect() failed (111: Connection refused)\n" * 5,
    "a Python traceback": (
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    1/0\n'
        "ZeroDivisionError: division by zero\n"
    ),
    "a kernel log": "[    0.000000] Linux version 6.1.0 (gcc 12)\n[    0.100000] Memory: 16G available\n",
    "a compiler's errors": "a.c:3:5: error: expected ';' before 'return'\nmake: *** [Makefile:2: a.o] Error 1\n",
}


@pytest.mark.parametrize("kind", NO_LLAMA)
def test_a_text_that_is_no_llama_log_says_so_with_exit_code_3(kind: str) -> None:
    result = run("--format", "json", "-", given=NO_LLAMA[kind].encode())
    document = json.loads(result.stdout)
    assert result.exit_code == 3
    assert result.stderr == ""
    assert [item["signature"] for item in document["diagnoses"]] == ["insufficient-log"]
    assert document["sessions"] == []
    assert document["coverage"][0]["because"] == "no line of llama-server is in the input"


def test_one_bad_file_among_several_leaves_the_others_their_answer(tmp_path: Path) -> None:
    good, other, bad = tmp_path / "good.log", tmp_path / "other.log", tmp_path / "model.gguf"
    good.write_text(sample(FAILING))
    other.write_text(sample(HEALTHY))
    bad.write_bytes(BINARY["model.gguf"][0])
    names = [str(good), str(bad), str(tmp_path / "none.log"), str(other)]
    result = run("--format", "json", *names)
    assert result.exit_code == 2
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [document["input"]["name"] for document in documents] == [str(good), str(other)]
    assert [document["diagnoses"][0]["signature"] for document in documents] == [
        "mtp-one-axis-image-position-gap",
        "no-failure-found",
    ]
    assert [line.split(" ")[0] for line in result.stderr.splitlines()] == ["diag:", "diag:"]


# What a stranger's log may hold.

SWITCHES = {
    "terminal codes": "\x1b[2J\x1b[31;1m\x1b[999;999H",
    "a link and a title of the terminal": "\x1b]8;;http://example.org\x07click\x1b]8;;\x07\x1b]0;owned\x07",
    "codes without ESC": "\x9b31m\x9d0;owned\x9c",
    "direction marks": "\u202egpj.exe\u2066x\u2069\u200f",
    "zero-width and byte order marks": "a\u200bb\ufeffc\u2060d",
    "bells and carriage returns": "\x07\x08\x08\r100%\r",
    "other line ends": "a\x85b\x0bc\x0cd",
}


@pytest.mark.parametrize("kind", SWITCHES)
def test_no_control_character_of_a_log_reaches_the_terminal(kind: str) -> None:
    planted = (
        sample(FAILING).replace("/models/", f"/models/{SWITCHES[kind]}").replace("task 8", f"task 8{SWITCHES[kind]}")
    )
    for data in (planted, planted.replace("X = 19", f"X = 19 {SWITCHES[kind]}"), SWITCHES[kind] * 40):
        report = report_of(data.encode())
        for text in texts_of(report):
            assert CONTROLS.findall(text) == []
        assert render_json(report).isascii()


ANCHORS = (
    "srv  update_slots: failed to process speculative batch",
    "process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)",
    "/src/ggml/src/ggml.c:1234: GGML_ASSERT(n > 0) failed",
    "CUDA error: out of memory",
    "for sequence 0 is X = 19 and Y = 36; it is required that the sequence positions remain consecutive: Y = X + 1",
    "terminate called after throwing an instance of 'std::runtime_error'",
    "llama_model_load: error loading model: unknown model architecture: 'x'",
    "failed to open GGUF file",
)


def bodies(anchor: str) -> dict[str, str]:
    """Return lines that a verbose server prints of what a client sent, each with a text that looks like a failure."""
    quoted = json.dumps(anchor)[1:-1]
    hidden = base64.b64encode(bytes(range(256)) * 40).decode()
    return {
        "a request": '0.00.100.000 D srv  log_server_r: request:  {"messages":[{"role":"user","content":"'
        + quoted
        + '"}]}',
        "a request that quotes a whole log": '0.00.100.000 D srv  log_server_r: request:  {"messages":[{"role":"user",'
        f'"content":"it says:\\n0.00.080.354 E {quoted}\\n0.00.080.476 E {quoted}\\n"}}]}}',
        "a picture in a request": '0.00.100.000 D srv  log_server_r: request:  {"image":"'
        + hidden
        + quoted
        + hidden
        + '"}',
        "an answer": '0.00.100.000 D srv  log_server_r: response: {"content":"' + quoted + '"}',
        "a parsed answer": '0.00.100.000 D Parsed message: {"role":"assistant","content":"' + quoted + '"}',
        "a token": f"0.00.100.000 D slot update_slots: id  0 | task 1 | next token: 12 '{anchor}'",
    }


@pytest.mark.parametrize("anchor", ANCHORS)
@pytest.mark.parametrize("place", list(bodies("")))
def test_a_failure_that_a_client_only_talks_about_is_no_failure(place: str, anchor: str) -> None:
    lines = sample(HEALTHY).splitlines()
    middle = len(lines) // 2
    text = "\n".join([*lines[:middle], bodies(anchor)[place], *lines[middle:]])
    report = report_of(text.encode())
    assert faults(report) == []
    assert report.unknown == ()


def test_lines_of_a_megabyte_change_no_answer() -> None:
    lines = sample(FAILING).splitlines()
    bare = report_of(sample(FAILING).encode())
    long = "0.00.079.000 D srv  log_server_r: request:  " + json.dumps({"image": "QUJD" * 250_000})
    for line in (long, "x" * 1_000_000, "\x1b[31m" * 200_000, "[" * 1_000_000, "0.00.079.000 I " + "a: " * 330_000):
        report = report_of("\n".join([*lines[:20], line, *lines[20:]]).encode())
        assert report.diagnoses[0].signature == bare.diagnoses[0].signature
        assert report.diagnoses[0].captures == bare.diagnoses[0].captures
        assert [item.line - 1 for item in report.diagnoses[0].evidence] == [
            item.line for item in bare.diagnoses[0].evidence
        ]
        for text in texts_of(report):
            assert max(map(len, text.split("\n"))) < 20_000 or text.startswith("{")


def test_a_hundred_thousand_identical_errors_are_one_diagnosis() -> None:
    """More bytes than are kept in memory, so the path for large logs is the one that counts."""
    error = "0.00.080.376 E srv  update_slots: decode() failed: failed to process speculative batch\n"
    report = report_of((sample(FAILING) + error * 100_000).encode())
    assert [item.signature for item in report.diagnoses] == ["mtp-one-axis-image-position-gap"]
    assert report.input.n_lines == 100_040
    text = render_text(report)
    assert len(text) < 6_000
    assert len(render_json(report)) < 60_000


def test_ten_thousand_different_errors_that_nobody_knows_are_counted_not_listed() -> None:
    unknown = "".join(
        f"0.01.{n // 1000:03}.{n % 1000:03} E srv  do_thing: odd thing {n} happened\n" for n in range(10_000)
    )
    report = report_of((sample(HEALTHY) + unknown).encode())
    assert sum(item.count for item in report.unknown) == 10_000
    assert len(report.unknown) <= 100
    assert len(render_text(report).split("\n")) <= 60


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=3_000))
def test_any_bytes_give_a_report_or_an_input_error(data: bytes) -> None:
    report = report_unless_refused(data)
    for text in texts_of(report) if report else ():
        assert CONTROLS.findall(text) == []


LINE = st.one_of(
    st.sampled_from(
        [line for name in (FAILING, HEALTHY, "draft-file-missing-b11434") for line in sample(name).splitlines()]
    ),
    st.text(max_size=60),
    st.sampled_from(
        ["```", "<details>", "### Relevant log output", "> ", "{", '{"log":"', "[1] ", "\x00", "\x1b[31m", "X = ", ""]
    ),
)


@functools.cache
def cut_line(line: str, at: int) -> str:
    return line[:at]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(LINE, st.sampled_from([None, None, None, 10, 30, 60])), max_size=60),
    st.sampled_from(["\n", "\r\n", "\n\n", " ", "\r"]),
)
def test_any_mixture_of_log_lines_gives_a_report(pieces: list[tuple[str, int | None]], ends: str) -> None:
    text = ends.join(line if at is None else cut_line(line, at) for line, at in pieces)
    report = report_unless_refused(text.encode("utf-8", "replace"))
    if report is None:
        return
    numbers = {item.line for diagnosis in report.diagnoses for item in diagnosis.evidence}
    assert all(1 <= number <= max(1, report.input.n_lines) for number in numbers)
    for rendered in texts_of(report):
        assert CONTROLS.findall(rendered) == []
    json.loads(render_json(report))


def test_further_lines_of_a_logged_prompt_are_no_failure() -> None:
    lines = sample(HEALTHY).splitlines()
    middle = len(lines) // 2
    prompt = [
        "0.00.100.000 D srv  update_chat_: Parsing chat message: My server prints",
        "GGML_ASSERT(n > 0) failed",
        "CUDA error: out of memory",
    ]
    report = report_of("\n".join([*lines[:middle], *prompt, *lines[middle:]]).encode())
    assert [item for item in report.diagnoses if item.severity in FAULTS and item.confidence == "certain"] == []
