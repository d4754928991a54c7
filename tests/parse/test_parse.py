"""Candidate lines to events: their order, their place, and what a request's text cannot do."""

import pytest

from diag.model.events.crash import ExitReported, SignalReported
from diag.model.events.event import TextMatched
from diag.model.line import Line
from diag.parse.parse import parse
from diag.parse.table import TextCondition, build_table
from diag.parse.wordings import WORDINGS
from diag.scan.engine import literal_engine
from diag.scan.lines import scan_lines
from tests.build import events


def names(text: str) -> list[str]:
    return [type(event).__name__ for event in events(text)]


def texts_of(condition: TextCondition, text: str) -> list[TextMatched]:
    """Return the events of one text condition over one line."""
    table = build_table((), [condition])
    _, search = literal_engine(table.anchors)
    found = parse(scan_lines([Line(1, 0, text)], search), table)
    return [event for event in found if isinstance(event, TextMatched)]


def test_events_stand_in_the_order_of_lines() -> None:
    log = """
0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)
nothing of interest
0.00.080.381 E srv        decode: failed to process speculative batch
"""
    assert [(event.line.number, type(event).__name__) for event in events(log)] == [
        (1, "DraftDecodeFailed"),
        (3, "SpeculativeBatchFailed"),
    ]


def test_two_facts_of_one_line_stand_in_the_order_of_columns() -> None:
    line = "srv    send_error: task id = 8, error: decode() failed: failed to process speculative batch"
    assert names(line)[0] == "TaskFailed"
    assert [event.column for event in events(line)] == sorted(event.column for event in events(line))


def test_an_event_carries_the_place_and_the_prefix_of_its_line() -> None:
    (event,) = events(
        "0.00.063.819 I slot      release: id  2 | task 8 | stop processing: n_tokens = 61, truncated = 0"
    )
    assert (event.level, event.elapsed_us, event.slot_id, event.task_id) == ("I", 63_819, 2, 8)
    assert event.place == (1, 0, len("slot      release: id  2 | task 8 | "))


def test_a_line_that_only_holds_the_anchor_gives_nothing() -> None:
    assert names("draft acceptance = unknown") == []
    assert names("the starting position of the query") == []


@pytest.mark.parametrize("head", ["request:  ", "response: "])
def test_text_of_a_request_or_an_answer_states_no_fact(head: str) -> None:
    said = "GGML_ASSERT(x) failed; CUDA error: y; failed to process speculative batch; Segmentation fault"
    assert names(f'0.00.063.960 D srv  log_server_r: {head}{{"prompt":"{said}"}}') == []


def test_a_models_answer_that_is_logged_bare_states_no_fact() -> None:
    assert names("srv  update_chat_: Parsing chat message: why does it say GGML_ASSERT(x) failed?") == []


def test_the_figures_of_an_answer_are_read_inside_its_body() -> None:
    body = '{"content":"x","system_fingerprint":"b11434-abc","timings":{"draft_n":63,"draft_n_accepted":42}}'
    line = f"0.00.063.960 D srv  log_server_r: response: {body}"
    assert names(line) == ["BuildMentioned", "DraftAccepted"]


def test_a_wording_is_found_far_inside_a_long_line() -> None:
    far = "x" * 50_000
    (event,) = events(f"{far} failed to process speculative batch")
    assert type(event).__name__ == "SpeculativeBatchFailed"


def test_a_text_condition_gives_its_name_and_its_groups() -> None:
    condition = TextCondition("port-taken/refused", "couldn't bind", r"couldn't bind .*port (?P<port>\d+)")
    (event,) = texts_of(condition, "0.00.002.000 E start: couldn't bind HTTP server socket, hostname: h, port 8080")
    assert (event.condition, event.captures, event.level) == ("port-taken/refused", (("port", "8080"),), "E")


def test_a_text_condition_does_not_look_into_a_body() -> None:
    condition = TextCondition("a/b", "marker text", "marker text")
    assert texts_of(condition, 'srv  log_server_r: request:  {"prompt":"marker text"}') == []
    assert len(texts_of(condition, "srv  log: marker text")) == 1


def test_a_group_that_took_no_part_is_no_capture() -> None:
    condition = TextCondition("a/b", "marker text", r"marker text(?: of (?P<size>\d+))?")
    (event,) = texts_of(condition, "marker text")
    assert event.captures == ()


def test_the_table_names_each_literal_once() -> None:
    table = build_table(WORDINGS, [TextCondition("a/b", WORDINGS[0].anchor, "x")])
    assert len(set(table.anchors)) == len(table.anchors)
    first = table.anchors.index(WORDINGS[0].anchor.encode())
    assert [text.name for text in table.texts[first]] == ["a/b"]
    assert WORDINGS[0] in table.wordings[first]


def test_a_decimal_comma_of_a_localised_build_is_a_decimal_point() -> None:
    (event,) = events("load_tensors:        CUDA0 model buffer size =  4096,50 MiB")
    assert event.mib == 4096.5  # type: ignore[attr-defined]  # BufferSized


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("llm-1 exited with code 139", 139),
        ("llama-server exited (code 139)", 139),
        ("Exited (137) 5 minutes ago", 137),
        ("dependency failed to start: container llm-1 exited (1)", 1),
        ("llama-server exited with -11", -11),
        ("command terminated with exit code 132", 132),
        ("subprocess.CalledProcessError: Command 'llama-server' returned non-zero exit status 134.", 134),
        ("0.00.001.000 I srv           run: instance name=good exited with status 1", None),
        ("the run exited with 3 warnings", None),
        ("exited (see above)", None),
    ],
)
def test_the_exit_code_is_read_however_a_wrapper_words_it(line: str, code: int | None) -> None:
    codes = [event.code for event in events(line) if isinstance(event, ExitReported)]
    assert codes == ([] if code is None else [code])


def test_the_signal_of_pythons_subprocess_is_read() -> None:
    (event,) = events("subprocess.CalledProcessError: Command 'llama-server' died with <Signals.SIGSEGV: 11>.")
    assert isinstance(event, SignalReported)
    assert event.signal == "SIGSEGV"
