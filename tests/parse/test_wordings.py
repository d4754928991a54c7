"""The tables of wordings: every row against its own example, against all others, and against recorded lines."""

import dataclasses
import re
from typing import Any

import pytest
import regex

from diag.model.events import Event
from diag.parse.wording import Wording, converters_of
from diag.parse.wordings import WORDINGS, localised
from tests.build import events

ROWS = [pytest.param(row, id=f"{row.event.__name__}-{at}") for at, row in enumerate(WORDINGS)]

# Where a message has no fixed words of its own: the tail of a source file's name, and all that a shell says.
SHORT_ANCHORS = {".cpp:", ".cuh:", ".cu:", "Killed"}

# Go's JSON and HTML write > in another way; llama-swap prints this to the console.
UNSAFE_ANCHORS = {"ExitError >> "}

# (class of the row, class of the other): why one sentence states both facts at one place.
MEANT = {
    ("FlavourNamed", "AssertFailed"): "the file that failed is one that only a fork has",
    ("FlavourNamed", "SpeculationAdded"): "only a fork names its drafters' states so",
    ("SpeculationAdded", "FlavourNamed"): "only a fork names its drafters' states so",
    ("FlavourNamed", "DraftDecodeFailed"): "the wording of the failure is one that only a fork has",
    ("DraftDecodeFailed", "FlavourNamed"): "the wording of the failure is one that only a fork has",
}


def required(event: type[Event]) -> set[str]:
    """Return the fields that a wording has to fill; the line is the parser's."""
    return {
        item.name
        for item in dataclasses.fields(event)
        if item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
    } - {"line"}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_reads_its_own_example_with_all_that_its_event_asks_for(row: Wording) -> None:
    assert row.anchor in row.example
    assert row.example.rstrip().endswith(row.end)
    found = row.read(row.example)
    assert found is not None
    assert required(row.event) <= set(found[1])
    assert row.seen


@pytest.mark.parametrize("row", ROWS)
def test_the_parser_makes_the_event_of_a_rows_example(row: Wording) -> None:
    found = row.read(row.example)
    assert found is not None
    column, values = found
    mine = [event for event in events(row.example) if type(event) is row.event and event.column == column]
    assert [{name: getattr(event, name) for name in values} for event in mine] == [values]


@pytest.mark.parametrize("row", ROWS)
def test_no_row_of_another_event_reads_the_example_at_the_same_place(row: Wording) -> None:
    found = row.read(row.example)
    assert found is not None
    strangers = {
        other.event.__name__
        for other in WORDINGS
        if other.event is not row.event
        and other.anchor in row.example
        and (read := other.read(row.example)) is not None
        and read[0] == found[0]
        and (row.event.__name__, other.event.__name__) not in MEANT
    }
    assert strangers == set()


@pytest.mark.parametrize("row", ROWS)
def test_an_anchor_is_long_and_survives_what_wrappers_do_to_text(row: Wording) -> None:
    assert len(row.anchor.encode()) >= 7 or row.anchor in SHORT_ANCHORS
    assert row.anchor.isascii() or row in localised.WORDINGS  # a shell's line stands bare below the log
    assert row.anchor.isprintable()
    unsafe = set(row.anchor) & set('"\\<>&')
    assert not unsafe or row.anchor in UNSAFE_ANCHORS, "JSON and HTML write these in another way"


@pytest.mark.parametrize("row", ROWS)
def test_the_bounds_of_a_row_are_in_order(row: Wording) -> None:
    if row.not_before is not None and row.not_after is not None:
        assert row.not_before <= row.not_after


@pytest.mark.parametrize("row", ROWS)
def test_constants_and_groups_are_fields_of_the_event_and_convert(row: Wording) -> None:
    names = {item.name for item in dataclasses.fields(row.event)}
    groups = set(re.compile(row.pattern).groupindex)
    assert groups <= set(converters_of(row.event))
    assert set(row.constants) <= names
    assert not groups & set(row.constants)


def test_every_pattern_means_the_same_under_re_and_regex() -> None:
    differing = []
    for row in WORDINGS:
        plain, fancy = re.compile(row.pattern), regex.compile(row.pattern)
        for other in WORDINGS:
            one, two = plain.search(other.example), fancy.search(other.example)
            if (one and (one.span(), one.groupdict())) != (two and (two.span(), two.groupdict())):
                differing.append((row.pattern, other.example))
    assert differing == []


def test_no_row_stands_twice() -> None:
    assert len({(row.event, row.anchor, row.pattern) for row in WORDINGS}) == len(WORDINGS)


# Copied from logs of real servers, one line each; what a person reads in them.
RECORDED: list[tuple[str, str, str, dict[str, Any]]] = [
    ("b8722", "build_info: b8722-unknown", "BuildPrinted", {"number": 8722, "commit": "unknown"}),
    ("b8722", "main: loading model", "", {}),
    ("b8722", "main: server is listening on http://127.0.0.1:47001", "Listening", {"url": "http://127.0.0.1:47001"}),
    ("b8722", "srv    load_model: initializing slots, n_slots = 1", "SlotsInitialized", {"n_slots": 1}),
    ("b8722", "slot   load_model: id  0 | task -1 | new slot, n_ctx = 2048", "SlotAdded", {"n_ctx": 2048, "task_id": None}),
    ("b8722", "slot launch_slot_: id  0 | task 0 | processing task, is_child = 0", "TaskStarted", {"slot_id": 0, "task_id": 0}),
    ("b8722", "que    start_loop: processing task, id = 3", "", {}),
    ("b8722", "slot update_slots: id  0 | task 0 | n_tokens = 0, memory_seq_rm [0, end)", "PrefixKept", {"n_tokens": 0}),
    ("b8722", "slot print_timing: id  0 | task 0 | ", "TimingHeader", {"slot_id": 0, "task_id": 0}),
    ("b8722", "       eval time =      24.23 ms /    48 tokens (    0.50 ms per token,  1981.18 tokens per second)", "TokensGenerated", {"ms": 24.23, "n_tokens": 48}),
    ("b8722", "      total time =      25.89 ms /   115 tokens", "", {}),
    ("b8722", "draft acceptance rate = 0.95833 (   23 accepted /    24 generated)", "DraftAccepted", {"accepted": 23, "drafted": 24, "mean_len": None}),
    ("b8722", "statistics draft: #calls(b,g,a) = 1 24 23, #gen drafts = 24, #acc drafts = 23, #gen tokens = 24, #acc tokens = 23, dur(b,g,a) = 0.001, 9.703, 0.000 ms", "DraftStatistics", {"type": "draft", "n_drafts": 24, "drafted": 24, "accepted": 23}),
    ("b8722", "srv  log_server_r: done request: POST /completion 127.0.0.1 200", "RequestAnswered", {"method": "POST", "path": "/completion", "status": 200}),
    ("b8722", "print_info: rope type             = 0", "ModelDescribed", {"key": "rope type", "value": "0"}),
    ("b9464", "0.00.002.030 I log_info: verbosity = 3 (adjust with the `-lv N` CLI arg)", "VerbosityPrinted", {"verbosity": 3, "elapsed_us": 2030, "level": "I"}),
    ("b9464", "0.00.002.040 I   - CPU     : AMD EPYC (24105 MiB, 24105 MiB free)", "DeviceListed", {"name": "CPU", "description": "AMD EPYC", "memory_mib": 24105.0, "free_mib": 24105.0}),
    ("b9464", "0.00.012.442 I srv    load_model: [spec] estimated memory usage of MTP context is 0.00 MiB", "SpeculationAdded", {"type": "draft-mtp"}),
    ("b9464", "0.00.030.043 I srv    load_model: creating MTP draft context against the target model '/models/target-qwen35-mtp.gguf'", "MtpContextCreating", {"path": "/models/target-qwen35-mtp.gguf", "not_after": 10239, "not_before": None}),
    ("b9464", "0.00.037.796 I common_speculative_impl_draft_mtp: adding speculative implementation 'draft-mtp'", "SpeculationAdded", {"type": "draft-mtp"}),
    ("b9464", "0.00.037.808 I common_speculative_impl_draft_mtp: - n_max=3, n_min=0, p_min=0.00, n_embd=64, backend_sampling=1", "DraftSized", {"n_max": 3, "n_min": 0, "p_min": 0.0}),
    ("b9464", "0.00.075.971 I slot print_timing: id  0 | task 0 | draft acceptance = 0.33824 (   23 accepted /    68 generated)", "DraftAccepted", {"accepted": 23, "drafted": 68, "mean_len": None, "slot_id": 0, "task_id": 0}),
    ("b9464", "0.00.076.006 I statistics        draft-mtp: #calls(b,g,a) =    1     23     23, #gen drafts =     23, #acc drafts =    23, #gen tokens =     68, #acc tokens =    23, dur(b,g,a) = 0.000, 3.889, 0.001 ms", "DraftStatistics", {"type": "draft-mtp", "n_drafts": 23, "drafted": 68, "accepted": 23}),
    ("b9464", "0.00.076.958 I slot get_availabl: id  0 | task -1 | selected slot by LCP similarity, sim_best = 0.119 (> 0.100 thold), f_keep = 0.070", "SlotSelected", {"by": "LCP similarity", "similarity": 0.119, "f_keep": 0.07, "not_after": 10239}),
    ("b9464", "0.00.070.526 I srv  process_chun: processing image...", "ImageStarted", {"idx": None}),
    ("b9464", "0.00.076.879 I srv  process_chun: image processed in 6 ms", "ImageDecoded", {"ms": 6.0}),
    ("b9464", "0.00.085.897 E process: failed to decode draft batch, ret = -1", "DraftDecodeFailed", {"drafter": "simple", "rc": -1}),
    ("b9464", "0.00.085.908 E srv  update_slots: failed to process speculative batch", "SpeculativeBatchFailed", {"level": "E"}),
    ("b9464", "0.00.085.923 W srv  update_slots: no tokens to decode", "ConsequenceLine", {}),
    ("b9464", "/srv/src/llama.cpp/tools/server/server-context.cpp:3116: fatal error - please provide logs and repro in https://github.com/ggml-org/llama.cpp/pull/20277", "Aborted", {"source_line": 3116, "file": "/srv/src/llama.cpp/tools/server/server-context.cpp", "level": None}),
    ("b9464", "#1  0x00005631a6ef4e8f in ggml_print_backtrace ()", "BacktraceFrame", {"index": 1}),
    ("b9871", "0.00.016.404 E process: llama_decode(ctx_dft) failed rc=-1 (n_tokens=36, offset=0)", "DraftDecodeFailed", {"drafter": "dflash", "n_tokens": 36, "offset": 0, "rc": -1}),
    ("b9871", "0.00.293.769 E spec      process: llama_decode(ctx_dft) head=0 failed rc=-1 (pos=36)", "DraftDecodeFailed", {"drafter": "mtp", "head": 0, "pos": 36, "rc": -1}),
    ("b9871", "0.00.293.769 E spec      process: llama_decode(ctx_dft) failed rc=-1 (n_tokens=38, ubatch_pos[0]=36)", "DraftDecodeFailed", {"drafter": "eagle3", "n_tokens": 38, "pos": 36}),
    ("b9871", "0.00.293.764 E llama_decode: failed to decode, ret = -1", "DecodeReturned", {"ret": -1}),
    ("b10189", "0.00.527.286 I common_speculative_init_result: creating MTP draft context against the target model '/models/target-qwen35-mtp.gguf'", "MtpContextCreating", {"not_before": 10013, "not_after": None}),
    ("b10189", "0.00.232.707 I common_speculative_init_result: loading draft model '/models/draft-llama.gguf'", "DraftLoading", {"path": "/models/draft-llama.gguf"}),
    ("b10189", "0.00.027.969 W srv  llama_server: this can be a security risk (cross-origin attacks)", "HarmlessLine", {"not_before": 9872, "not_after": 11204}),
    ("b10189", "0.00.027.968 W srv  llama_server: -----------------", "HarmlessLine", {}),
    ("b10189", "0.01.046.626 W find_slot: non-consecutive token position 21 after 20 for sequence 0 with 49 new tokens", "TokenPositionJumped", {"position": 21, "after": 20, "sequence": 0, "n_tokens": 49}),
    ("b10189", "0.01.018.094 I slot print_timing: id  0 | task 0 | draft acceptance = 0.35000 (    7 accepted /    20 generated), mean len =  2.00", "DraftAccepted", {"accepted": 7, "drafted": 20, "mean_len": 2.0, "not_before": 9812}),
    ("b10189", "0.01.131.247 I slot get_availabl: id  0 | task -1 | selected slot by LCP similarity, f_sim_best = 0.154 (> 0.100 thold), f_keep = 0.057", "SlotSelected", {"similarity": 0.154, "f_keep": 0.057, "not_before": 10013}),
    ("b10189", "0.01.014.991 I slot print_timing: id  0 | task 0 | prompt eval time =       7.32 ms /    46 tokens (    0.16 ms per token,  6288.45 tokens per second)", "PromptEvaluated", {"ms": 7.32, "n_tokens": 46}),
    ("b10189", "0.01.186.068 I srv    operator(): operator(): cleaning up before exit...", "CleaningUp", {"elapsed_us": 1_186_068}),
    ("b11434", "0.00.003.321 I srv  llama_server: initializing ...", "StartMarked", {"not_before": 11011}),
    ("b11434", "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)", "VerbosityPrinted", {"verbosity": 3, "not_before": 9812}),
    ("b11434", "0.00.003.512 I cmn  common_param: common_params_print_info: build 11434 (unknown) with GNU 12.2.0 for Linux x86_64", "BuildPrinted", {"number": 11434, "commit": "unknown", "compiler": "GNU 12.2.0", "target": "Linux x86_64"}),
    ("b11434", "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj-llava.gguf'", "ProjectorLoaded", {"path": "/models/mmproj-llava.gguf"}),
    ("b11434", "0.00.022.395 I srv    load_model: initializing, n_slots = 1, n_ctx_slot = 2048, kv_unified = 'false'", "SlotsInitialized", {"n_slots": 1, "n_ctx_slot": 2048, "kv_unified": "false"}),
    ("b11434", "0.00.025.568 I srv  llama_server: listening on http://127.0.0.1:8080", "Listening", {"url": "http://127.0.0.1:8080", "not_before": 9812}),
    ("b11434", "0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)", "DraftDecodeFailed", {"drafter": "mtp", "pos": 36, "elapsed_us": 80_354}),
    ("b11434", "0.00.080.476 E srv  update_slots: decode() failed: failed to process speculative batch", "ConsequenceLine", {}),
    ("b11434", "0.00.080.497 E srv    send_error: task id = 8, error: decode() failed: failed to process speculative batch", "TaskFailed", {"id_task": 8, "error": "decode() failed: failed to process speculative batch"}),
    ("b11434", "0.00.080.528 W srv          stop: cancel task, id_task = 8", "TaskCancelled", {"id_task": 8}),
    ("b11434", "0.00.080.501 I slot      release: id  0 | task 8 | stop processing: n_tokens = 71, truncated = 0", "TaskReleased", {"n_tokens": 71, "truncated": 0, "task_id": 8}),
    ("b11434", "0.00.002.834 I spec common_specu: auto-detected speculative type 'draft-dflash' from the draft model metadata", "SpeculationDetected", {"type": "draft-dflash", "not_before": 10241}),
    ("b11434", "{\"timings\":{\"prompt_n\":46,\"predicted_n\":16,\"predicted_ms\":12.5,\"draft_n\":63,\"draft_n_accepted\":42}}", "DraftAccepted", {"drafted": 63, "accepted": 42}),
]  # fmt: skip


@pytest.mark.parametrize(("build", "line", "event", "fields"), RECORDED)
def test_a_recorded_line_is_read_as_a_person_reads_it(
    build: str, line: str, event: str, fields: dict[str, Any]
) -> None:
    found = events(line)
    named = [item for item in found if type(item).__name__ == event]
    assert len(named) == (1 if event else 0), build
    if event:
        assert {name: getattr(named[0], name) for name in fields} == fields
    else:
        assert found == []


@pytest.mark.parametrize(("build", "line", "event", "fields"), [row for row in RECORDED if row[2]])
def test_the_bounds_of_a_recorded_line_hold_the_build_that_printed_it(
    build: str, line: str, event: str, fields: dict[str, Any]
) -> None:
    number = int(build[1:])
    for found in events(line):
        assert (found.not_before or 0) <= number <= (found.not_after or 99_999), type(found).__name__
    assert event
    assert fields is not None
