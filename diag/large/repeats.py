"""Incidents of which no line is kept -> the kept ones like them."""

from collections.abc import Iterable, Mapping, Sequence

from diag.large.tell import Teller
from diag.model.selection import Selection, Stretch
from diag.scan.span import Open


def repeats_of(selection: Selection, reader: Teller) -> dict[int, int]:
    """Return line of a kept incident -> further incidents like it in the same stretch.

    What surrounds an incident may show others of its kind, so those that are left out are all without the visible ones.
    """
    repeats: dict[int, int] = {}
    for stretch, visible in _visible(selection, reader):
        for key, n in stretch.incidents.items():
            lines = visible.get(key, ())
            if lines and n > len(lines):
                repeats[lines[-1]] = repeats.get(lines[-1], 0) + n - len(lines)
    return repeats


def _visible(
    selection: Selection, reader: Teller
) -> Iterable[tuple[Stretch, Mapping[tuple[str | None, str], Sequence[int]]]]:
    """Yield each stretch with the first lines of the incidents that its kept lines show, by stream and shape."""
    at = 0
    lines = selection.lines
    for stretch in selection.stretches:
        found: dict[tuple[str | None, str], list[int]] = {}
        going: dict[str | None, Open] = {}

        def close(stream: str | None, found: dict = found, going: dict = going) -> None:
            incident = going.pop(stream, None)
            if incident is not None:
                found.setdefault((stream, incident.shape), []).append(incident.start)

        last = 0
        while at < len(lines) and lines[at][0] <= stretch.last_line:
            number, raw = lines[at]
            at += 1
            if last and number > last + 1 and number not in selection.joined:
                for stream in list(going):
                    close(stream)
            last = number
            told = reader.tell(raw, (-2,), exact=True)
            if told.closes:
                close(told.stream)
            if not told.failure:
                continue
            incident = going.get(told.stream)
            if incident is None:
                incident = going[told.stream] = Open(told.stream, number, number, [])
            incident.add(told)
            if told.ends:
                close(told.stream)
        for stream in list(going):
            close(stream)
        yield stretch, found
