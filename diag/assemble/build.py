"""Which llama.cpp it was: number, commit, flavour, or the bounds that wordings give."""

from collections.abc import Sequence

from diag.late import late
from diag.model.events import Event
from diag.model.events.server import BuildMentioned, BuildPrinted, FlavourNamed
from diag.model.form import Form
from diag.model.run import LAUNCHERS, Build, Source

_FORM_BUILD = late(
    r"(?:build:? |version: |\bb)(\d{3,5})\b(?! or (?:later|earlier)| to b\d)(?: \((\w{6,40})\)|[, ]+commit (\w{6,40}))?"
)
_HIGHEST = 99_999
# Words in a stream's name (a unit, a service, a container) that tell who built the program.
_STREAM = late(
    r"(?<![a-z])(?:(?P<ollama>ollama)|(?P<lm_studio>lm[-_ ]?studio|lms|llmster)|(?P<koboldcpp>kobold(?:cpp)?)"
    r"|(?P<llamafile>llamafile)|(?P<ik>ik[-_]llama))(?![a-z])"
)
_OF_STREAM = {"lm_studio": "lm-studio", "ik": "ik_llama.cpp"}
# Forms that the lines of the server lost in September 2024 (ggml-org/llama.cpp#9418); the first build read is b4291.
_LAST_OF_FORM = {"text-2024": 4290, "json-2024": 4290}
_OF_WRAPPER = {"ollama": "ollama", "text-ik": "ik_llama.cpp"}  # layers that only one program's lines have
_ODD_NUMBERS = (0, 1)  # builds made without git history call themselves 0 or 1


def read_build(
    events: Sequence[Event], form: Form, *, stated: int | None, flavour: str | None, wrappers: Sequence[str]
) -> tuple[Build, Source | None]:
    """Return the build and where it is known from; a number of 0 or 1 counts as not printed.

    `stated` and `flavour` are the user's options and win over everything.
    """
    flavour = flavour or _flavour(events, wrappers)
    at_least, at_most, bound_line = None, None, None
    if flavour in ("upstream", *LAUNCHERS):
        at_least, at_most, bound_line = _bounds(events, wrappers)
    if stated is not None:
        return Build(stated, None, flavour, at_least, at_most), Source("option", None, f"--build b{stated}")
    for event in events:
        if isinstance(event, BuildPrinted | BuildMentioned) and event.number not in _ODD_NUMBERS:
            source = Source("log", event.line.number, event.line.text.strip())
            return Build(event.number, event.commit, flavour, at_least, at_most), source
    if form.version is not None:
        found = _FORM_BUILD.search(form.version.text)
        if found is not None and int(found[1]) not in _ODD_NUMBERS:
            # the row that names it: the answer often begins with the command that was asked for
            row = form.version.text.count("\n", 0, found.start())
            rows = [text.strip() for text in form.version.text.splitlines()[row : row + 2]]
            kept = rows if len(rows) > 1 and rows[1].startswith("built with") else rows[:1]
            source = Source("issue-form", form.version.line + row, "\n".join(kept))
            return Build(int(found[1]), found[2] or found[3], flavour, at_least, at_most), source
    source_of_bounds = Source("wording", bound_line) if bound_line is not None else None
    return Build(None, None, flavour, at_least, at_most), source_of_bounds


def _flavour(events: Sequence[Event], wrappers: Sequence[str]) -> str:
    """Return who built the program: what a line says, else the stream's name, else the form of the lines."""
    for event in events:
        if isinstance(event, FlavourNamed) and event.flavour not in LAUNCHERS:
            return event.flavour
    for stream in {event.line.stream: None for event in events if event.line.stream}:
        found = _STREAM.search(stream.lower())
        if found is not None and found.lastgroup is not None:
            return _OF_STREAM.get(found.lastgroup, found.lastgroup)
    return next((_OF_WRAPPER[name] for name in wrappers if name in _OF_WRAPPER), "upstream")


def _bounds(events: Sequence[Event], wrappers: Sequence[str]) -> tuple[int | None, int | None, int | None]:
    """Return the bounds and the line that gave the tighter one; wordings that contradict each other give none."""
    low = 0
    line: int | None = None
    high = min((_LAST_OF_FORM[name] for name in wrappers if name in _LAST_OF_FORM), default=_HIGHEST)
    for event in events:
        if event.not_before is not None and event.not_before > low:
            low, line = event.not_before, event.line.number
        if event.not_after is not None and event.not_after < high:
            high, line = event.not_after, event.line.number
    if low > high:
        return None, None, None
    return (low or None), (high if high != _HIGHEST else None), line
