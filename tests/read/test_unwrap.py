"""One physical line in, its logical lines out: a row for each wrapper, and the lines no wrapper may touch."""

import json

import pytest

from diag.model.line import Line
from diag.read.repair import read_lines
from diag.read.unwrap import Unwrapper

DECODE = "0.00.188.370 E decode: failed to initialize batch"


def line(text: str, part: int = 0, **told: object) -> Line:
    return Line(1, part, text, **told)  # type: ignore[arg-type]


ROWS: list[tuple[str, str, list[Line]]] = [
    (
        "journald",
        f"Mar 14 09:21:07 host01 llama-server[2417]: {DECODE}",
        [line(DECODE, stream="llama-server[2417]", time="Mar 14 09:21:07")],
    ),
    (
        "journald",
        "06.04 12:10:31 BOX ollama[2511]: rax    0x0",
        [line("rax    0x0", stream="ollama[2511]", time="06.04 12:10:31")],
    ),
    (
        "journald",
        f"3月 14 09:21:07 box llama-server[1]: {DECODE}",
        [line(DECODE, stream="llama-server[1]", time="3月 14 09:21:07")],
    ),
    (
        "journald",
        f"2026-03-14T09:21:07+0100 h llama-server[1]: {DECODE}",
        [line(DECODE, stream="llama-server[1]", time="2026-03-14T09:21:07+0100")],
    ),
    (
        "journald",
        "Mar 14 09:21:07 h systemd[1]: llama.service: Failed with result 'oom-kill'.",
        [line("llama.service: Failed with result 'oom-kill'.", stream="systemd[1]", time="Mar 14 09:21:07")],
    ),
    (
        "journald",
        "Mar 14 09:21:07 h llama-server[1]: #011/builddir/a.cpp:1: x#012second",
        [
            line("\t/builddir/a.cpp:1: x", stream="llama-server[1]", time="Mar 14 09:21:07"),
            line("second", 1, stream="llama-server[1]", time="Mar 14 09:21:07"),
        ],
    ),
    (
        "journald-json",
        '{"MESSAGE":[111,104],"_PID":"7","SYSLOG_IDENTIFIER":"llama-server","__REALTIME_TIMESTAMP":"1773476460000000"}',
        [line("oh", stream="llama-server[7]", time="1773476460000000")],
    ),
    (
        "compose",
        "llama-1  | slot launch_slot_: id  0 | task 0 | x",
        [line("slot launch_slot_: id  0 | task 0 | x", stream="llama-1")],
    ),
    (
        "docker-json",
        '{"log":"' + DECODE + '\\n","stream":"stderr","time":"2026-02-11T18:04:22.118403911Z"}',
        [line(DECODE, time="2026-02-11T18:04:22.118403911Z")],
    ),
    ("cri", f"2026-01-19T07:40:02.007919313Z stderr F {DECODE}", [line(DECODE, time="2026-01-19T07:40:02.007919313Z")]),
    ("clock", f"2026-01-19T07:40:02.007919313Z {DECODE}", [line(DECODE, time="2026-01-19T07:40:02.007919313Z")]),
    (
        "clock",
        "2026-01-19T07:40:02Z slot launch_slot_: id  0",
        [line("slot launch_slot_: id  0", time="2026-01-19T07:40:02Z")],
    ),
    ("clock", "2026-01-19T07:40:02Z  - the last position", [line(" - the last position", time="2026-01-19T07:40:02Z")]),
    (
        "clock",
        "[1707300043] update_slots : failed to find free space",
        [line("update_slots : failed to find free space", time="1707300043")],
    ),
    (
        "clock",
        "2026-06-02 11:40:51.123 [Info] (Process) 0.03.914.248 I device_info:",
        [line("0.03.914.248 I device_info:", time="2026-06-02 11:40:51.123")],
    ),
    (
        "clock",
        "2026-06-02 11:40:52.001 [Error] (WrappedServer) llama-server exited with code 139",
        [line("llama-server exited with code 139", level="E", time="2026-06-02 11:40:52.001")],
    ),
    (
        "clock",
        "[2026-01-13 10:02:14][ERROR] [JIT] Error: Error loading model.",
        [line("[JIT] Error: Error loading model.", level="E", time="2026-01-13 10:02:14")],
    ),
    (
        "clock",
        "[2025-02-06 23:10:29.905] [error] [LMSInternal][Client=LM Studio] Error: x",
        [line("[LMSInternal][Client=LM Studio] Error: x", level="E", time="2025-02-06 23:10:29.905")],
    ),
    (
        "clock",
        "2024-07-14 14:40:57 gguf_init_from_file: failed",
        [line("gguf_init_from_file: failed", time="2024-07-14 14:40:57")],
    ),
    (
        "clock",
        "2024-07-14 14:40:57,123 - app - ERROR - no model",
        [line("no model", level="E", time="2024-07-14 14:40:57,123")],
    ),
    ("clock", "[00:03:04] INFO [llamacpp] srv load_model: x", [line("srv load_model: x", time="00:03:04")]),
    ("clock", "2026-02-13 14:37:05 [DEBUG]", []),
    ("clock", "2026-11-27 10:00:00,123 DEBG 'llama-server' stdout output:", []),
    ("clock", "7:12:04 pm.118stderrrocblaslt error: x", [line("rocblaslt error: x", time="7:12:04 pm.118")]),
    ("router", f"[56285] {DECODE}", [line(DECODE, stream="port 56285")]),
    ("router", f"[ 8081] {DECODE}", [line(DECODE, stream="port 8081")]),
    ("pm2", f"0|sched  | {DECODE}", [line(DECODE, stream="sched")]),
    (
        "program",
        "llama-server [falcon-7b:2048:10]:   what():  [json.exception] x",
        [line("  what():  [json.exception] x", stream="llama-server [falcon-7b:2048:10]")],
    ),
    (
        "kernel",
        "[12345.678901] Out of memory: Killed process 77 (llama-server)",
        [line("Out of memory: Killed process 77 (llama-server)", stream="kernel", time="12345.678901")],
    ),
    (
        "level-tag",
        "[WARN] <small-4B> ExitError >> exit status 1",
        [line("<small-4B> ExitError >> exit status 1", level="W")],
    ),
    (
        "jsonl",
        '{"msg":"init: a:\\n - b\\n","type":"log","level":"error","time":188366}',
        [line("init: a:", level="E", elapsed_us=188366), line(" - b", 1, level="E", elapsed_us=188366)],
    ),
    (
        "json-2024",
        '{"tid":"140","timestamp":1716022211,"level":"ERR","function":"load_model","line":685,"msg":"unable to '
        'load model","model":"/models/x.gguf"}',
        [line('load_model: unable to load model | model="/models/x.gguf"', level="E", time="1716022211")],
    ),
    (
        "text-2024",
        ' ERR [              load_model] unable to load model | tid="139" timestamp=1725700001 model="/models/x.gguf"',
        [line('load_model: unable to load model | model="/models/x.gguf"', level="E", time="1725700001")],
    ),
    (
        "text-2024",
        'INFO [slots_idle] all slots are idle | tid="1" timestamp=1725700001',
        [line("slots_idle: all slots are idle", level="I", time="1725700001")],
    ),
    (
        "text-2024",
        'INFO [main] build info | build=1 commit="ab"',
        [line('main: build info | build=1 commit="ab"', level="I")],
    ),
    (
        "ollama",
        'time=2025-06-30T09:12:44.311+02:00 level=ERROR source=sched.go:489 msg="error loading" '
        'error="terminated: exit 2\\nCUDA error"',
        [
            line("error loading", 0, level="E", time="2025-06-30T09:12:44.311+02:00"),
            line("terminated: exit 2", 1, level="E", time="2025-06-30T09:12:44.311+02:00"),
            line("CUDA error", 2, level="E", time="2025-06-30T09:12:44.311+02:00"),
        ],
    ),
    (
        "logfmt",
        'time=2026-01-30T09:12:44Z level=info msg="model loaded" name=small',
        [line("model loaded name=small", level="I", time="2026-01-30T09:12:44Z")],
    ),
    (
        "json",
        '{"level":"error","event":"start failed","error":"exit status 1"}',
        [line("start failed"), line("exit status 1", 1)],
    ),
    ("json", '{"level":50,"msg":"' + DECODE, [line(DECODE)]),
    ("powershell", f"llama-server.exe : {DECODE}", [line(DECODE)]),
    ("script", 'Script started on 2026-01-13 10:02:14+01:00 [TERM="xterm" COMMAND="llama-server -m x"]', []),
]


@pytest.mark.parametrize(("name", "text", "expected"), ROWS)
def test_a_wrapper_is_taken_off_and_what_it_says_is_kept(name: str, text: str, expected: list[Line]) -> None:
    unwrapper = Unwrapper([text])
    assert unwrapper.lines(1, text) == expected
    assert unwrapper.wrappers == (name,)


NATIVE = [
    "0.00.293.763 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:",
    " - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19",
    "slot print_timing: id  0 | task 0 | n_gen = 100",
    "srv  log_server_r: request: POST /completion 127.0.0.1 200",
    "/opt/llama.cpp/ggml/src/ggml.c:1804: GGML_ASSERT(obj_new) failed",
    "D:\\a\\llama.cpp\\ggml-cuda.cu:97: CUDA error",
    "llama_model_loader: - kv   0:                       general.architecture str              = llama",
    "#0  0x000008d6f3c99581 in __GI___wait4 (pid=41288)",
    "0.00.291.755 I load_arch_hparams: DFlash extract_layers = [0.00.291.756 I 1, 0.00.291.757 I 20.00.291.757 I ]",
    "common_memory_breakdown_print: |   - Host  |  2190 |",
    "[New LWP 4022]",
    '[GIN] 2025/06/30 - 09:12:44 | 500 |  1.4s |  127.0.0.1 | POST     "/api/chat"',
    '{"type":"fit_memory_breakdown","devices":[]}',
    '{"code":500,"message":"decode() failed","type":"server_error"}',
    "warning: no usable GPU found, --gpu-layers option will be ignored",
    "usage:",
    "system_info: n_threads = 1 (n_threads_batch = 1) / 2 | CPU : SSE3 = 1 | AVX = 1 |",
    "name | size",
    'error while handling argument "-ngl": stoi',
    "I srv  llama_server: initializing ...",
    "0.00.233.241 I",
]


@pytest.mark.parametrize("text", NATIVE)
def test_the_servers_own_line_is_not_touched(text: str) -> None:
    unwrapper = Unwrapper([text])
    assert unwrapper.lines(1, text) == [Line(1, 0, text)]
    assert unwrapper.wrappers == ()
    assert unwrapper.notes == ()


def test_layers_come_off_in_any_order_and_streams_join() -> None:
    text = f"llama-cpp  | 2026-05-31T16:40:59.782Z [40111] {DECODE}"
    unwrapper = Unwrapper([text])
    assert unwrapper.lines(9, text) == [
        Line(9, 0, DECODE, "llama-cpp/port 40111", None, None, "2026-05-31T16:40:59.782Z")
    ]
    assert unwrapper.wrappers == ("compose", "clock", "router")


def test_a_router_nests_the_childs_object_and_the_inner_clock_counts() -> None:
    child = json.dumps({"type": "log", "time": 779, "level": "warn", "msg": "a: b\n"})
    text = json.dumps({"type": "log", "time": 41920, "level": "none", "msg": f"[59415] {child}\n"})
    assert Unwrapper([text]).lines(1, text) == [Line(1, 0, "a: b", "port 59415", "W", 779)]


def test_three_levels_of_escapes_are_undone() -> None:
    error = json.dumps('a\nb "c"')
    record = f'time=2025-07-16T22:08:32.750+01:00 level=ERROR msg="x" error={error}'
    text = json.dumps({"level": 50, "time": 1752700112000, "msg": record + "\n"})
    texts = [(line.part, line.text, line.time) for line in Unwrapper([text]).lines(1, text)]
    time = "2025-07-16T22:08:32.750+01:00"
    assert texts == [(0, "x", time), (1, "a", time), (2, 'b "c"', time)]


@pytest.mark.parametrize("key", ["exc", "exception", "error", "stderr", "detail", "details", "traceback"])
def test_the_error_text_of_a_record_is_a_further_line_whatever_its_field_is_called(key: str) -> None:
    text = json.dumps({"event": "llm call failed", "level": "error", key: "a\nb", "n": 1})
    texts = [(line.part, line.text) for line in Unwrapper([text]).lines(1, text)]
    assert texts == [(0, "llm call failed"), (1, "a"), (2, "b")]


def test_an_error_text_that_two_fields_of_a_record_repeat_is_read_once() -> None:
    text = json.dumps({"msg": "failed: a", "error": "a", "exc": "b c", "detail": "b", "stack": ["d", "e"]})
    assert [line.text for line in Unwrapper([text]).lines(1, text)] == ["failed: a", "b c", "d", "e"]


def test_the_programs_own_level_is_not_repeated_beside_it() -> None:
    text = f"[2026-01-13 10:02:14][ERROR] {DECODE}"
    assert Unwrapper([text]).lines(1, text)[0].level is None


def test_a_table_is_not_taken_for_compose_unless_other_lines_agree() -> None:
    text = "gateway | listening"
    assert Unwrapper([text]).lines(1, text) == [Line(1, 0, text)]
    sample = ["gateway | a", "gateway | b", "llama-1 | c", "gateway | d"]
    assert Unwrapper(sample).lines(1, text) == [Line(1, 0, "listening", "gateway")]


@pytest.mark.parametrize(
    ("other", "text", "inner"),
    [
        (f"llama-1  | {DECODE}", "llama-1  | Failed to connect to rpc1:50052", "Failed to connect to rpc1:50052"),
        (f"llama-1  | {DECODE}", "llama-1 exited with code 139", "llama-1 exited with code 139"),
        (f"llama-1  | {DECODE}", "llama-1 exited with code 1 (restarting)", "llama-1 exited with code 1 (restarting)"),
        ("llama-1 exited with code 139", "llama-1  |   Device 0: x", "  Device 0: x"),
    ],
)
def test_a_name_that_one_line_proves_to_be_a_containers_is_one_on_all(other: str, text: str, inner: str) -> None:
    assert Unwrapper([text, other]).lines(1, text) == [Line(1, 0, inner, "llama-1")]
    assert Unwrapper([text]).lines(1, text)[0].stream is None


def test_a_containers_name_says_nothing_of_another_ones() -> None:
    text = "name | size"
    assert Unwrapper([text, f"llama-1  | {DECODE}"]).lines(1, text) == [Line(1, 0, text)]


def test_each_line_of_a_mixed_log_decides_for_itself() -> None:
    sample = [DECODE, f"[56285] {DECODE}", "plain"]
    unwrapper = Unwrapper(sample)
    assert [unwrapper.lines(1, text)[0].stream for text in sample] == [None, "port 56285", None]


def test_a_prefix_nobody_knows_is_learned_from_the_lines_that_carry_the_programs_clock() -> None:
    sample = [f"<<box-7 #{i}>> {DECODE}" for i in range(4)]
    unwrapper = Unwrapper(sample)
    assert unwrapper.lines(1, "<<box-7 #99>>  - the last position") == [Line(1, 0, " - the last position")]
    assert unwrapper.wrappers == ("prefix",)


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[34m0.00.188.370\x1b[0m \x1b[31mE decode: failed to initialize batch\x1b[0m",
        "\x1b[0m\x1b[34m0.00.188.370\x1b[0m \x1b[31mE decode: failed to initialize batch",
        "\ufffd[34m0.00.188.370\ufffd[0m \ufffd[31mE decode: failed to initialize batch\ufffd[0m",
        "[34m0.00.188.370[0m [31mE decode: failed to initialize batch[0m",
        "^[[34m0.00.188.370^[[0m ^[[31mE decode: failed to initialize batch^[[0m",
    ],
)
def test_colours_go_also_where_the_escape_character_was_lost(text: str) -> None:
    unwrapper = Unwrapper([text])
    assert unwrapper.lines(1, text) == [Line(1, 0, DECODE)]
    assert [note.what for note in unwrapper.notes] == ["colour codes removed"]


def test_the_notes_name_each_wrapper_with_its_first_line() -> None:
    unwrapper = Unwrapper([])
    unwrapper.lines(3, DECODE)
    unwrapper.lines(4, f"Mar 14 09:21:07 h llama-server[1]: {DECODE}")
    unwrapper.lines(5, f"Mar 14 09:21:07 h llama-server[1]: {DECODE}")
    assert [(note.what, note.line) for note in unwrapper.notes] == [("journald prefix removed", 4)]


def test_a_stream_that_two_layers_name_alike_is_one_stream() -> None:
    text = "llama-1  | srv    load_model: loading model '/models/a.gguf'\nllama-1  | llama-1 exited with code 139"
    assert [line.stream for line in read_lines(text)[0]] == ["llama-1", "llama-1"]
