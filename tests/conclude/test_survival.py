"""Deaths that the rest of the log contradicts."""

from tests.build import report, sample

HEALTHY = sample("mtp-mrope-images-ok-lv4-b9871").split("\n")
ENDS = [number for number, line in enumerate(HEALTHY) if "stop processing" in line]
DEATH = "/srv/src/ggml/src/ggml-cuda/ggml-cuda.cu:99: CUDA error: out of memory"


def test_what_kills_a_server_is_only_possible_where_later_requests_were_finished() -> None:
    first = report("\n".join([*HEALTHY[: ENDS[0] + 1], DEATH, *HEALTHY[ENDS[0] + 1 :]])).diagnoses[0]
    assert (first.signature, first.confidence, first.impact.server) == ("cuda-oom-runtime", "possible", "alive")
    assert "finished requests that began after it" in " ".join(first.arithmetic)


def test_it_is_certain_where_nothing_follows() -> None:
    first = report("\n".join([*HEALTHY[: ENDS[-1] + 1], DEATH])).diagnoses[0]
    assert (first.signature, first.confidence, first.impact.server) == ("cuda-oom-runtime", "certain", "dead")
    assert first.arithmetic == ()
