"""Events to a Run."""

from collections.abc import Mapping, Sequence

from diag.assemble.acceptance import measured_events, sum_acceptance
from diag.assemble.build import read_build
from diag.assemble.bulk import Bulk, bulk_acceptance, count_requests, count_unknown, leave_open
from diag.assemble.drafter import read_drafter
from diag.assemble.ending import read_ending
from diag.assemble.flags import command_of, listed_arguments, read_flags
from diag.assemble.hardware import read_backends, read_devices, read_memory, read_os
from diag.assemble.incidents import group_incidents
from diag.assemble.refusals import join_fragments, judge_refusals
from diag.assemble.sessions import Cut, cut_sessions
from diag.assemble.target import read_target
from diag.assemble.tasks import read_tasks
from diag.model.boundaries import LAST_IMAGE_SHOWN, LAST_WITHOUT_IMAGE_DRAFTS
from diag.model.events import Event
from diag.model.events.crash import (
    Aborted,
    AssertFailed,
    BackendFailed,
    ExceptionEscaped,
    ExitReported,
    OomKilled,
    SignalReported,
)
from diag.model.events.device import ContextDescribed
from diag.model.events.draft import CacheShared
from diag.model.events.event import TextMatched, UnknownError
from diag.model.events.position import PositionsRefused, TokenPositionJumped
from diag.model.events.request import RequestAnswered
from diag.model.events.server import (
    FlagGiven,
    LinesSkipped,
    Listening,
    ModelLoaded,
    ModelLoading,
    ProjectorLoaded,
    Restarted,
    SessionEnded,
    SessionStarted,
    SlotAdded,
    SlotsInitialized,
    VerbosityPrinted,
    WrapperMet,
)
from diag.model.events.tone import IMAGES
from diag.model.form import Form
from diag.model.models import ModelTable
from diag.model.run import Build, Run, Session, Source
from diag.model.selection import Stretch, Sums
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
    sessions: list[Session] = []
    places = [_lines(cut, cuts, extents) for cut in cuts]
    shares = (
        bulk.share([(cut.stream, *place) for cut, place in zip(cuts, places, strict=True)])
        if bulk is not None
        else [None] * len(cuts)
    )
    for number, (cut, place, share) in enumerate(zip(cuts, places, shares, strict=True), 1):
        sessions.append(_session(number, cut, cuts, place, form, stated, table, spellings, wrappers, share, bulk))
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


def _session(
    number: int,
    cut: Cut,
    cuts: Sequence[Cut],
    place: tuple[int, int],
    form: Form,
    stated: Stated,
    table: ModelTable,
    spellings: Mapping[str, str],
    wrappers: Sequence[str],
    share: Sequence[tuple[Stretch, Sums]] | None,
    bulk: Bulk | None,
) -> Session:
    events: list[Event] = cut.events
    earlier, later = _earlier(cut, cuts), _later(cut, cuts)
    first_line, last_line = place
    repeats, passed = (bulk.repeats, bulk.passed) if bulk is not None else (None, frozenset[int]())
    command = command_of(form.commands, first_line, last_line)
    argv = command.argv if command is not None else ("llama-server", *listed_arguments(events))
    flags = read_flags(argv, spellings)
    build, build_source = read_build(events, form, stated=stated.build, flavour=stated.flavour, wrappers=wrappers)
    verbosity = next((event.verbosity for event in events if isinstance(event, VerbosityPrinted)), None)
    if verbosity is None and flags.get("-lv", "").isdigit():
        verbosity = int(flags["-lv"])
    projector = next((event.path for event in events if isinstance(event, ProjectorLoaded)), None)
    image_input = _image_input(events, projector, flags)
    shared_cache = any(isinstance(event, CacheShared) for event in events)
    no_drafter = build.high is not None and build.high <= LAST_WITHOUT_IMAGE_DRAFTS and image_input == "seen"
    judged = judge_refusals(
        group_incidents(events, passed=passed), image=image_input, shared_cache=shared_cache, no_drafter=no_drafter
    )
    events = [judged.get(event.place, event) if isinstance(event, PositionsRefused) else event for event in events]
    visible = _images_visible(events, verbosity, build)
    tasks = read_tasks(events, image_input=image_input, images_visible=visible)
    if share is not None:
        tasks = leave_open(tasks, events)
    target, target_source = read_target(events, table, flags.get("-m"))
    drafter = read_drafter(
        events,
        target=target,
        flags=flags,
        flags_line=command.line if command is not None else None,
        tasks=tasks,
        build=build,
        verbosity=verbosity,
        ready=cut.reached == "ready" and cut.started,
        table=table,
    )
    acceptance = (
        sum_acceptance(tasks)
        if share is None
        else bulk_acceptance(share, tasks, image_input=image_input, images_visible=visible)
    )
    seen = [event for event in events if not isinstance(event, LinesSkipped)] if share is not None else events
    ending = read_ending(seen, tasks, cut.reached, last=later is None)
    backends, backend_source = read_backends(events, form, stated.backend)
    system, os_source = read_os(events, form, stated.os)
    slots = next((event for event in events if isinstance(event, SlotsInitialized)), None)
    added = next((event.n_ctx for event in events if isinstance(event, SlotAdded)), None)
    sources = {
        name: source
        for name, source in (
            ("build", build_source),
            ("target", target_source),
            ("backends", backend_source),
            ("os", os_source),
            ("flags", Source("command-line", command.line, command.text) if command is not None else None),
        )
        if source is not None
    }
    last_event = events[-1]
    derived: list[Event] = [
        SessionStarted(line=events[0].line),
        *(FlagGiven(line=events[0].line, flag=flag, value=value) for flag, value in flags.items()),
        *(WrapperMet(line=events[0].line, name=name) for name in wrappers),
        *measured_events(acceptance, tasks, events),
        SessionEnded(line=last_event.line, column=len(last_event.line.text), kind=ending.kind, during=ending.during),
    ]
    if earlier:
        derived.append(Restarted(line=events[0].line, count=len(earlier)))
    return Session(
        number=number,
        stream=cut.stream,
        first_line=first_line,
        last_line=last_line,
        events=tuple(sorted([*events, *derived], key=lambda event: event.place)),
        incidents=tuple(group_incidents(events, repeats, passed)),
        build=build,
        ending=ending,
        started=cut.started,
        reached=cut.reached,
        os=system,
        backends=backends,
        devices=read_devices(events),
        target=target,
        drafter=drafter,
        image_input=image_input,
        projector=projector,
        verbosity=verbosity,
        flags=flags,
        command=command.text if command is not None else None,
        n_slots=slots.n_slots if slots is not None else None,
        n_ctx_slot=(slots.n_ctx_slot if slots is not None else None) or added,
        context={event.key: event.value for event in reversed(events) if isinstance(event, ContextDescribed)},
        memory=read_memory(events),
        tasks=tuple(tasks),
        acceptance=acceptance,
        answers=_answers(events),
        n_requests=len(tasks) if share is None else count_requests(share, tasks, events),
        n_unknown=count_unknown(share) if share is not None else {},
        image_sign=_image_sign(image_input, visible),
        sources=sources,
        crashed_backend=next((event.backend.lower() for event in events if isinstance(event, BackendFailed)), None),
    )


def _is_llamas(event: Event) -> bool:
    """True for an event that no other program's log would give: shells, compilers and web servers fail too."""
    if isinstance(event, SignalReported | ExitReported | OomKilled | UnknownError | ExceptionEscaped | TextMatched):
        text = event.line.text
        return event.elapsed_us is not None or any(word in text for word in ("llama", "ggml", "gguf", "GGML"))
    return not isinstance(event, Aborted) or "llama" in event.file or "ggml" in event.file


def _answers(events: Sequence[Event]) -> dict[int, tuple[int, int]]:
    """Return how often each HTTP status was answered, and the line of the first; health checks do not count."""
    found: dict[int, tuple[int, int]] = {}
    for event in events:
        if isinstance(event, RequestAnswered) and event.path not in ("/health", "/v1/health"):
            count, line = found.get(event.status, (0, event.line.number))
            found[event.status] = (count + 1, line)
    return found


def _image_input(events: Sequence[Event], projector: str | None, flags: Mapping[str, str]) -> str:
    """Return seen | possible | excluded | unknown.

    Every build prints the projector it loads at default verbosity, so a start without that line takes no images.
    """
    if any(isinstance(event, IMAGES) for event in events):
        return "seen"
    if any(isinstance(event, AssertFailed) and _of_images(event) for event in events):
        return "seen"
    if projector is not None:
        return "seen" if any(isinstance(event, TokenPositionJumped) for event in events) else "possible"
    if "--mmproj" in flags:
        return "possible"
    loading = any(isinstance(event, ModelLoading) for event in events)
    ready = any(isinstance(event, ModelLoaded | Listening) for event in events)
    return "excluded" if loading and ready else "unknown"


def _of_images(event: AssertFailed) -> bool:
    """True for an assertion that only image input reaches: in the projector's sources, or on a batch left empty."""
    file = (event.file or "").replace("\\", "/").rsplit("/", 1)[-1]
    return file.startswith(("clip", "mtmd")) or event.expression.startswith("batch.size() > 0")


def _images_visible(events: Sequence[Event], verbosity: int | None, build: Build) -> bool:
    if any(isinstance(event, (*IMAGES, TokenPositionJumped)) for event in events):
        return True
    if verbosity is not None and verbosity >= 4:
        return True
    return build.high is not None and build.high <= LAST_IMAGE_SHOWN


def _image_sign(image_input: str, visible: bool) -> str:
    if image_input == "excluded":
        return "no projector was loaded: every turn is text"
    if visible:
        return "image turns told by their lines in the log"
    if image_input in ("seen", "possible"):
        return "image turns cannot be told at this verbosity; -lv 4 logs them"
    return "whether a projector is loaded is not in the log"
