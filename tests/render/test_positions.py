"""The text and the data of `diag positions`."""

import dataclasses
import datetime as dt
import functools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diag.positions.drafters import FAMILIES, NAMES, choose, fitting_target
from diag.positions.play import Remedy
from diag.positions.prompt import Target
from diag.render import positions as table
from tests.build import catalog

SHORT = "text:3 image:4 text:3"
UPSTREAM = catalog().upstream
describe = functools.partial(table.describe, upstream=UPSTREAM)
as_dict = functools.partial(table.as_dict, upstream=UPSTREAM)


def test_the_overview_shows_both_numberings_and_every_drafter_under_every_remedy():
    # X and Y worked out by hand from the numbering; draft-local as in the discussion of PR 25144
    rows = describe(SHORT).splitlines()
    assert rows[0].startswith("What each kind of drafter does with this prompt")
    assert "None of them is a switch of llama-server." in " ".join(rows[:3])
    begin = rows.index("text:3 image:4 text:3: 10 rows, mrope target, drafters as on b11434")
    assert rows[begin : begin + 14] == [
        "text:3 image:4 text:3: 10 rows, mrope target, drafters as on b11434",
        "target       0 1 2 [3 3 3 3] 7 8 9",
        "draft-local  0 1 2 3 4 5",
        "",
        "drafter                     verbatim copy relaxed check dropped    draft-local",
        "MTP head, one axis          X=2 Y=7 no    hole of 4     no drafts  accepted",
        "MTP head, M-RoPE            accepted      accepted      accepted   accepted",
        "MTP head, shared cache      unaffected    unaffected    unaffected unaffected",
        "DFlash, one axis            X=2 Y=7 no    hole of 4     no drafts  accepted",
        "DFlash, M-RoPE sections     accepted      accepted      accepted   accepted",
        "EAGLE-3                     X=1 Y=7 no    hole of 5     no drafts  accepted",
        "independent draft, one axis X=3 Y=7 no    hole of 3     no drafts  accepted",
        "independent draft, M-RoPE   accepted      accepted      accepted   accepted",
        "ngram (no draft model)      unaffected    unaffected    unaffected unaffected",
    ]


@pytest.mark.parametrize(
    ("family", "target"),
    [
        (None, Target.MROPE),
        ("mtp-one-axis", Target.ONE_AXIS),
        ("shared-cache", Target.ONE_AXIS),
        ("mtp-mrope", Target.MROPE),
        ("dflash", Target.MROPE),  # occurs with both
    ],
)
def test_a_family_has_the_target_it_occurs_with(family, target):
    assert fitting_target(choose(family)) is target


def test_a_target_that_does_not_occur_is_said_before_the_numbers():
    text = describe(SHORT, Target.MROPE, "mtp-one-axis")
    assert text.index("is known: only arithmetic") < text.index("drafter  ")
    assert "only arithmetic" not in describe(SHORT, Target.ONE_AXIS, "mtp-one-axis")
    assert "only arithmetic" not in describe(SHORT)


def test_the_remedies_are_explained_under_the_table():
    assert "dropped: no drafts from the refused batch on; only starting without" in describe(SHORT)
    assert "relaxed check:" not in describe(SHORT, remedy=Remedy.LOCAL)


def test_one_family_shows_its_batches_its_arithmetic_its_price_and_its_sources():
    text = describe("text:20 image:16 text:39", Target.ONE_AXIS, "eagle3", Remedy.VERBATIM, 9871)
    assert "EAGLE-3, verbatim copy: refused at batch 3 (X = 18, Y = 36)" in text
    assert "  3  text 39       36-74           36-73           18      Y = X + 1 refused" in text
    assert "  gap    Y - X - 1 = 36 - 18 - 1 = 17: 16 of the image and the one row that" in text
    assert "  cost   The request fails with HTTP 500" in text
    assert "drafters as on b9871" in text
    assert "checked 2026-11-30" in text


def test_the_state_of_the_proposal_is_that_of_the_registry():
    ref = "ggml-org/llama.cpp#25144"
    (drafted,) = as_dict(SHORT, family="mtp-one-axis", remedy=Remedy.DROPPED)["plays"]
    shipped = UPSTREAM[ref]
    assert drafted["sources"] == [{"ref": f"{ref}, {shipped.state_words}", "checked": shipped.seen}]
    day = dt.date(2027, 1, 5)
    merged = dataclasses.replace(shipped, state="merged", merged=day, checked=dt.date(2027, 1, 9))
    text = table.describe(SHORT, family="mtp-one-axis", remedy=Remedy.DROPPED, upstream={**UPSTREAM, ref: merged})
    assert f"  {ref}, merged 2027-01-05, checked 2027-01-09" in text.splitlines()


def test_an_independent_draft_under_mrope_explains_the_missing_one():
    text = describe("text:21 image:7x7 text:40", Target.MROPE, "independent-one-axis", Remedy.VERBATIM)
    assert "Y - X - 1 = 28 - 21 - 1 = 6: the image's 7 positions less the one" in text


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["text:1", "text:77777", "image:9", "image:640x480", "image:1x1"]), min_size=1, max_size=20
    ),
    st.sampled_from(list(Target)),
    st.sampled_from([None, *NAMES, *FAMILIES]),
    st.sampled_from([None, *Remedy]),
    st.sampled_from([None, 9871, 10500, 10700, 11434]),
)
def test_no_line_is_wider_than_eighty_columns(words, target, family, remedy, build):
    text = describe(" ".join(words), target, family, remedy, build)
    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith("\n")


@pytest.mark.parametrize("family", [None, *NAMES, *FAMILIES])
def test_the_dict_is_ready_for_json(family):
    document = as_dict(SHORT, family=family)
    assert json.loads(json.dumps(document)) == document


def test_the_dict_holds_the_same_numbers_as_the_text():
    document = as_dict("text:20 image:16 text:39", Target.ONE_AXIS, "eagle3", Remedy.VERBATIM, 9871)
    assert document["target"]["segments"][1] == {
        "kind": "image", "n_rows": 16, "grid": [16, 1], "first": 20, "last": 35, "span": 16,
    }  # fmt: skip
    (only,) = document["plays"]
    wanted = {
        "family": "eagle3", "position_class": "one-axis-separate", "remedy": "verbatim", "verdict": "refused",
        "refused_at_batch": 3, "rule": "consecutive", "x": 18, "y": 36, "gap": 17, "missed": 16,
        "n_hole": 17, "n_unseen_rows": 16,
    }  # fmt: skip
    assert {key: only[key] for key in wanted} == wanted
    assert only["batches"][2]["draft"] == {"first": 36, "last": 73, "n_rows": 38}
    assert all(source["checked"] for source in only["sources"])


def test_a_play_without_a_refusal_has_no_x_and_no_y():
    (only,) = as_dict(SHORT, family="mtp-mrope", remedy=Remedy.VERBATIM)["plays"]
    assert (only["x"], only["y"], only["gap"], only["refused_at_batch"], only["verdict"]) == (
        None,
        None,
        None,
        None,
        "accepted",
    )
