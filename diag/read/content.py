"""The first bytes of an input -> what they are: packed, text in some encoding, or no log at all."""

import re

from diag.late import late

# Leading bytes of what can be unpacked. The name of a file is never asked.
_PACKED = {
    "gzip": (b"\x1f\x8b\x08",),
    "bzip2": tuple(b"BZh%d%s" % (size, block) for size in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")),
    "xz": (b"\xfd7zXZ\x00",),
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))),
    "zip": (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK"),
}

# Leading bytes of what people hand over by mistake, and what to say of it.
_NO_LOG = {
    (b"\x7fELF",): "is an ELF program or a core dump, not a log",
    (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"): "is a picture, not a log; paste the text itself",
    (b"%PDF-",): "is a PDF document, not a log",
    (b"SQLite format 3\x00",): "is an SQLite database, not a log",
    (b"LPKSHHRH",): (
        "is a journald database; run `journalctl -u llama-server | diag analyze -` (with --file for a copied one)"
    ),
    (b"MDMP\x93\xa7",): "is a Windows minidump, not a log",
    (b"\x00\x05\x16\x00", b"\x00\x05\x16\x07"): "is macOS metadata, not a log",
    (b"7z\xbc\xaf\x27\x1c",): "is a 7-Zip archive; unpack it and name the log file",
    (b"Rar!\x1a\x07",): "is a RAR archive; unpack it and name the log file",
    (b"\x04\x22\x4d\x18",): "is lz4 data; pipe the text of `lz4 -dc` to `diag analyze -`",
    (b"\x1f\x9d", b"\x1f\xa0"): "is packed with compress or pack; unpack it and name the log file",
}

# Tab, line ends, form feed, backspace, bell and escape are what terminals put into logs; the rest is not text.
_CONTROLS = bytes(c for c in range(32) if c not in b"\a\b\t\n\v\f\r\x1b") + b"\x7f"
_NUL_RUN = late(rb"\x00{16,}")  # a hole of a log cut while open, or a block lost in a crash
_FEW_CONTROLS = 8  # a short log may hold some damage


def packing_of(head: bytes) -> str | None:
    """Return gzip, bzip2, xz, zstd, zip or tar when head starts like one; None for everything else."""
    for name, begins in _PACKED.items():
        if head.startswith(begins):
            return name
    return "tar" if is_tar_header(head[:512]) else None


def is_tar_header(block: bytes) -> bool:
    """Return whether 512 bytes are a tar header: their checksum, which every tar since the first has, is right."""
    if len(block) < 512 or b"\x00" not in block:
        return False
    digits = block[148:156].strip(b" \x00")
    if not re.fullmatch(rb"[0-7]{1,7}", digits):
        return False
    return sum(block) - sum(block[148:156]) + 8 * 32 == int(digits, 8)


def why_no_log(head: bytes, utf8_head: bytes) -> str | None:
    """Return what to say of bytes that cannot be a log, as the end of a sentence after the name; None for text.

    head is as stored, utf8_head the same in UTF-8. Text may hold 5 % control characters, long runs of NULs apart.
    """
    if _is_gguf(head):
        return "is a GGUF model, not a log"
    if head[5:9] == b"\x00\x00\x00{":
        return "is a safetensors model, not a log"
    for begins, reason in _NO_LOG.items():
        if head.startswith(begins):
            return reason
    sample = _NUL_RUN.sub(b"", utf8_head) if b"\x00" in utf8_head else utf8_head
    n_controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if n_controls > max(_FEW_CONTROLS, len(sample) // 20):
        return "is binary data, not a log"
    return None


def _is_gguf(head: bytes) -> bool:
    """Return whether a version follows the four letters: a small number, of either byte order."""
    version = head[4:8]
    return (
        head.startswith(b"GGUF")
        and len(version) == 4
        and (version[0] > 0) != (version[3] > 0)
        and not any(version[1:3])
    )


def encoding_of(head: bytes) -> tuple[str, int]:
    """Return utf-8, utf-16-le or utf-16-be, and the length of the byte order mark (0 without one).

    UTF-16 without a mark is told by the NULs of its ASCII part: many at even places and hardly any at odd ones, or the
    other way round.
    """
    if head.startswith(b"\xef\xbb\xbf"):
        return "utf-8", 3
    if head.startswith(b"\xff\xfe"):
        return "utf-16-le", 2
    if head.startswith(b"\xfe\xff"):
        return "utf-16-be", 2
    sample = head[:1024]
    n_units = len(sample) // 2
    if n_units < 2 or b"\x00" not in sample:
        return "utf-8", 0
    n_even, n_odd = sample[0::2].count(0), sample[1::2].count(0)
    # A few bytes prove nothing unless every unit agrees: then dropping the NULs would give the same text anyway.
    n_enough = n_units if n_units < 16 else n_units * 2 // 5
    if n_odd >= n_enough and n_even * 20 <= n_units:
        return "utf-16-le", 0
    if n_even >= n_enough and n_odd * 20 <= n_units:
        return "utf-16-be", 0
    return "utf-8", 0
