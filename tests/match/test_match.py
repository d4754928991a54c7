"""When a signature holds: with catalogues of one signature, written for the test."""

from pathlib import Path

import pytest

from diag.model.catalog import Catalog
from diag.model.finding import Finding
from diag.model.line import Line
from diag.pipeline import analyzer
from tests.build import lines, models, signature_toml, tiny_catalog, woven

START = "0.00.003.321 I srv  llama_server: initializing ..."
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
TASK = "0.05.072.938 I slot launch_slot_: id  0 | task 8 | processing task, is_child = 0"
MTP = "0.05.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)"
EAGLE3 = "0.05.080.354 E spec      process: llama_process(ctx_dft) failed rc=-1 (n_tokens=38, ubatch_pos[0]=36)"
SYMPTOM = "0.05.080.381 E srv        decode: failed to process speculative batch"
ERROR = "0.05.080.497 E srv    send_error: task id = 8, error: decode() failed: failed to process speculative batch"
MEMORY = "0.05.080.497 E decode: failed to find a memory slot for batch of size 512"
RELEASE = "0.05.080.501 I slot      release: id  0 | task 8 | stop processing: n_tokens = 71, truncated = 0"


def found_in(
    folder: Path, body: str, log: str | list[Line], *, keys: str = "", severity: str = "error"
) -> list[Finding]:
    catalog = tiny_catalog(folder, kind=signature_toml("kind", body, keys=keys, severity=severity))
    with_models = Catalog(catalog.signatures, catalog.outlines, {}, models())
    return analyzer(with_models).findings(lines(log) if isinstance(log, str) else log)


def log(*parts: str) -> str:
    return "\n".join(parts)


def rule(conditions: str, **keys: str) -> str:
    """Return one [[match]] with the given keys, and the [when] tables."""
    named = "\n".join(f"{key} = {value}" for key, value in keys.items())
    return f'[[match]]\ngrade = "likely"\n{named}\n{conditions}'


FAILED = '[when.failed]\nevent = "DraftDecodeFailed"\n'
SYMPTOMS = '[when.symptom]\nevent = "SpeculativeBatchFailed"\n'
ENDED = '[when.ended]\nevent = "TaskReleased"\n'


# --- what a condition asks of an event -------------------------------------------------------------------------------

WHERE = [
    ('{ drafter = "mtp" }', True),
    ('{ drafter = "dflash" }', False),
    ('{ drafter = ["dflash", "mtp"] }', True),
    ('{ drafter = ["dflash", "eagle3"] }', False),
    ("{ rc = -1 }", True),
    ("{ rc = 1 }", False),
    ("{ rc = { below = 0 } }", True),
    ("{ rc = { below = -1 } }", False),
    ("{ pos = { at_least = 36 } }", True),
    ("{ pos = { at_least = 37 } }", False),
    ("{ pos = { at_least = 30, below = 40 } }", True),
    ("{ pos = { at_least = 37, below = 40 } }", False),
    ('{ drafter = { contains = "mt" } }', True),
    ('{ drafter = { contains = "eagle" } }', False),
    # a field that the line does not hold meets no comparison
    ("{ offset = 0 }", False),
    ("{ offset = { below = 100 } }", False),
    ("{ n_tokens = { at_least = 0 } }", False),
    # all of them must hold
    ('{ drafter = "mtp", rc = 1 }', False),
    ('{ drafter = "mtp", rc = -1, head = 0 }', True),
]


@pytest.mark.parametrize(("where", "holds"), WHERE)
def test_each_comparison_of_a_field(tmp_path: Path, where: str, holds: bool) -> None:
    body = rule(f"{FAILED}where = {where}", all='["failed"]')
    assert bool(found_in(tmp_path, body, log(LOADING, READY, TASK, MTP))) is holds


@pytest.mark.parametrize(("error", "holds"), [(8, True), (9, False)])
def test_two_conditions_can_be_joined_by_a_field(tmp_path: Path, error: int, holds: bool) -> None:
    conditions = (
        '[when.cancelled]\nevent = "TaskCancelled"\n'
        '[when.failed]\nevent = "TaskFailed"\nwhere = { id_task = { same_as = "cancelled.id_task" } }'
    )
    cancelled = "0.05.080.400 W srv          stop: cancel task, id_task = 8"
    failed = ERROR.replace("task id = 8", f"task id = {error}")
    body = rule(conditions, all='["cancelled", "failed"]')
    assert bool(found_in(tmp_path, body, log(LOADING, READY, TASK, cancelled, failed))) is holds


def test_a_text_condition_holds_where_its_pattern_does(tmp_path: Path) -> None:
    body = rule(
        "[when.failed]\nanchor = \"bind HTTP server\"\ntext = '''couldn't bind HTTP server .*port: (?P<port>\\d+)'''",
        all='["failed"]',
    )
    (found,) = found_in(tmp_path, body, "0.00.002.000 E start: couldn't bind HTTP server socket, port: 8080")
    assert dict(found.captures) == {"port": 8080}
    assert found_in(tmp_path, body, "0.00.002.000 E start: bind HTTP server socket") == []


# --- all, any, none, sequence, count ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "events", "holds"),
    [
        ({"all": '["failed", "symptom"]'}, (MTP, SYMPTOM), True),
        ({"all": '["failed", "symptom"]'}, (MTP,), False),
        ({"any": '["failed", "symptom"]'}, (SYMPTOM,), True),
        ({"any": '["failed", "symptom"]'}, (MEMORY,), False),
        ({"all": '["failed"]', "none": '["symptom"]'}, (MTP,), True),
        ({"all": '["failed"]', "none": '["symptom"]'}, (MTP, SYMPTOM), False),
        ({"sequence": '["failed", "symptom"]'}, (MTP, SYMPTOM), True),
        ({"sequence": '["failed", "symptom"]'}, (SYMPTOM, MTP), False),
        # a later occurrence may take the place in the order
        ({"sequence": '["failed", "symptom"]'}, (SYMPTOM, MTP, SYMPTOM), True),
    ],
)
def test_how_conditions_make_a_match(
    tmp_path: Path, keys: dict[str, str], events: tuple[str, ...], holds: bool
) -> None:
    body = rule(FAILED + SYMPTOMS, **keys)
    assert bool(found_in(tmp_path, body, log(LOADING, READY, TASK, *events))) is holds


@pytest.mark.parametrize(("times", "holds"), [(1, False), (2, True), (3, True)])
def test_a_condition_can_ask_for_several_occurrences(tmp_path: Path, times: int, holds: bool) -> None:
    body = rule(f"{SYMPTOMS}count = 2", all='["symptom"]')
    assert bool(found_in(tmp_path, body, log(LOADING, READY, TASK, *[SYMPTOM] * times))) is holds


@pytest.mark.parametrize(("ports", "holds"), [((1, 2, 3), False), ((1, 2, 1), False), ((1, 2, 1, 1), True)])
def test_occurrences_can_be_asked_to_say_the_same(tmp_path: Path, ports: tuple[int, ...], holds: bool) -> None:
    condition = "[when.again]\nanchor = \"cannot open port\"\ntext = '''cannot open port (?P<port>\\d+)'''\ncount = 3\nsame = true"
    events = [f"0.05.080.354 E srv: cannot open port {port}" for port in ports]
    assert bool(found_in(tmp_path, rule(condition, all='["again"]'), log(LOADING, READY, *events))) is holds


# --- where it is looked for -------------------------------------------------------------------------------------------


def test_each_incident_is_a_finding_of_its_own(tmp_path: Path) -> None:
    found = found_in(tmp_path, rule(FAILED, all='["failed"]'), log(LOADING, READY, TASK, MTP, TASK, MTP))
    assert [(item.incident, item.count) for item in found] == [((4, 4), 1), ((6, 6), 1)]


def test_conditions_of_one_incident_are_not_met_by_two(tmp_path: Path) -> None:
    body = rule(FAILED + SYMPTOMS, all='["failed", "symptom"]')
    assert found_in(tmp_path, body, log(LOADING, READY, TASK, MTP, TASK, SYMPTOM)) == []


def test_the_scope_of_a_session_spans_its_incidents(tmp_path: Path) -> None:
    body = rule(FAILED + SYMPTOMS, all='["failed", "symptom"]', scope='"session"')
    (found,) = found_in(tmp_path, body, log(LOADING, READY, TASK, MTP, TASK, SYMPTOM))
    assert (found.incident, [item.line for item in found.evidence]) == (None, [4, 6])


def test_the_scope_of_a_session_ends_with_it(tmp_path: Path) -> None:
    body = rule(FAILED + SYMPTOMS, all='["failed", "symptom"]', scope='"session"')
    assert found_in(tmp_path, body, log(START, LOADING, READY, MTP, START, LOADING, READY, SYMPTOM)) == []


def test_the_scope_of_the_log_spans_sessions_and_streams(tmp_path: Path) -> None:
    body = rule(FAILED + SYMPTOMS, all='["failed", "symptom"]', scope='"log"')
    given = woven(("a", log(LOADING, READY, MTP)), ("b", log(LOADING, READY, SYMPTOM)))
    assert {item.line for found in found_in(tmp_path, body, given) for item in found.evidence} == {3, 6}


def test_one_condition_may_look_further_than_its_match(tmp_path: Path) -> None:
    body = rule(f'{FAILED}[when.ended]\nevent = "TaskReleased"\nwithin = "session"', all='["ended", "failed"]')
    (found,) = found_in(tmp_path, body, log(LOADING, READY, TASK, RELEASE, TASK, MTP))
    assert [(item.line, item.role) for item in found.evidence] == [(4, "context"), (6, "trigger")]


def test_an_absence_is_asked_of_the_scope_unless_the_condition_looks_further(tmp_path: Path) -> None:
    given = log(LOADING, READY, TASK, SYMPTOM, TASK, MTP)
    near = rule(FAILED + SYMPTOMS, all='["failed"]', none='["symptom"]')
    far = rule(f'{FAILED}{SYMPTOMS}within = "session"', all='["failed"]', none='["symptom"]')
    assert len(found_in(tmp_path, near, given)) == 1
    assert found_in(tmp_path, far, given) == []


# --- grades -----------------------------------------------------------------------------------------------------------

TWO_GRADES = (
    '[[match]]\ngrade = "certain"\nall = ["failed", "symptom"]\n'
    '[[match]]\ngrade = "possible"\nall = ["failed"]\n' + FAILED + SYMPTOMS
)


def test_the_first_match_that_holds_gives_the_grade_of_each_incident(tmp_path: Path) -> None:
    found = found_in(tmp_path, TWO_GRADES, log(LOADING, READY, TASK, MTP, TASK, MTP, SYMPTOM))
    assert sorted((item.incident, item.grade) for item in found) == [((4, 4), "possible"), ((6, 7), "certain")]


def test_a_match_of_the_session_is_asked_only_where_no_incident_holds(tmp_path: Path) -> None:
    body = (
        '[[match]]\ngrade = "certain"\nall = ["failed"]\n'
        '[[match]]\ngrade = "possible"\nscope = "session"\nall = ["symptom"]\n' + FAILED + SYMPTOMS
    )
    assert [item.grade for item in found_in(tmp_path, body, log(LOADING, READY, MTP, SYMPTOM))] == ["certain"]
    assert [item.grade for item in found_in(tmp_path, body, log(LOADING, READY, SYMPTOM))] == ["possible"]


# --- withdrawal -------------------------------------------------------------------------------------------------------

RETRIED = rule('[when.failed]\nevent = "MemorySlotMissing"\n' + ENDED, all='["failed"]', unless_later='["ended"]')


def test_a_later_success_withdraws_a_finding(tmp_path: Path) -> None:
    (found,) = found_in(tmp_path, RETRIED, log(LOADING, READY, TASK, MEMORY, RELEASE))
    assert found.withdrawn_by == 5


def test_an_earlier_success_withdraws_nothing(tmp_path: Path) -> None:
    (found,) = found_in(tmp_path, RETRIED, log(LOADING, READY, TASK, RELEASE, TASK, MEMORY))
    assert found.withdrawn_by is None


def test_a_success_of_the_next_start_withdraws_nothing(tmp_path: Path) -> None:
    found = found_in(tmp_path, RETRIED, log(START, LOADING, READY, TASK, MEMORY, START, LOADING, READY, TASK, RELEASE))
    assert [item.withdrawn_by for item in found] == [None]


# --- captures and evidence --------------------------------------------------------------------------------------------


def test_captures_are_the_fields_of_the_events_and_the_first_condition_wins(tmp_path: Path) -> None:
    body = rule(f'[when.memory]\nevent = "MemorySlotMissing"\n{FAILED}', all='["failed", "memory"]')
    (found,) = found_in(tmp_path, body, log(LOADING, READY, TASK, EAGLE3, MEMORY))
    assert found.captures["drafter"] == "eagle3"
    assert found.captures["n_tokens"] == 38  # not the 512 of the other condition
    assert "elapsed_us" not in found.captures
    assert "offset" not in found.captures  # a field that the line does not hold


@pytest.mark.parametrize(("text", "value"), [("12", 12), ("-1", -1), ("4.5", 4.5), ("gfx1151", "gfx1151")])
def test_a_captured_text_is_a_number_where_it_reads_as_one(tmp_path: Path, text: str, value: object) -> None:
    body = rule("[when.a]\nanchor = \"captured value\"\ntext = '''captured value (?P<v>\\S+)'''", all='["a"]')
    (found,) = found_in(tmp_path, body, f"0.00.002.000 E srv  x: captured value {text}")
    assert found.captures["v"] == value


def test_the_four_lines_of_a_refusal_are_its_evidence(tmp_path: Path) -> None:
    refused = log(
        "0.05.080.339 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:",
        " - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19",
        " - the tokens for sequence 0 in the input batch have a starting position of Y = 36",
        " it is required that the sequence positions remain consecutive: Y = X + 1",
    )
    body = rule('[when.refused]\nevent = "PositionsRefused"\n', all='["refused"]')
    (found,) = found_in(tmp_path, body, log(LOADING, READY, refused, MTP))
    assert [item.line for item in found.evidence] == [3, 4, 5, 6]
    assert (found.captures["x"], found.captures["y"], found.captures["gap"]) == (19, 36, 16)


def test_evidence_stands_in_the_order_of_lines_whatever_the_order_of_conditions(tmp_path: Path) -> None:
    body = rule(FAILED + SYMPTOMS, all='["symptom", "failed"]')
    (found,) = found_in(tmp_path, body, log(LOADING, READY, TASK, MTP, SYMPTOM))
    assert [item.line for item in found.evidence] == [4, 5]


# --- three answers of [applies]: it can only refute -------------------------------------------------------------------

HAPPENED = rule(SYMPTOMS, all='["symptom"]')
ADDED = "0.00.015.464 I common_speculative_impl: adding speculative implementation 'draft-{}'"
NAMED = "0.00.010.000 I common_speculative_init_result: loading draft model '/models/x-{}.gguf'"
CUDA = "load_tensors:        CUDA0 model buffer size =  4096.00 MiB"
CPU = "load_tensors:   CPU_Mapped model buffer size =  4096.00 MiB"
FORK = "/srv/src/ik_llama.cpp/ggml/src/ggml.c:100: GGML_ASSERT(x) failed"

APPLIES = [
    # (applies, lines that tell the fact, holds, what stays undecided)
    ('families = ["eagle3"]', (ADDED.format("eagle3"),), True, ()),
    ('families = ["eagle3"]', (ADDED.format("dflash"),), False, ()),
    ('families = ["eagle3", "dflash"]', (ADDED.format("dflash"),), True, ()),
    ('families = ["eagle3"]', (), True, ("family",)),
    ('families = ["eagle3"]', (NAMED.format("dflash"),), True, ("family",)),  # a file's name refutes nothing
    ('image = "required"', (), False, ()),  # a whole start without a projector
    ('image = "required"', (PROJECTOR,), True, ()),
    ('backends = ["cuda"]', (CUDA,), True, ()),
    ('backends = ["rocm"]', (CUDA,), False, ()),
    ('backends = ["rocm"]', (CPU,), True, ()),  # the processor's buffers are in every log
    ('backends = ["rocm"]', (), True, ()),
    ('flavours = ["upstream"]', (FORK,), False, ()),
    ('flavours = ["ik_llama.cpp"]', (FORK,), True, ()),
    ('flavours = ["ik_llama.cpp"]', (), True, ()),  # most forks print nothing of themselves
]  # fmt: skip


@pytest.mark.parametrize(("applies", "facts", "holds", "undecided"), APPLIES)
def test_a_known_fact_can_refute_and_an_unknown_one_stays_open(
    tmp_path: Path, applies: str, facts: tuple[str, ...], holds: bool, undecided: tuple[str, ...]
) -> None:
    body = f"[applies]\n{applies}\n{HAPPENED}"
    found = found_in(tmp_path, body, log(LOADING, *facts, READY, TASK, SYMPTOM))
    assert [item.undecided for item in found] == ([undecided] if holds else [])


def test_images_that_a_cut_log_cannot_exclude_stay_open(tmp_path: Path) -> None:
    found = found_in(tmp_path, f'[applies]\nimage = "required"\n{HAPPENED}', log(TASK, SYMPTOM))
    assert [item.undecided for item in found] == [("image",)]


def test_a_build_range_refutes_nothing_for_the_verdict_needs_the_finding(tmp_path: Path) -> None:
    body = f'[applies]\nbuilds = [{{ introduced = 9745, fixed = 9900, ref = "ggml-org/llama.cpp#1" }}]\n{HAPPENED}'
    old = "build_info: b8722-unknown"
    assert [item.undecided for item in found_in(tmp_path, body, log(old, LOADING, READY, SYMPTOM))] == [()]


def test_a_range_beside_an_unknown_build_stays_open(tmp_path: Path) -> None:
    body = f"[applies]\nbuilds = [{{ introduced = 9745 }}]\n{HAPPENED}"
    bare = log(
        "srv    load_model: loading model '/models/a.gguf'", "srv        decode: failed to process speculative batch"
    )
    assert [item.undecided for item in found_in(tmp_path, body, bare)] == [("build",)]


# --- how often --------------------------------------------------------------------------------------------------------


def test_a_message_printed_twice_while_loading_is_one_failure(tmp_path: Path) -> None:
    failed = "0.00.010.000 E llama_model_load: error loading model: unknown model architecture: 'x'"
    fitting = "0.00.009.000 I print_info: arch                  = x"
    body = rule('[when.failed]\nevent = "ModelLoadFailed"\n', all='["failed"]', scope='"session"')
    (found,) = found_in(tmp_path, body, log(LOADING, failed, fitting, failed))
    assert found.count == 1


def test_a_session_that_shows_it_in_three_requests_counts_three(tmp_path: Path) -> None:
    body = rule(FAILED, all='["failed"]', scope='"session"')
    (found,) = found_in(tmp_path, body, log(LOADING, READY, TASK, MTP, TASK, MTP, TASK, MTP))
    assert found.count == 3


def test_what_only_the_whole_report_decides_is_not_matched(tmp_path: Path) -> None:
    text = signature_toml("no-failure-found", rule(SYMPTOMS, all='["symptom"]'), area="log-quality", severity="info")
    catalog = tiny_catalog(tmp_path, no_failure_found=text)
    assert analyzer(catalog).findings(lines(log(LOADING, READY, SYMPTOM))) == []
