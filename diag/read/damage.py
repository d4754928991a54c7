"""What of a text's bytes was not as a text's are."""

from diag.model.line import Note
from diag.model.noun import record


@record
class Damage:
    """Counts over a text, or a range of one."""

    n_nul: int = 0
    n_broken_utf16: int = 0  # code units that were replaced
    n_bad_bytes: int = 0  # bytes that are not UTF-8
    n_bad_lines: int = 0
    first_bad_line: int | None = None  # where it is known
    has_utf8: bool = False  # characters beyond ASCII that are

    def encoding(self, sniffed: str) -> str:
        """Return latin-1 where there are bytes beyond ASCII and none of them is UTF-8, else what the head tells."""
        return "latin-1" if self.n_bad_bytes and not self.has_utf8 else sniffed

    def add(self, further: "Damage") -> None:
        """Count what a range behind holds; its line numbers are not those of the file."""
        self.n_nul += further.n_nul
        self.n_broken_utf16 += further.n_broken_utf16
        self.n_bad_bytes += further.n_bad_bytes
        self.n_bad_lines += further.n_bad_lines
        self.has_utf8 = self.has_utf8 or further.has_utf8

    def notes(self, prefix: str = "", n_lines_before: int = 0) -> list[Note]:
        """Return what was damaged, each text starting with prefix, lines counted from n_lines_before + 1."""
        notes = []
        if self.n_nul:
            notes.append(Note(f"{prefix}{_counted(self.n_nul, 'NUL byte')} removed"))
        if self.n_broken_utf16:
            notes.append(Note(f"{prefix}{_counted(self.n_broken_utf16, 'broken UTF-16 unit')} replaced by U+FFFD"))
        if self.n_bad_bytes:
            line = None if self.first_bad_line is None else self.first_bad_line + n_lines_before
            what = f"{_counted(self.n_bad_bytes, 'byte')} on {_counted(self.n_bad_lines, 'line')}"
            notes.append(Note(f"{prefix}{what} not UTF-8, read as Latin-1 (Windows-1252)", line))
        return notes


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
