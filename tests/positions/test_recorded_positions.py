"""The model against X and Y read from logs of real servers; every figure is copied from a log or a report."""

import pytest

from diag.positions.drafters import choose
from diag.positions.play import Remedy, play
from diag.positions.prompt import Target, parse_prompt

ONE_AXIS_CHAT = "text:20 image:16 text:39"  # a one-axis projector of 16 tokens; task of 75 tokens
MROPE_CHAT = "text:21 image:7x7 text:40"  # 49 merged patches; task of 110 tokens


def _play(name, target, prompt, build):
    (drafter,) = choose(name)
    return play(parse_prompt(prompt), target, drafter, Remedy.VERBATIM, build)


# (recording, drafter, target, build, X, Y)
REFUSED_ONE_AXIS = [
    ("b9871-vision-mtp-step35", "mtp-one-axis", 9871, 19, 36),
    ("b9871-vision-mtp-step35-lv1", "mtp-one-axis", 9871, 19, 36),
    ("b9871-vision-mtp-step35-lv4", "mtp-one-axis", 9871, 19, 36),
    ("b9871-vision-mtp3-step35-lv4", "mtp-one-axis", 9871, 19, 36),
    ("b9871-vision-mtp-file-step35-lv4", "mtp-one-axis", 9871, 19, 36),
    ("b10189-vision-mtp-step35", "mtp-one-axis", 10189, 19, 36),
    ("b10189-vision-mtp-step35-lv1", "mtp-one-axis", 10189, 19, 36),
    ("b10189-vision-mtp-step35-lv4", "mtp-one-axis", 10189, 19, 36),
    ("b10189-vision-mtp3-step35-lv4", "mtp-one-axis", 10189, 19, 36),
    ("b10189-vision-mtp-file-step35-lv4", "mtp-one-axis", 10189, 19, 36),
    ("b11434-vision-mtp-step35", "mtp-one-axis", 11434, 19, 36),
    ("b11434-vision-mtp-step35-lv1", "mtp-one-axis", 11434, 19, 36),
    ("b11434-vision-mtp-step35-lv4", "mtp-one-axis", 11434, 19, 36),
    ("b11434-vision-mtp3-step35-lv4", "mtp-one-axis", 11434, 19, 36),
    ("b11434-vision-mtp-file-step35-lv4", "mtp-one-axis", 11434, 19, 36),
    ("b9871-vision-dflash", "dflash-one-axis", 9871, 19, 36),
    ("b10189-vision-dflash", "dflash-one-axis", 10189, 19, 36),
    ("b9871-vision-eagle3", "eagle3", 9871, 18, 36),
    ("b9871-vision-eagle3-lv4", "eagle3", 9871, 18, 36),
    ("b10189-vision-eagle3", "eagle3", 10189, 18, 36),
    ("b10189-vision-eagle3-lv4", "eagle3", 10189, 18, 36),
    ("b11434-vision-eagle3", "eagle3", 11434, 18, 36),
    ("b11434-vision-eagle3-lv4", "eagle3", 11434, 18, 36),
]

REFUSED_MROPE = [
    ("b9871-vision-dflash-qwen35-lv4", "dflash-one-axis", 9871, 20, 28),
    ("b10189-vision-dflash-qwen35-lv4", "dflash-one-axis", 10189, 20, 28),
    ("b11434-vision-dflash-qwen35-lv4", "dflash-one-axis", 11434, 20, 28),
    ("b9464-vision-draft-mrope", "independent-one-axis", 9464, 21, 28),
    ("b9464-vision-draft-mrope-lv4", "independent-one-axis", 9464, 21, 28),
    ("b9871-vision-draft-mrope", "independent-one-axis", 9871, 21, 28),
    ("b9871-vision-draft-mrope-lv4", "independent-one-axis", 9871, 21, 28),
    ("b10189-vision-draft-mrope", "independent-one-axis", 10189, 21, 28),
    ("b10189-vision-draft-mrope-lv4", "independent-one-axis", 10189, 21, 28),
    ("b11434-vision-draft-mrope", "independent-one-axis", 11434, 21, 28),
    ("b11434-vision-draft-mrope-lv4", "independent-one-axis", 11434, 21, 28),
]


@pytest.mark.parametrize(("recording", "name", "build", "x", "y"), REFUSED_ONE_AXIS, ids=str)
def test_a_recorded_refusal_under_a_one_axis_target_is_reproduced(recording, name, build, x, y):
    played = _play(name, Target.ONE_AXIS, ONE_AXIS_CHAT, build)
    assert (played.refused.number, played.refused.x, played.refused.first) == (3, x, y), recording
    assert played.missed == 16, "the image of every one-axis recording has 16 tokens"


@pytest.mark.parametrize(("recording", "name", "build", "x", "y"), REFUSED_MROPE, ids=str)
def test_a_recorded_refusal_under_an_mrope_target_is_reproduced(recording, name, build, x, y):
    played = _play(name, Target.MROPE, MROPE_CHAT, build)
    assert (played.refused.number, played.refused.x, played.refused.first) == (3, x, y), recording
    assert played.missed == 7, "7 by 7 patches move the target on by 7"


@pytest.mark.parametrize(("name", "n_tokens"), [("dflash-one-axis", 39), ("eagle3", 38)])
def test_the_refused_batch_has_as_many_rows_as_the_failing_line_says(name, n_tokens):
    # b9871-vision-dflash: (n_tokens=39, offset=0); b9871-vision-eagle3: (n_tokens=38, ubatch_pos[0]=36)
    assert _play(name, Target.ONE_AXIS, ONE_AXIS_CHAT, 9871).refused.n_rows == n_tokens


# Recordings whose image request was answered with 200.
WORKED = [
    ("b9464-vision-mtp-qwen35", "mtp-mrope", Target.MROPE, 9464),
    ("b9871-vision-mtp-qwen35", "mtp-mrope", Target.MROPE, 9871),
    ("b10189-vision-mtp-qwen35", "mtp-mrope", Target.MROPE, 10189),
    ("b11434-vision-mtp-qwen35", "mtp-mrope", Target.MROPE, 11434),
    ("b11434-vision-dflash", "dflash-one-axis", Target.ONE_AXIS, 11434),
    ("b11434, DFlash file with rope.dimension_sections", "dflash-mrope", Target.MROPE, 11434),
    ("b9464-vision-draft-lv4", "independent-one-axis", Target.ONE_AXIS, 9464),
    ("b9871-vision-draft-lv4", "independent-one-axis", Target.ONE_AXIS, 9871),
    ("b10189-vision-draft-narrow", "independent-one-axis", Target.ONE_AXIS, 10189),
    ("b11434-vision-draft-narrow", "independent-one-axis", Target.ONE_AXIS, 11434),
    ("b9464-vision-draft-mrope-both", "independent-mrope", Target.MROPE, 9464),
    ("b9871-vision-draft-mrope-both", "independent-mrope", Target.MROPE, 9871),
    ("b10189-vision-draft-mrope-both", "independent-mrope", Target.MROPE, 10189),
    ("b11434-vision-draft-mrope-both", "independent-mrope", Target.MROPE, 11434),
    ("b9871, gemma4 with gemma4-assistant", "shared-cache", Target.ONE_AXIS, 9871),
    ("b11434, gemma4 with gemma4-assistant", "shared-cache", Target.ONE_AXIS, 11434),
    ("b9871, ngram-mod", "ngram", Target.ONE_AXIS, 9871),
]


@pytest.mark.parametrize(("recording", "name", "target", "build"), WORKED, ids=str)
def test_a_recorded_image_request_that_worked_has_no_refused_batch(recording, name, target, build):
    prompt = ONE_AXIS_CHAT if target is Target.ONE_AXIS else MROPE_CHAT
    assert _play(name, target, prompt, build).refused is None, recording


@pytest.mark.parametrize("build", [9871, 10189])
def test_older_builds_refuse_a_dflash_file_with_sections_as_if_it_had_none(build):
    played = _play("dflash-mrope", Target.MROPE, MROPE_CHAT, build)
    assert (played.refused.x, played.refused.first, played.refused.rule.value) == (20, 28, "consecutive")


# Further recordings and reports: (what, drafter, target, prompt, build, batch, X, Y)
MORE = [
    ("two adjacent images: one gap over both", "eagle3", Target.ONE_AXIS,
     "text:8 image:16 image:16 text:9", 11434, 4, 6, 40),
    ("two images, text between: refused there", "dflash-one-axis", Target.ONE_AXIS,
     "text:15 image:16 text:5 image:16 text:9", 9871, 3, 14, 31),
    ("EAGLE-3, first turn of a conversation", "eagle3", Target.ONE_AXIS,
     "text:12 image:16 text:9", 11434, 3, 10, 28),
    ("DFlash with a prompt-cache swap, image turn", "dflash-one-axis", Target.ONE_AXIS,
     "text:8 image:16 text:9", 9871, 3, 7, 24),
    ("step35 re-processes the image each turn", "mtp-one-axis", Target.ONE_AXIS,
     "text:12 image:16 text:9", 11434, 3, 11, 28),
    ("64-token image after 15 tokens, MTP", "mtp-one-axis", Target.ONE_AXIS,
     "text:15 image:64 text:9", 11434, 3, 14, 79),
    ("64-token image after 15 tokens, DFlash", "dflash-one-axis", Target.ONE_AXIS,
     "text:15 image:64 text:9", 9871, 3, 14, 79),
    ("64-token image after 15 tokens, EAGLE-3", "eagle3", Target.ONE_AXIS,
     "text:15 image:64 text:9", 11434, 3, 13, 79),
    ("64 positions, independent draft", "independent-one-axis", Target.MROPE,
     "text:15 image:64 text:9", 11434, 3, 15, 79),
    ("reported for b10901 to b11302", "dflash-one-axis", Target.MROPE,
     "text:4 image:14x14 text:9", 10901, 3, 3, 18),
    ("reported in PR 22105: draft at 10, text at 84", "dflash-one-axis", Target.MROPE,
     "text:11 image:73x40 text:9", 9871, 3, 10, 84),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "name", "target", "prompt", "build", "batch", "x", "y"), MORE, ids=[each[0] for each in MORE]
)
def test_a_further_figure_from_a_real_server_is_reproduced(what, name, target, prompt, build, batch, x, y):
    played = _play(name, target, prompt, build)
    assert (played.refused.number, played.refused.x, played.refused.first) == (batch, x, y), what


def test_the_word_between_two_images_is_the_refused_batch():
    # the failing line said n_tokens=5, and the second image was never reached
    played = _play("dflash-one-axis", Target.ONE_AXIS, "text:15 image:16 text:5 image:16 text:9", 9871)
    assert played.refused.n_rows == 5
    assert [step.outcome for step in played.steps] == ["accepted", "not given", "refused", "not reached", "not reached"]


def test_two_adjacent_images_leave_one_gap_over_both():
    # EAGLE-3, X = 6, Y = 40: 33 = 2 x 16 + 1
    played = _play("eagle3", Target.ONE_AXIS, "text:8 image:16 image:16 text:9", 11434)
    assert (played.n_hole, played.missed) == (33, 32)


@pytest.mark.parametrize("remedy", list(Remedy))
def test_a_shared_cache_run_as_a_plain_draft_is_refused_on_text_at_zero(remedy):
    # Gemma 4 assistant with --spec-type draft-simple: X = last position of the target's batch, Y = 0
    (drafter,) = choose("shared-cache-as-simple")
    played = play(parse_prompt("text:46"), Target.ONE_AXIS, drafter, remedy)
    assert (played.refused.number, played.refused.x, played.refused.first) == (1, 45, 0)
    assert played.missed is None
