"""Markdown and the issue body of whole reports."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from diag.catalog.locate import shipped
from diag.model.report import Diagnosis, Excerpt, Report, Untold
from diag.pipeline import Analyzer
from diag.redact.report import redact_report
from diag.render import issue, markdown
from diag.render.markdown import LIMIT

GOLDENS = Path(__file__).parent / "goldens"
SAMPLES = ["mtp-one-axis-image-fails-lv4-b11434", "image-ends-prompt-aborts-b11434"]
FORM = [  # .github/ISSUE_TEMPLATE/011-bug-results.yml, b9871 and b11434
    "### Name and Version",
    "### Operating systems",
    "### GGML backends",
    "### Hardware",
    "### Models",
    "### Problem description & steps to reproduce",
    "### First Bad Commit",
    "### Relevant log output",
]
PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
COMMANDED = """\
$ ./llama-server -m /models/target-step35-mtp.gguf --mmproj /models/mmproj-llava.gguf --spec-type draft-mtp -c 8192 \
--threads 8 --api-key s3cr3t --alias mine
"""
REFUSED = """\
0.00.003.321 I srv  llama_server: initializing ...
0.00.025.535 I srv  llama_server: model loaded
0.00.080.339 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:
 - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19
 - the tokens for sequence 0 in the input batch have a starting position of Y = 36
 it is required that the sequence positions remain consecutive: Y = X + 1
0.00.080.352 E decode: failed to initialize batch
0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)
0.00.080.381 E srv        decode: failed to process speculative batch
"""


def read(analyzer: Analyzer, sample: str) -> Report:
    """Return a sample's report as it leaves the machine, with a version and a hash that never change."""
    report = analyzer.analyze(str(shipped("samples") / sample / "log.txt"))
    return replace(redact_report(report), tool_version="0.0.0", catalog_hash="0123456789ab")


def from_text(analyzer: Analyzer, folder: Path, text: str) -> Report:
    file = folder / "server.log"
    file.write_text(text, encoding="utf-8")
    return redact_report(analyzer.analyze(str(file)))


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request: pytest.FixtureRequest, shipped_analyzer: Analyzer) -> tuple[str, Report]:
    return request.param, read(shipped_analyzer, request.param)


def test_markdown_reads_as_it_did(sample: tuple[str, Report], golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / f"{sample[0]}.md", markdown.render(sample[1]))


def test_the_issue_body_reads_as_it_did(sample: tuple[str, Report], golden: Callable[[Path, str], None]) -> None:
    golden(GOLDENS / f"{sample[0]}.issue.md", issue.render(sample[1]))


@pytest.mark.parametrize("full", [False, True])
def test_no_line_ends_in_a_blank_and_the_verdict_stands_first(sample: tuple[str, Report], full: bool) -> None:
    text = markdown.render(sample[1], full=full)
    assert [line for line in (text + issue.render(sample[1], full=full)).split("\n") if line != line.rstrip()] == []
    first = sample[1].diagnoses[0]
    assert text.startswith(f"**{first.severity}: ")
    assert text.split("\n")[-1] == "_rule-based, llama-diag 0.0.0, signatures `0123456789ab`_"


def test_the_only_html_of_markdown_is_details(sample: tuple[str, Report]) -> None:
    tokens = PARSER.parse(markdown.render(sample[1], full=True))
    html = {line for token in tokens if token.type == "html_block" for line in token.content.strip().split("\n")}
    assert html == {"<details>", "<summary>Facts, notes and everything else</summary>", "</details>"}


def test_the_issue_body_has_the_headings_of_the_form_in_its_order(sample: tuple[str, Report]) -> None:
    text = issue.render(sample[1])
    assert [line for line in text.split("\n") if line.startswith("### ")] == FORM
    assert text.startswith("<!-- Draft filled from a log by llama-diag 0.0.0")
    assert "A person has to check every line" in text.split("\n")[0]


def test_the_issue_body_holds_no_advice_of_the_catalogue(sample: tuple[str, Report]) -> None:
    body = issue.render(sample[1]).split("-->", 1)[1]
    first = sample[1].diagnoses[0]
    assert [fix.do for fix in first.fixes if fix.do in body] == []
    assert first.cause not in body
    assert first.signature not in body


def test_an_issue_body_read_again_gives_the_same_answer(
    sample: tuple[str, Report], tmp_path: Path, shipped_analyzer: Analyzer
) -> None:
    file = tmp_path / "issue.md"
    file.write_text(issue.render(sample[1]), encoding="utf-8")
    again = shipped_analyzer.analyze(str(file))
    assert again.diagnoses[0].signature == sample[1].diagnoses[0].signature
    assert again.sessions[0].build.number == sample[1].sessions[0].build.number


FILLED = f"""\
### Name and Version

$ ./llama-server --version
version: 11434 (abcdef12)
built with GNU 13.3.0 for Linux x86_64

### Operating systems

Linux

### Relevant log output

```shell
./llama-server -m /models/target-step35-mtp.gguf --mmproj /models/mmproj-llava.gguf \\
  --spec-type draft-mtp -c 8192
{REFUSED}```
"""


def test_a_filled_form_keeps_its_version_and_the_log_holds_no_piece_of_the_command(
    tmp_path: Path, shipped_analyzer: Analyzer
) -> None:
    body = issue.render(from_text(shipped_analyzer, tmp_path, FILLED))
    version = body.partition("### Name and Version")[2].partition("###")[0]
    assert (
        version.split("\n\n")[1] == "```console\nversion: 11434 (abcdef12)\nbuilt with GNU 13.3.0 for Linux x86_64\n```"
    )
    assert "the version: the output of" not in body
    log = body.partition("### Relevant log output")[2]
    assert "is X = 19" in log
    assert "--spec-type" not in log


def test_the_reproduction_keeps_models_and_speculation_of_the_users_command(
    tmp_path: Path, shipped_analyzer: Analyzer
) -> None:
    text = issue.render(from_text(shipped_analyzer, tmp_path, COMMANDED + REFUSED))
    assert (
        "llama-server -m <path>/target-step35-mtp.gguf --mmproj <path>/mmproj-llava.gguf --spec-type draft-mtp\n"
        in text
    )
    assert "--threads" not in text
    assert "s3cr3t" not in text


def test_the_reproduction_keeps_a_flag_that_the_diagnosis_speaks_of(tmp_path: Path, shipped_analyzer: Analyzer) -> None:
    report = from_text(shipped_analyzer, tmp_path, COMMANDED + REFUSED)
    first = replace(report.diagnoses[0], flags=("-c",))
    assert "-c 8192" in issue.render(replace(report, diagnoses=(first,)))


@pytest.mark.parametrize(
    ("backends", "expected"),
    [(("rocm", "cpu"), "HIP"), (("cuda", "vulkan", "cpu"), "CUDA, Vulkan"), (("cpu",), "CPU"), ((), "_No response_")],
)
def test_backends_stand_by_the_names_of_the_form(
    backends: tuple[str, ...], expected: str, sample: tuple[str, Report]
) -> None:
    session = replace(sample[1].sessions[0], backends=backends, crashed_backend=None)
    text = issue.render(replace(sample[1], sessions=(session,)))
    assert text.split("### GGML backends\n\n")[1].split("\n")[0] == expected


def test_lines_round_the_evidence_are_shown_where_they_were_asked_for(sample: tuple[str, Report]) -> None:
    number = sample[1].diagnoses[0].evidence[0].line
    near = Excerpt(number - 1, 0, "the line before ``` it", evidence=False)
    report = replace(sample[1], excerpts=(near,))
    assert f"{number - 1:>6} | the line before ``` it" in markdown.render(report)
    assert "\nthe line before ``` it\n" in issue.render(report)
    assert "\n````console\n" in issue.render(report)


def test_text_of_a_log_mentions_nobody_links_nothing_and_ends_no_fence(sample: tuple[str, Report]) -> None:
    hostile = "@octocat #1 ```\n</details> <img src=x> [a](https://evil.example) GH-1"
    first = sample[1].diagnoses[0]
    evidence = tuple(replace(item, text=hostile) for item in first.evidence)
    session = replace(sample[1].sessions[0], command=hostile, projector=hostile, os=hostile)
    changed = replace(
        sample[1],
        input=replace(sample[1].input, name=hostile),
        sessions=(session,),
        diagnoses=(replace(first, evidence=evidence, cause=f"Found {hostile}", fixes=(), upstream=()),),
        coverage=(Untold(hostile, hostile, hostile),),
    )
    for text in (markdown.render(changed, full=True), issue.render(changed, full=True)):
        tokens = PARSER.parse(text)
        plain = "".join(
            child.content
            for token in tokens
            for child in token.children or []
            if child.type in ("text", "html_inline", "link_open", "image")
        )
        assert re.findall(r"@\w|#\d|<img|evil|GH-1", plain) == []
        blocks = "".join(
            token.content for token in tokens if token.type == "html_block" and "<!--" not in token.content
        )
        assert "img" not in blocks


def many(first: Diagnosis, n: int) -> tuple[Diagnosis, ...]:
    long = replace(
        first, cause="word " * 700, evidence=tuple(replace(item, text="`x" * 300) for item in first.evidence)
    )
    return (long,) * n


def test_a_report_of_any_size_stays_below_the_limit_and_says_what_it_left_out(sample: tuple[str, Report]) -> None:
    report = replace(sample[1], diagnoses=many(sample[1].diagnoses[0], 400))
    for full in (False, True):
        text = markdown.render(report, full=full)
        assert len(text) <= LIMIT
        assert re.search(r"\n\d+ parts are left out", text)
        assert text.count("<details>") == text.count("</details>")
        assert [token.type for token in PARSER.parse(text)][-3:] == ["paragraph_open", "inline", "paragraph_close"]
    assert len(issue.render(report, full=True)) <= LIMIT


def test_a_log_without_a_start_still_gives_a_body_with_all_headings(tmp_path: Path, shipped_analyzer: Analyzer) -> None:
    report = from_text(shipped_analyzer, tmp_path, "nothing of a server\n")
    text = issue.render(report)
    assert [line for line in text.split("\n") if line.startswith("### ")] == FORM
    assert "### GGML backends\n\n_No response_" in text
    assert markdown.render(report)
