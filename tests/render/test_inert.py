"""Hostile text as Markdown that does nothing."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from diag.render.inert import cell, code, comment, fence, link, prose

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
LIVELY = re.compile(r"@\w|#\d|://|\bgh-\d|(?<!\w)www\.|&\w+;|&#|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        "`",
        "``",
        "```",
        "\n",
        "\n\n",
        " ",
        "    ",
        "@user",
        "#123",
        "GH-7",
        "owner/repo#5",
        "</details>",
        "<b>",
        "<!--",
        "-->",
        "&#64;user",
        "&commat;",
        "[a](http://x.y)",
        "![i](u)",
        "https://evil.example/x",
        "www.evil.example",
        "**",
        "_",
        "~~~",
        "# ",
        "- ",
        "1. ",
        "> ",
        "|",
        "\\",
        "$x$",
        "deadbeef1",
        "\u202e",
        "\x1b[31m",
        "\x00",
        "a",
        "B c",
        "\u2028",
        "---",
        "===",
    ]
)
HOSTILE = st.lists(PIECES, max_size=14).map("".join)


def live(tokens: list[Token]) -> list[str]:
    """Return what a reader's browser or GitHub would act on: everything but plain words, code and paragraphs."""
    found: list[str] = []
    for token in tokens:
        if token.type == "inline":
            found += live(token.children or [])
        elif token.type == "text":
            found += LIVELY.findall(token.content)
        elif token.type not in ("paragraph_open", "paragraph_close", "code_inline", "fence", "softbreak"):
            found.append(token.type)
    return found


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_prose_holds_nothing_but_words_and_code(text: str) -> None:
    assert live(PARSER.parse(f"**Why:** {prose(text)}".replace("**Why:**", "Why:"))) == []
    assert live(PARSER.parse(prose(text))) == []


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_a_fence_holds_all_of_the_text_and_ends_where_it_should(text: str) -> None:
    tokens = PARSER.parse("\n".join([*fence([text, "last"]), "", "after"]))
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content.endswith("\nlast\n")


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_a_code_span_stays_one_span_on_one_line(text: str) -> None:
    inline = PARSER.parse(f"a {code(text)} b")[1].children or []
    assert [token.type for token in inline if token.type != "text"] in (["code_inline"], [])


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_a_table_keeps_its_two_columns(text: str) -> None:
    tokens = PARSER.parse(f"| a | b |\n|---|---|\n| {cell(text)} | end |\n")
    cells = [token for token in tokens if token.type == "td_open"]
    assert len(cells) == 2
    assert [token.content for token in tokens if token.type == "inline"][-1] == "end"


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_a_comment_ends_at_its_end(text: str) -> None:
    tokens = PARSER.parse("\n".join([*comment(["first", text, "last"]), "", "after"]))
    assert [token.type for token in tokens] == ["html_block", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content.count("-->") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Start without `--spec-type draft-mtp`.", "Start without `--spec-type draft-mtp`."),
        ("see #123, says @anna", "see `#123`, says `@anna`"),
        ("n_ctx is 5", "`n_ctx` is 5"),
        ("- no list", "\\- no list"),
        ("1. no list", "1\\. no list"),
        ("a | b", "a `|` b"),
        ("(www.evil.example) or (https://evil.example).", "(`www.evil.example`) or (`https://evil.example`)."),
        ("two\nlines", "two lines"),
        ("X = 19 and Y = 36: 36 - 19 - 1 = 16", "X = 19 and Y = 36: 36 - 19 - 1 = 16"),
        ("", ""),
    ],
)
def test_prose_keeps_sentences_and_turns_lively_words_to_code(text: str, expected: str) -> None:
    assert prose(text) == expected


@pytest.mark.parametrize(
    ("ref", "expected"),
    [
        (
            "ggml-org/llama.cpp#25144",
            "[ggml-org/llama.cpp#25144](https://redirect.github.com/ggml-org/llama.cpp/issues/25144)",
        ),
        (
            "ggml-org/llama.cpp@b11163",
            "[ggml-org/llama.cpp b11163](https://redirect.github.com/ggml-org/llama.cpp/releases/tag/b11163)",
        ),
        ("reproduced on b9871, b11434", "reproduced on b9871, b11434"),
    ],
)
def test_threads_and_releases_of_the_catalogue_link_and_other_sources_do_not(ref: str, expected: str) -> None:
    assert link(ref) == expected


def test_the_fence_is_one_longer_than_the_longest_run_inside() -> None:
    assert fence(["a ```` b", "`"])[0] == "`````text"
