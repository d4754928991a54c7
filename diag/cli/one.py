"""One log to the text of its report: what `diag analyze` does for each of its arguments, here or in another process."""

import datetime as dt

from diag.errors import InputError
from diag.model.noun import noun
from diag.model.report import Report
from diag.model.signature import SEVERITIES
from diag.model.stated import Stated
from diag.pipeline import Analyzer
from diag.render import FORMATS, renderer

LEVELS = tuple(reversed(SEVERITIES[: SEVERITIES.index("info") + 1]))  # a harmless line never fails a run


@noun
class Asked:
    """The options of a run that its reports depend on."""

    form: str
    stated: Stated
    ignore: tuple[str, ...]  # ids
    context: int
    full: bool
    redact: bool
    fail_on: str
    width: int
    color: bool
    compact: bool  # one document a line


@noun
class Answer:
    """A report as text, or why there is none."""

    text: str | None
    code: int
    error: str | None = None


def answer(name: str, ready: Analyzer, asked: Asked) -> Answer:
    """Return the report of one log, ready to print; an input that cannot be read is an error with code 2."""
    try:
        report = ready.analyze(name, stated=asked.stated, ignore=asked.ignore, context=asked.context)
    except InputError as error:
        return Answer(None, 2, str(error))
    code = exit_code(report, asked.fail_on)
    with ready.stage("render"):
        return Answer(_text(report, asked), code)


def _text(report: Report, asked: Asked) -> str:
    if asked.redact:
        from diag.redact.report import redact_report

        report = redact_report(report)
    render = renderer(asked.form)
    if asked.form == "json":
        return render(report, compact=asked.compact)
    if asked.form == "text":
        today = dt.datetime.now(dt.UTC).date()
        return render(report, width=asked.width, color=asked.color, full=asked.full, today=today)
    return render(report, full=asked.full)


def exit_code(report: Report, fail_on: str) -> int:
    """Return 1 when a diagnosis reaches the level, 3 when the input is no llama.cpp log, else 0."""
    if not report.is_llama_log:
        return 3
    if fail_on == "never":
        return 0
    reached = LEVELS[LEVELS.index(fail_on) :]
    standing = [item for item in report.diagnoses if item.withdrawn_by_line is None]
    return 1 if any(item.severity in reached for item in standing) else 0


def redacts(form: str, wanted: bool | None) -> bool:
    """Return whether to mask private text: as asked, else as the format does."""
    return wanted if wanted is not None else FORMATS[form].redacts
