"""A stable name for a failure that nothing knows."""

from collections.abc import Mapping, Sequence

from diag.late import late
from diag.model.events import Event
from diag.model.events.event import UnknownError
from diag.model.report import Failure

_PATH = late(r"(?:[A-Za-z]:)?(?:[\\/][\w.+ -]+)+[\\/]([\w.+-]+)")
_ADDRESS = late(r"0x[0-9a-fA-F]+")
_NUMBER = late(r"-?\d+(?:\.\d+)*")
_QUOTED = late(r"'[^']{1,200}'")


def shape(text: str) -> str:
    """Return the text without what changes from run to run: addresses, numbers, folders, quoted names."""
    text = _PATH.sub(r"\1", text)
    text = _ADDRESS.sub("<addr>", text)
    text = _QUOTED.sub("'<name>'", text)
    return " ".join(_NUMBER.sub("<n>", text).split())[:300]


def unknown_failures(events: Sequence[Event], counted: Sequence[Mapping[str, int]] = ()) -> tuple[Failure, ...]:
    """Return each shape once, in the order of first lines, with how often it came.

    `counted`: shape -> lines, one mapping a session, where a large log keeps only some of its lines.
    """
    found: dict[str, Failure] = {}
    for event in events:
        text = event.text if isinstance(event, UnknownError) else event.line.text.strip()
        key = shape(text)
        old = found.get(key)
        if old is None:
            found[key] = Failure(_digest(key), event.line.number, text[:500])
        else:
            found[key] = Failure(old.fingerprint, old.line, old.text, old.count + 1)
    totals = {key: sum(each.get(key, 0) for each in counted) for key in found}
    return tuple(
        Failure(old.fingerprint, old.line, old.text, max(old.count, totals[key])) for key, old in found.items()
    )


def _digest(shape: str) -> str:
    import hashlib  # here: most logs hold nothing unknown, and it brings OpenSSL with it

    return hashlib.sha256(shape.encode()).hexdigest()[:10]
