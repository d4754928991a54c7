"""Incidents of which no line is kept -> the kept ones like them."""

from collections.abc import Mapping, Sequence

from diag.large.tell import Teller
from diag.model.events import Event
from diag.model.line import Line
from diag.model.selection import Selection, Told
from diag.scan.span import Open


def repeats_of(
    selection: Selection, lines: Sequence[Line], events: Sequence[Event], reader: Teller
) -> tuple[dict[int, int], set[int]]:
    """Return line of a kept incident -> further incidents like it in the same stretch; and lines to leave out.

    What surrounds an incident may show others of its kind, so those that are left out are all without the visible ones.
    An incident that is visible by chance and may be cut short at a gap is left out as well: it is counted anyway.
    """
    told_at = _told(lines, events, reader)
    repeats: dict[int, int] = {}
    cut: set[int] = set()
    at = 0
    for stretch in selection.stretches:
        begin = at
        while at < len(selection.lines) and selection.lines[at][0] <= stretch.last_line:
            at += 1
        visible = _Visible(selection)
        visible.read([number for number, _ in selection.lines[begin:at]], told_at)
        cut |= visible.cut
        for key, n in stretch.incidents.items():
            first_lines = visible.found.get(key, ())
            if first_lines and n > len(first_lines):
                repeats[first_lines[-1]] = repeats.get(first_lines[-1], 0) + n - len(first_lines)
    return repeats, cut


class _Visible:
    """The incidents that kept lines show."""

    def __init__(self, selection: Selection) -> None:
        self.found: dict[tuple[str | None, str], list[int]] = {}
        self.cut: set[int] = set()
        self._selection = selection
        self._going: dict[str | None, Open] = {}
        self._numbers: dict[str | None, list[int]] = {}  # lines of the incidents that go on
        self._at_gap: set[str | None] = set()  # streams whose incident begins behind a gap
        self._fresh = False  # nothing of any stream stands between the last gap and here

    def read(self, numbers: Sequence[int], told_at: Mapping[int, Told]) -> None:
        """Take the kept lines of one stretch."""
        last = 0
        for number in numbers:
            if last and self._selection.ends_incidents(last, number):
                for stream in list(self._going):
                    self._close(stream, gap=last in self._numbers[stream])
                self._fresh = True
            told = told_at.get(number)
            if told is not None:
                self._take(number, told)
            else:
                self._fresh = False
            last = number
        for stream in list(self._going):
            self._close(stream, gap=False)

    def _take(self, number: int, told: Told) -> None:
        if told.closes:
            self._close(told.stream, gap=False)
        if told.failure:
            incident = self._going.get(told.stream)
            if incident is None:
                incident = self._going[told.stream] = Open(told.stream, number, number, [])
                self._numbers[told.stream] = []
                if self._fresh:
                    self._at_gap.add(told.stream)
            incident.add(told)
            self._numbers[told.stream].append(number)
            if told.ends:
                self._close(told.stream, gap=False)
        else:
            self._fresh = False

    def _close(self, stream: str | None, *, gap: bool) -> None:
        incident = self._going.pop(stream, None)
        if incident is None:
            return
        numbers = self._numbers.pop(stream)
        at_gap = stream in self._at_gap
        self._at_gap.discard(stream)
        self._fresh = False
        if (gap or at_gap) and numbers[0] not in self._selection.whole:
            self.cut.update(numbers)
        else:
            self.found.setdefault((stream, incident.shape), []).append(incident.start)


def _told(lines: Sequence[Line], events: Sequence[Event], reader: Teller) -> dict[int, Told]:
    """Return what each physical line says that holds an event."""
    by_number: dict[int, list[Event]] = {}
    for event in events:
        by_number.setdefault(event.line.number, []).append(event)
    parts: dict[int, list[Line]] = {}
    for line in lines:
        if line.number in by_number:
            parts.setdefault(line.number, []).append(line)
    return {number: reader.told(parts[number], found) for number, found in by_number.items()}
