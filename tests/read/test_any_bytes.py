"""Any bytes at all: an InputError or a text, and for valid UTF-8 the text that plain decoding gives."""

import contextlib
import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diag.errors import InputError
from diag.read.source import Limits
from tests.read.packing import COMPRESS, read, tar_of, zip_of

LIMITS = Limits(n_bytes_unpacked=4 << 20, n_bytes_free_of_ratio=1 << 20, n_bytes_archive=4 << 20, n_entries=100)
MAGIC = [
    b"",
    b"\x1f\x8b\x08",
    b"BZh91AY&SY",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"\x50\x2a\x4d\x18",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"GGUF",
    bytes(16),
    b"a\x00b\x00" * 20,
    b"\x00a\x00b" * 20,
]
quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check(data: bytes) -> None:
    """Read data; what comes back is UTF-8 without NUL or \\r\\n."""
    with contextlib.suppress(InputError):
        text, source = read(data, LIMITS)
        text.decode("utf-8")
        assert b"\x00" not in text
        assert source.encoding in {"utf-8", "utf-16-le", "utf-16-be", "latin-1"}
        assert source.n_bytes == len(data)


@quick
@given(st.sampled_from(MAGIC), st.binary(max_size=2000))
def test_any_bytes_give_a_text_or_an_input_error(magic: bytes, data: bytes) -> None:
    check(magic + data)


FILES = {"a.log": b"one line\n" * 30, "d/b.log": b"\xe9\x00\n", "n" * 120: gzip.compress(b"packed\n")}
PACKED = [pack(b"a line of a log\n" * 40) for pack in COMPRESS.values()]
PACKED += [zip_of(FILES), tar_of(FILES), tar_of(FILES, 2)]
PACKED += [gzip.compress(PACKED[-1]), zip_of({"t.tar": PACKED[-1]}), COMPRESS["zstd"](PACKED[4])]


@settings(quick, max_examples=400)
@given(st.sampled_from(PACKED), st.data())
def test_packed_bytes_damaged_anywhere_give_a_text_or_an_input_error(packed: bytes, data: st.DataObject) -> None:
    damaged = bytearray(packed)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        match data.draw(st.sampled_from(["set", "cut", "insert", "double"])):
            case "set":
                damaged[at] = data.draw(st.integers(0, 255))
            case "cut":
                del damaged[at : at + data.draw(st.integers(1, 20))]
            case "insert":
                damaged[at:at] = data.draw(st.binary(max_size=20))
            case "double":
                damaged += damaged[at:]
        if not damaged:
            return
    check(bytes(damaged))


@pytest.mark.parametrize("packed", PACKED)
def test_packed_bytes_cut_anywhere_give_a_text_or_an_input_error(packed: bytes) -> None:
    for end in {*range(0, len(packed), max(len(packed) // 150, 1)), *range(max(len(packed) - 30, 0), len(packed))}:
        check(packed[:end])


# Everything but what is changed by design: NULs, carriage returns, byte order marks, many control characters.
plain_text = st.text(st.characters(exclude_characters="\x00\r\ufeff", exclude_categories=["Cs", "Cc"]) | st.just("\n"))


@quick
@given(plain_text, st.sampled_from([*COMPRESS, ""]), st.integers(1, 3000))
def test_valid_utf_8_comes_back_byte_for_byte(text: str, packing: str, repeat: int) -> None:
    data = ("log: " + text).encode() * repeat
    packed = COMPRESS[packing](data) if packing else data
    assert read(packed)[0] == data


@quick
@given(plain_text, st.sampled_from(["utf-16", "utf-16-le", "utf-16-be"]))
def test_utf_16_gives_the_text_that_plain_decoding_gives(text: str, encoding: str) -> None:
    text = "0.00.100.000 I main: model loaded, " * (1 + len(text) // 10) + text  # tells it without a mark
    data = text.encode(encoding)
    assert read(data)[0] == data.decode(encoding).encode()


@quick
@given(st.lists(st.binary(max_size=60).map(lambda line: line.translate(None, bytes(range(32)))), max_size=30))
def test_lines_of_any_printable_bytes_keep_their_number(lines: list[bytes]) -> None:
    data = b"\n".join([b"log:", *lines])
    text, source = read(data)
    got = text.split(b"\n")
    assert len(got) == len(lines) + 1
    for line, read_line in zip([b"log:", *lines], got, strict=True):
        if line.isascii():
            assert read_line == line
    assert source.n_bytes == len(data)
