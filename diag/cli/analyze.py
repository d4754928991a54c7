"""diag analyze: logs in, reports out."""

import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from diag.cli.options import catalog_of, columns, look_options, signature_option, wants_color
from diag.errors import InputError
from diag.model.report import Report
from diag.model.stated import Stated
from diag.pipeline import analyzer
from diag.render import FORMATS, renderer

_LEVELS = ("info", "degraded", "error", "fatal")
_BACKENDS = ("cuda", "rocm", "vulkan", "metal", "sycl", "cpu", "musa", "cann", "opencl")


class Build(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """A build number: b9871 or 9871."""

    name = "bNNNN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).lower().removeprefix("b")
        if not text.isdigit() or not int(text):
            self.fail(f"{value!r} is no build number; write b9871 or 9871", param, ctx)
        return int(text)


class SessionChoice(click.ParamType):  # type: ignore[type-arg]  # generic only in newer click
    """Which starts to answer for: a number, "last" or "all"."""

    name = "last|N|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value).lower()
        if text not in ("last", "all") and not (text.isdigit() and int(text)):
            self.fail(f"{value!r} is neither last, all nor the number of a start", param, ctx)
        return text


@click.command(name="analyze", short_help="Diagnose llama-server logs.")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--build", type=Build(), help="The llama.cpp build, where the log hides it.")
@click.option("--backend", type=click.Choice(_BACKENDS), help="The backend, where the log hides it.")
@click.option("--flavour", metavar="NAME", help="upstream, ik_llama.cpp, ollama, or a fork's name.")
@click.option("--os", "system", type=click.Choice(("linux", "macos", "windows")), help="The system.")
@click.option("--session", type=SessionChoice(), default="all", show_default=True, help="Answer for some starts only.")
@click.option("--ignore", multiple=True, metavar="ID", help="Leave a signature out (repeatable).")
@click.option("--context", type=click.IntRange(0, 50), default=0, help="Show N log lines around each evidence line.")
@click.option("--full", is_flag=True, help="Every fix, thread and line of every diagnosis.")
@click.option("--redact/--no-redact", default=None, help="Mask paths, hosts, addresses, tokens and prompts.")
@click.option(
    "--fail-on",
    type=click.Choice((*_LEVELS, "never")),
    default="error",
    show_default=True,
    help="Severity from which on the exit code is 1.",
)
@click.option("--engine", type=click.Choice(("hyperscan", "standard-library")), hidden=True)
@signature_option
@look_options
def command(
    logs: Sequence[str],
    form: str,
    build: int | None,
    backend: str | None,
    flavour: str | None,
    system: str | None,
    session: str,
    ignore: Sequence[str],
    context: int,
    full: bool,
    redact: bool | None,
    fail_on: str,
    engine: str | None,
    folders: Sequence[Path],
    color: str,
    width: int | None,
) -> None:
    """Diagnose LOGs: files, or `-` for standard input.

    Exit codes: 0 nothing at or above --fail-on, 1 something was, 2 usage or unreadable input, 3 no llama.cpp log.

    \b
    diag analyze server.log
    docker logs llama 2>&1 | diag analyze -
    journalctl -u llama-server | diag analyze -
    """
    catalog = catalog_of(folders)
    unknown = [name for name in ignore if catalog.resolve(name) is None]
    if unknown:
        raise click.BadParameter(
            f"no signature {unknown[0]!r}; `diag signatures list` names them", param_hint="--ignore"
        )
    ready = analyzer(catalog, engine)
    stated = Stated(build, backend, flavour, system, session)
    several = len(logs) > 1
    codes: set[int] = set()
    for index, name in enumerate(logs):
        try:
            report = ready.analyze(
                name,
                stated=stated,
                ignore=[found.id for found in map(catalog.resolve, ignore) if found],
                context=context,
            )
        except InputError as error:
            click.echo(f"diag: {error}", err=True)
            codes.add(2)
            continue
        codes.add(exit_code(report, fail_on))
        if redact if redact is not None else FORMATS[form].redacts:
            from diag.redact.report import redact_report

            report = redact_report(report)
        if form == "json":
            text = renderer(form)(report, compact=several)
        elif form == "text":
            today = dt.datetime.now(dt.UTC).date()
            text = renderer(form)(report, width=columns(width), color=wants_color(color), full=full, today=today)
        else:
            text = renderer(form)(report, full=full)
        if several and form != "json" and index:
            click.echo()
        click.echo(text, color=True)
    sys.exit(next((code for code in (2, 1, 3) if code in codes), 0))


def exit_code(report: Report, fail_on: str) -> int:
    """Return 1 when a diagnosis reaches the level, 3 when the input is no llama.cpp log, else 0."""
    if not report.is_llama_log:
        return 3
    if fail_on == "never":
        return 0
    reached = _LEVELS[_LEVELS.index(fail_on) :]
    standing = [item for item in report.diagnoses if item.withdrawn_by_line is None]
    return 1 if any(item.severity in reached for item in standing) else 0
