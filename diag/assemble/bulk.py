"""Sums over the requests of a large log -> what a session says of them."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field, replace

from diag.assemble.acceptance import sum_acceptance
from diag.model.events import Event
from diag.model.events.request import TaskCancelled, TaskFailed, TaskReleased, TaskStarted
from diag.model.events.server import LinesSkipped
from diag.model.noun import noun
from diag.model.run import Acceptance, Task
from diag.model.selection import ONLY, Stretch, Sums


@noun
class Bulk:
    """What a large log is only counted for, beside the events of the lines that are kept."""

    repeats: Mapping[int, int] = field(default_factory=dict)  # line of a kept incident -> further ones like it
    stretches: Sequence[Stretch] = ()
    passed: Set[int] = frozenset()  # lines of incidents that are visible in part: they count among the repeats

    def share(self, sessions: Sequence[tuple[str | None, int, int]]) -> list[list[tuple[Stretch, Sums]]]:
        """Return the stretches of each session, given as (stream, first line, last line); none is given twice."""
        shares: list[list[tuple[Stretch, Sums]]] = [[] for _ in sessions]
        for stretch in self.stretches:
            for key, sums in stretch.sums.items():
                overlaps = [
                    (min(last, stretch.last_line) - max(first, stretch.first_line), at)
                    for at, (stream, first, last) in enumerate(sessions)
                    if key in (ONLY, stream)
                ]
                if overlaps and max(overlaps)[0] >= 0:
                    shares[max(overlaps, key=lambda item: (item[0], -item[1]))[1]].append((stretch, sums))
        return shares


def bulk_acceptance(
    stretches: Iterable[tuple[Stretch, Sums]], tasks: Sequence[Task], *, image_input: str, images_visible: bool
) -> dict[str, Acceptance]:
    """Return the sums for text, image and unknown turns over all requests of a session.

    Where no line shows an image, all turns are alike. Else the requests whose every line was kept are told one by one,
    and the others are unknown.
    """
    total = {"text": Acceptance(), "image": Acceptance(), "unknown": Acceptance()}
    for stretch, sums in stretches:
        if not stretch.signs:
            alike = "text" if image_input == "excluded" or images_visible else "unknown"
            total[alike] += _acceptance(sums)
            continue
        until = stretch.turns_until if stretch.turns_until is not None else stretch.last_line
        told = sum_acceptance(
            task
            for task in tasks
            if task.accepted_line is not None and stretch.first_line <= task.accepted_line <= until
        )
        rest = sums
        for turn, part in told.items():
            total[turn] += part
            rest = rest - Sums(0, part.requests, part.accepted, part.drafted, part.cycles, part.measured_len)
        total["unknown"] += _acceptance(rest)
    return total


def _acceptance(sums: Sums) -> Acceptance:
    return Acceptance(sums.n_accepted_lines, sums.drafted, sums.accepted, sums.cycles, sums.n_measured)


def count_requests(share: Iterable[tuple[Stretch, Sums]], tasks: Sequence[Task], events: Sequence[Event]) -> int:
    """Return how many requests a session worked on: those that begin in it, and those open where the log begins."""
    n_started = sum(sums.n_started for _, sums in share)
    if not n_started:
        return len(tasks)
    skipped = next((event.line.number for event in events if isinstance(event, LinesSkipped)), None)
    started = {event.task_id for event in events if isinstance(event, TaskStarted)}
    open_before = [task for task in tasks if task.task_id is not None and task.task_id not in started]
    return n_started + sum(1 for task in open_before if skipped is None or task.first_line < skipped)


def count_unknown(share: Iterable[tuple[Stretch, Sums]]) -> dict[str, int]:
    """Return how many lines of each shape nothing knows."""
    total: dict[str, int] = {}
    for stretch in {id(stretch): stretch for stretch, _ in share}.values():
        for shape, n in stretch.unknown.items():
            total[shape] = total.get(shape, 0) + n
    return total


def is_of_one(share: Iterable[tuple[Stretch, Sums]]) -> bool:
    """Return whether all that was counted is one server's: what is told by lines may else be another's."""
    return all(stretch.sums.keys() <= {ONLY} for stretch, _ in share)


def failed_lines(share: Sequence[tuple[Stretch, Sums]]) -> tuple[tuple[int, ...], int]:
    """Return the lines of failed requests and how many are behind them; none where several streams were counted."""
    if not is_of_one(share):
        return (), 0
    stretches = {id(stretch): stretch for stretch, _ in share}.values()
    lines = tuple(line for stretch in stretches for line in stretch.failed)
    return lines, sum(stretch.n_failed_behind for stretch in stretches)


def turns_until(share: Iterable[tuple[Stretch, Sums]]) -> int | None:
    """Return the first line from which on turns with an image were not told from others; None where all were."""
    return min((stretch.turns_until for stretch, _ in share if stretch.signs and stretch.turns_until), default=None)


_ENDS = (TaskReleased, TaskCancelled, TaskFailed)


def leave_open(tasks: Sequence[Task], events: Sequence[Event], *, of_one: bool) -> list[Task]:
    """Return the tasks with "unseen" as the outcome of those that are only seen in part.

    One ends among lines that were only counted; another begins there, so that its first line says nothing. In a log of
    one server the last request is known to be open: the last line that starts one is always kept, and the last that
    ends one.
    """
    gaps = [event.line.number for event in events if isinstance(event, LinesSkipped)]
    if not gaps:
        return list(tasks)
    first, last = min(gaps), max(gaps)
    started = {event.task_id for event in events if isinstance(event, TaskStarted)}
    newest = max(
        (event for event in events if isinstance(event, TaskStarted)), key=lambda event: event.place, default=None
    )
    ended = max((event.place for event in events if isinstance(event, _ENDS)), default=(0, 0, 0))
    still_open = newest.task_id if of_one and newest is not None and newest.place > ended else None
    return [
        replace(task, outcome="unseen")
        if (task.outcome == "open" and task.last_line < last and (still_open is None or task.task_id != still_open))
        or (task.outcome == "finished" and task.first_line >= first and task.task_id not in started)
        else task
        for task in tasks
    ]
