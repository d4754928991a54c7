"""A compressed stream -> its bytes, member after member, bounded in size and ratio."""

import sys
from collections.abc import Callable
from typing import Protocol

from diag.errors import InputError
from diag.read.stream import Budget, ByteStream, Limits, Origin, Resumed, take_head

_FEED_MIN = 4 << 10  # a file of very many tiny members must not copy a large rest for each of them
_FEED_MAX = 256 << 10
_XZ_MEMORY = 256 << 20  # xz -9 needs 65 MiB


class _Decoder(Protocol):
    """One member's decoder, shaped like those of bz2, lzma and zstd."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes | memoryview, max_length: int) -> bytes: ...


_Loaded = tuple[Callable[[], _Decoder], tuple[type[Exception], ...]]


class _GzipDecoder:
    """zlib's decoder in that shape; what it could not take for want of room is kept for the next call."""

    def __init__(self) -> None:
        import zlib

        self._zlib = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes | memoryview, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail or data, max_length)


def _gzip() -> _Loaded:
    import zlib

    return _GzipDecoder, (zlib.error,)


def _bzip2() -> _Loaded:
    import bz2

    return bz2.BZ2Decompressor, (OSError, ValueError)


def _xz() -> _Loaded:
    import lzma

    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY), (lzma.LZMAError,)


def _zstd() -> _Loaded:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor, ZstdError
    else:
        from backports.zstd import ZstdDecompressor, ZstdError

    return ZstdDecompressor, (ZstdError,)


# name -> (loader of the decoder, first bytes of a further member, command that writes what it can read)
_FORMATS: dict[str, tuple[Callable[[], _Loaded], tuple[bytes, ...], str]] = {
    "gzip": (_gzip, (b"\x1f\x8b",), "gzip -dc"),
    "bzip2": (_bzip2, (b"BZh",), "bzip2 -dc"),
    "xz": (_xz, (b"\xfd7zXZ\x00",), "xz -dc"),
    "zstd": (_zstd, (b"\x28\xb5\x2f\xfd", *(bytes([c]) + b"\x2a\x4d\x18" for c in range(0x50, 0x60))), "zstd -dc"),
}


class Unpacked:
    """The unpacked bytes of a compressed stream: all its members, up to padding or to what belongs to no member."""

    def __init__(
        self,
        packing: str,
        head: bytes,
        stream: ByteStream,
        origin: Origin,
        *,
        limits: Limits,
        budget: Budget,
    ) -> None:
        """Take the stream and the head already read from it. InputError when this Python cannot unpack the format."""
        load, self._magics, self._tool = _FORMATS[packing]
        try:
            self._new_decoder, self._errors = load()
        except ImportError as error:
            raise InputError(f"{origin} is {packing} data, and this Python has no module to unpack it") from error
        self._packing = packing
        self._origin = origin
        self._limits = limits
        self._budget = budget
        self._stream = Resumed(head, stream)
        self._decoder: _Decoder | None = self._new_decoder()
        self._input = memoryview(b"")  # read; up to _position it was fed to a decoder
        self._position = 0
        self._n_feed = _FEED_MIN
        self._n_in = 0
        self._n_out = 0
        self.at_end = False
        self.n_ignored = 0  # bytes after the last member that are neither padding nor a member
        self.rescue: str | None = None  # a better command for the readable part, once the content is known

    def readinto(self, buffer: memoryview) -> int:
        """Return unpacked bytes written; InputError when the data is damaged, cut off, or a bomb."""
        while self._decoder is not None:
            data, starved = self._next_input()
            try:
                out = self._decoder.decompress(data, len(buffer))
            except self._errors as error:
                raise InputError(self._broken(f"is damaged ({error})")) from error
            if self._decoder.eof:
                self._give_back(len(self._decoder.unused_data))
                self._decoder = self._new_decoder() if self._another_member() else None
            if out:
                buffer[: len(out)] = out
                self._count(len(out))
                return len(out)
            if starved and self._decoder is not None:
                raise InputError(self._broken("ends too early"))
        self.at_end = True
        return 0

    def _next_input(self) -> tuple[memoryview, bool]:
        """Return bytes to feed, and whether the input is used up."""
        assert self._decoder is not None
        if not self._decoder.needs_input:
            return memoryview(b""), False
        if self._position == len(self._input) and not self._refill():
            return memoryview(b""), True
        data = self._input[self._position : self._position + self._n_feed]
        self._position += len(data)
        self._n_in += len(data)
        self._n_feed = min(2 * self._n_feed, _FEED_MAX)
        return data, False

    def _refill(self) -> bool:
        """Read on behind what was not fed yet; False when nothing more comes."""
        rest = bytes(self._input[self._position :])
        more = take_head(self._stream, _FEED_MAX)
        self._input = memoryview(rest + more)
        self._position = 0
        return bool(more)

    def _give_back(self, n_unused: int) -> None:
        """Take back the end of what a finished decoder was fed; it lies inside the last piece, so nothing is copied."""
        self._position -= n_unused
        self._n_in -= n_unused
        self._n_feed = _FEED_MIN

    def _another_member(self) -> bool:
        """Skip zero padding; return whether a further member follows. What is none is counted and left out."""
        n_magic = max(map(len, self._magics))
        while True:
            start = bytes(self._input[self._position : self._position + n_magic])
            if start.startswith(self._magics):
                return True
            if start.startswith(b"\x00"):
                rest = bytes(self._input[self._position : self._position + _FEED_MIN])
                self._position += len(rest) - len(rest.lstrip(b"\x00"))
            elif len(start) == n_magic or not self._refill():
                break
        while self._position < len(self._input) or self._refill():
            self.n_ignored += len(self._input) - self._position
            self._position = len(self._input)
        return False

    def _count(self, n: int) -> None:
        self._n_out += n
        self._budget.take(n, self._origin)
        if self._n_out > self._limits.n_bytes_free_of_ratio and self._n_out > self._limits.ratio * max(self._n_in, 1):
            raise InputError(
                f"{self._origin} unpacks to more than {self._limits.ratio:,} times its size, as a bomb does; "
                "unpack it and name the log file itself"
            )

    def _broken(self, what: str) -> str:
        """Return the sentence for data that cannot be unpacked to its end."""
        if not self._n_out:
            return f"{self._origin}: the {self._packing} data {what} before a single byte could be unpacked"
        command = self.rescue or self._origin.pipe(self._tool)
        return (
            f"{self._origin}: the {self._packing} data {what} after {self._n_out:,} unpacked bytes; "
            f"to analyse the part before: {command}"
        )
