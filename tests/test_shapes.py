"""The answer does not depend on how a log was collected, stored or pasted: real logs through every shape and back."""

import dataclasses
import functools
import io
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from diag.model.report import Report
from tests.build import SAMPLES, ready
from tests.read.packing import ARCHIVE, COMPRESS
from tests.read.shapes import ENCODINGS, FORM_HEAD, SHAPES, Where, stacked

OLD_BUILD = "b8722-draft-and-projector-refused"  # bare lines, without clock or level
LOGS = {
    "mtp-one-axis-image-fails-b11434": "mtp-one-axis-image-position-gap",
    "dflash-on-mrope-image-fails-b11434": "dflash-image-position-gap",
    "dflash-one-axis-image-fails-b9871": "dflash-image-position-gap",
    "eagle3-image-fails-b9871": "eagle3-image-position-gap",
    "independent-draft-on-mrope-image-fails-b11434": "independent-draft-image-position-gap",
    "independent-draft-on-mrope-image-aborts-b9464": "independent-draft-image-position-gap",
    "shared-cache-as-plain-draft-fails-b11434": "mtp-head-loaded-as-plain-draft",
    "draft-file-missing-b11434": "draft-file-missing",
    "mtp-one-axis-image-fails-then-healthy-b11434": "mtp-one-axis-image-position-gap",
    "router-mtp-one-axis-image-fails-b11434": "mtp-one-axis-image-position-gap",
    OLD_BUILD: "speculation-with-mmproj-refused",
    "mtp-mrope-image-ok-b11434": "no-failure-found",
    "restarts-three-clean-b11434": "no-failure-found",
    "ngram-mod-image-ok-lv4-b11434": "no-failure-found",
}
SHORT = [name for name in LOGS if name not in (OLD_BUILD, "ngram-mod-image-ok-lv4-b11434")]
SECOND_START_PLAIN = "mtp-one-axis-image-fails-then-healthy-b11434"
ROUTER = "router-mtp-one-axis-image-fails-b11434"
ONE_PROCESS = [name for name in SHORT if name != ROUTER]

COLLECTORS = (
    "journald_short", "journald_iso", "journald_localised", "journald_indented", "journald_json", "rsyslog", "compose",
    "json_file", "cri", "rfc3339", "bracket_clock", "router_port", "compose_rfc3339_port", "ollama_like", "lemonade",
    "lmstudio", "jan", "pm2", "pino", "supervisord", "unknown_prefix",
)  # fmt: skip
OBJECTS = ("journald_json", "json_file", "pino", "jsonl")
PAINTED = ("colours", "lost_esc", "replaced_esc")
MARKDOWN = ("markdown_fence", "unclosed_fence", "details", "quoted", "quoted_twice", "form_body")
COPIED = ("hard_wrap", "hard_wrap_120", "double_spaced", "indented", "entities", "typographic", "flat", "crlf")
EXCEPTIONS = {
    ("jsonl", OLD_BUILD): "JSON lines came with builds that print a clock, which this log has not",
    ("form_body", SECOND_START_PLAIN): "one command in the form, but the log's second start was made with another",
    ("flat", ROUTER): "the router's last line, glued behind its child's, no longer tells whose it is",
}
"""(shape, log) pairs that cannot give the same answer, and why."""

_CLOCK = re.compile(r"^(?:\d+\.\d\d\.\d{3}\.\d{3} )?(?:[IWED] )?\s*")


@dataclass(frozen=True, slots=True)
class Told:
    """What must not depend on the shape: the first diagnosis with its proof, and the sums of every start."""

    first: str
    count: int
    captures: dict[str, object]
    positions: object
    others: list[str]
    families: list[str]
    drafter_kinds: list[str]
    endings: list[str]
    acceptance: list[dict[str, tuple[int, int, int]]]
    evidence: list[tuple[int, str, str]]


def told(report: Report, where: Where = lambda number: number) -> Told:
    first = report.diagnoses[0]
    return Told(
        first=first.signature,
        count=first.count,
        captures=dict(first.captures),
        positions=first.positions,
        others=[item.signature for item in report.diagnoses[1:]],
        families=[session.drafter.family for session in report.sessions],
        drafter_kinds=[session.drafter.kind for session in report.sessions],
        endings=[session.ending.kind for session in report.sessions],
        acceptance=[
            {turn: (sums.requests, sums.drafted, sums.accepted) for turn, sums in session.acceptance.items()}
            for session in report.sessions
        ],
        # a clock that moved into a field of its own is no longer in the text
        evidence=[(where(item.line), item.role, _CLOCK.sub("", item.text).rstrip()) for item in first.evidence],
    )


def beside_a_form(wanted: Told, found: Told) -> Told:
    """Return what is wanted where a form names the command: a drafter that the log leaves open may be known from it."""
    known = {
        name: [there if here == "unknown" else here for here, there in zip(log, form, strict=True)]
        for name, log, form in (
            ("families", wanted.families, found.families),
            ("drafter_kinds", wanted.drafter_kinds, found.drafter_kinds),
        )
    }
    return dataclasses.replace(wanted, **known)


@functools.cache
def lines_of(name: str) -> tuple[str, ...]:
    path = SAMPLES / name / "log.txt"
    if name == OLD_BUILD:
        path = Path(__file__).parent / "data" / f"{name}.log"
    return tuple(path.read_text(encoding="utf-8").splitlines())


@functools.cache
def bare(name: str) -> Report:
    return report_of(SHAPES["plain"].wrap(list(lines_of(name))).encode())


def report_of(data: bytes) -> Report:
    return ready().analyze("-", stdin=io.BytesIO(data))


def filled_form(text: str, name: str) -> str:
    """Return a filled issue form with the build and the command line that the log was recorded with."""
    command = "llama-server -m /models/target-qwen2vl.gguf -md /models/draft-llama.gguf --mmproj /models/mmproj.gguf"
    if name != OLD_BUILD:
        command = tomllib.loads((SAMPLES / name / "expected.toml").read_text(encoding="utf-8"))["command"]
    start, rest = command.split(" -", 1)
    form = FORM_HEAD.replace("11434", name.rsplit("-b", 1)[-1] if name != OLD_BUILD else "8722")
    form = re.sub(
        r"llama-server -m .*?draft-mtp", lambda _found: f"{start} \\\n  -{rest.strip()}", form, flags=re.DOTALL
    )
    assert form.count("\n") == FORM_HEAD.count("\n")
    return form + text.removeprefix(FORM_HEAD)


def test_the_bare_logs_get_the_answers_they_are_compared_with() -> None:
    assert {name: bare(name).diagnoses[0].signature for name in LOGS} == LOGS


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shaped_log_gets_the_answer_of_the_bare_log(shape: str, name: str) -> None:
    if (shape, name) in EXCEPTIONS:
        pytest.skip(EXCEPTIONS[shape, name])
    lines = list(lines_of(name))
    text = SHAPES[shape].wrap(lines)
    if shape == "form_body":
        text = filled_form(text, name)
    found, wanted = told(report_of(text.encode())), told(bare(name), SHAPES[shape].where(lines))
    assert found == (beside_a_form(wanted, found) if shape == "form_body" else wanted)


def _pairs() -> list[tuple[str, str]]:
    """Return (outer, inner) as they occur: a collector round a collector, a paste of what a collector wrote, a paste
    of a paste. A collector never sees what a copy did afterwards."""
    by_program = ("router_port", *PAINTED, "jsonl")
    pairs = [(outer, inner) for outer in COLLECTORS for inner in (*by_program, "json_file", "rfc3339")]
    pairs += [
        (outer, inner)
        for outer in (*MARKDOWN, *COPIED)
        for inner in (*COLLECTORS, *PAINTED, "jsonl")
        if outer != "flat"
    ]
    pairs += [(outer, inner) for outer in MARKDOWN for inner in COPIED]
    pairs += [("crlf", inner) for inner in COPIED]
    return [(outer, inner) for outer, inner in pairs if outer != inner and SHAPES[inner].stacks]


PAIRS = _pairs()


@pytest.mark.parametrize(("at", "outer", "inner"), [(at, *pair) for at, pair in enumerate(PAIRS)])
def test_two_shapes_on_top_of_each_other_change_no_answer(at: int, outer: str, inner: str) -> None:
    names = [name for name in ONE_PROCESS if (outer, name) not in EXCEPTIONS]
    for name in (names[at % len(names)], names[(7 * at + 3) % len(names)]):
        lines = list(lines_of(name))
        text, where = stacked(outer, inner, lines)
        if outer == "form_body":
            text = filled_form(text, name)
        found, wanted = told(report_of(text.encode())), told(bare(name), where)
        assert found == (beside_a_form(wanted, found) if outer == "form_body" else wanted), name


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in ("form_body", "jsonl")])
def test_a_shaped_log_in_any_encoding_gets_the_answer_of_the_bare_log(shape: str, encoding: str) -> None:
    name = ONE_PROCESS[(list(SHAPES).index(shape) + list(ENCODINGS).index(encoding)) % len(ONE_PROCESS)]
    if shape in ("replaced_esc", "typographic") and encoding == "latin1":
        pytest.skip("the encoding does not have the character")
    lines = list(lines_of(name))
    data = ENCODINGS[encoding](SHAPES[shape].wrap(lines))
    assert told(report_of(data)) == told(bare(name), SHAPES[shape].where(lines))


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    **COMPRESS,
    **{name: functools.partial(lambda pack, data: pack({"server.log": data}), pack) for name, pack in ARCHIVE.items()},
    "tar.gz": lambda data: COMPRESS["gzip"](ARCHIVE["tar"]({"server.log": data})),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("shape", ["plain", "compose", "markdown_fence", "hard_wrap", *OBJECTS])
def test_a_packed_log_gets_the_answer_of_the_bare_log_whatever_its_name(shape: str, packing: str) -> None:
    name = ONE_PROCESS[(list(SHAPES).index(shape) + 3 * list(PACKINGS).index(packing)) % len(ONE_PROCESS)]
    lines = list(lines_of(name))
    data = PACKINGS[packing](SHAPES[shape].wrap(lines).encode())
    report = report_of(data)
    assert told(report) == told(bare(name), SHAPES[shape].where(lines))
    assert report.input.n_bytes == len(data)


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name.startswith("utf16")])
@pytest.mark.parametrize("packing", ["gzip", "zip"])
def test_a_packed_log_in_a_wide_encoding_is_read_too(packing: str, encoding: str) -> None:
    name = ONE_PROCESS[0]
    data = PACKINGS[packing](ENCODINGS[encoding](SHAPES["crlf"].wrap(list(lines_of(name)))))
    assert told(report_of(data)) == told(bare(name))


@pytest.mark.parametrize(
    ("damage", "change"),
    [
        ("NUL bytes between the lines", lambda data: data.replace(b"\n", b"\x00\n")),
        ("a run of NUL bytes behind the log, as log rotation leaves it", lambda data: data + b"\x00" * 4096),
        ("bytes of another encoding", lambda data: data + b"user typed: caf\xe9 \xfc\xff\n"),
        ("no line end behind the last line", lambda data: data.removesuffix(b"\n")),
        ("blank lines at both ends", lambda data: data + b"\n\n\n"),
    ],
)
def test_small_damage_changes_no_answer(damage: str, change: Callable[[bytes], bytes]) -> None:
    for name in ONE_PROCESS:
        data = SHAPES["plain"].wrap(list(lines_of(name))).encode()
        assert told(report_of(change(data))) == told(bare(name)), (damage, name)
