"""Sentences that speak of a failure and are no line of a log."""

import pytest

from tests.build import report, sample


@pytest.mark.parametrize(
    "text",
    [
        "The CUDA error: out of memory is solved with -c 4096, thanks. Closing.",
        'When I send a picture I get "failed to process speculative batch" and the server goes on.',
        "It crashed with out of memory yesterday and I no longer have the log",
        "* fix the segmentation fault with failed to process speculative batch in the release",
    ],
)
def test_a_persons_sentence_is_no_failure_of_a_server(text: str) -> None:
    found = report(text)
    assert [item.signature for item in found.diagnoses] == ["insufficient-log"]
    assert not found.is_llama_log


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("CUDA error: out of memory", "cuda-oom-runtime"),
        ("Error: llama runner process has terminated: CUDA error: out of memory", "cuda-oom-runtime"),
        (
            "I see this when I send a picture with the server that I have:\n"
            "0.05.080.381 E srv        decode: failed to process speculative batch",
            "speculative-batch-failed",
        ),
        (
            " it is required that the sequence positions remain consecutive: Y = X + 1\n"
            "E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)",
            "mtp-one-axis-image-position-gap",
        ),
    ],
)
def test_what_a_program_printed_or_passed_on_stays_one(text: str, first: str) -> None:
    assert report(text).diagnoses[0].signature == first


def test_a_long_text_is_never_only_prose() -> None:
    sentence = "The CUDA error: out of memory is solved with the smaller context.\n"
    assert report(sentence * 61).diagnoses[0].signature != "insufficient-log"
    assert report(sample("draft-file-missing-b11434") + sentence).diagnoses[0].signature == "draft-file-missing"
