"""The facts of a session that no module of its own works out."""

import pytest

from diag.model.events.server import SessionEnded, SessionStarted
from diag.model.form import Command, Form
from tests.build import session

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
PROJECTOR = "0.00.022.044 I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
READY = "0.00.025.535 I srv  llama_server: model loaded"
JUMP = "0.01.046.626 W find_slot: non-consecutive token position 21 after 20 for sequence 0 with 49 new tokens"
IMAGE = "0.00.193.893 I decoding image batch 1/1, n_tokens_batch = 49"
SLOTS = "0.00.022.395 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 2048, kv_unified = 'false'"


@pytest.mark.parametrize(
    ("lines", "image_input"),
    [
        # every build prints the projector it loads, so a whole start without one takes no images
        ((LOADING, READY), "excluded"),
        ((LOADING, PROJECTOR, READY), "possible"),
        ((LOADING, PROJECTOR, READY, IMAGE), "seen"),
        ((LOADING, PROJECTOR, READY, JUMP), "seen"),
        # hybrid targets print that line for other reasons too
        ((LOADING, READY, JUMP), "excluded"),
        ((READY,), "unknown"),
        ((LOADING,), "unknown"),
        ((IMAGE,), "seen"),
    ],
)
def test_whether_the_session_takes_images(lines: tuple[str, ...], image_input: str) -> None:
    assert session("\n".join(lines)).image_input == image_input


def test_a_projector_on_the_command_line_makes_images_possible() -> None:
    form = Form(commands=(Command(1, "llama-server --mmproj p.gguf", ("llama-server", "--mmproj", "p.gguf")),))
    assert session(READY, form=form).image_input == "possible"


@pytest.mark.parametrize(
    ("lines", "n_slots", "n_ctx_slot"),
    [
        ((SLOTS,), 2, 2048),
        (
            (
                "srv    load_model: initializing slots, n_slots = 1",
                "slot   load_model: id  0 | task -1 | new slot, n_ctx = 4096",
            ),
            1,
            4096,
        ),
        (("init: initializing slots | n_slots=3", "init: new slot | id_slot=0 n_ctx_slot=4096"), 3, 4096),
        ((READY,), None, None),
    ],
)
def test_slots_and_their_context(lines: tuple[str, ...], n_slots: int | None, n_ctx_slot: int | None) -> None:
    one = session("\n".join(lines))
    assert (one.n_slots, one.n_ctx_slot) == (n_slots, n_ctx_slot)


def test_of_two_contexts_the_targets_which_is_printed_first_counts() -> None:
    context = "0.00.010.000 I llama_context: {} = {}"
    one = session(
        "\n".join(
            (LOADING, context.format("n_ctx", 2048), context.format("n_batch", 512), context.format("n_ctx", 256))
        )
    )
    assert one.context == {"n_ctx": "2048", "n_batch": "512"}


def test_the_verbosity_is_printed_or_asked_for() -> None:
    printed = "0.00.004.641 I cmn  common_param: common_params_print_info: verbosity = 3"
    form = Form(commands=(Command(1, "llama-server -lv 4", ("llama-server", "-lv", "4")),))
    assert session(printed).verbosity == 3
    assert session(READY, form=form).verbosity == 4
    assert session(READY).verbosity is None


def test_the_derived_events_say_where_a_session_begins_and_ends() -> None:
    one = session("\n".join((LOADING, READY)))
    (began,) = [event for event in one.events if isinstance(event, SessionStarted)]
    (ended,) = [event for event in one.events if isinstance(event, SessionEnded)]
    assert (began.line.number, ended.line.number, ended.kind, ended.during) == (1, 2, "running", "idle")


def test_the_backend_that_failed_is_kept() -> None:
    assert session("\n".join((LOADING, READY, "ROCm error: invalid device function"))).crashed_backend == "rocm"


def test_answers_are_counted_by_status_and_health_checks_are_not() -> None:
    done = "srv  log_server_r: done request: POST /completion 127.0.0.1 {}"
    health = "srv  log_server_r: done request: GET /health 127.0.0.1 503"
    one = session("\n".join((LOADING, READY, health, done.format(200), done.format(500), done.format(200))))
    assert one.answers == {200: (2, 4), 500: (1, 5)}
