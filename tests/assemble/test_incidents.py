"""Runs of warnings, errors and raw lines, and what ends them."""

from diag.assemble.incidents import group_incidents
from diag.model.events.tone import is_quiet
from diag.model.run import Incident
from tests.build import events, session, sessions, woven

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
TASK = "0.00.072.938 I slot launch_slot_: id  0 | task 8 | processing task, is_child = 0"
IMAGE = "0.00.193.893 I decoding image batch 1/1, n_tokens_batch = 49"
FAILED = "0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)"
SYMPTOM = "0.00.080.381 E srv        decode: failed to process speculative batch"
RELEASE = "0.00.080.501 I slot      release: id  0 | task 8 | stop processing: n_tokens = 71, truncated = 0"
CANCEL = "0.00.080.528 W srv          stop: cancel task, id_task = 8"
BANNER = "0.00.004.770 W srv  llama_server: security: no API key is set and CORS allows all origins"
BENIGN = "0.00.011.022 E llama_init_from_model: failed to initialize the context: dflash requires ctx_other to be set (this warning is normal during memory fitting)"


def incidents(*parts: str) -> tuple[Incident, ...]:
    return session("\n".join(parts)).incidents


def spans(*parts: str) -> list[tuple[int, int]]:
    return [(item.first_line, item.last_line) for item in incidents(*parts)]


def test_a_healthy_stretch_has_no_incident() -> None:
    assert spans(LOADING, BANNER, READY, TASK, RELEASE) == []


def test_failures_in_a_row_are_one_incident() -> None:
    assert spans(LOADING, READY, TASK, FAILED, SYMPTOM, CANCEL) == [(4, 6)]


def test_a_request_between_two_failures_makes_two_incidents() -> None:
    assert spans(LOADING, READY, TASK, FAILED, SYMPTOM, TASK, FAILED, SYMPTOM) == [(4, 5), (7, 8)]


def test_the_release_of_the_failed_task_does_not_end_its_incident() -> None:
    assert spans(LOADING, READY, TASK, FAILED, RELEASE, CANCEL) == [(4, 6)]


def test_a_benign_line_neither_begins_nor_ends_an_incident() -> None:
    assert spans(BENIGN, LOADING, READY) == []
    assert spans(LOADING, READY, TASK, FAILED, BENIGN, SYMPTOM) == [(4, 6)]


def test_the_image_lines_that_lead_into_a_failure_belong_to_it() -> None:
    assert spans(LOADING, READY, TASK, IMAGE, FAILED, SYMPTOM) == [(4, 6)]


def test_image_lines_of_a_healthy_request_do_not_lead_into_a_later_failure() -> None:
    assert spans(LOADING, READY, TASK, IMAGE, TASK, FAILED) == [(6, 6)]
    assert spans(LOADING, READY, TASK, IMAGE) == []


def test_two_streams_do_not_share_incidents() -> None:
    found = sessions(woven(("a", FAILED), ("b", FAILED), ("a", SYMPTOM), ("b", SYMPTOM)))
    assert [[(item.first_line, item.last_line) for item in one.incidents] for one in found] == [[(1, 3)], [(2, 4)]]


def test_the_events_of_an_incident_stand_in_the_order_of_lines() -> None:
    (incident,) = group_incidents(events("\n".join((IMAGE, FAILED, SYMPTOM))))
    assert [event.line.number for event in incident.events] == [1, 2, 3]


def test_what_healthy_servers_print_is_quiet_and_failures_are_not() -> None:
    quiet = {
        type(event).__name__: is_quiet(event)
        for event in events("\n".join((LOADING, READY, TASK, FAILED, CANCEL, RELEASE)))
    }
    assert quiet == {
        "ModelLoading": True,
        "ModelLoaded": True,
        "TaskStarted": True,
        "DraftDecodeFailed": False,
        "TaskCancelled": False,
        "TaskReleased": False,  # it stands between the lines of a failure
    }
