"""The command line of a session as flags and values, and which command line is a session's."""

import shlex

import pytest

from diag.assemble.flags import command_of, read_flags
from diag.model.form import Command, Form
from tests.build import catalog, session, sessions


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("llama-server -m a.gguf -c 4096", {"-m": "a.gguf", "-c": "4096"}),
        ("llama-server --model a.gguf --ctx-size 4096", {"-m": "a.gguf", "-c": "4096"}),
        ("llama-server --model=a.gguf", {"-m": "a.gguf"}),
        ("llama-server --alias 'my model'", {"--alias": "my model"}),
        ("llama-server --jinja --no-mmap", {"--jinja": "", "--no-mmap": ""}),
        # a value may be a negative number
        ("llama-server -ngl -1 --seed -3", {"-ngl": "-1", "--seed": "-3"}),
        ("llama-server --model-draft d.gguf --spec-draft-model e.gguf", {"-md": "e.gguf"}),
        # the last of a repeated flag counts
        ("llama-server -c 1024 --ctx-size 2048", {"-c": "2048"}),
        # llama.cpp takes an underscore in a long flag for a hyphen
        ("llama-server --ctx_size 4096", {"-c": "4096"}),
        # spellings of builds that are far apart
        ("llama-server --gpu-layers-draft 9 --draft-p-min 0.5", {"-ngld": "9", "--draft-p-min": "0.5"}),
        ("llama-server --spec-draft-ngl 9 --spec-draft-p-min 0.5", {"-ngld": "9", "--draft-p-min": "0.5"}),
        ("llama-server -cmoe -ot exps=CPU", {"--cpu-moe": "", "--override-tensor": "exps=CPU"}),
        ("llama-server", {}),
        ("llama-server positional words", {}),
        ("/usr/bin/llama-server -fa on --parallel 2", {"-fa": "on", "-np": "2"}),
    ],
)
def test_a_command_line_is_read_under_one_name_a_flag(command: str, flags: dict[str, str]) -> None:
    assert read_flags(shlex.split(command), catalog().spellings) == flags


def command(line: int) -> Command:
    return Command(line, f"llama-server -c {line}", ("llama-server", "-c", str(line)))


@pytest.mark.parametrize(
    ("lines", "first", "last", "chosen"),
    [
        ([], 1, 10, None),
        ([1], 3, 10, 1),
        ([4], 3, 10, 4),
        # within the session wins over above it
        ([1, 4], 3, 10, 4),
        # of several above the nearest
        ([1, 2], 3, 10, 2),
        # below: only when it is the only one
        ([12], 3, 10, 12),
        ([12, 14], 3, 10, None),
        ([2, 12], 3, 10, 2),
    ],
)
def test_the_command_line_of_a_session_is_the_one_nearest_above_its_end(
    lines: list[int], first: int, last: int, chosen: int | None
) -> None:
    found = command_of([command(line) for line in lines], first, last)
    assert (found.line if found is not None else None) == chosen


START = "0.00.003.321 I srv  llama_server: initializing ..."
LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"


def test_two_starts_have_the_command_lines_above_each() -> None:
    log = "\n".join(("$ one", START, LOADING, "$ two", START, LOADING))
    found = sessions(log, form=Form(commands=(command(1), command(4))))
    assert [one.flags for one in found] == [{"-c": "1"}, {"-c": "4"}]


def test_a_routers_argument_block_is_the_childs_command_line() -> None:
    log = "\n".join(
        (
            "srv          load: spawning server instance with args:",
            "srv          load:   llama-server",
            "srv          load:   --spec-type",
            "srv          load:   draft-mtp",
            "srv          load:   --ctx-size",
            "srv          load:   2048",
        )
    )
    assert session(log).flags == {"--spec-type": "draft-mtp", "-c": "2048"}


def test_the_flags_have_a_source_and_the_command_is_kept_as_written() -> None:
    one = session(f"{START}\n{LOADING}", form=Form(commands=(command(1),)))
    assert one.command == "llama-server -c 1"
    assert (one.sources["flags"].origin, one.sources["flags"].line) == ("command-line", 1)
