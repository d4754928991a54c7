"""One session's events to the session."""

from collections.abc import Iterator, Mapping, Sequence, Set

from diag.assemble.acceptance import measured_events, sum_acceptance
from diag.assemble.build import read_build
from diag.assemble.bulk import (
    Bulk,
    bulk_acceptance,
    count_requests,
    count_unknown,
    failed_lines,
    is_of_one,
    leave_open,
    turns_until,
)
from diag.assemble.drafter import read_drafter
from diag.assemble.ending import read_ending
from diag.assemble.flags import command_of, listed_arguments, read_flags
from diag.assemble.hardware import read_backends, read_devices, read_memory, read_os
from diag.assemble.incidents import group_incidents
from diag.assemble.refusals import judge_refusals
from diag.assemble.sessions import Cut
from diag.assemble.target import read_target
from diag.assemble.tasks import read_tasks
from diag.model.boundaries import LAST_IMAGE_SHOWN, LAST_WITHOUT_IMAGE_DRAFTS
from diag.model.events import Event
from diag.model.events.crash import (
    AssertFailed,
    BackendFailed,
)
from diag.model.events.device import ContextDescribed
from diag.model.events.draft import CacheShared
from diag.model.events.position import PositionsRefused, TokenPositionJumped
from diag.model.events.request import (
    PrefixKept,
    PromptEvaluated,
    PromptRestored,
    PromptStarted,
    RequestAnswered,
    SlotSelected,
    TaskReleased,
    TaskStarted,
    TimingHeader,
    TokensGenerated,
)
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
from diag.model.form import Command, Form
from diag.model.models import ModelTable
from diag.model.noun import noun
from diag.model.run import Acceptance, Build, Ending, Session, Source, Task
from diag.model.selection import Stretch, Sums
from diag.model.stated import Stated

# What every request prints: these say nothing of the server itself, and most events are of them.
_OF_REQUESTS = (
    TaskStarted, TaskReleased, SlotSelected, PromptStarted, PromptEvaluated, PromptRestored, PrefixKept, TimingHeader,
    TokensGenerated,
)  # fmt: skip


@noun
class Given:
    """What is known beside the events, the same for each session of an input."""

    form: Form
    stated: Stated
    table: ModelTable
    spellings: Mapping[str, str]  # of flags, to the one name of each
    wrappers: tuple[str, ...] = ()
    bulk: Bulk | None = None  # what a large log is only counted for; None where every line was read


@noun
class Part:
    """One session's part of an input."""

    number: int  # from 1
    cut: Cut
    lines: tuple[int, int]  # first and last
    n_earlier: int = 0  # sessions of the same stream before it
    is_last: bool = True  # of its stream
    share: Sequence[tuple[Stretch, Sums]] | None = None  # of what a large log is only counted for


@noun
class _Facts:
    """What the rest of a session is read by."""

    command: Command | None
    flags: Mapping[str, str]
    build: Build
    build_source: Source | None
    verbosity: int | None
    projector: str | None
    image_input: str
    images_visible: bool


def read_session(part: Part, given: Given) -> Session:
    """Return the session, with derived events among its events."""
    facts = _facts(part, given)
    events = _judged(part, given, facts)
    tasks = read_tasks(events, image_input=facts.image_input, images_visible=facts.images_visible)
    if part.share is not None:
        tasks = leave_open(tasks, events, of_one=is_of_one(part.share))
    told = [event for event in events if not isinstance(event, _OF_REQUESTS)]
    target, target_source = read_target(told, given.table, facts.flags.get("-m"))
    drafter = read_drafter(
        told,
        target=target,
        flags=facts.flags,
        flags_line=facts.command.line if facts.command is not None else None,
        tasks=tasks,
        build=facts.build,
        verbosity=facts.verbosity,
        ready=part.cut.reached == "ready" and part.cut.started,
        table=given.table,
    )
    acceptance = _acceptance(part, facts, tasks)
    # a line that stands for skipped ones is no line that the log ends with
    seen = [event for event in events if not isinstance(event, LinesSkipped)] if part.share is not None else events
    ending = read_ending(seen, tasks, part.cut.reached, last=part.is_last)
    backends, backend_source = read_backends(told, given.form, given.stated.backend)
    system, os_source = read_os(told, given.form, given.stated.os)
    command = facts.command
    sources = {
        "build": facts.build_source,
        "target": target_source,
        "backends": backend_source,
        "os": os_source,
        "flags": Source("command-line", command.line, command.text) if command is not None else None,
    }
    derived = [*_derived(part, given, facts, ending), *measured_events(acceptance, tasks, events)]
    repeats, passed = _counted(given)
    failed, n_failed_behind = failed_lines(part.share or ())
    slots = next((event for event in told if isinstance(event, SlotsInitialized)), None)
    added = next((event.n_ctx for event in told if isinstance(event, SlotAdded)), None)
    return Session(
        number=part.number,
        stream=part.cut.stream,
        first_line=part.lines[0],
        last_line=part.lines[1],
        events=tuple(sorted([*events, *derived], key=lambda event: event.place)),
        incidents=tuple(group_incidents(events, repeats, passed)),
        build=facts.build,
        ending=ending,
        started=part.cut.started,
        reached=part.cut.reached,
        os=system,
        backends=backends,
        devices=read_devices(told),
        target=target,
        drafter=drafter,
        image_input=facts.image_input,
        projector=facts.projector,
        verbosity=facts.verbosity,
        flags=facts.flags,
        command=command.text if command is not None else None,
        n_slots=slots.n_slots if slots is not None else None,
        n_ctx_slot=(slots.n_ctx_slot if slots is not None else None) or added,
        context={event.key: event.value for event in reversed(told) if isinstance(event, ContextDescribed)},
        memory=read_memory(told),
        tasks=tuple(tasks),
        acceptance=acceptance,
        answers=_answers(events),
        n_requests=len(tasks) if part.share is None else count_requests(part.share, tasks, events),
        failed=failed,
        n_failed_behind=n_failed_behind,
        n_unknown=count_unknown(part.share) if part.share is not None else {},
        image_sign=_image_sign(facts.image_input, facts.images_visible),
        turns_until=turns_until(part.share) if part.share is not None else None,
        sources={name: source for name, source in sources.items() if source is not None},
        crashed_backend=next((event.backend.lower() for event in told if isinstance(event, BackendFailed)), None),
    )


def _facts(part: Part, given: Given) -> _Facts:
    events = part.cut.events
    command = command_of(given.form.commands, *part.lines)
    argv = command.argv if command is not None else ("llama-server", *listed_arguments(events))
    flags = read_flags(argv, given.spellings)
    stated = given.stated
    build, source = read_build(events, given.form, stated=stated.build, flavour=stated.flavour, wrappers=given.wrappers)
    events = [event for event in events if not isinstance(event, _OF_REQUESTS)]
    verbosity = next((event.verbosity for event in events if isinstance(event, VerbosityPrinted)), None)
    if verbosity is None and flags.get("-lv", "").isdigit():
        verbosity = int(flags["-lv"])
    projector = next((event.path for event in events if isinstance(event, ProjectorLoaded)), None)
    image_input = _image_input(events, projector, flags)
    visible = _images_visible(events, verbosity, build)
    return _Facts(command, flags, build, source, verbosity, projector, image_input, visible)


def _judged(part: Part, given: Given, facts: _Facts) -> list[Event]:
    """Return the events with what is known of each refused batch: who refused it, and what left it apart."""
    events = part.cut.events
    if not any(isinstance(event, PositionsRefused) for event in events):
        return events
    high = facts.build.high
    judged = judge_refusals(
        group_incidents(events, passed=_counted(given)[1]),
        image=facts.image_input,
        shared_cache=any(isinstance(event, CacheShared) for event in events),
        no_drafter=high is not None and high <= LAST_WITHOUT_IMAGE_DRAFTS and facts.image_input == "seen",
    )
    return [judged.get(event.place, event) if isinstance(event, PositionsRefused) else event for event in events]


def _counted(given: Given) -> tuple[Mapping[int, int] | None, Set[int]]:
    """Return what stands for incidents that a large log only counts: repeats by line, lines visible in part."""
    return (given.bulk.repeats, given.bulk.passed) if given.bulk is not None else (None, frozenset())


def _acceptance(part: Part, facts: _Facts, tasks: Sequence[Task]) -> dict[str, Acceptance]:
    if part.share is None:
        return sum_acceptance(tasks)
    return bulk_acceptance(part.share, tasks, image_input=facts.image_input, images_visible=facts.images_visible)


def _derived(part: Part, given: Given, facts: _Facts, ending: Ending) -> Iterator[Event]:
    """Yield the events that no line states by itself."""
    first, last = part.cut.events[0].line, part.cut.events[-1].line
    yield SessionStarted(line=first)
    yield from (FlagGiven(line=first, flag=flag, value=value) for flag, value in facts.flags.items())
    yield from (WrapperMet(line=first, name=name) for name in given.wrappers)
    yield SessionEnded(line=last, column=len(last.text), kind=ending.kind, during=ending.during)
    if part.n_earlier:
        yield Restarted(line=first, count=part.n_earlier)


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
