"""Several processes that read one file say what one says of it."""

from pathlib import Path

import pytest

from diag.cli.one import Asked
from diag.cli.processes import Processes
from diag.large.ranges import divide
from diag.model.stated import Stated
from diag.read.source import open_source
from diag.scan.span import Budgets
from tests.large.divided import Here, read_in_ranges
from tests.large.generated import generated, lasting
from tests.large.reference import facts_of, large

_START = """\
I srv  llama_server: initializing ...
I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with the `-lv N` CLI arg)
I srv    load_model: loading model '/models/target.gguf'
I srv  llama_server: model loaded
I srv  llama_server: listening on http://127.0.0.1:8080"""
_PROJECTOR = "I srv    load_model: loaded multimodal model, '/models/mmproj.gguf'"
_REQUEST = """\
I slot launch_slot_: id  0 | task {n} | processing task, is_child = 0
I slot print_timing: id  0 | task {n} | prompt eval time =      15.39 ms /    61 tokens (    0.25 ms per token,  3964.90 tokens per second)
I slot print_timing: id  0 | task {n} |        eval time =      10.12 ms /    16 tokens (    0.63 ms per token,  1580.87 tokens per second)
I slot print_timing: id  0 | task {n} | draft acceptance = 0.91667 (   11 accepted /    12 generated), mean len =  3.75
I slot      release: id  0 | task {n} | stop processing: n_tokens = 76, truncated = 0"""
_IMAGE = "I srv  process_chun: processing image..."
_FAILURE = """\
E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)
E srv  update_slots: decode() failed: failed to process speculative batch
E srv    send_error: task id = {n}, error: decode() failed: failed to process speculative batch"""


def _log(*parts: str) -> bytes:
    rows: list[str] = []
    for part in parts:
        ms = task = 0
        for row in part.split("\n"):
            ms += 7
            task += "processing task" in row
            minutes, rest = divmod(ms, 60_000)
            clock = f"{minutes}.{rest // 1000:02d}.{rest % 1000:03d}.000"
            rows.append(f"{clock} {row}".replace("{n}", str(task)))
    return "\n".join(rows).encode()


def _repeated(n: int, *rows: str) -> str:
    return "\n".join([*rows] * n)


@pytest.mark.parametrize("engine", ["hyperscan", "standard-library"])
@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("variant", "ABCD")
def test_a_log_of_each_kind_is_told_alike(variant: str, n: int, engine: str, tmp_path: Path) -> None:
    data = generated(variant, 600_000)
    path = tmp_path / "log"
    path.write_bytes(data)
    crew = Here(engine)
    assert facts_of(read_in_ranges(path, crew, n, engine=engine)[1]) == facts_of(large(data, engine=engine))
    # of warnings alone none begins a request: one process reads them
    assert bool(crew.tasks) == (variant != "D")


def test_many_requests_are_summed_exactly(tmp_path: Path) -> None:
    data = lasting(4)
    path = tmp_path / "log"
    path.write_bytes(data)
    _, report = read_in_ranges(path, Here(), 4)
    (session,) = report.sessions
    assert session.n_requests == data.count(b"processing task, is_child")
    assert report.input.n_bytes == len(data)
    assert report.input.n_lines == data.count(b"\n")


def test_a_flood_in_every_range_is_counted(tmp_path: Path) -> None:
    row = "W find_slot: non-consecutive token position 9 after 4 for sequence 0 with 512 new tokens"
    data = _log("\n".join([_START, *[_REQUEST, _repeated(400, row)] * 6]))
    path = tmp_path / "log"
    path.write_bytes(data)
    budgets = Budgets(flood=100)
    _, report = read_in_ranges(path, Here(budgets=budgets), 3, budgets=budgets)
    counts = {item.signature: item.count for item in report.benign}
    one = {item.signature: item.count for item in large(data, budgets=budgets).benign}
    assert counts == one


@pytest.mark.parametrize("n", [2, 4])
def test_images_are_told_from_text_across_the_border(n: int, tmp_path: Path) -> None:
    start = _START.replace("I srv  llama_server: model loaded", f"{_PROJECTOR}\nI srv  llama_server: model loaded")
    data = _log(
        "\n".join([start, _repeated(40, _REQUEST), *[_REQUEST + "\n" + _IMAGE + "\n" + _FAILURE] * 3, *[_REQUEST] * 40])
    )
    path = tmp_path / "log"
    path.write_bytes(data)
    crew = Here()
    assert facts_of(read_in_ranges(path, crew, n)[1]) == facts_of(large(data))
    assert len(crew.tasks) == n - 1  # the first guess was right


def test_a_range_behind_another_start_than_the_first_is_read_again(tmp_path: Path) -> None:
    with_projector = _START.replace("I srv  llama_server: model", f"{_PROJECTOR}\nI srv  llama_server: model", 1)
    images = "\n".join([_REQUEST + "\n" + _IMAGE] * 3)
    data = _log(
        "\n".join([_START, _repeated(2500, _REQUEST)]),  # more than a block: the crew has begun before the second start
        "\n".join([with_projector, _repeated(1000, _REQUEST), images, _repeated(2000, _REQUEST)]),
    )
    path = tmp_path / "log"
    path.write_bytes(data)
    crew = Here()
    assert facts_of(read_in_ranges(path, crew, 2)[1]) == facts_of(large(data))
    assert [bool(task.outlook.facts & {"ProjectorLoaded"}) for task in crew.tasks] == [False, True]


def test_a_range_behind_a_start_like_the_first_is_read_once(tmp_path: Path) -> None:
    data = _log(*["\n".join([_START, _repeated(1500, _REQUEST)])] * 3)  # each start's clock begins again
    path = tmp_path / "log"
    path.write_bytes(data)
    here = Here()
    _, report = read_in_ranges(path, here, 3)
    assert facts_of(report) == facts_of(large(data))
    assert len(here.tasks) == 2


def test_a_log_in_which_two_servers_write_in_turn_is_read_by_one(tmp_path: Path) -> None:
    rows = _log("\n".join([_START, _repeated(30, _REQUEST), _FAILURE, _repeated(30, _REQUEST)])).decode().split("\n")
    woven = [f"Nov 30 09:00:00 host {name}[{pid}]: {row}" for row in rows for name, pid in (("one", 1), ("two", 2))]
    data = "\n".join(woven).encode()
    path = tmp_path / "log"
    path.write_bytes(data)
    _, report = read_in_ranges(path, Here(), 3)
    assert facts_of(report) == facts_of(large(data))
    assert report.input.n_bytes == len(data)


def test_what_is_damaged_in_any_range_is_added_up(tmp_path: Path) -> None:
    requests = [_REQUEST] * 60
    data = _log("\n".join([_START, *requests])).replace(b"\n", b"\r\n")
    lines = data.split(b"\r\n")
    for at in (50, 150, 250):
        lines[at] += b" \x00 caf\xe9"
    path = tmp_path / "log"
    path.write_bytes(b"\r\n".join(lines))
    _, report = read_in_ranges(path, Here(), 3)
    assert report.input.encoding == "latin-1"
    assert {note.what for note in report.input.notes} >= {
        "3 NUL bytes removed",
        "3 bytes on 3 lines not UTF-8, read as Latin-1 (Windows-1252)",
    }
    assert report.sessions[0].n_requests == 60


def test_no_range_begins_inside_a_body_that_quotes_a_log(tmp_path: Path) -> None:
    quoted = 'D srv  log_server_r: request:  {"prompt":"0.00.001.000 I slot launch_slot_: id  0 | task 1 | processing task, is_child = 0"}'
    data = _log("\n".join([_START, _REQUEST, _repeated(200, quoted), _REQUEST, _repeated(200, quoted)]))
    path = tmp_path / "log"
    path.write_bytes(data)
    crew = Here()
    _, report = read_in_ranges(path, crew, 2)
    assert report.sessions[0].n_requests == 2
    assert all(data[task.start :].partition(b"\n")[0].endswith(b"processing task, is_child = 0") for task in crew.tasks)


def test_what_cannot_be_divided_is_read_by_one(tmp_path: Path) -> None:
    wide, small = tmp_path / "wide", tmp_path / "small"
    wide.write_bytes(lasting(1).decode().encode("utf-16"))
    small.write_bytes(lasting(1)[:5000])
    for path, least in ((wide, 1), (small, 4000)):
        with open_source(str(path)) as source:
            assert divide(source, Here(), 2, least=least) is None


def test_other_processes_say_the_same(tmp_path: Path) -> None:
    data = lasting(2)
    path = tmp_path / "log"
    path.write_bytes(data)
    asked = Asked(
        "json", Stated(), (), 0, full=False, redact=True, fail_on="error", width=80, color=False, compact=True
    )
    with Processes(3, (), None, asked) as others:
        assert facts_of(read_in_ranges(path, others.read, 3)[1]) == facts_of(large(data))
