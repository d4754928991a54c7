"""Who was hit, how often, and what still works."""

from pathlib import Path

from diag.conclude.impact import impact
from diag.model.finding import Evidence, Finding
from diag.model.report import Impact
from tests.build import report, sample, session

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
LV4 = "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 4 (adjust with the `-lv N` CLI arg)"
CLEANUP = "0.05.099.452 I srv    operator(): operator(): cleaning up before exit..."
ASSERT = "/srv/src/llama.cpp/src/llama-context.cpp:1151: GGML_ASSERT(lid < n) failed"
REFUSED = """0.05.080.339 E init: the tokens of sequence {s} in the input batch have inconsistent sequence positions:
 - the last position stored in the memory module of the context (i.e. the KV cache) for sequence {s} is X = 19
 - the tokens for sequence {s} in the input batch have a starting position of Y = 36
 it is required that the sequence positions remain consecutive: Y = X + 1"""
MTP = "0.05.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)"


def begins(n: int, slot: int = 0) -> str:
    return f"0.05.072.938 I slot launch_slot_: id  {slot} | task {n} | processing task, is_child = 0"


def ends(n: int, slot: int = 0) -> str:
    return f"0.05.080.501 I slot      release: id  {slot} | task {n} | stop processing: n_tokens = 71, truncated = 0"


def fails(n: int) -> str:
    return f"0.05.080.497 E srv    send_error: task id = {n}, error: decode() failed"


def image(n: int) -> str:
    return f"0.05.073.000 I slot encode_mtmd_: id  0 | task {n} | encoding mtmd batch from idx = 13, n_chunks = 1"


def hit(*parts: str, line: int, span: tuple[int, int] | None = None, severity: str = "error") -> Impact:
    """Return the impact of one finding at the line, found in the incident of the span."""
    one = session("\n".join(parts))
    found = Finding("a", 1, "likely", (Evidence(line, 0, "text", "trigger"),), (), incident=span)
    return impact([found], one, severity)


def test_a_request_that_got_an_error_in_the_incident_is_lost() -> None:
    found = hit(LOADING, READY, begins(1), MTP, fails(1), line=4, span=(4, 5))
    assert (found.requests_lost, found.requests_seen, found.server) == (1, 1, "alive")


def test_a_request_that_failed_in_another_incident_is_not_lost_to_this_one() -> None:
    found = hit(LOADING, READY, begins(1), MTP, fails(1), begins(2), MTP, fails(2), line=4, span=(4, 5))
    assert (found.requests_lost, found.requests_seen) == (1, 2)


def test_without_an_incident_every_later_error_counts() -> None:
    found = hit(LOADING, READY, begins(1), MTP, fails(1), begins(2), MTP, fails(2), line=4)
    assert found.requests_lost == 2


def test_who_waited_in_another_slot_is_hit_and_innocent() -> None:
    parts = (LOADING, READY, begins(1, 0), begins(2, 1), REFUSED.format(s=0), MTP, fails(1), fails(2))
    found = hit(*parts, line=5, span=(5, 11))
    assert (found.requests_lost, found.requests_innocent) == (2, 1)


def test_where_both_slots_were_refused_nobody_is_innocent() -> None:
    parts = (
        LOADING,
        READY,
        begins(1, 0),
        begins(2, 1),
        REFUSED.format(s=0),
        MTP,
        REFUSED.format(s=1),
        MTP,
        fails(1),
        fails(2),
    )
    found = hit(*parts, line=5, span=(5, 16))
    assert (found.requests_lost, found.requests_innocent) == (2, 0)


def test_without_positions_nobody_is_called_innocent() -> None:
    found = hit(LOADING, READY, begins(1, 0), begins(2, 1), MTP, fails(1), fails(2), line=5, span=(5, 7))
    assert (found.requests_lost, found.requests_innocent) == (2, 0)


def test_a_text_request_that_finished_later_proves_that_text_works() -> None:
    found = hit(LOADING, READY, begins(1), MTP, fails(1), begins(2), ends(2), line=4, span=(4, 5))
    assert (found.text_requests, found.text_proof_line) == ("ok", 7)


def test_a_request_that_began_before_the_failure_proves_nothing() -> None:
    found = hit(LOADING, READY, begins(1), begins(2, 1), MTP, fails(1), ends(2, 1), line=5, span=(5, 6))
    assert (found.text_requests, found.text_proof_line) == ("unknown", None)


def test_an_image_request_that_finished_later_proves_nothing_of_text() -> None:
    found = hit(
        LV4, LOADING, PROJECTOR, READY, begins(1), MTP, fails(1), begins(2), image(2), ends(2), line=6, span=(6, 7)
    )
    assert (found.server, found.text_requests) == ("alive", "unknown")


def test_a_server_that_ended_in_the_failure_is_dead() -> None:
    found = hit(LOADING, READY, begins(1), ASSERT, line=4, span=(4, 4))
    assert (found.server, found.text_requests) == ("dead", "fail")


def test_a_failure_that_the_logger_prints_below_the_abort_is_of_the_dead_server() -> None:
    found = hit(LOADING, READY, ASSERT, "Aborted (core dumped)", MTP, line=5, span=(5, 5))
    assert found.server == "dead"


def test_a_start_that_did_not_come_up_is_dead_where_the_failure_is_fatal() -> None:
    assert hit(LOADING, MTP, line=2, span=(2, 2), severity="fatal").server == "dead"
    assert hit(LOADING, MTP, line=2, span=(2, 2)).server == "unknown"


def test_a_clean_stop_later_shows_that_the_server_lived() -> None:
    assert hit(LOADING, READY, MTP, CLEANUP, line=3, span=(3, 3)).server == "alive"


def test_a_log_that_stops_within_a_request_leaves_the_server_open() -> None:
    assert hit(LOADING, READY, begins(1), MTP, line=4, span=(4, 4)).server == "unknown"


def test_the_recorded_innocent_victim_is_counted() -> None:
    found = report(sample("dflash-on-mrope-two-slots-innocent-victim-b11434")).diagnoses[0].impact
    assert (found.server, found.requests_lost, found.requests_innocent) == ("alive", 2, 1)


def test_a_router_serves_on_when_one_of_its_children_cannot_load() -> None:
    # recorded on b11434: the other child answered 200 before and after
    text = (Path(__file__).parents[1] / "data" / "router-one-child-cannot-load-b11434.log").read_text()
    first = report(text).diagnoses[0]
    assert (first.signature, first.impact.server) == ("model-file-truncated", "alive")
