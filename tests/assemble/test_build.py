"""Which llama.cpp it was: by number, or by the bounds that its wordings give."""

import re

import pytest

from diag.model.form import Form, Statement
from diag.model.run import Build, Source
from diag.model.stated import Stated
from tests.build import SAMPLES, lines, ready, session

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
LISTENING = "0.00.025.568 I srv  llama_server: listening on http://127.0.0.1:8080"
FINGERPRINT = '0.00.063.960 D srv  log_server_r: response: {"system_fingerprint":"b10189-abc1234","object":"x"}'


def build(*parts: str, **given: object) -> Build:
    return session("\n".join(parts), **given).build  # type: ignore[arg-type]  # form, stated, wrappers


def source(*parts: str, **given: object) -> Source | None:
    return session("\n".join(parts), **given).sources.get("build")  # type: ignore[arg-type]


NUMBERS = [
    ("build_info: b8722-unknown", 8722, "unknown"),
    ("0.00.003.512 I cmn  common_param: common_params_print_info: build 11434 (abc1234) with GNU 12.2.0 for Linux x86_64", 11434, "abc1234"),
    ("build: 6123 (79c1160b) with cc (Ubuntu 13.3.0) 13.3.0 for x86_64-linux-gnu", 6123, "79c1160b"),
    ('main: build info | build=3680 commit="947538ac"', 3680, "947538ac"),
    ("version: 9871 (0c1e57098)", 9871, "0c1e57098"),
    ("version: 0.6.0-dev (build 11434, commit unknown)", 11434, "unknown"),
    (FINGERPRINT, 10189, "abc1234"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "number", "commit"), NUMBERS)
def test_a_printed_number_is_the_build(line: str, number: int, commit: str) -> None:
    found = build(line, LOADING)
    assert (found.number, found.commit) == (number, commit)
    where = source(line, LOADING)
    assert where is not None
    assert (where.origin, where.line) == ("log", 1)


@pytest.mark.parametrize("number", [0, 1])
def test_a_build_made_without_git_history_has_no_number(number: int) -> None:
    assert build(f"build: {number} (unknown) with GNU 12.2.0 for Linux x86_64", LOADING).number is None


def test_the_users_option_wins_over_the_log() -> None:
    found = build("build_info: b8722-unknown", LOADING, stated=Stated(build=9871))
    assert found.number == 9871
    assert source("build_info: b8722-unknown", LOADING, stated=Stated(build=9871)) == Source(
        "option", None, "--build b9871"
    )


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("version: 9871 (0c1e57098)\nbuilt with GNU 12.2.0", 9871),
        ("llama.cpp b9871", 9871),
        ("build: 9871", 9871),
        ("the newest one", None),
    ],
)
def test_an_issue_form_tells_the_build_that_the_log_hides(answer: str, number: int | None) -> None:
    form = Form(version=Statement(3, answer))
    assert build(LOADING, form=form).number == number


def test_the_row_of_an_answer_that_names_the_build_is_its_source() -> None:
    answer = "$ ./llama-server --version\nversion: 9871 (0c1e57098)\nbuilt with GNU 12.2.0"
    found = source(LOADING, form=Form(version=Statement(3, answer)))
    assert found == Source("issue-form", 4, "version: 9871 (0c1e57098)\nbuilt with GNU 12.2.0")


def test_the_log_wins_over_the_issue_form() -> None:
    form = Form(version=Statement(3, "version: 9871 (0c1e57098)"))
    assert build("build_info: b8722-unknown", LOADING, form=form).number == 8722


ERAS = [
    # (line, at least, at most): what only some builds print; the edges are builds whose sources were read
    ("main: model loaded", None, 9245),
    ("draft acceptance rate = 0.95833 (   23 accepted /    24 generated)", None, 9245),
    ("0.00.002.030 I log_info: verbosity = 3 (adjust with the `-lv N` CLI arg)", 9114, 9829),
    ("slot print_timing: id  0 | task 0 | draft acceptance = 0.42623 (   26 accepted /    61 generated)", 9114, 9669),
    ("slot print_timing: id  0 | task 0 | draft acceptance = 0.42623 (   26 accepted /    61 generated), mean acceptance length =  2.24, acceptance rate per position = (0.61)", 9510, 9829),
    ("slot print_timing: id  0 | task 0 | draft acceptance = 0.42623 (   26 accepted /    61 generated), mean len =  2.24", 9812, None),
    ("srv  process_chun: processing image...", None, 9669),
    ("srv  llama_server: server is listening on http://127.0.0.1:8080", None, 9829),
    (LISTENING, 9812, None),
    ("slot get_availabl: id  0 | task -1 | selected slot by LCP similarity, sim_best = 0.119 (> 0.100 thold), f_keep = 0.070", None, 10239),
    ("slot get_availabl: id  0 | task -1 | selected slot by LCP similarity, f_sim_best = 0.119 (> 0.100 thold), f_keep = 0.070", 10013, None),
    ("srv    load_model: creating MTP draft context against the target model '/models/a.gguf'", None, 10239),
    ("common_speculative_init_result: creating MTP draft context against the target model '/models/a.gguf'", 10013, None),
    ("spec common_specu: auto-detected speculative type 'draft-mtp' from the draft model metadata", 10241, None),
    ("srv  llama_server: this can be a security risk (cross-origin attacks)", 9872, 11204),
    ("srv  llama_server: security: no API key is set and CORS allows all origins", 11011, None),
    ("srv  llama_server: initializing ...", 11011, None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "at_least", "at_most"), ERAS)
def test_a_wording_of_some_builds_bounds_the_build(line: str, at_least: int | None, at_most: int | None) -> None:
    found = build(line)
    assert (found.number, found.at_least, found.at_most) == (None, at_least, at_most)


def test_two_wordings_together_bound_it_more_tightly() -> None:
    # b10013 brought f_sim_best, b11205 dropped the security banner of four lines
    found = build(ERAS[10][0], ERAS[14][0])
    assert (found.at_least, found.at_most) == (10013, 11204)
    assert (found.low, found.high) == (10013, 11204)


def test_the_line_that_gave_a_bound_is_its_source() -> None:
    assert source(LOADING, LISTENING) == Source("wording", 2)


def test_wordings_that_contradict_each_other_bound_nothing() -> None:
    found = build("srv  llama_server: initializing ...", "main: model loaded")
    assert (found.at_least, found.at_most) == (None, None)


def test_a_number_is_its_own_bound() -> None:
    found = build("build_info: b8722-unknown", LOADING)
    assert (found.low, found.high) == (8722, 8722)


@pytest.mark.parametrize(
    ("line", "flavour"),
    [
        ("/srv/src/ik_llama.cpp/ggml/src/ggml.c:100: GGML_ASSERT(x) failed", "ik_llama.cpp"),
        ("llama runner process has terminated: exit status 2", "ollama"),
        ("spec flush_deferr: llama_decode(ctx_dft) deferred flush failed rc=-1", "fork"),
        ("llama_spec_ckpt_init: fixed recurrent checkpoint mode = per-step (max_tokens=2)", "ik_llama.cpp"),
        ("checkpoint_alloc_shadows:      CUDA3 shadow buffer =     0.35 MiB (conv-state only)", "ik_llama.cpp"),
        ("llama_new_context_with_model: mla_attn   = 1", "ik_llama.cpp"),
        ("llama-server process has terminated: exit status 1", "ollama"),
        ("Engine protocol predict stream returned an error: {}", "lm-studio"),
        ("[LMSInternal][Client=LM Studio] Error in channel handler", "lm-studio"),
        ("Welcome to KoboldCpp - Version 1.99", "koboldcpp"),
        ("import_cuda_impl: initializing gpu module...", "llamafile"),
    ],
)
def test_a_fork_counts_its_own_builds_so_wordings_bound_nothing(line: str, flavour: str) -> None:
    found = build(LISTENING, line)
    assert (found.flavour, found.at_least, found.at_most) == (flavour, None, None)


def test_the_flavour_comes_from_the_option_then_the_log_then_the_wrapper() -> None:
    assert build(LISTENING).flavour == "upstream"
    assert build(LISTENING, wrappers=("ollama",)).flavour == "ollama"
    assert build(LISTENING, wrappers=("ollama",), stated=Stated(flavour="upstream")).flavour == "upstream"


@pytest.mark.parametrize(
    ("stream", "flavour"),
    [
        ("ollama.listener[281940]", "ollama"),
        ("ollama[2511]", "ollama"),
        ("lmstudio[77]", "lm-studio"),
        ("koboldcpp-1", "koboldcpp"),
        ("llamafile[12]", "llamafile"),
        ("ik_llama-1", "ik_llama.cpp"),
        ("llama-swap-1", "upstream"),
        ("llama-server[88]", "upstream"),
        ("films[3]", "upstream"),
    ],
)
def test_the_name_of_a_unit_tells_who_built_the_program(stream: str, flavour: str) -> None:
    found = session(lines(LISTENING, stream)).build
    assert found.flavour == flavour
    assert (found.low is None) is (flavour != "upstream")


def test_a_launcher_that_is_stated_starts_upstreams_program() -> None:
    swap, studio = (build(LISTENING, stated=Stated(flavour=name)) for name in ("llama-swap", "lm-studio"))
    assert (swap.is_upstream, swap.at_least) == (True, 9812)
    assert (studio.is_upstream, studio.at_least) == (False, None)


def test_a_text_log_of_2025_or_later_is_ik_llamas() -> None:
    old, new = (
        ready().analyze_text(f'INFO [                    main] model loaded | tid="140" timestamp={stamp}').sessions[0]
        for stamp in (1725700001, 1784787290)
    )
    assert (old.build.flavour, new.build.flavour) == ("upstream", "ik_llama.cpp")


@pytest.mark.parametrize(
    "line",
    [
        'INFO [                    main] model loaded | tid="140" timestamp=1725700001',
        '{"tid":"1","timestamp":1713390000,"level":"INFO","function":"main","line":3040,"msg":"model loaded"}',
    ],
)
def test_a_form_of_lines_that_upstream_left_in_2024_bounds_the_build(line: str) -> None:
    found = ready().analyze_text(line).sessions[0].build
    assert (found.flavour, found.at_least, found.at_most) == ("upstream", None, 4290)


def test_a_record_of_ollamas_sources_is_ollamas() -> None:
    log = 'time=2026-06-08T08:12:01.101+01:00 level=ERROR source=sched.go:571 msg="error loading llama server"'
    assert ready().analyze_text(log).sessions[0].build.flavour == "ollama"
    assert ready().analyze_text(log.replace(" source=sched.go:571", "")).sessions[0].build.flavour == "upstream"


# A few lines copied from default logs of the builds that no sample is of.
EXCERPTS = {
    8722: """
main: loading model
srv    load_model: loading model '/models/target-llama.gguf'
srv    load_model: initializing slots, n_slots = 1
slot   load_model: id  0 | task -1 | new slot, n_ctx = 2048
main: model loaded
main: server is listening on http://127.0.0.1:47001
srv  update_slots: all slots are idle
slot get_availabl: id  0 | task -1 | selected slot by LRU, t_last = -1
slot launch_slot_: id  0 | task 0 | processing task, is_child = 0
draft acceptance rate = 0.95833 (   23 accepted /    24 generated)
srv  log_server_r: done request: POST /completion 127.0.0.1 200
""",
    10189: """
0.00.027.803 I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)
0.00.027.968 W srv  llama_server: -----------------
0.00.027.969 W srv  llama_server: CORS is set to allow all origins ('*') and no API key is set
0.00.027.969 W srv  llama_server: this can be a security risk (cross-origin attacks)
0.00.034.335 I srv    load_model: loading model '/models/target-qwen35-mtp.gguf'
0.00.527.286 I common_speculative_init_result: creating MTP draft context against the target model '/models/target-qwen35-mtp.gguf'
0.00.906.354 I srv    load_model: initializing, n_slots = 1, n_ctx_slot = 2048, kv_unified = 'false'
0.00.932.190 I srv  llama_server: model loaded
0.00.938.055 I srv  llama_server: listening on http://127.0.0.1:42169
0.01.018.094 I slot print_timing: id  0 | task 0 | draft acceptance = 0.35000 (    7 accepted /    20 generated), mean len =  2.00
0.01.131.247 I slot get_availabl: id  0 | task -1 | selected slot by LCP similarity, f_sim_best = 0.154 (> 0.100 thold), f_keep = 0.057
""",
}


@pytest.mark.parametrize("number", EXCERPTS)
def test_the_bounds_of_a_recorded_excerpt_hold_its_build(number: int) -> None:
    found = build(*EXCERPTS[number].strip("\n").splitlines())
    assert found.number is None
    assert (found.at_least or 0) <= number <= (found.at_most or 99_999)
    assert found.at_least is not None or found.at_most is not None


RECORDED = sorted(path.parent.name for path in SAMPLES.glob("*/expected.toml"))


@pytest.mark.parametrize("name", RECORDED)
def test_the_bounds_of_every_recorded_log_hold_its_build(name: str) -> None:
    number = int(re.findall(r"-b(\d+)$", name)[0])
    for one in ready().analyze(str(SAMPLES / name / "log.txt")).sessions:
        assert one.build.number in (None, number)
        assert (one.build.at_least or 0) <= number <= (one.build.at_most or 99_999)
        if "-lv1-" not in name:  # at -lv 1 only failures are printed
            assert one.build.low is not None or one.build.high is not None
