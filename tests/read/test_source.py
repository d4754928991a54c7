"""Opening an input: paths, pipes, what is refused and in which words, blocks and the head."""

import io
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from diag.errors import InputError
from diag.read.source import MAX_LINE, open_source
from tests.read.packing import COMPRESS, notes, read, read_file, tar_of, zip_of

LINES = b"".join(b"0.00.%03d.000 I srv  load_model: line %d\n" % (n % 1000, n) for n in range(60_000))  # 2.4 MiB


def test_a_plain_file_comes_back_as_it_is_in_blocks_that_end_at_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(LINES)
    with open_source(str(path)) as source:
        blocks = list(source.blocks())
    assert b"".join(blocks) == LINES
    assert len(blocks) >= 3
    assert all(block.endswith(b"\n") for block in blocks)
    assert max(map(len, blocks)) <= 2 << 20
    assert (source.name, source.n_bytes, source.size_hint) == (str(path), len(LINES), len(LINES))
    assert (source.encoding, source.layers, source.notes) == ("utf-8", (), [])


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, (1 << 20) - 1, 1 << 20, (1 << 20) + 1])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_sizes_round_the_read_sizes_lose_nothing(tmp_path: Path, size: int, end: bytes) -> None:
    data = LINES[:size].rstrip(b"\n") + end
    assert read_file(tmp_path / "a.log", data)[0] == data
    assert read(data)[0] == data


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    text, source = read_file(tmp_path / "empty.log", b"")
    assert (text, source.n_bytes, source.size_hint) == (b"", 0, 0)


def test_a_pipe_that_gives_a_few_bytes_at_a_time_is_read_to_its_end() -> None:
    reader, writer = os.pipe()

    def write() -> None:
        for start in range(0, 30_000, 7_001):
            os.write(writer, LINES[start : min(start + 7_001, 30_000)])
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    with os.fdopen(reader, "rb") as stdin, open_source("-", stdin=stdin) as source:
        assert b"".join(source.blocks()) == LINES[:30_000]
        assert source.size_hint is None
        assert source.n_bytes == 30_000
    thread.join()


def test_standard_input_stays_open() -> None:
    stdin = io.BytesIO(b"a line\n")
    with open_source("-", stdin=stdin) as source:
        list(source.blocks())
    assert not stdin.closed


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_bytes(LINES))
    thread.start()
    with open_source(str(path)) as source:
        assert b"".join(source.blocks()) == LINES
    thread.join()


def test_a_file_that_grows_is_read_to_its_end_as_it_is_then(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(LINES)
    with open_source(str(path)) as source, path.open("ab") as writer:
        blocks = source.blocks()
        text = next(blocks)
        writer.write(b"one more\n")
        writer.flush()
        text += b"".join(blocks)
        writer.write(b"too late\n")
        writer.flush()
        assert list(blocks) == []
    assert text == LINES + b"one more\n"


def test_a_file_cut_while_it_is_read_ends_there(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(LINES)
    with open_source(str(path)) as source:
        blocks = source.blocks()
        text = next(blocks)
        os.truncate(path, 0)
        assert LINES.startswith(text + b"".join(blocks))


def test_a_file_without_a_size_is_read() -> None:
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("no /proc here")
    with open_source(str(path)) as source:
        assert b"".join(source.blocks()).startswith(b"Name:")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"GGUF\x03\x00\x00\x00" + b"tokenizer.ggml.tokens " * 5_000, "is a GGUF model, not a log"),
        (b"GGUF\x00\x00\x00\x03" + b"general.architecture " * 5_000, "is a GGUF model, not a log"),
        (b'\x40\x02\x00\x00\x00\x00\x00\x00{"weight":' + b" " * 500, "is a safetensors model, not a log"),
        (b"\x7fELF\x02\x01\x01" + bytes(64), "is an ELF program or a core dump, not a log"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "is a picture, not a log; paste the text itself"),
        (b"7z\xbc\xaf\x27\x1c" + b"x" * 64, "is a 7-Zip archive; unpack it and name the log file"),
        (random.Random(1).randbytes(100_000), "is binary data, not a log"),
        (bytes(range(32)) * 4, "is binary data, not a log"),
        (bytes(100_000), "holds nothing but NUL bytes"),
    ],
)
def test_what_is_no_log_is_refused_when_it_is_opened(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        open_source(str(path))
    assert str(caught.value) == f"{path} {words}"
    with pytest.raises(InputError, match=r"^standard input "):
        open_source("-", stdin=io.BytesIO(COMPRESS["gzip"](data)))


@pytest.mark.parametrize(
    "data",
    [
        b"GGUF is the model format\n",
        b"\x1b[32m0.00.100.000 I \x1b[0msrv  ok\n" * 50,
        b"loading  10%\rloading  20%\b\b\b\x07\n" * 50,
        b"ok\n" * 40 + bytes(4096),  # the last block of a log after a power cut
        b"\x00\x01\x02\n",
        b"BZh is no archive\n",
        b"PK\n",
    ],
)
def test_odd_text_is_a_log(data: bytes) -> None:
    assert read(data)[0] == data.replace(b"\x00", b"")


def test_paths_that_cannot_be_read_are_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"x")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, words in [
        (tmp_path / "missing.log", "does not exist"),
        (tmp_path / "a.log" / "b.log", "does not exist (a part of its path is a file)"),
        (tmp_path, "is a directory; name the log files"),
        (tmp_path / ("n" * 300), "cannot be opened: File name too long"),
        (loop, "cannot be opened: Too many levels of symbolic links"),
    ]:
        with pytest.raises(InputError) as caught:
            open_source(str(path))
        assert str(caught.value) == f"{path} {words}"
    with pytest.raises(InputError, match="is not a possible file name"):
        open_source("a\x00b")


def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret.log"
    path.write_bytes(b"x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InputError, match=r"secret\.log cannot be opened: permission denied"):
        open_source(str(path))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[31m\n.log", r"a\x1b[31m\n.log"),
        ("caf\u00e9.log", "caf\u00e9.log"),
        ("a\u202eb", r"a\u202eb"),
        ("\udcff", r"\udcff"),
    ],
)
def test_control_characters_of_a_name_are_escaped_in_messages(name: str, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        open_source(name)
    assert str(caught.value) == f"{shown} does not exist"


def test_a_failing_device_is_one_sentence() -> None:
    path = Path("/proc/self/mem")
    if not path.exists():
        pytest.skip("no /proc here")
    with pytest.raises(InputError, match=r"^/proc/self/mem could not be read after 0 bytes: "):
        open_source(str(path))


def test_standard_input_that_would_not_wait_is_refused() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with os.fdopen(reader, "rb", buffering=0) as stdin, pytest.raises(InputError, match="no data ready"):
        open_source("-", stdin=stdin)  # type: ignore[arg-type]
    os.close(writer)


def test_a_very_long_line_comes_in_pieces_that_join_to_the_line() -> None:
    line = "\u00e9".encode() * (12 << 20) + b"x\r\nnext\n"  # 24 MiB of two-byte characters
    data = b"first\n" + b"y" + line
    with open_source("-", stdin=io.BytesIO(data)) as source:
        blocks = list(source.blocks())
    assert b"".join(blocks) == data.replace(b"\r\n", b"\n")
    assert blocks[0] == b"first\n"
    unended = [block for block in blocks if not block.endswith(b"\n")]
    assert len(unended) == (24 << 20) // MAX_LINE
    assert all(MAX_LINE - 3 <= len(block) <= MAX_LINE for block in unended)
    for block in blocks:
        block.decode("utf-8")


def test_a_carriage_return_and_its_newline_are_not_torn_apart() -> None:
    data = b"x" * (MAX_LINE - 1) + b"\r\n" + b"y" * (1 << 20) + b"\n"
    text, _ = read(data)
    assert text == b"x" * (MAX_LINE - 1) + b"\n" + b"y" * (1 << 20) + b"\n"


@pytest.mark.parametrize("limit", [len(LINES), len(LINES) + 1, 8 << 20])
def test_the_head_is_everything_when_it_fits(limit: int) -> None:
    with open_source("-", stdin=io.BytesIO(LINES)) as source:
        assert source.head(limit) == (LINES, None)


@pytest.mark.parametrize("limit", [0, 1, 100, 1 << 20, len(LINES) - 1])
def test_the_head_of_a_longer_input_ends_at_a_line_and_the_rest_follows(limit: int) -> None:
    with open_source("-", stdin=io.BytesIO(LINES)) as source:
        head, rest = source.head(limit)
        assert rest is not None
        assert len(head) <= limit
        assert not head or head.endswith(b"\n") or limit == 1
        assert limit - len(head) < 50  # no line here is longer
        assert head + b"".join(rest) == LINES


def test_the_head_splits_no_character() -> None:
    data = "\u2026\u2026\u2026".encode()
    for limit in range(len(data)):
        with open_source("-", stdin=io.BytesIO(data)) as source:
            head, rest = source.head(limit)
            assert rest is not None
            assert len(head) == limit // 3 * 3
            assert head + b"".join(rest) == data


def test_blocks_can_be_read_once() -> None:
    with open_source("-", stdin=io.BytesIO(b"a\n")) as source:
        list(source.blocks())
        with pytest.raises(RuntimeError):
            list(source.blocks())


@pytest.mark.parametrize("data", [LINES, COMPRESS["xz"](LINES), tar_of({"a": LINES}), zip_of({"a": LINES})])
def test_files_are_closed_on_the_way_out(data: bytes, tmp_path: Path) -> None:
    def n_open() -> int:
        return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0

    before = n_open()
    read_file(tmp_path / "a", data)
    (tmp_path / "b").write_bytes(b"GGUF\x03\x00\x00\x00")
    with pytest.raises(InputError):
        open_source(str(tmp_path / "b"))
    assert n_open() == before


def test_small_plain_files_import_no_unpacker() -> None:
    code = (
        "import sys; from diag.read.source import open_source\n"
        "with open_source(sys.argv[1]) as s: list(s.blocks())\n"
        "heavy = {'gzip', 'bz2', 'lzma', 'zlib', 'zipfile', 'tarfile', 'backports.zstd', 'compression', 'tempfile'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    root = str(Path(__file__).parents[2])
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, __file__],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert run.stdout.strip() == "[]"


def test_leading_hole_of_a_truncated_log_is_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    with path.open("wb") as file:
        file.truncate(3_000_001)
        file.seek(3_000_001)
        file.write(LINES[:1000])
    with open_source(str(path)) as source:
        assert b"".join(source.blocks()) == LINES[:1000]
    assert notes(source) == ["3,000,001 NUL bytes removed"]
