"""diag analyze: logs in, reports out."""

import sys
from collections.abc import Sequence

import click

from diag.catalog.compiled import open_catalog
from diag.catalog.locate import shipped
from diag.errors import InputError
from diag.model.report import Report
from diag.model.stated import Stated
from diag.pipeline import analyzer
from diag.render import FORMATS, renderer

_LEVELS = ("info", "degraded", "error", "fatal")


@click.command(name="analyze")
@click.argument("logs", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--fail-on", type=click.Choice((*_LEVELS, "never")), default="error", show_default=True)
def command(logs: Sequence[str], form: str, fail_on: str) -> None:
    """Diagnose LOGS (`-` reads standard input)."""
    ready = analyzer(open_catalog([shipped("signatures")]))
    render = renderer(form)
    codes: set[int] = set()
    for name in logs:
        try:
            report = ready.analyze(name, stated=Stated())
        except InputError as error:
            click.echo(f"diag: {error}", err=True)
            codes.add(2)
            continue
        codes.add(exit_code(report, fail_on))
        click.echo(render(report, compact=len(logs) > 1) if form == "json" else render(report))
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
