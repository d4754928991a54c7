"""Events to a Run."""

from collections.abc import Mapping, Sequence

from diag.assemble.bulk import Bulk
from diag.assemble.refusals import join_fragments
from diag.assemble.session import Given, Part, read_session
from diag.assemble.sessions import Cut, cut_sessions
from diag.model.events import Event
from diag.model.events.crash import Aborted, ExceptionEscaped, ExitReported, OomKilled, SignalReported
from diag.model.events.event import TextMatched, UnknownError
from diag.model.events.server import LinesSkipped
from diag.model.form import Form
from diag.model.models import ModelTable
from diag.model.run import Run
from diag.model.stated import Stated

Extents = Mapping[str | None, tuple[int, int]]
"""First and last physical line of each stream."""


def assemble(
    events: Sequence[Event],
    extents: Extents,
    *,
    form: Form,
    stated: Stated,
    table: ModelTable,
    spellings: Mapping[str, str],
    wrappers: Sequence[str] = (),
    bulk: Bulk | None = None,
) -> Run:
    """Return the sessions in the order of their first lines, with derived events among their events.

    `spellings`: of flags, to the one name of each.
    `bulk`: what a large log is only counted for; None where every line was read.
    """
    cuts = cut_sessions(join_fragments(events), sorted(form.typed_lines))
    places = [_lines(cut, cuts, extents) for cut in cuts]
    shares = (
        bulk.share([(cut.stream, *place) for cut, place in zip(cuts, places, strict=True)])
        if bulk is not None
        else [None] * len(cuts)
    )
    given = Given(form, stated, table, spellings, tuple(wrappers), bulk)
    sessions = [
        read_session(Part(number, cut, place, len(_earlier(cut, cuts)), _later(cut, cuts) is None, share), given)
        for number, (cut, place, share) in enumerate(zip(cuts, places, shares, strict=True), 1)
    ]
    return Run(tuple(sessions), looks_like_llama=any(_is_llamas(event) for cut in cuts for event in cut.events))


def _lines(cut: Cut, cuts: Sequence[Cut], extents: Extents) -> tuple[int, int]:
    """Return the first and the last line of a session."""
    first, last = cut.events[0], cut.events[-1]
    begin, end = extents.get(cut.stream, (first.line.number, last.line.number))
    later = _later(cut, cuts)
    return (
        first.line.number if _earlier(cut, cuts) else min(begin, first.line.number),
        max(end if later is None else later.events[0].line.number - 1, last.line.number),
    )


def _earlier(cut: Cut, cuts: Sequence[Cut]) -> list[Cut]:
    return [
        other
        for other in cuts
        if other.stream == cut.stream and other is not cut and other.events[0].place < cut.events[0].place
    ]


def _later(cut: Cut, cuts: Sequence[Cut]) -> Cut | None:
    at = next(index for index, other in enumerate(cuts) if other is cut)
    return next((other for other in cuts[at + 1 :] if other.stream == cut.stream), None)


def _is_llamas(event: Event) -> bool:
    """True for an event that no other program's log would give: shells, compilers and web servers fail too."""
    if isinstance(event, SignalReported | ExitReported | OomKilled | UnknownError | ExceptionEscaped | TextMatched):
        text = event.line.text
        return event.elapsed_us is not None or any(word in text for word in ("llama", "ggml", "gguf", "GGML"))
    if isinstance(event, Aborted):
        return "llama" in event.file or "ggml" in event.file
    return not isinstance(event, LinesSkipped)
