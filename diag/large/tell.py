"""One physical line -> what it says, remembered by its text so that a million alike lines are read once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from diag.conclude.fingerprint import shape
from diag.model.alike import DIGITS
from diag.model.candidate import Candidate
from diag.model.catalog import Catalog
from diag.model.events import Event
from diag.model.events.draft import DraftAccepted
from diag.model.events.event import TextMatched, UnknownError
from diag.model.events.position import PositionFragment
from diag.model.events.request import TaskFailed, TaskStarted
from diag.model.events.server import ModelLoading, StartMarked
from diag.model.events.tone import IMAGES, is_neutral, is_quiet
from diag.model.line import Line
from diag.model.selection import Told
from diag.model.signature import Test
from diag.parse.parse import parse
from diag.parse.prefix import has_clock, split_prefix
from diag.parse.table import AnchorTable
from diag.parse.unknown import find_unknown
from diag.scan.engine import Hits
from diag.scan.lines import scan_lines

_MOST_REMEMBERED = 10_000
_LONGEST_REMEMBERED = 2048  # bytes; longer lines are bodies, seldom alike
_STARTS = (StartMarked, ModelLoading)
_TRIMMED = 16_384  # bytes; of a longer line only the head and the text around its anchors are read


class Teller:
    """Reads single lines with the very stages that read a small log."""

    def __init__(
        self,
        catalog: Catalog,
        table: AnchorTable,
        search: Callable[[bytes], Hits],
        unwrap: Callable[[int, str], list[Line]],
    ) -> None:
        self._table = table
        self._search = search
        self._unwrap = unwrap
        self._tests, self._keep = _asked(catalog)
        self._alike: dict[object, Told] = {}
        self._anchors: dict[object, tuple[int, ...]] = {}  # of lines alike whose figures decide
        self._figures: dict[bytes, Told] = {}  # of such lines with the same figures

    def opens_body(self, raw: bytes) -> bool:
        """Return whether the line begins a logged request or answer, which may go on in the lines behind it."""
        lines = self.unwrapped(0, raw[:4096])
        prefixed = split_prefix(lines[-1]) if lines else None
        return prefixed is not None and prefixed.level == "D" and prefixed.body_at < len(prefixed.message)

    def events(self, lines: Sequence[Line]) -> list[Event]:
        """Return the events of the lines in order, those that nothing knows among them."""
        events = parse(scan_lines(lines, self._search), self._table)
        known = {(event.line.number, event.line.part) for event in events if not isinstance(event, TextMatched)}
        return sorted([*events, *find_unknown(lines, known)], key=lambda event: event.place)

    def unwrapped(self, number: int, raw: bytes) -> list[Line]:
        """Return the logical lines of a physical one."""
        return self._unwrap(number, raw.decode("utf-8", "replace"))

    def tell(self, raw: bytes, anchors: tuple[int, ...], *, exact: bool, decided: bool = False) -> Told:
        """Return what the line says. `anchors` were found in it.

        exact: one of them asks for certain digits. decided: they tell all that the line's figures decide.
        """
        short = len(raw) <= _LONGEST_REMEMBERED
        key: object = None
        if short:
            # the program's clock, slot, task and figures change from line to line and decide nothing here
            key = (anchors, raw[_clock(raw) :] if exact else raw.translate(DIGITS))
            known = self._alike.get(key)
            if known is not None:
                return known
            anchored = self._anchors.get(key)
            if anchored is not None:
                told = self._with_figures(raw, anchored)
                if told is not None:
                    return told
        told, by_value, stream_known = self._read(raw)
        if short and stream_known and self._has_room():
            if exact or decided or not by_value:
                told = self._alike[key] = replace(told, fixed=not exact)
            else:
                self._remember_anchors(key, raw)
        return told

    def _has_room(self) -> bool:
        return len(self._alike) + len(self._anchors) + len(self._figures) < _MOST_REMEMBERED

    def _with_figures(self, raw: bytes, anchors: tuple[int, ...]) -> Told | None:
        """Return what a line says of which only the figures are new, or None when they make it another one."""
        text = _without_task(raw)
        known = self._figures.get(text)
        if known is not None:
            return known
        line = Line(0, 0, raw.decode("utf-8", "replace").rstrip())
        events = parse((Candidate(line, anchors),), self._table)
        if not events:
            return None
        told = self._told((line,), events)[0]
        if self._has_room():
            self._figures[text] = told
        return told

    def _remember_anchors(self, key: object, raw: bytes) -> None:
        """Keep which anchors a line holds that nothing wraps: of others like it only the figures are read."""
        lines = self.unwrapped(0, raw)
        if lines == [Line(0, 0, raw.decode("utf-8", "replace").rstrip())]:
            (candidate,) = scan_lines(lines, self._search) or (None,)
            if candidate is not None:
                self._anchors[key] = candidate.anchors

    def forget(self) -> None:
        """Drop what is remembered of lines alike: no more will come one by one."""
        self._alike.clear()
        self._anchors.clear()
        self._figures.clear()

    def told(self, lines: Sequence[Line], events: Sequence[Event]) -> Told:
        """Return what the lines of one physical line say, by their events."""
        return self._told(lines, events)[0]

    def _read(self, raw: bytes) -> tuple[Told, bool, bool]:
        """Return what the line says, whether figures in it decide, and whether its stream cannot change with them."""
        lines = self.unwrapped(0, raw)
        return self._told(lines, self.events(lines))

    def _told(self, lines: Sequence[Line], events: Sequence[Event]) -> tuple[Told, bool, bool]:
        stream = lines[0].stream if lines else None
        parts: list[str] = []
        closes = failure = ends = by_value = False
        unknown: list[str] = []
        starts: list[str] = []
        facts: list[str] = []
        accepted: list[tuple[int, int, float | None]] = []
        keep = n_started = n_failed = 0
        x: int | None = None
        y: int | None = None
        for event in events:
            kind = type(event)
            name = event.condition if isinstance(event, TextMatched) else kind.__name__
            keep = max(keep, self._keep.get(name, 0))
            if isinstance(event, _STARTS):
                starts.append(name)
            elif isinstance(event, TaskStarted):
                n_started += 1
            elif isinstance(event, TaskFailed):
                n_failed += 1
            elif isinstance(event, DraftAccepted):
                accepted.append((event.accepted, event.drafted, event.mean_len))
            tests = self._tests.get(name)
            if tests is not None:
                values = [(getattr(event, field, None), test) for field, test in tests]
                by_value = by_value or any(_is_figure(value, test) for value, test in values)
                name += "".join(["1" if test.holds(value) else "0" for value, test in values])
            if is_quiet(event):
                facts.append(kind.__name__)
                if failure:
                    ends = True
                else:
                    closes = True
                parts.append(name)
                continue
            if isinstance(event, PositionFragment):
                name += f" {event.part} {event.rule or ''}"
                x, y = (event.x if event.x is not None else x), (event.y if event.y is not None else y)
                by_value = True
            elif isinstance(event, UnknownError):
                text = shape(event.text)
                unknown.append(text)
                name += text
            parts.append(name)
            if not isinstance(event, IMAGES) and not is_neutral(event):
                failure = True
        told = Told(
            stream=stream,
            closes=closes,
            failure=failure,
            ends=ends,
            known=bool(events),
            clocked=any(line.level is not None or has_clock(line.text) for line in lines),
            shape="+".join(parts),
            facts=tuple(facts),
            starts=tuple(starts),
            unknown=tuple(unknown),
            n_started=n_started,
            n_failed=n_failed,
            accepted=tuple(accepted),
            keep=keep,
            x=x,
            y=y,
        )
        return told, by_value, stream is None or not any(map(str.isdigit, stream))


def _clock(raw: bytes) -> int:
    """Return where the text behind the program's own clock begins; 0 without one."""
    at = raw.find(b" ", 0, 24)
    return at if at > 0 and raw[:1].isdigit() and raw.count(b".", 0, at) == 3 else 0


def _without_task(raw: bytes) -> bytes:
    """Return a line without its clock and the numbers of slot and task, which no signature tests."""
    begin = _clock(raw)
    at = raw.find(b" | task ", begin)
    if at < 0:
        return raw[begin:]
    return raw[begin:at].translate(DIGITS) + raw[raw.find(b" ", at + 8) :]


def _asked(catalog: Catalog) -> tuple[Mapping[str, Sequence[tuple[str, Test]]], Mapping[str, int]]:
    """Return the tests that signatures make on fields of events, and how many of an event or text they want to see."""
    tests: dict[str, list[tuple[str, Test]]] = {}
    keep: dict[str, int] = {}
    for signature in catalog.signatures.values():
        for condition in signature.conditions.values():
            name = condition.event or f"{signature.id}/{condition.name}"
            if condition.count > 1:
                keep[name] = max(keep.get(name, 0), condition.count)
            for field, test in condition.where.items():
                bare = replace(test, same_as=None)
                if bare != Test() and (field, bare) not in tests.setdefault(name, []):
                    tests[name].append((field, bare))
    return {name: rows for name, rows in tests.items() if rows}, keep


def _is_figure(value: object, test: Test) -> bool:
    """True when the digits of a line may decide the test."""
    wanted = [test.equals, test.contains, *(test.any_of or ())]
    return (isinstance(value, int | float) and not isinstance(value, bool)) or any(
        character.isdigit() for item in wanted if isinstance(item, str) for character in item
    )
