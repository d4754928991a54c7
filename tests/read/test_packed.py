"""Compression and archives: members, order, truncation at every kind of place, bombs."""

import bz2
import gzip
import io
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest

from diag.errors import InputError
from diag.read.source import Limits, open_source
from tests.read.packing import ARCHIVE, COMPRESS, notes, read, read_file, tar_of, zip_of

# Lines that hardly pack, so that cutting the packed bytes cuts the text.
LINES = b"".join(b"%d %s\n" % (n, zlib.crc32(b"%d" % n).to_bytes(4, "big").hex().encode()) for n in range(20_000))
BINARY = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


@pytest.mark.parametrize("packing", COMPRESS)
def test_members_one_after_another_are_one_text_and_padding_is_none(packing: str, tmp_path: Path) -> None:
    pack = COMPRESS[packing]
    data = b"".join(pack(LINES[start : start + 50_000]) for start in range(0, len(LINES), 50_000)) + bytes(1024)
    text, source = read_file(tmp_path / "any.name", data)
    assert text == LINES
    assert (source.layers, source.n_bytes, source.size_hint, source.notes) == ((packing,), len(data), len(data), [])


@pytest.mark.parametrize("packing", COMPRESS)
def test_what_follows_the_last_member_is_counted_and_left_out(packing: str) -> None:
    data = COMPRESS[packing](LINES) + bytes(3) + b"trailing words"
    text, source = read(data)
    assert text == LINES
    assert source.n_bytes == len(data)
    assert notes(source) == [f"14 bytes after the end of the {packing} data ignored"]


def test_very_many_tiny_members_are_read() -> None:
    assert read(gzip.compress(b"a line\n") * 5_000)[0] == b"a line\n" * 5_000
    assert read(COMPRESS["zstd"](b"a line\n") * 5_000)[0] == b"a line\n" * 5_000


def test_zstd_frames_that_hold_no_data_are_skipped() -> None:
    skipped = b"\x5f\x2a\x4d\x18\x05\x00\x00\x00notes"
    frame = COMPRESS["zstd"](LINES)
    assert read(skipped + frame + skipped + frame)[0] == LINES * 2


@pytest.mark.parametrize("packing", COMPRESS)
def test_packed_nothing_is_an_empty_log(packing: str) -> None:
    text, source = read(COMPRESS[packing](b""))
    assert (text, source.layers, source.notes) == (b"", (packing,), [])


TOOL = {"gzip": "gzip -dc", "bzip2": "bzip2 -dc", "xz": "xz -dc", "zstd": "zstd -dc"}


@pytest.mark.parametrize("at", [0.0, 0.01, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("packing", COMPRESS)
def test_cut_off_data_says_how_far_it_is_readable_and_how(packing: str, at: float, tmp_path: Path) -> None:
    data = COMPRESS[packing](LINES)
    path = tmp_path / "my server.log"
    path.write_bytes(data[: min(max(int(len(data) * at), 14), len(data) - 1)])
    got = b""
    message = ""
    try:
        with open_source(str(path)) as source:
            for block in source.blocks():
                got += block
    except InputError as error:
        message = str(error)
    command = f"{TOOL[packing]} < '{path}' | diag analyze -"
    assert LINES.startswith(got)
    assert message.startswith(f"{path}: the {packing} data ends too early ")
    assert message.endswith(("before a single byte could be unpacked", f"to analyse the part before: {command}"))


@pytest.mark.parametrize("packing", COMPRESS)
def test_damaged_data_is_an_error_even_where_it_would_still_unpack(packing: str) -> None:
    pack = COMPRESS[packing] if packing != "zstd" else _zstd_with_checksum
    data = bytearray(pack(LINES))
    data[len(data) // 2] ^= 0x55
    with pytest.raises(InputError, match=rf"^standard input: the {packing} data (is damaged|ends too early)"):
        read(bytes(data))


def _zstd_with_checksum(data: bytes) -> bytes:
    from tests.read.packing import zstd

    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


FILES = {"b.log": b"b one\nb two\n", "dir/a.log": b"a one\na two", "a.log.10": b"ten\n", "a.log.9": b"nine\n"}
IN_ORDER = b"nine\nten\nb one\nb two\na one\na two\n"


@pytest.mark.parametrize("compress", [None, *COMPRESS])
@pytest.mark.parametrize("archive", ARCHIVE)
@pytest.mark.parametrize("way", ["file", "pipe"])
def test_members_follow_in_name_order_with_a_note_each(
    archive: str, compress: str | None, way: str, tmp_path: Path
) -> None:
    data = ARCHIVE[archive](FILES)
    data = COMPRESS[compress](data) if compress else data
    text, source = read(data) if way == "pipe" else read_file(tmp_path / "logs", data)
    assert text == IN_ORDER
    assert source.n_bytes == len(data)
    assert source.layers == ((compress, archive) if compress else (archive,))
    assert [(note.line, note.what) for note in source.notes] == [
        (1, "line 1 is member a.log.9"),
        (2, "line 2 is member a.log.10"),
        (3, "lines 3-4 are member b.log"),
        (5, "lines 5-6 are member dir/a.log"),
    ]


@pytest.mark.parametrize("archive", ARCHIVE)
def test_members_that_are_no_text_are_skipped_with_a_note(archive: str) -> None:
    nested = zip_of({"in.log": b"inside\n", "model.gguf": b"GGUF\x03\x00\x00\x00" + bytes(64)})
    files = {"1.png": BINARY, "2.log": b"two\n", "3.zip": nested, "4.log": b"", "5.zip": zip_of({"x": BINARY})}
    text, source = read(ARCHIVE[archive](files))
    assert text == b"two\ninside\n"
    assert notes(source) == [
        "member 1.png skipped: it is a picture, not a log; paste the text itself",
        "line 1 is member 2.log",
        "line 2 is member 3.zip/in.log",
        "member 3.zip/model.gguf skipped: it is a GGUF model, not a log",
        "member 4.log is empty",
        "member 5.zip/x skipped: it is a picture, not a log; paste the text itself",
        "member 5.zip skipped: it is a zip archive without a text file",
    ]


def test_each_member_has_its_own_encoding_and_damage() -> None:
    files = {"1.log": "caf\u00e9\n".encode("utf-16"), "2.log": b"ok\nna\xefve\n", "3\x1b.log": b"a\x00b\n" + b"\n" * 20}
    text, source = read(zip_of(files))
    assert text == "caf\u00e9\nok\nna\u00efve\nab\n".encode() + b"\n" * 20
    assert [(note.line, note.what) for note in source.notes] == [
        (1, "line 1 is member 1.log (utf-16-le)"),
        (2, "lines 2-3 are member 2.log (latin-1)"),
        (3, "member 2.log: 1 byte on 1 line not UTF-8, read as Latin-1 (Windows-1252)"),
        (4, r"lines 4-24 are member 3\x1b.log"),
        (None, r"member 3\x1b.log: 1 NUL byte removed"),
    ]


def test_many_skipped_members_are_counted() -> None:
    _, source = read(zip_of({"z.log": b"x\n", **dict.fromkeys(map("{}.png".format, range(25)), BINARY)}))
    assert len(source.notes) == 12
    assert notes(source)[-1] == "15 further members skipped"


@pytest.mark.parametrize("archive", ARCHIVE)
def test_an_archive_without_text_is_refused(archive: str) -> None:
    for files in ({}, {"a.png": BINARY}):
        data = ARCHIVE[archive](files)
        if archive == "tar" and not files:
            continue  # nothing but NULs: not to be told from a hole
        with pytest.raises(InputError) as caught:
            read(data)
        assert str(caught.value) == f"standard input is a {archive} archive without a text file"


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_and_foreign_names_of_every_tar_format(form: int) -> None:
    names = ["d" * 90 + "/" + "n" * 90, "caf\u00e9/\u4f60\u597d.log"]
    if form != tarfile.USTAR_FORMAT:
        names.append("x" * 400)
    data = tar_of(dict.fromkeys(names, b"line\n"), form)
    _, source = read(data)
    assert sorted(note.split("member ")[1] for note in notes(source)) == sorted(names)


def test_tar_entries_that_are_no_files_are_passed_over() -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "x"}) as archive:
        for kind in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo("entry")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("real.log")
        info.size = 5
        archive.addfile(info, io.BytesIO(b"real\n"))
    text, source = read(out.getvalue())
    assert text == b"real\n"
    assert notes(source) == ["line 1 is member real.log"]


def test_a_large_size_in_base_256_is_understood_and_found_cut_off() -> None:
    info = tarfile.TarInfo("a.log")
    info.size = 9 << 30
    header = info.tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(InputError, match=r"the tar archive ends too early after 6 bytes of a\.log"):
        read(header + b"line 1")


@pytest.mark.parametrize("at", [700, 5_000, 1_024 + 512 * 3 + 100])
def test_a_tar_that_is_cut_off_says_so(at: int, tmp_path: Path) -> None:
    path = tmp_path / "logs.tar"
    path.write_bytes(tar_of({"a.log": b"a line\n" * 100, "b.log": LINES})[:at])
    with pytest.raises(InputError) as caught, open_source(str(path)) as source:
        list(source.blocks())
    assert str(caught.value).startswith(f"{path}: the tar archive ends too early after ")
    assert str(caught.value).endswith(f"to analyse the part before: tar -xOf {path} | diag analyze -")


def test_a_compressed_tar_that_is_cut_off_names_the_tool_for_both(tmp_path: Path) -> None:
    path = tmp_path / "logs.tgz"
    path.write_bytes(gzip.compress(tar_of({"a.log": LINES}))[:-50_000])
    with pytest.raises(InputError, match=rf"ends too early after .*: tar -xOf {path} \| diag analyze -$"):
        open_source(str(path))


def test_a_damaged_tar_header_is_an_error() -> None:
    data = bytearray(tar_of({"a.log": b"a\n", "b.log": b"b\n"}))
    data[1024 + 5] ^= 1
    with pytest.raises(InputError, match="the tar archive is damaged after 1,024 bytes"):
        read(bytes(data))


def test_a_zip_that_is_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(zip_of({"a.log": LINES})[:-100])
    with pytest.raises(InputError, match=rf"archive is damaged or cut off .*: bsdtar -xOf {path} \| diag"):
        open_source(str(path))


def test_a_zip_with_a_damaged_member_says_so() -> None:
    data = bytearray(zip_of({"a.log": LINES}))
    data[len(data) // 2] ^= 0x55
    with pytest.raises(InputError, match=r"^a\.log in standard input: the zip archive is damaged after "):
        read(bytes(data))


def test_a_zip_member_without_a_name_is_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), LINES)
    assert read(out.getvalue())[0] == LINES


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_every_common_zip_method_is_read(method: int) -> None:
    assert read(zip_of({"a.log": LINES}, method))[0] == LINES


def test_an_encrypted_zip_is_refused() -> None:
    data = bytearray(zip_of({"a.log": LINES}))
    directory = data.rindex(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    with pytest.raises(InputError, match="standard input holds encrypted files; unpack it with its password"):
        read(bytes(data))


def test_three_layers_are_unpacked_and_a_fourth_is_not() -> None:
    gz = gzip.compress
    assert read(gz(gz(gz(b"a\n"))))[0] == b"a\n"
    with pytest.raises(InputError, match="is packed more than 3 times"):
        read(gz(gz(gz(gz(b"a\n")))))
    text, source = read(zip_of({"a.gz": gz(gz(gz(b"a\n"))), "b.gz": gz(gz(b"b\n"))}))
    assert text == b"b\n"
    assert "packed more than 3 times" in notes(source)[0]


MIB = 1 << 20
SMALL = Limits(n_bytes_unpacked=8 * MIB, n_bytes_free_of_ratio=MIB, ratio=100, n_bytes_archive=4 * MIB, n_entries=50)
ZEROES = b"0" * 99 + b"\n"


@pytest.mark.parametrize("packing", COMPRESS)
def test_a_bomb_is_stopped_by_its_ratio(packing: str) -> None:
    bomb = COMPRESS[packing](ZEROES * 70_000)
    assert len(bomb) < 50_000
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        read(bomb, SMALL)


def test_a_bomb_is_stopped_by_its_size() -> None:
    with pytest.raises(InputError, match="unpacks to more than 8 MiB"):
        read(bz2.compress(LINES, 1) * 40, SMALL)


@pytest.mark.parametrize(
    "bomb",
    [
        zip_of({"a.log": ZEROES * 50_000}),
        zip_of({f"{n}.log": ZEROES * 5_000 for n in range(10)}),
        zip_of({"a.gz": gzip.compress(gzip.compress(LINES * 10))}),
        gzip.compress(tar_of({"a.log": LINES * 20}), 1),
        tar_of({f"{n}.gz": gzip.compress(LINES) for n in range(30)}),
    ],
)
def test_a_bomb_in_an_archive_is_stopped(bomb: bytes) -> None:
    with pytest.raises(InputError, match=r"unpacks to more than 4 MiB|unpacks to more than 8 MiB"):
        read(bomb, SMALL)


@pytest.mark.parametrize("archive", ARCHIVE)
def test_an_archive_with_too_many_entries_is_refused(archive: str) -> None:
    data = ARCHIVE[archive]({f"{n}.log": b"x\n" for n in range(51)})
    with pytest.raises(InputError, match="standard input has more than 50 entries"):
        read(data, SMALL)


def test_a_large_stored_tar_is_no_bomb(tmp_path: Path) -> None:
    data = tar_of({"a.log": LINES * 20})
    assert len(data) > SMALL.n_bytes_archive
    assert read_file(tmp_path / "a.tar", data, SMALL)[0] == LINES * 20


def test_a_hostile_zip_directory_does_not_fill_the_memory() -> None:
    directory = b"PK\x01\x02" + bytes(42)
    data = b"PK\x03\x04" + bytes(26) + directory * 120_000
    end = b"PK\x05\x06" + bytes(4) + b"\xff\xff\xff\xff" + len(directory * 120_000).to_bytes(4, "little")
    with pytest.raises(InputError, match="the directory of the zip archive is too large"):
        read(data + end + (30).to_bytes(4, "little") + bytes(2))
