"""Threads: which come first, and what a line says of them."""

import datetime as dt

from diag.model.report import UpstreamStatus
from diag.render.threads import N_NAMED, also_reported, ranked, status_words, told


def status(ref: str, state: str, relation: str = "report") -> UpstreamStatus:
    return UpstreamStatus(ref, state, dt.date(2026, 10, 10), None, "", relation, "T", seen="2026-10-10")


def test_own_threads_come_before_others_and_what_would_help_before_reports() -> None:
    threads = [
        status("ollama/ollama#1", "open", "fixed-by"),
        status("ggml-org/llama.cpp#2", "closed"),
        status("ggml-org/llama.cpp#3", "open"),
        status("ggml-org/llama.cpp#4", "unknown", "would-fix"),
        status("ggml-org/llama.cpp#5", "draft", "would-fix"),
        status("ggml-org/llama.cpp-fork#6", "open", "would-fix"),
    ]
    known, unknown = ranked(threads)
    assert [item.ref.rpartition("#")[2] for item in known] == ["5", "3", "2", "6", "1"]
    assert [item.ref.rpartition("#")[2] for item in unknown] == ["4"]
    of_a_fork, _ = ranked(threads, home_first=False)
    assert [item.ref.rpartition("#")[2] for item in of_a_fork] == ["5", "6", "1", "3", "2"]


def test_a_line_gives_the_build_only_of_what_was_merged() -> None:
    assert told("merged 2026-09-24", 11163, "merged", "2026-10-10", "T") == (
        "merged 2026-09-24, in b11163 (last seen 2026-10-10): T"
    )
    assert told("open", 11163, "open", "2026-10", "") == "open (last seen 2026-10)"
    assert status_words(status("a/b#1", "open")) == "open (last seen 2026-10-10): T"


def test_threads_of_unknown_state_share_one_line() -> None:
    threads = [status(f"ggml-org/llama.cpp#{number}", "unknown") for number in range(1, N_NAMED + 3)]
    assert also_reported([]) == ""
    assert also_reported([*threads[:2], status("o/o#3", "unknown")]) == "also reported: #1, #2, o/o#3 (state not known)"
    assert also_reported(threads) == "also reported: #1, #2, #3, #4, #5 and 2 more (state not known)"
    assert also_reported([status("a/b#1", "unknown", "related")]) == "also named: a/b#1 (state not known)"
