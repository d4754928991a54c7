"""What the text around a log says: an issue form's answers and the command lines found anywhere in it."""

from diag.model.noun import noun


@noun
class Statement:
    """One answer as the user wrote it, trimmed; several lines stay several lines."""

    line: int  # physical line of the user's file where the answer begins, from 1
    text: str


@noun
class Command:
    """One command line of a llama.cpp program."""

    line: int  # physical line where it begins, from 1
    text: str  # on one line: continuation marks, prompt and redirections removed
    argv: tuple[str, ...]  # the program (or container image) first, then its arguments; without environment and runner
    runner: str = ""  # what it was started through: sudo, taskset -c 0-3, VARIABLE=value


@noun
class Form:
    """Facts stated by a person beside the log; each is None where nothing was said, "" never occurs."""

    version: Statement | None = None  # "Name and Version": build, commit, compiler and often the device lines
    os: Statement | None = None
    backends: Statement | None = None  # comma separated in the form; ROCm is called HIP there
    hardware: Statement | None = None
    models: Statement | None = None
    modules: Statement | None = None
    problem: Statement | None = None
    first_bad_commit: Statement | None = None
    commands: tuple[Command, ...] = ()  # in the order of their lines
    typed_lines: tuple[int, ...] = ()  # of those, the lines of commands that a person typed between lines of the log
