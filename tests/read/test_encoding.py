"""Encodings and damage: every encoding in every packing, bytes that are not UTF-8, NULs, line ends, line numbers."""

import codecs

import pytest

from diag.model.line import Note
from diag.read.source import DEFAULT, Limits, open_source
from tests.read.packing import COMPRESS, notes, read, tar_of, zip_of

TEXT = (
    "0.00.100.000 I main: C:\\Users\\Zo\u00e9\\models\n"
    "llama_decode: failed to decode, ret = -1\n"
    "prompt: '\u4f60\u597d \U0001f600'\n"
)
WESTERN = "0.00.100.000 I main: C:\\Users\\Zo\u00e9\\models\nprix : 5 \u20ac\nfin\n"

ENCODE = {
    "utf-8": (TEXT.encode(), "utf-8"),
    "utf-8 with mark": (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
    "utf-16-le": (TEXT.encode("utf-16-le"), "utf-16-le"),
    "utf-16-le with mark": (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le"),
    "utf-16-be": (TEXT.encode("utf-16-be"), "utf-16-be"),
    "utf-16-be with mark": (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be"),
    "utf-8 with CRLF": (TEXT.replace("\n", "\r\n").encode(), "utf-8"),
    "utf-16-le with CRLF": (TEXT.replace("\n", "\r\n").encode("utf-16"), "utf-16-le"),
    "utf-8 with CR alone": (TEXT.replace("\n", "\r").encode(), "utf-8"),
    "utf-16-le with CR alone": (TEXT.replace("\n", "\r").encode("utf-16-le"), "utf-16-le"),
}
PACK = {
    "plain": (lambda data: data, ()),
    **{name: (pack, (name,)) for name, pack in COMPRESS.items()},
    "zip": (lambda data: zip_of({"server.log": data}), ("zip",)),
    "tar": (lambda data: tar_of({"server.log": data}), ("tar",)),
    "tar.gz": (lambda data: COMPRESS["gzip"](tar_of({"server.log": data})), ("gzip", "tar")),
    "gz in zip": (lambda data: zip_of({"server.log.gz": COMPRESS["gzip"](data)}), ("zip", "gzip")),
    "zst in tar.xz": (lambda data: COMPRESS["xz"](tar_of({"a": COMPRESS["zstd"](data)})), ("xz", "tar", "zstd")),
}


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("encoding", ENCODE)
def test_every_encoding_in_every_packing_gives_the_same_text(encoding: str, packing: str) -> None:
    data, name = ENCODE[encoding]
    pack, layers = PACK[packing]
    packed = pack(data)
    text, source = read(packed)
    assert text.decode() == TEXT
    assert (source.encoding, source.layers, source.n_bytes) == (name, layers, len(packed))


@pytest.mark.parametrize("repeat", [1, 60_000])  # more than 1 MiB, so that characters meet the borders of reads
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_longer_than_a_read_is_whole(encoding: str, repeat: int) -> None:
    text = "x" + TEXT * repeat
    assert read(text.encode(encoding))[0].decode() == text


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_text_without_any_utf_8_is_latin_1(encoding: str) -> None:
    western = WESTERN if encoding == "cp1252" else WESTERN.replace("\u20ac", "\u00a3")
    text, source = read(western.encode(encoding))
    assert text.decode() == western
    assert source.encoding == "latin-1"
    assert source.notes == [Note("2 bytes on 2 lines not UTF-8, read as Latin-1 (Windows-1252)", 1)]


def test_stray_bytes_keep_utf_8_and_the_characters_beside_them() -> None:
    data = "erste Zeile\n\u4f60 ".encode() + b"caf\xe9, \xe9, \xe2\x80" + " \u597d\n\u00fc\n".encode() + b"\xff\n"
    text, source = read(data)
    assert text.decode() == "erste Zeile\n\u4f60 caf\u00e9, \u00e9, \u00e2\u20ac \u597d\n\u00fc\n\u00ff\n"
    assert source.encoding == "utf-8"
    assert source.notes == [Note("5 bytes on 2 lines not UTF-8, read as Latin-1 (Windows-1252)", 2)]


@pytest.mark.parametrize(
    ("byte", "character"),
    [(0x80, "\u20ac"), (0x81, "\x81"), (0x8D, "\x8d"), (0x9D, "\x9d"), (0x9F, "\u0178"), (0xFF, "\u00ff")],
)
def test_every_stray_byte_has_a_character(byte: int, character: str) -> None:
    assert read(b"a" + bytes([byte]) + b"b")[0].decode() == f"a{character}b"


def test_stray_bytes_far_into_a_log_are_counted_over_all_blocks() -> None:
    line = b"x" * 99 + b"\n"
    data = line * 40_000 + b"\xe9\n" + line * 40_000 + b"\xe9\xe9\n" + line * 40_000 + "\u00e9\n".encode()
    text, source = read(data)
    assert text == data.replace(b"\xe9\xe9\n", "\u00e9\u00e9\n".encode()).replace(b"\n\xe9\n", "\n\u00e9\n".encode())
    assert source.encoding == "utf-8"
    assert source.notes == [Note("3 bytes on 2 lines not UTF-8, read as Latin-1 (Windows-1252)", 40_001)]


def test_the_line_of_damage_past_8_mib_is_left_open() -> None:
    _, source = read(b"x" * 99 + b"\n" + (b"y" * 99 + b"\n") * 110_000 + b"\xe9\n")
    assert source.notes == [Note("1 byte on 1 line not UTF-8, read as Latin-1 (Windows-1252)", None)]


def test_a_very_long_line_with_stray_bytes_counts_once() -> None:
    piece = b"\xe9" + b"x" * ((6 << 20) - 1)
    _, source = read(b"ok\n" + piece * 4 + b"\n" + b"ok\n" * 500_000 + b"\xe9\n")
    assert source.notes == [Note("5 bytes on 2 lines not UTF-8, read as Latin-1 (Windows-1252)", 2)]


def test_nul_bytes_are_removed_and_counted() -> None:
    text, source = read(b"one\x00 line\n" + "\u00e9\n".encode() * 3000 + b"\x00\x00end")
    assert text == b"one line\n" + "\u00e9\n".encode() * 3000 + b"end"
    assert notes(source) == ["3 NUL bytes removed"]


def test_a_hole_of_nuls_larger_than_the_longest_line_leaves_one_line() -> None:
    text, source = read(b"before\n" * 20_000 + b"to" + bytes(10 << 20) + b"gether\n")
    assert text == b"before\n" * 20_000 + b"together\n"
    assert notes(source) == ["10,485,760 NUL bytes removed"]


@pytest.mark.parametrize(
    ("damaged", "text", "n"),
    [
        (b"a\x00\x00\xd8b\x00\n\x00", "a\ufffdb\n", 1),  # high surrogate alone
        (b"a\x00\x00\xdcb\x00\n\x00", "a\ufffdb\n", 1),  # low surrogate alone
        (b"a\x00b\x00\n\x00c", "ab\n", 1),  # half a unit
        (b"a\x00b\x00\n\x00\x3d\xd8", "ab\n\ufffd", 1),  # half a pair
        (b"a\x00\x00\xd8b\x00\x00\xdc\n\x00c", "a\ufffdb\ufffd\n", 3),
    ],
)
def test_broken_utf_16_is_replaced_and_counted(damaged: bytes, text: str, n: int) -> None:
    start = "0.00.100.000 I main: model loaded\n" * 3000  # the damage stands after the first read
    got, source = read(start.encode("utf-16-le") + damaged)
    assert got.decode() == start + text
    assert notes(source) == [f"{n} broken UTF-16 unit{'' if n == 1 else 's'} replaced by U+FFFD"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\nb\r\nc", b"a\nb\nc"),
        (b"10%\r20%\rdone\nnext\n", b"10%\r20%\rdone\nnext\n"),
        (b"10%\r20%\rdone\r\nnext\r\n", b"10%\r20%\rdone\nnext\n"),
        (b"a\r\r\nb\r\r\n", b"a\nb\n"),  # translated twice on its way
        (b"a\rb\rc", b"a\nb\nc"),
        (b"a\rb\r", b"a\nb\n"),
        (b"\r", b"\n"),
    ],
)
def test_line_ends(data: bytes, text: bytes) -> None:
    assert read(data)[0] == text


def test_carriage_returns_alone_stay_line_ends_to_the_end() -> None:
    data = b"0.00.100.000 I main: model loaded\r" * 100_000
    assert read(data)[0] == data.replace(b"\r", b"\n")
    mixed = b"x" * 1000 + b"\r" * 65_000 + b"y\r\n" * 800_000  # \r\n lies across reads somewhere
    assert read(mixed)[0] == b"x" * 1000 + b"\n" * 65_000 + b"y\n" * 800_000


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_numbers_are_those_of_the_file(encoding: str, ending: str) -> None:
    lines = [f"line {n} \u00e9" + "." * (n % 97) for n in range(1, 30_001)]
    text, _ = read(ending.join(lines).encode(encoding))
    got = text.decode().split("\n")
    assert len(got) == 30_000
    assert [got[n - 1] for n in (1, 2, 777, 29_999, 30_000)] == [lines[n - 1] for n in (1, 2, 777, 29_999, 30_000)]


def test_limits_have_a_default_that_is_the_documented_one() -> None:
    assert Limits() == DEFAULT
    assert (DEFAULT.n_bytes_unpacked, DEFAULT.n_bytes_free_of_ratio, DEFAULT.ratio) == (16 << 30, 64 << 20, 1000)
    assert (DEFAULT.n_bytes_archive, DEFAULT.n_entries, DEFAULT.n_layers) == (2 << 30, 10_000, 3)


def test_encoding_and_layers_are_known_at_opening() -> None:
    import io

    with open_source("-", stdin=io.BytesIO(COMPRESS["gzip"](TEXT.encode("utf-16")))) as source:
        assert (source.encoding, source.layers) == ("utf-16-le", ("gzip",))
