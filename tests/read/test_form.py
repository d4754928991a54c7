"""What the text around a log says: the form's answers and the command lines, wherever they stand."""

import pytest

from diag.model.form import Command, Form, Statement
from diag.read.repair import read_lines
from tests.read import shapes

A = "0.00.188.370 E decode: failed to initialize batch"


def form(text: str) -> Form:
    return read_lines(text)[3]


def test_an_issue_form_gives_its_answers_with_their_lines() -> None:
    told = form(shapes.form_body([A]))
    assert told.version == Statement(
        3, "version: 0.6.0-dev (build 11434, commit 1a2b3c4d5)\nbuilt with GNU 13.3.0 for Linux x86_64"
    )
    assert told.os == Statement(8, "Linux")
    assert told.backends == Statement(12, "CPU")
    assert told.hardware == Statement(16, "Ryzen 7950X")
    assert told.models is None
    assert told.problem is not None
    assert told.problem.line == 24
    assert told.first_bad_commit is None
    assert [(command.line, command.argv) for command in told.commands] == [
        (
            27,
            (
                "llama-server",
                "-m",
                "/models/target.gguf",
                "--mmproj",
                "/models/mmproj.gguf",
                "--spec-type",
                "draft-mtp",
            ),
        )
    ]


ANSWERS: list[tuple[str, str, str | None]] = [
    (f"### Operating systems\n\nLinux, Windows\n\n### Relevant log output\n\n```\n{A}\n```", "os", "Linux, Windows"),
    (
        f"### What operating system are you seeing the problem on?\n\nMac\n\n### Relevant log output\n\n"
        f"```shell\n{A}\n```",
        "os",
        "Mac",
    ),
    (
        f"### Operating System\n\nUbuntu 24.04\n\n### GPU\n\nRadeon 8060S\n\n### Additional Information\n\n```\n"
        f"{A}\n```",
        "hardware",
        "Radeon 8060S",
    ),
    (f"### GPU / APU Model\n\ngfx1151\n\n### Log Output\n\n```shell\n{A}\n```", "hardware", "gfx1151"),
    (f"**Which version of LM Studio?**\n0.3.9\n\n**Logs**\n```\n{A}\n```", "version", "0.3.9"),
    (f"**Which operating system?** Windows 11\n\n**Logs**\n```\n{A}\n```", "os", "Windows 11"),
    (f"- OS: Fedora 41\n- GPU: RX 7900 XT\n\n```\n{A}\n```", "os", "Fedora 41"),
    (f"Name and Version\n\n```\n{A}\n```", "version", None),
    (f"### GGML backends\n\n_No response_\n\n### Relevant log output\n\n```\n{A}\n```", "backends", None),
    (
        f"### Name and Version\n\n```\nversion: 6297 (1cf123a3)\n```\n\n### Relevant log output\n\n```\n{A}\n```",
        "version",
        "version: 6297 (1cf123a3)",
    ),
    (f"### First Bad Commit\n\nb9871\n\n### Relevant log output\n\n```\n{A}\n```", "first_bad_commit", "b9871"),
]


@pytest.mark.parametrize(("body", "field", "expected"), ANSWERS)
def test_headings_of_other_trackers_are_known(body: str, field: str, expected: str | None) -> None:
    answer = getattr(form(body), field)
    assert (answer.text if answer else None) == expected


COMMANDS: list[tuple[str, str, int, tuple[str, ...]]] = [
    ("a shell prompt", "$ llama-server -m x.gguf -c 4096", 1, ("llama-server", "-m", "x.gguf", "-c", "4096")),
    (
        "user and host",
        "root@vm-0:/srv# ./build/bin/llama-server -m x.gguf",
        1,
        ("./build/bin/llama-server", "-m", "x.gguf"),
    ),
    (
        "no prompt, with environment",
        "CUDA_VISIBLE_DEVICES=0 nohup llama-server -m x.gguf > log 2>&1 &",
        1,
        ("llama-server", "-m", "x.gguf"),
    ),
    (
        "continued",
        "❯ llama-server \\\n    -m x.gguf \\\n    --port 8012",
        1,
        ("llama-server", "-m", "x.gguf", "--port", "8012"),
    ),
    (
        "continued with a caret",
        'C:\\llama>llama-server.exe ^\n -m "D:\\my models\\x.gguf" ^\n -ngl 99',
        1,
        ("llama-server.exe", "-m", "D:\\my models\\x.gguf", "-ngl", "99"),
    ),
    (
        "continued with a back tick",
        "PS C:\\llama> .\\llama-server.exe -m x.gguf `\n  -ngl 99",
        1,
        (".\\llama-server.exe", "-m", "x.gguf", "-ngl", "99"),
    ),
    (
        "marks lost",
        "llama-server -m x.gguf\n  --port 8012\n  -ngl 99",
        1,
        ("llama-server", "-m", "x.gguf", "--port", "8012", "-ngl", "99"),
    ),
    (
        "a path with blanks",
        '& "C:\\Program Files\\llama\\llama-server.exe" -m x.gguf',
        1,
        ("C:\\Program Files\\llama\\llama-server.exe", "-m", "x.gguf"),
    ),
    (
        "a container's image",
        "docker run --rm -v /models:/models \\\n  ghcr.io/ggml-org/llama.cpp:server-cuda -m /models/x.gguf --port 8080",
        1,
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", "-m", "/models/x.gguf", "--port", "8080"),
    ),
    (
        "a container's program",
        "docker run -it img /app/llama-server -m x.gguf",
        1,
        ("/app/llama-server", "-m", "x.gguf"),
    ),
    (
        "a unit file",
        "[Service]\nExecStart=/usr/bin/llama-server -m x.gguf \\\n  --port 1",
        2,
        ("/usr/bin/llama-server", "-m", "x.gguf", "--port", "1"),
    ),
    (
        "compose, one row",
        "    image: ghcr.io/x/llama.cpp:server\n    command: -m /models/x.gguf --port 8080",
        2,
        ("llama-server", "-m", "/models/x.gguf", "--port", "8080"),
    ),
    (
        "compose, folded",
        "    command: >\n      -m /models/x.gguf\n      --port 8080\n    ports:\n      - 1",
        1,
        ("llama-server", "-m", "/models/x.gguf", "--port", "8080"),
    ),
    (
        "compose, a list",
        '    command:\n      - "-m"\n      - /models/x.gguf\n    ports:\n      - 1',
        1,
        ("llama-server", "-m", "/models/x.gguf"),
    ),
    (
        "compose, an inline list",
        'command: ["-m", "/models/x.gguf", "--port", "8080"]',
        1,
        ("llama-server", "-m", "/models/x.gguf", "--port", "8080"),
    ),
    (
        "llama-swap",
        "models:\n  q:\n    cmd: |\n      /app/llama-server --port ${PORT}\n      -m x.gguf\n    ttl: 60",
        3,
        ("/app/llama-server", "--port", "${PORT}", "-m", "x.gguf"),
    ),
    (
        "a terminal's recording",
        f'Script started on 2026-01-13 10:02:14+01:00 [TERM="xterm" COMMAND="llama-server -m x.gguf -ngl 9"]\n{A}',
        1,
        ("llama-server", "-m", "x.gguf", "-ngl", "9"),
    ),
    (
        "a field of another program's record",
        'time=2026-06-30T09:12:44.311Z level=INFO msg="starting llama server" '
        'cmd="C:\\\\ollama\\\\llama-server.exe --model C:\\\\m\\\\x --port 1"',
        1,
        ("C:\\ollama\\llama-server.exe", "--model", "C:\\m\\x", "--port", "1"),
    ),
    (
        "the router's list",
        "0.17.010.000 I srv          load: spawning server instance with args:\n0.17.010.001 I srv          "
        "load:   /bin/llama-server\n"
        "0.17.010.002 I srv          load:   --host\n0.17.010.003 I srv          load:   127.0.0.1\n[46073] "
        "0.00.300.000 E x: y",
        1,
        ("/bin/llama-server", "--host", "127.0.0.1"),
    ),
    (
        "a comment naming its arguments",
        "# leg1 : argv: llama-server --host 127.0.0.1 --port 46249",
        1,
        ("llama-server", "--host", "127.0.0.1", "--port", "46249"),
    ),
    ("a lost quote", "$ llama-server -m 'x.gguf -c 1", 1, ("llama-server", "-m", "'x.gguf", "-c", "1")),
    ("a typographic dash", "$ llama-server –model x.gguf", 1, ("llama-server", "--model", "x.gguf")),
    ("piped away", "$ llama-server -m x.gguf 2>&1 | tee log", 1, ("llama-server", "-m", "x.gguf")),
    (
        "the form's command field",
        f"### Command line\n\n```shell\n-m x.gguf -ngl 99\n```\n\n### Relevant log output\n\n```\n{A}\n```",
        4,
        ("llama-server", "-m", "x.gguf", "-ngl", "99"),
    ),
]


@pytest.mark.parametrize(("text", "line", "argv"), [row[1:] for row in COMMANDS], ids=[row[0] for row in COMMANDS])
def test_a_command_line_is_found_anywhere(text: str, line: int, argv: tuple[str, ...]) -> None:
    assert [(command.line, command.argv) for command in form(text).commands] == [(line, argv)]


@pytest.mark.parametrize(
    "text",
    [
        "llama-server crashes with -ngl 99 on my machine",
        "I use llama-server",
        "0.17.010.000 E srv  llama_server: exiting due to model loading error",
        "2026-06-02 11:40:52.001 [Error] (WrappedServer) llama-server exited with code 139",
        '/entrypoint.sh: line 9: 17 Aborted (core dumped) /llamacpp-rocm/llama-server "$@"',
        "Out of memory: Killed process 77 (llama-server) total-vm:1kB",
        "common_download: docker is not the reason",
    ],
)
def test_a_line_that_merely_names_the_server_is_no_command(text: str) -> None:
    assert form(text).commands == ()


def test_a_typed_command_is_no_line_of_the_log_and_the_numbers_stay() -> None:
    lines, notes, _, told = read_lines(f"$ llama-server -m x.gguf \\\n  -ngl 99\n{A}\n")
    assert [(line.number, line.text) for line in lines] == [(3, A)]
    assert told.commands == (
        Command(1, "llama-server -m x.gguf -ngl 99", ("llama-server", "-m", "x.gguf", "-ngl", "99")),
    )
    assert [(note.what, note.line) for note in notes] == [("command line taken out of the log", 1)]


def test_several_commands_come_in_the_order_of_their_lines() -> None:
    text = f"```\n$ llama-server -m a.gguf\n{A}\n```\nand then\n```sh\nllama-cli -m b.gguf\n```\n"
    assert [(command.line, command.argv[-1]) for command in form(text).commands] == [(2, "a.gguf"), (7, "b.gguf")]


def test_the_lines_of_commands_typed_between_lines_of_the_log_are_told() -> None:
    command = "$ llama-server -m /models/a.gguf"
    log = "0.00.188.370 E decode: failed to initialize batch"
    assert read_lines(f"{log}\n{command}\n{log}\n")[3].typed_lines == (2,)
    assert read_lines(f"```\n{command}\n```\n\n```\n{log}\n```\n")[3].typed_lines == ()
    assert read_lines(f"{log}\n")[3].typed_lines == ()
