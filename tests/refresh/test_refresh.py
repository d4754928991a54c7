"""Items asked of an API, one after the other: what is read, what is said where nothing can be read, when it stops."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

import pytest

from diag.model.catalog import UpstreamItem
from diag.model.refresh import Outcome, Sighting
from diag.refresh.api import Api
from diag.refresh.refresh import Refresh
from tests.refresh.fake_api import FakeApi, Reply, issue, issue_of_pull, pull, release

TODAY = dt.date(2026, 12, 10)
NOON = 1_796_904_000.0  # 2026-12-10 12:00:00 UTC
LLAMA = "/repos/ggml-org/llama.cpp"


@dataclass
class Clock:
    """Time that passes only while something sleeps."""

    now: float = NOON
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def item(ref: str, kind: str = "issue", state: str = "open", **fields: Any) -> UpstreamItem:
    return UpstreamItem(ref, kind, "own words", state, dt.date(2026, 9, 1), source="thread as stored", **fields)


def refreshed(
    api: FakeApi, *items: UpstreamItem, known: dict[str, Sighting] | None = None, clock: Clock | None = None, **how: Any
) -> tuple[list[Outcome], Refresh]:
    clock = clock or Clock()
    client = Api(api.base, how.pop("token", ""), clock=lambda: clock.now, sleep=clock.sleep, **how)
    run = Refresh(client, known or {}, TODAY)
    return list(run.run(items)), run


THREADS = [
    ("an open issue", "issue", "issues", issue(7), ("open", None, None)),
    ("a closed issue", "issue", "issues", issue(7, state="closed", closed_at="2026-12-01T00:00:01Z"), ("closed", None, dt.date(2026, 12, 1))),
    ("an open pull request", "pull-request", "pulls", pull(7), ("open", None, None)),
    ("a draft", "pull-request", "pulls", pull(7, draft=True), ("draft", None, None)),
    (
        "a merged pull request, whose closing is its merge",
        "pull-request",
        "pulls",
        pull(7, state="closed", closed_at="2026-12-02T00:00:00Z", merged_at="2026-12-02T00:00:00Z"),
        ("merged", dt.date(2026, 12, 2), None),
    ),
    (
        "a draft that was closed",
        "pull-request",
        "pulls",
        pull(7, draft=True, state="closed", closed_at="2026-12-03T00:00:00Z"),
        ("closed", None, dt.date(2026, 12, 3)),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "word", "document", "expected"), [row[1:] for row in THREADS], ids=[row[0] for row in THREADS]
)
def test_state_and_dates_are_those_of_the_thread(
    api: FakeApi, kind: str, word: str, document: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    api.put(f"{LLAMA}/{word}/7", Reply(200, document))
    (outcome,), run = refreshed(api, item("ggml-org/llama.cpp#7", kind, "unknown"))
    new = outcome.new
    assert (new.state, new.merged, new.closed) == expected
    assert (new.opened, new.checked) == (dt.date(2026, 7, 1), TODAY)
    assert (new.title, new.title_exact) == (document["title"], True)
    assert new.source == "GitHub API, 2026-12-10; before: thread as stored"
    assert run.stop is None
    assert api.paths() == [f"{LLAMA}/{word}/7"]


def test_a_reopened_thread_loses_its_closing_day(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue(7)))
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7", state="closed", closed=dt.date(2026, 8, 1)))
    assert (outcome.new.state, outcome.new.closed) == ("open", None)


def test_the_day_a_pull_request_turned_into_a_draft_stays(api: FakeApi) -> None:
    api.put(f"{LLAMA}/pulls/7", Reply(200, pull(7, draft=True)))
    day = dt.date(2026, 7, 8)
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7", "pull-request", "draft", draft_since=day))
    assert (outcome.new.state, outcome.new.draft_since) == ("draft", day)


def test_a_release_keeps_own_words_where_its_name_is_its_tag(api: FakeApi) -> None:
    api.put(f"{LLAMA}/releases/tags/b9871", Reply(200, release("b9871", "b9871", "2026-08-01")))
    api.put(f"{LLAMA}/releases/tags/v1.0.0", Reply(200, release("v1.0.0", "One", "2026-11-13")))
    outcomes, _ = refreshed(
        api,
        item("ggml-org/llama.cpp@b9871", "release", "unknown", title_exact=False),
        item("ggml-org/llama.cpp@v1.0.0", "release", "unknown", title_exact=False),
    )
    assert [(found.new.title, found.new.title_exact) for found in outcomes] == [("own words", False), ("One", True)]
    assert [(found.new.state, found.new.merged) for found in outcomes] == [
        ("merged", dt.date(2026, 8, 1)),
        ("merged", dt.date(2026, 11, 13)),
    ]


def test_a_number_of_the_other_kind_is_asked_again_and_its_kind_is_put_right(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue_of_pull(7)))
    api.put(f"{LLAMA}/pulls/7", Reply(200, pull(7, draft=True)))
    api.put(f"{LLAMA}/issues/8", Reply(200, issue(8)))
    outcomes, _ = refreshed(api, item("ggml-org/llama.cpp#7", "issue"), item("ggml-org/llama.cpp#8", "pull-request"))
    assert [(found.new.kind, found.new.state) for found in outcomes] == [("pull-request", "draft"), ("issue", "open")]
    assert api.paths() == [f"{LLAMA}/{path}" for path in ("issues/7", "pulls/7", "pulls/8", "issues/8")]


def test_requests_carry_the_headers_the_api_asks_for_and_the_token(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue(7)))
    refreshed(api, item("ggml-org/llama.cpp#7"), token="made-up")
    headers = api.asked[0][1]
    assert headers["user-agent"] == "llama-diag"
    assert headers["x-github-api-version"] == "2022-11-28"
    assert headers["accept"] == "application/vnd.github+json"
    assert headers["authorization"] == "Bearer made-up"
    assert "if-none-match" not in headers


def test_without_a_token_none_is_sent(api: FakeApi) -> None:
    refreshed(api, item("ggml-org/llama.cpp#7"))
    assert "authorization" not in api.asked[0][1]


def test_what_did_not_change_is_taken_from_the_earlier_sighting(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue(7, title="first"), {"ETag": 'W/"abc"'}))
    (first,), _ = refreshed(api, item("ggml-org/llama.cpp#7"))
    assert first.seen is not None
    earlier = {"ggml-org/llama.cpp#7": Sighting(**{**fields_of(first.seen), "checked": dt.date(2026, 11, 1)})}
    (second,), _ = refreshed(api, item("ggml-org/llama.cpp#7", state="unknown"), known=earlier)
    assert api.asked[1][1]["if-none-match"] == 'W/"abc"'
    assert second.unchanged
    assert (second.new.state, second.new.title, second.new.checked) == ("open", "first", TODAY)


def test_an_etag_is_only_sent_to_the_address_it_came_from(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue(7), {"ETag": '"abc"'}))
    other = Sighting("ggml-org/llama.cpp#7", "issue", "x", "closed", TODAY, url="http://127.0.0.1:1/x", etag='"abc"')
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7"), known={other.ref: other})
    assert "if-none-match" not in api.asked[0][1]
    assert outcome.new.state == "open"


def test_a_renamed_repository_is_followed_and_said(api: FakeApi) -> None:
    api.put(
        "/repos/ggerganov/llama.cpp/issues/7",
        Reply(301, {"message": "Moved"}, {"Location": f"{api.base}/repositories/1/issues/7"}),
    )
    api.put("/repositories/1/issues/7", Reply(200, issue(7), {"ETag": '"abc"'}))
    (outcome,), _ = refreshed(api, item("ggerganov/llama.cpp#7"))
    assert outcome.seen is not None
    assert outcome.seen.moved_to == "ggml-org/llama.cpp#7"
    assert outcome.new.ref == "ggerganov/llama.cpp#7"
    assert outcome.new.source == "GitHub API, 2026-12-10; moved to ggml-org/llama.cpp#7; before: thread as stored"
    (again,), _ = refreshed(api, item("ggerganov/llama.cpp#7"), known={outcome.seen.ref: outcome.seen})
    assert again.unchanged
    assert again.seen is not None
    assert again.seen.moved_to == "ggml-org/llama.cpp#7"


def test_a_transferred_issue_has_a_new_number(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(307, None, {"Location": "/repositories/2/issues/91"}))
    api.put("/repositories/2/issues/91", Reply(200, issue(91, "ggml-org/ggml")))
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7"))
    assert outcome.seen is not None
    assert outcome.seen.moved_to == "ggml-org/ggml#91"


def test_other_capitals_are_no_move(api: FakeApi) -> None:
    api.put("/repos/thetom/Turboquant/issues/7", Reply(200, issue(7, "TheTom/turboquant")))
    (outcome,), _ = refreshed(api, item("thetom/Turboquant#7"))
    assert outcome.seen is not None
    assert outcome.seen.moved_to == ""


@pytest.mark.parametrize("location", ["http://127.0.0.1:1/x", "file:///etc/hostname", "", "//other.invalid/x"])
def test_no_redirect_leads_to_another_host(api: FakeApi, location: str) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(301, None, {"Location": location}))
    (outcome,), run = refreshed(api, item("ggml-org/llama.cpp#7"), token="made-up")
    assert outcome.problem == "redirected to another host, which is not followed"
    assert outcome.new == outcome.item
    assert run.stop is None
    assert len(api.asked) == 1


def test_a_ring_of_redirects_ends(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(301, None, {"Location": f"{LLAMA}/issues/7"}))
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7"))
    assert outcome.problem == "more than 5 redirects"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(404, {"message": "Not Found"}), "not found (404): removed, private, or never there"),
        (Reply(410, {"message": "This issue was deleted"}), "gone (410): removed by its owner"),
        (Reply(403, {"message": "Resource not accessible"}), "access refused (403)"),
        (Reply(422, {}), "the API answered 422"),
        (Reply(200, raw=b'{"state": "op'), "the answer is not JSON"),
        (Reply(200, raw=b"\x22\xff\x22"), "the answer is not JSON"),
        (Reply(200, raw=b"[" * 200_000), "the answer is not JSON"),
        (Reply(200, [1]), "the answer is not understood: it is no object"),
        (Reply(200, issue(7, title=None)), "the answer is not understood: it lacks title"),
        (Reply(200, issue(7, state="half")), "the answer is not understood: its state is 'half'"),
        (Reply(200, issue(7, created_at="yesterday")), "the answer is not understood: its created_at is 'yesterday'"),
        (Reply(500, {}), "the API answered 500 three times"),
    ],
)
def test_an_item_that_cannot_be_read_stays_as_it_was_and_the_next_is_asked(
    api: FakeApi, reply: Reply, said: str
) -> None:
    api.put(f"{LLAMA}/issues/7", reply)
    api.put(f"{LLAMA}/issues/8", Reply(200, issue(8)))
    (bad, good), run = refreshed(api, item("ggml-org/llama.cpp#7"), item("ggml-org/llama.cpp#8"))
    assert (bad.problem, bad.new, bad.reached) == (said, bad.item, True)
    assert good.new.checked == TODAY
    assert run.stop is None


def test_a_server_error_is_tried_again_with_growing_pauses(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(500, {}), Reply(502, {}), Reply(200, issue(7)))
    clock = Clock()
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7"), clock=clock)
    assert outcome.new.state == "open"
    assert clock.slept == [1.0, 2.0]


def test_a_server_that_hangs_is_given_up_after_three_tries(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(hang=True))
    (outcome,), run = refreshed(api, item("ggml-org/llama.cpp#7"), item("ggml-org/llama.cpp#8"), timeout_s=0.05)
    assert (outcome.problem, outcome.reached) == ("no answer: timed out", False)
    assert len(api.asked) == 3
    assert run.stop is not None
    assert run.stop.reason == f"{api.base} does not answer"


def test_three_silent_items_in_a_row_end_a_run_that_had_answers(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/1", Reply(200, issue(1)))
    for number in (2, 3, 4):
        api.put(f"{LLAMA}/issues/{number}", Reply(hang=True))
    outcomes, run = refreshed(api, *(item(f"ggml-org/llama.cpp#{number}") for number in range(1, 7)), timeout_s=0.05)
    assert [found.reached for found in outcomes] == [True, False, False, False]
    assert run.stop is not None


LIMITED = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOON) + 1800)}
HALF_PAST = dt.datetime(2026, 12, 10, 12, 30, 1, tzinfo=dt.UTC)  # a second behind the reset


def test_a_used_up_limit_stops_before_the_next_request(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue(7), LIMITED))
    outcomes, run = refreshed(api, item("ggml-org/llama.cpp#7"), item("ggml-org/llama.cpp#8"))
    assert [found.new.checked for found in outcomes] == [TODAY]
    assert api.paths() == [f"{LLAMA}/issues/7"]
    assert run.stop is not None
    assert run.stop.reason == "the rate limit of 60 requests an hour is used up"
    assert run.stop.resume_at == HALF_PAST
    assert run.stop.hint == "a token in GITHUB_TOKEN raises the limit"


@pytest.mark.parametrize(
    ("reply", "reason", "resume_at"),
    [
        (
            Reply(403, {"message": "API rate limit exceeded"}, LIMITED),
            "the rate limit of 60 requests an hour is used up",
            HALF_PAST,
        ),
        (
            Reply(429, {}, {"Retry-After": "90"}),
            "the API asks to wait 90 s",
            dt.datetime(2026, 12, 10, 12, 1, 30, tzinfo=dt.UTC),
        ),
        (
            Reply(403, {}, {"Retry-After": "30"}),
            "the API asks to wait 30 s",
            dt.datetime(2026, 12, 10, 12, 0, 30, tzinfo=dt.UTC),
        ),
        (
            Reply(403, {"message": "You have exceeded a secondary rate limit"}),
            "the API limits requests for now",
            dt.datetime(2026, 12, 10, 12, 1, tzinfo=dt.UTC),
        ),
    ],
)
def test_a_refusal_for_the_limit_stops_the_run_and_names_the_moment(
    api: FakeApi, reply: Reply, reason: str, resume_at: dt.datetime
) -> None:
    api.put(f"{LLAMA}/issues/7", reply)
    outcomes, run = refreshed(api, item("ggml-org/llama.cpp#7"), item("ggml-org/llama.cpp#8"))
    assert outcomes == []
    assert run.stop is not None
    assert (run.stop.reason, run.stop.resume_at) == (reason, resume_at)
    assert len(api.asked) == 1


def test_with_wait_the_refused_request_is_repeated_after_the_moment(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(403, {"message": "API rate limit exceeded"}, LIMITED), Reply(200, issue(7)))
    api.put(f"{LLAMA}/issues/8", Reply(429, {}, {"Retry-After": "90"}), Reply(200, issue(8)))
    clock, told = Clock(), list[str]()
    outcomes, run = refreshed(
        api, item("ggml-org/llama.cpp#7"), item("ggml-org/llama.cpp#8"), clock=clock, wait=True, on_wait=told.append
    )
    assert [found.new.checked for found in outcomes] == [TODAY, TODAY]
    assert run.stop is None
    assert clock.slept == [1801.0, 90.0]
    assert told[0] == "the rate limit of 60 requests an hour is used up; waiting until 12:30 UTC"


def test_waiting_has_an_end_where_the_api_never_gives_in(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(429, {}))
    clock = Clock()
    outcomes, run = refreshed(api, item("ggml-org/llama.cpp#7"), clock=clock, wait=True)
    assert outcomes == []
    assert run.stop is not None
    assert run.stop.reason == "the API limits requests for now, also after 3 waits"
    assert clock.slept == [60.0, 60.0, 60.0]


def test_a_reset_that_has_passed_by_this_clock_is_waited_for_all_the_same(api: FakeApi) -> None:
    past = {**LIMITED, "X-RateLimit-Reset": str(int(NOON) - 600)}
    api.put(f"{LLAMA}/issues/7", Reply(403, {"message": "API rate limit exceeded"}, past), Reply(200, issue(7)))
    clock = Clock()
    refreshed(api, item("ggml-org/llama.cpp#7"), clock=clock, wait=True)
    assert clock.slept == [60.0]


def test_a_wait_of_more_than_two_hours_is_not_waited_for(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(429, {}, {"Retry-After": "7201"}))
    clock = Clock()
    _, run = refreshed(api, item("ggml-org/llama.cpp#7"), clock=clock, wait=True)
    assert run.stop is not None
    assert clock.slept == []


def test_a_refused_token_stops_the_run(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(401, {"message": "Bad credentials"}))
    outcomes, run = refreshed(api, item("ggml-org/llama.cpp#7"), token="made-up")
    assert outcomes == []
    assert run.stop is not None
    assert run.stop.reason == "the API refused the token (401)"


def test_titles_come_in_one_line_without_characters_that_steer_a_terminal(api: FakeApi) -> None:
    api.put(f"{LLAMA}/issues/7", Reply(200, issue(7, title="a\x1b[31m\tb\u202e\ud800\n c" + "d" * 400)))
    (outcome,), _ = refreshed(api, item("ggml-org/llama.cpp#7"))
    assert outcome.new.title == ("a [31m b c" + "d" * 400)[:300]


@pytest.mark.parametrize("base", ["ftp://127.0.0.1", "127.0.0.1:80", "http://", "http://127.0.0.1:99999", "http://[x"])
def test_an_address_that_is_none_is_refused(base: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Api(base)


@pytest.mark.parametrize(
    ("base", "sent"), [("https://api.example", True), ("http://api.example", False), ("http://localhost:1", True)]
)
def test_a_token_never_travels_in_the_clear(base: str, sent: bool) -> None:
    assert ("Authorization" in Api(base, "made-up")._headers) is sent


def fields_of(seen: Sighting) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in Sighting.__dataclass_fields__}
