"""Lines that belong to a request or an answer which the server logged over several lines."""

from collections.abc import Sequence

from diag.model.line import Line
from diag.parse.prefix import has_clock, split_prefix

_HEADS = ("Parsing chat message: ", "Parsed message: ", "rompt: ", "equest: ", "esponse: ", "body  {", "to_send: ")


def outside_bodies(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines without those that go on a logged request or answer: what they say, a user wrote.

    Such a message is of level D and ends at the next line with the program's clock; in a log without clocks its end
    cannot be told, and nothing is left out.
    """
    if not any(line.text.find(" D ", 0, 40) >= 0 and any(map(line.text.__contains__, _HEADS)) for line in lines):
        return lines
    kept: list[Line] = []
    inside: str | None = None
    open_body = False
    for line in lines:
        clocked = line.level is not None or has_clock(line.text)
        if clocked:
            prefixed = split_prefix(line)
            open_body = prefixed.level == "D" and prefixed.body_at < len(prefixed.message)
            inside = line.stream
        elif open_body and line.stream == inside:
            continue
        kept.append(line)
    return kept
