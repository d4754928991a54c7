"""diag analyze: logs in, reports out."""

import dataclasses
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from diag.cli.one import LEVELS, Answer, Asked, answer, redacts
from diag.cli.options import Build, catalog_of, columns, look_options, signature_option, wants_color
from diag.cli.progress import watched
from diag.model.stated import Stated
from diag.pipeline import analyzer
from diag.render import FORMATS

if TYPE_CHECKING:
    from diag.cli.processes import Processes

_BACKENDS = ("cuda", "rocm", "vulkan", "metal", "sycl", "cpu", "musa", "cann", "opencl")


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
@click.option("--flavour", metavar="NAME", help="upstream, ollama, lm-studio, jan, ik_llama.cpp ..., or a fork's name.")
@click.option("--os", "system", type=click.Choice(("linux", "macos", "windows")), help="The system.")
@click.option("--session", type=SessionChoice(), default="all", show_default=True, help="Answer for some starts only.")
@click.option("--ignore", multiple=True, metavar="ID", help="Leave a signature out (repeatable).")
@click.option("--context", type=click.IntRange(0, 50), default=0, help="Show N log lines around each evidence line.")
@click.option("--full", is_flag=True, help="Every fix, thread and line of every diagnosis.")
@click.option("--redact/--no-redact", default=None, help="Mask paths, hosts, addresses, tokens and prompts.")
@click.option(
    "--fail-on",
    type=click.Choice((*LEVELS, "never")),
    default="error",
    show_default=True,
    help="Severity from which on the exit code is 1.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes for LOGs, or for a large one.",
)
@click.option("--profile", "profiled", is_flag=True, help="Print where the time went, on standard error.")
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
    jobs: int,
    profiled: bool,
    engine: str | None,
    folders: Sequence[str],
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
    asked = Asked(
        form=form,
        stated=Stated(build, backend, flavour, system, session),
        ignore=tuple(found.id for found in map(catalog.resolve, ignore) if found),
        context=context,
        full=full,
        redact=redacts(form, redact),
        fail_on=fail_on,
        width=columns(width),
        color=wants_color(color),
        compact=len(logs) > 1,
    )
    found: Iterable[Answer]
    profile = None
    if profiled:
        from diag.profile import Profile

        profile = Profile()
    with _processes(jobs, folders, engine, asked) as others:
        if others is not None and len(logs) > 1 and "-" not in logs:
            profile = None  # the time goes elsewhere
            found = others.answers(logs)
        else:
            crew = others.read if others is not None else None
            ready = dataclasses.replace(
                analyzer(catalog, engine), profile=profile, watch=watched, crew=crew, n_ranges=jobs
            )
            found = (answer(name, ready, asked) for name in logs)
        codes = {_print(item, blank=bool(index) and form != "json") for index, item in enumerate(found)}
    if profile is not None:
        click.echo(profile.table(), err=True)
    sys.exit(next(code for code in (2, 1, 0, 3) if code in codes))


def _processes(
    jobs: int, folders: Sequence[str], engine: str | None, asked: Asked
) -> AbstractContextManager["Processes | None"]:
    if jobs == 1:
        return nullcontext()
    from diag.cli.processes import Processes

    return Processes(jobs, folders, engine, asked)


def _print(item: Answer, *, blank: bool) -> int:
    """Print an answer, behind a blank line where reports follow each other; return its exit code."""
    if item.text is None:
        click.echo(f"diag: {item.error}", err=True)
    else:
        if blank:
            click.echo()
        click.echo(item.text, color=True)
    return item.code
