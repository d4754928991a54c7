"""One regular file of an archive, and the sentences for archives that cannot be read."""

from collections.abc import Callable

from diag.errors import InputError
from diag.model.noun import noun
from diag.read.stream import Budget, ByteStream, Limits, Origin


@noun
class Entry:
    """A regular file of an archive; its name is shown and ordered by, never used as a path."""

    name: str
    open: Callable[[Origin, Budget], ByteStream]


def damaged(packing: str, origin: Origin, what: str) -> str:
    """Return the sentence for an archive that is damaged or cut off, with the command that reads the rest of it."""
    tool = "bsdtar -xOf" if packing == "zip" else "tar -xOf"
    return f"{origin}: the {packing} archive {what}; to analyse the part before: {origin.pipe(tool, takes_name=True)}"


def check_count(n: int, origin: Origin, limits: Limits) -> None:
    """Do nothing while n entries are allowed. InputError beyond."""
    if n > limits.n_entries:
        raise InputError(f"{origin} has more than {limits.n_entries:,} entries; unpack it and name the log files")
