"""The sessions of an input, put together."""

from tests.build import report, sessions, wordings_only

START = "0.00.003.321 I srv  llama_server: initializing ..."
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"


def test_sessions_are_numbered_in_the_order_of_their_first_lines() -> None:
    assert [one.number for one in sessions("\n".join((START, LOADING, START, LOADING)))] == [1, 2]


def test_a_session_reaches_up_to_the_next_one_of_its_stream() -> None:
    text = "\n".join(("a line above", START, LOADING, "a line between", START, LOADING, "a line below"))
    assert [(one.first_line, one.last_line) for one in sessions(text)] == [(1, 4), (5, 7)]


def test_words_that_every_program_prints_make_no_log_of_llama() -> None:
    assert not wordings_only().analyze_text("Segmentation fault (core dumped)").is_llama_log
    assert report(f"{START}\n{LOADING}").is_llama_log
