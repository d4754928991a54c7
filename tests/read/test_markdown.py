"""Issue bodies and other texts with a log in them: the log's lines, and only those, with the body's line numbers."""

import pytest

from diag.read.repair import read_lines

A = "0.00.188.370 E decode: failed to initialize batch"
B = "0.00.188.406 E srv        decode: failed to process speculative batch"


def told(text: str) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in read_lines(text)[0] if line.text]


BODIES: list[tuple[str, str, list[tuple[int, str]]]] = [
    ("one fence", f"It fails.\n\n```console\n{A}\n{B}\n```\nHelp!", [(4, A), (5, B)]),
    ("a fence of tildes", f"~~~\n{A}\n~~~\nllama_ is prose here", [(2, A)]),
    ("two fences, one of configuration", f"```yaml\nmodel: x\n```\n\n```\n{A}\n```", [(6, A)]),
    ("two logs", f"Client:\n```\n{A}\n```\nHost:\n```\n{B}\n```", [(3, A), (7, B)]),
    ("a fence that is never closed", f"log:\n```shell\n{A}\n{B}\n", [(3, A), (4, B)]),
    ("a new fence before the old one is closed", f"```\n{A}\n```text\n{B}\n```", [(2, A), (4, B)]),
    (
        "a heading ends a fence that is never closed",
        f"### Relevant log output\n\n```shell\n{A}\n\n### First Bad Commit\n\nb9871\n",
        [(4, A)],
    ),
    (
        "folded details with the form's comments",
        f"<details>\n<summary>Logs</summary>\n<!-- Copy-pasted short logs -->\n\n```console\n{A}\n```\n</details>",
        [(6, A)],
    ),
    (
        "a crash line outside, the fence opened at the end",
        f"### Relevant log output\n\n<details>\n{A}\n```\n</details>\n<!-- Long logs -->\n",
        [(4, A)],
    ),
    ("a comment over several lines", f"<!-- hide\n{A}\n-->\n```\n{B}\n```", [(5, B)]),
    ("quote marks", f"> {A}\n> {B}", [(1, A), (2, B)]),
    ("quoted fences", f"> ```\n> {A}\n> ```\n\nyes", [(2, A)]),
    ("an answer under a quote", f"> {A}\n\nThanks, same here.\n\n```\n{B}\n```", [(1, A), (6, B)]),
    ("a prompt of a chat is no quote", f"{A}\n\n> Hello\nGGGG", [(1, A), (3, "> Hello"), (4, "GGGG")]),
    ("back ticks round one line", f"I see\n\n`{A}`\n\n```\n{B}\n```", [(3, A), (6, B)]),
    ("back ticks round the whole", f"`{A}\n{B}`", [(1, A), (2, B)]),
    ("escaped fences", f"\\`\\`\\`\n{A}\n\\`\\`\\`", [(2, A)]),
    ("a tracker's own marks", f"{{code}}\n{A}\n{{code}}\nprose", [(2, A)]),
    ("a log field without a fence", f"### Relevant log output\n\n{A}\n{B}\n", [(3, A), (4, B)]),
    (
        "version, hardware and commands are no log",
        "### Name and Version\n\n```\nversion: 6297 (1cf123a3)\n```\n\n### Hardware\n\nggml_cuda_init: found 1 "
        "CUDA devices:\n\n"
        f"### Relevant log output\n\n```\n{A}\n```",
        [(14, A)],
    ),
    (
        "a fenced failure of another program",
        "So:\n```\nError: exit status 0xc0000409\n```",
        [(3, "Error: exit status 0xc0000409")],
    ),
    (
        "a fence whose output looks like no log",
        "It broke.\n```shell\n$ rpc-server\nStarting RPC server v2.0.0\nClient connection closed\n```",
        [(1, "It broke."), (3, "$ rpc-server"), (4, "Starting RPC server v2.0.0"), (5, "Client connection closed")],
    ),
    (
        "a form without a log, whose answers are no text of it",
        "### Hardware\n\n2x RTX 3090\n\n### Problem description\n\nIt hangs.\n\n### Relevant log output\n\n_No response_",
        [(7, "It hangs.")],
    ),
    (
        "nothing but a hidden comment",
        "### Logs\n<!--\nit hangs\n-->",
        [(1, "### Logs"), (2, "<!--"), (3, "it hangs"), (4, "-->")],
    ),
    ("nothing but prose", "The server crashed.\nNo log, sorry.", [(1, "The server crashed."), (2, "No log, sorry.")]),
]


@pytest.mark.parametrize(("body", "expected"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_the_log_of_a_body_is_found(body: str, expected: list[tuple[int, str]]) -> None:
    assert told(body) == expected


def test_a_log_with_a_fence_in_somebodys_prompt_stays_one_log() -> None:
    log = "\n".join([A] * 30 + ["```json", "{}", "```"] + [B] * 10)
    assert [text for _, text in told(log)] == log.split("\n")


def test_the_note_counts_fences_and_prose() -> None:
    _, notes, _, _ = read_lines(f"It fails.\nHelp!\n\n```console\n{A}\n```\n")
    assert [(note.what, note.line) for note in notes] == [
        ("Markdown: 1 fenced block read, 2 lines of prose skipped", 5)
    ]


def test_a_text_of_which_no_part_looks_like_a_log_is_noted() -> None:
    _, notes, _, _ = read_lines("```\nClient connection closed\n```\n")
    assert [(note.what, note.line) for note in notes] == [
        ("Markdown: no part of the text looks like a log, all of it read as one", 2)
    ]


DAMAGED: list[tuple[str, str, list[tuple[int, int, str]]]] = [
    (
        "messages broken by hand",
        " - the last position stored in the memory module of the context (i.e. the KV cache) for\n   sequence 0 "
        "is X = 210\n",
        [
            (
                1,
                0,
                " - the last position stored in the memory module of the context (i.e. the KV cache) for "
                "sequence 0 is X = 210",
            )
        ],
    ),
    (
        "a record broken by hand",
        'time=2025-05-15T11:02:10.880+02:00 level=INFO source=server.go:135\n msg="system memory" total="62.7 GiB"\n',
        [(1, 0, 'system memory total="62.7 GiB"')],
    ),
    ("fused at the program's clock", f"{A} {B}", [(1, 0, A), (1, 1, B)]),
    (
        "fused by a cursor copy",
        "ggml_cuda_init: GGML_CUDA_FORCE_MMQ:    no" + " " * 150 + "ggml_cuda_init: found 2 CUDA devices:",
        [(1, 0, "ggml_cuda_init: GGML_CUDA_FORCE_MMQ:    no"), (1, 1, "ggml_cuda_init: found 2 CUDA devices:")],
    ),
    (
        "a whole log on one line",
        "srv update_slots: all slots are idle srv log_server_r: request: GET / 200 slot launch_slot_: id 3 | "
        "task 0 | x",
        [
            (1, 0, "srv update_slots: all slots are idle"),
            (1, 1, "srv log_server_r: request: GET / 200"),
            (1, 2, "slot launch_slot_: id 3 | task 0 | x"),
        ],
    ),
    (
        "glued without a blank",
        "Loading modelgguf_init_from_file: invalid magic characters",
        [(1, 0, "Loading model"), (1, 1, "gguf_init_from_file: invalid magic characters")],
    ),
    (
        "entries a container runtime split",
        "2026-01-19T07:40:02.007919313Z stderr P abc\n2026-01-19T07:40:02.007919314Z stderr F def\n",
        [(1, 0, "abcdef")],
    ),
    (
        "PowerShell's error records",
        f"llama-server.exe : {A}\nAt line:1 char:1\n+ .\\llama-server.exe -m x 2>&1\n+ ~~~~~~~\n    + "
        f"CategoryInfo          : NotSpecified: (x:String) []\n"
        f"    + FullyQualifiedErrorId : NativeCommandError\n{B}\n",
        [(1, 0, A), (7, 0, B)],
    ),
    (
        "a single cut at a terminal's width",
        "0.00.188.370 E " + "x" * 62 + " in\nvalid UTF-8 byte\n",
        [(1, 0, "0.00.188.370 E " + "x" * 62 + " invalid UTF-8 byte")],
    ),
    (
        "a single cut inside a word, at any width",
        "llama_model_load: error loading model architecture: unknown model archi\ntecture: 'step4'\n" + A,
        [(1, 0, "llama_model_load: error loading model architecture: unknown model architecture: 'step4'"), (3, 0, A)],
    ),
    (
        "a single cut inside a quoted name",
        "srv    load_model: failed to load model, '/models/deep/er/a-q4_\nk_m.gguf'\nmain: exiting",
        [(1, 0, "srv    load_model: failed to load model, '/models/deep/er/a-q4_k_m.gguf'"), (3, 0, "main: exiting")],
    ),
    (
        "a word at the end of a line and a word below it",
        "0.00.188.370 W something that is long enough for this is in\nvalid text follows\nmemory: 7",
        [
            (1, 0, "0.00.188.370 W something that is long enough for this is in"),
            (2, 0, "valid text follows"),
            (3, 0, "memory: 7"),
        ],
    ),
    (
        "a quotation mark that is none",
        "srv    load_model: the draft model's vocabulary doesn't match, and that of '\nload: it's no name",
        [
            (1, 0, "srv    load_model: the draft model's vocabulary doesn't match, and that of '"),
            (2, 0, "load: it's no name"),
        ],
    ),
    (
        "pieces between carriage returns",
        f"loading 1%\rloading 2%\r{A}\r\n",
        [(1, 0, "loading 1%"), (1, 1, "loading 2%"), (1, 2, A)],
    ),
    ("a recording of a terminal", f'Script started on 2026-01-13 10:02:14+01:00 [COMMAND="x"]\r\n{A}\r\n', [(2, 0, A)]),
    ("a byte-order mark", f"\ufeff{A}\n", [(1, 0, A)]),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in DAMAGED], ids=[row[0] for row in DAMAGED])
def test_damage_is_undone(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert [(line.number, line.part, line.text) for line in read_lines(text)[0]] == expected


def test_lines_broken_at_blanks_are_joined_with_one_blank() -> None:
    words = ["srv    load_model:", *(f"word{i}" for i in range(60))]
    row, rows = "", []
    for word in words:
        if row and len(row) + 1 + len(word) > 72:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}".strip()
    text = "\n".join([*rows, row, A, B])
    lines, notes, _, _ = read_lines(text)
    assert [line.text for line in lines] == [" ".join(words), A, B]
    assert [note.what for note in notes] == ["hard wraps at 72 columns joined"]


def test_docker_pieces_of_a_long_entry_are_joined() -> None:
    head, tail = "a" * 16384, "b" * 10
    text = "".join(
        '{"log":"' + piece + '","stream":"stderr","time":"2026-02-11T18:04:22.1Z"}\n' for piece in (head, tail + "\\n")
    )
    assert [(line.number, line.text) for line in read_lines(text)[0]] == [(1, head + tail)]


def test_a_hostile_line_is_read_like_any_other() -> None:
    for text in ("{" * 200_000, '{"msg":' + "[" * 100_000, "a | " * 100_000, "[12345] " * 50_000, "\\" * 200_000):
        assert read_lines(text)[0]


def test_an_empty_text_has_no_lines() -> None:
    assert read_lines("")[0] == []
