"""A byte stream in UTF-8, Latin-1 or UTF-16 -> blocks of UTF-8 cut at line ends, with a count of what was damaged."""

import codecs
import functools
import re
from collections.abc import Iterator

from diag.late import late
from diag.model.line import Note
from diag.read.content import encoding_of, why_no_log
from diag.read.damage import Damage
from diag.read.stream import CHUNK, HEAD, ByteStream, ContentError, Origin, Resumed, take_head

MAX_LINE = 4 << 20  # bytes; a longer line is handed on in pieces of this size
_COUNTED = 8 << 20  # bytes up to which line numbers of damage are known: counting lines costs as much as scanning them

_ESCAPED = late("[\udc80-\udcff]+")  # bytes that are not UTF-8, as `surrogateescape` marks them
_BAD_LINE = late("[\udc80-\udcff][^\n]*")  # one match a line that holds such a byte
_TRUE_UTF8 = late("[^\x00-\x7f\udc80-\udcff]")
_SLICE = 64 << 10
_LONE_SURROGATE = late("[\ud800-\udfff]")


class Text:
    """The text of one input or archive member, not read yet; `encoding` and `notes()` are final after `blocks()`."""

    def __init__(self, head: bytes, stream: ByteStream, origin: Origin) -> None:
        """Take the first bytes (HEAD of them, fewer at the end) and the rest. ContentError when this is no text."""
        self.damage = Damage()
        while head.startswith(bytes(16)):  # a log emptied while its writer went on starts with a hole
            rest = head.lstrip(b"\x00")
            n_hole = (len(head) - len(rest)) & ~1  # an even number, so that UTF-16 stays aligned
            self.damage.n_nul += n_hole
            head = head[n_hole:] + take_head(stream, HEAD)
            if not head:
                raise ContentError(origin, "holds nothing but NUL bytes")
        self._encoding, n_mark = encoding_of(head)
        utf8 = head[n_mark:]
        if self._encoding != "utf-8":
            self._stream: ByteStream = _Utf16(Resumed(utf8, stream), self._encoding, self)
            utf8 = take_head(self._stream, HEAD)
        else:
            self._stream = stream
        reason = why_no_log(head, utf8)
        if reason:
            raise ContentError(origin, reason)
        self._head = utf8
        # Macs before 2001, and some tools on Windows consoles, end lines with a carriage return alone.
        self._cr_ends_lines = b"\r" in utf8 and b"\n" not in utf8
        self._after_cr = False
        self._n_bytes = 0
        self._n_lines = 0
        self._open_line_is_bad = False  # a line with stray bytes goes on in the next block

    @property
    def encoding(self) -> str:
        """utf-8, utf-16-le, utf-16-be; latin-1 when there are bytes beyond ASCII and none of them is UTF-8."""
        return self.damage.encoding(self._encoding)

    @property
    def ends_lines_with_newlines(self) -> bool:
        r"""False where a carriage return alone ends a line."""
        return not self._cr_ends_lines

    def blocks(self) -> Iterator[bytes]:
        """Yield blocks of about 1 MiB, each ending with a newline but for the last and for pieces of a very long line.

        A block without newline that is not the last holds MAX_LINE bytes of a line that goes on in the next block.
        """
        buffer = bytearray(self._head)
        view = memoryview(buffer)
        kept, end = 0, len(buffer)  # [0:kept] waits for its line end, [kept:end] is new
        while True:
            end = self._clean(buffer, view, kept, end)
            cut = buffer.rfind(b"\n", kept, end) + 1
            if not cut and end > MAX_LINE:
                cut = character_cut(view, MAX_LINE)
            if cut:
                yield self._finish(bytes(view[:cut]))
                view[: end - cut] = view[cut:end]
            kept = end - cut
            if self._stream.at_end:
                break
            if len(buffer) < CHUNK or 2 * kept > len(buffer):
                larger = bytearray(min(max(CHUNK, 2 * len(buffer)), MAX_LINE + CHUNK))
                larger[:kept] = view[:kept]  # a new one: a bytearray with a view on it cannot grow
                buffer, view = larger, memoryview(larger)
            n = self._stream.readinto(view[kept : kept + CHUNK])
            if not n:
                break
            end = kept + n
        if kept:
            yield self._finish(bytes(view[:kept]))

    def notes(self, prefix: str = "", n_lines_before: int = 0) -> list[Note]:
        """Return what was damaged, each text starting with prefix, lines counted from n_lines_before + 1."""
        return self.damage.notes(prefix, n_lines_before)

    def _clean(self, buffer: bytearray, view: memoryview, start: int, end: int) -> int:
        """Remove NULs from [start:end], turn carriage returns into line ends where they are; return the new end."""
        has_nul = buffer.find(0, start, end) >= 0
        if not has_nul and not self._cr_ends_lines:
            return end
        data = bytes(view[start:end])
        if has_nul:
            n_nul = data.count(0)
            self.damage.n_nul += n_nul
            data = data.replace(b"\x00", b"")
        if self._cr_ends_lines and data:
            after_cr, self._after_cr = self._after_cr, data.endswith(b"\r")
            if after_cr and data.startswith(b"\n"):
                data = data[1:]
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        end = start + len(data)
        view[start:end] = data
        return end

    def _finish(self, block: bytes) -> bytes:
        """Return the block with \\n line ends and valid UTF-8; the common block, plain ASCII, comes back as it is."""
        if b"\r" in block and b"\r\n" in block:
            # \r\r\n is what a line end becomes that is translated twice on its way.
            block = block.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n")
        if not block.isascii() and self._encoding == "utf-8":
            block = self._repair(block)
        if block.endswith(b"\n"):
            self._open_line_is_bad = False
        if self._n_bytes <= _COUNTED:
            self._n_lines += block.count(b"\n")
        self._n_bytes += len(block)
        return block

    def _repair(self, block: bytes) -> bytes:
        """Return block with what is not UTF-8 read as Windows-1252, the valid characters beside it kept."""
        try:
            block.decode("utf-8")
        except UnicodeDecodeError:
            text = block.decode("utf-8", "surrogateescape")
        else:
            self.damage.has_utf8 = True
            return block
        starts = [match.start() for match in _BAD_LINE.finditer(text)]
        goes_on = self._open_line_is_bad and text.find("\n", 0, starts[0]) < 0
        if self.damage.first_bad_line is None and not self.damage.n_bad_lines and self._n_bytes <= _COUNTED:
            self.damage.first_bad_line = self._n_lines + text.count("\n", 0, starts[0]) + 1
        self.damage.n_bad_lines += len(starts) - goes_on
        self._open_line_is_bad = True  # until a block ends its line
        self.damage.has_utf8 = self.damage.has_utf8 or _TRUE_UTF8.search(text) is not None
        # In slices: a piece of 8 MiB with a stray byte in every other place would become millions of strings at once.
        return b"".join(
            _ESCAPED.sub(self._read_as_windows_1252, text[start : start + _SLICE]).encode("utf-8")
            for start in range(0, len(text), _SLICE)
        )

    def _read_as_windows_1252(self, run: re.Match[str]) -> str:
        self.damage.n_bad_bytes += len(run[0])
        return codecs.charmap_decode(run[0].encode("utf-8", "surrogateescape"), "strict", _windows_1252())[0]


class _Utf16:
    """UTF-16 code units -> UTF-8."""

    def __init__(self, stream: ByteStream, encoding: str, text: Text) -> None:
        self._stream = stream
        self._decode = codecs.utf_16_le_decode if encoding == "utf-16-le" else codecs.utf_16_be_decode
        self._text = text
        self._raw = bytearray(CHUNK)  # [0:_n_rest] is half a code unit, or the first half of a pair
        self._n_rest = 0
        self._ready = memoryview(b"")  # UTF-8 that found no room
        self._no_more = False

    @property
    def at_end(self) -> bool:
        return self._no_more and not self._ready

    def readinto(self, buffer: memoryview) -> int:
        while not self._ready and not self._no_more:
            with memoryview(self._raw) as raw:
                # A code unit of two bytes becomes at most three: what is asked for here mostly finds room there.
                n_wanted = min(max(len(buffer) // 3 * 2, 4) + self._n_rest, len(raw))
                n_read = self._stream.readinto(raw[self._n_rest : n_wanted])
                self._no_more = n_read == 0
                self._ready = memoryview(self._to_utf8(self._n_rest + n_read))
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n

    def _to_utf8(self, n: int) -> bytes:
        """Return the first n raw bytes as UTF-8 and keep what is not whole yet."""
        final = self._no_more
        with memoryview(self._raw)[:n] as raw:
            try:
                text, n_used = self._decode(raw, "strict", final)
            except UnicodeDecodeError:
                n_odd = n % 2 if final else 0
                text, n_used = self._decode(raw[: n - n_odd], "surrogatepass", final)
                text, n_broken = _LONE_SURROGATE.subn("\ufffd", text)
                self._text.damage.n_broken_utf16 += n_broken + n_odd
            self._n_rest = 0 if final else n - n_used
        self._raw[: self._n_rest] = self._raw[n_used : n_used + self._n_rest]
        return text.encode("utf-8")


def character_cut(block: bytes | memoryview, limit: int) -> int:
    r"""Return the largest cut up to limit that splits neither a UTF-8 character nor \r\n; block is longer."""
    cut = limit
    while cut > max(limit - 3, 0) and block[cut] & 0xC0 == 0x80:
        cut -= 1
    if block[cut] & 0xC0 == 0x80:  # four in a row: no character is that long
        cut = limit
    return cut - 1 if cut > 1 and block[cut] == 0x0A and block[cut - 1] == 0x0D else cut


@functools.cache
def _windows_1252() -> str:
    """Return its 256 characters: Latin-1 with letters in place of 27 controls; its five gaps are read as Latin-1."""
    return "".join(bytes([c]).decode("cp1252", "ignore") or chr(c) for c in range(256))
