#!/usr/bin/env python3
"""Record the samples: real llama-server logs with a statement of what was done, from tiny random-weight models.

    record.py --realserver DIR --server BIN --build b11434 [--source DIR] [--models DIR] [NAME ...]

DIR holds `make_tiny_models.py` and `run_cases.py`; both are imported, nothing of them is copied.  BIN is a llama-server
of build bN, SOURCE the source tree it was compiled from (hidden in assertion lines).  Each sample that plan.toml plans
for this build goes to `<name>-bN/log.txt` and `<name>-bN/expected.toml` beside this file.

The statement is the plan's.  What depends on the run is checked or measured without the tool: X and Y stand in the
plan, worked out from the prompt, and a log that holds others is refused; acceptance is summed from the answers the
client got, never from the log.  Folders and the port are rewritten in the log text; nothing else is.

Needs gguf and numpy for the models, which the project itself does not.
"""

import argparse
import importlib
import json
import re
import shlex
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import drafter_models
import gemma4_models
import turns

HERE = Path(__file__).resolve().parent
DATE = "2026-11-30"
PORT = 8080  # stands in every log for the free port that was used


class SampleRefusedError(Exception):
    """A server did not do what the plan says of it; the log is not kept."""


@dataclass(frozen=True)
class Start:
    """One server process; without `asks` it is expected to end by itself."""

    args: str
    asks: str = ""
    port_taken: bool = False  # another server listens on its port already
    preset: str = ""  # content of the file {W}/models.ini, for a router


@dataclass(frozen=True)
class Sample:
    """One entry of plan.toml, which explains the fields."""

    name: str
    builds: list[int]
    starts: list[Start]
    truth: str
    first: str
    family: str
    statuses: list[int]
    ending: str = "clean"
    codes: list[int] | None = None
    trigger: str = ""
    x: int | None = None
    y: int | None = None
    acceptance: str = ""
    sessions: int = 0  # 0: one for each start
    empty: bool = False

    @property
    def max_bytes(self) -> int:
        return 150_000 if any("-lv 4" in start.args for start in self.starts) else 100_000


def planned(build: int) -> list[Sample]:
    """The samples planned for that build, in the order in which they are recorded."""
    tables = tomllib.loads((HERE / "plan.toml").read_text())["sample"]
    samples = [Sample(**{**table, "starts": [Start(**start) for start in table["starts"]]}) for table in tables]
    return [sample for sample in samples if build in sample.builds]


@dataclass
class Answers:
    """What the clients of one sample saw: statuses in order of arrival, drafted and accepted tokens by kind of turn."""

    statuses: list[int] = field(default_factory=list)
    turns: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: {"text": [], "image": []})

    def sums(self, *kinds: str) -> dict[str, int]:
        """Requests that drafted at least one token, and the sums of drafted and accepted tokens, over those kinds."""
        rows = [row for kind in kinds for row in self.turns[kind]]
        return {"requests": len(rows), "drafted": sum(d for d, _ in rows), "accepted": sum(a for _, a in rows)}


def listening_client(cases: ModuleType, port: int, answers: Answers) -> Any:
    """Returns a client of `run_cases.py` that also keeps every status and the draft counts of every answer.

    A turn counts as image when the posted conversation holds an image anywhere, also one that is long cached.
    """

    class Listening(cases.Client):  # type: ignore[misc, name-defined]  # imported by path, no types
        def post(self, path: str, body: object, *rest: Any, **more: Any) -> tuple[int, dict[str, Any]]:
            status, answer = super().post(path, body, *rest, **more)
            answers.statuses.append(status)
            timings = answer.get("timings", {})
            if timings.get("draft_n"):
                kind = "image" if "image_url" in json.dumps(body) or "multimodal_data" in json.dumps(body) else "text"
                answers.turns[kind].append((timings["draft_n"], timings["draft_n_accepted"]))
            return status, answer

    return Listening(port)


@dataclass
class Recorder:
    cases: ModuleType
    server: Path
    build: str
    models: Path
    source: Path | None

    def argv(self, start: Start, work: str = "/srv/run") -> list[str]:
        """One compute thread: ggml threads spin, which is very slow on a small machine."""
        parts = shlex.split(start.args.replace("{M}", str(self.models)).replace("{W}", work))
        return [*parts, "-t", "1", *(["-td", "1"] if "-md" in parts else [])]

    def clean(self, text: bytes, work: str, port: int) -> bytes:
        """Neutral folders and one port; bytes otherwise as the server wrote them."""
        pairs = [
            (work, "/srv/run"),
            (str(self.models), "/models"),
            (str(self.server), "/srv/llama/llama-server"),
            (str(self.server.parent), "/srv/llama"),
        ]
        if self.source:
            pairs.append((str(self.source), "/srv/src/llama.cpp"))
        for old, new in pairs:
            text = text.replace(old.encode(), new.encode())
        return re.sub(rb"(127\.0\.0\.1:|port[:=] ?|--port )%d\b" % port, rb"\g<1>%d" % PORT, text)

    def run(self, start: Start, work: Path, answers: Answers) -> tuple[bytes, int]:
        """Runs one server process; returns its cleaned output and its exit code (negative: the signal)."""
        log, argv = work / "console.log", self.argv(start, str(work))
        if start.preset:
            (work / "models.ini").write_text(start.preset.replace("{M}", str(self.models)))
        holder = None
        if start.port_taken:
            holder = self.cases.Server(self.server, argv, work / "holder.log")
            holder.wait_ready()
        server = self.cases.Server(self.server, argv, log, port=holder.port if holder else None)
        try:
            if not start.asks:
                server.proc.wait(60)
            elif server.wait_ready():
                client = listening_client(self.cases, server.port, answers)
                getattr(turns, start.asks)(
                    SimpleNamespace(
                        server=server,
                        client=client,
                        cases=self.cases,
                        models=self.models,
                        png=lambda name="photo.png": (self.models / name).read_bytes(),
                    )
                )
        finally:
            code = server.stop()
            if holder:
                holder.stop()
        return self.clean(log.read_bytes(), str(work), server.port), code

    def record(self, sample: Sample) -> str:
        """Records one sample and writes its folder; returns a line about it.  Raises SampleRefusedError."""
        name = f"{sample.name}-{self.build}"
        answers, text, codes = Answers(), b"", []
        for start in sample.starts:
            with tempfile.TemporaryDirectory(prefix="sample-") as work:
                part, code = self.run(start, Path(work), answers)
            text += part
            codes.append(code)
        check(sample, name, text, answers, codes)
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        (folder / "log.txt").write_bytes(text)
        (folder / "expected.toml").write_text(self.statement(sample, text, answers))
        return f"{name:58} {len(text):>7} bytes, exit {codes}, client saw {answers.statuses}"

    def statement(self, sample: Sample, text: bytes, answers: Answers) -> str:
        """The text of expected.toml."""
        argv = ["llama-server", *self.argv(sample.starts[0]), "--host", "127.0.0.1", "--port", str(PORT)]
        command = shlex.join(argv).replace(str(self.models), "/models")
        rows = [
            f'recorded = "{self.build}, {DATE}, tiny random models, CPU"',
            f"truth = {json.dumps(sample.truth)}",
            f"command = {json.dumps(command)}",
            f'first = "{sample.first}"',
            f"healthy = {json.dumps(sample.first in ('no-failure-found', 'empty-log'))}",
            f'family = "{sample.family}"',
            f"sessions = {sample.sessions or len(sample.starts) if text else 0}",
            f'ending = "{sample.ending}"',
        ]
        if sample.trigger:
            rows.append(f"trigger_line = {line_of(text, sample.trigger)}")
        if sample.x is not None and sample.y is not None:
            rows.append(
                f"positions = {{ x = {sample.x}, y = {sample.y}, gap = {sample.y - sample.x - 1}, "
                'refused_by = "draft", left_by = "image" }'
            )
        if sample.acceptance:
            groups = (
                {"unknown": ("text", "image")}
                if sample.acceptance == "unknown"
                else {kind: (kind,) for kind in ("text", "image") if answers.turns[kind]}
            )
            sums = {group: answers.sums(*kinds) for group, kinds in groups.items()}
            inner = ", ".join(
                f"{group} = {{ " + ", ".join(f"{k} = {v}" for k, v in s.items()) + " }" for group, s in sums.items()
            )
            rows.append(f"acceptance = {{ {inner} }}")
        return "\n".join(rows) + "\n"


def line_of(text: bytes, words: str) -> int:
    """The number, from 1, of the first line that holds `words`; 0 if none does."""
    for number, line in enumerate(text.split(b"\n"), 1):
        if words.encode() in line:
            return number
    return 0


def check(sample: Sample, name: str, text: bytes, answers: Answers, codes: list[int]) -> None:
    """Raises SampleRefusedError where the run is not what the plan states of it."""
    wrong = []
    if sorted(answers.statuses) != sorted(sample.statuses):
        wrong.append(f"statuses {answers.statuses}, planned {sample.statuses}")
    if codes != (sample.codes or [0] * len(codes)):
        wrong.append(f"exit codes {codes}, planned {sample.codes}")
    if sample.trigger and not line_of(text, sample.trigger):
        wrong.append(f"no line with {sample.trigger!r}")
    if sample.x is not None:
        found = re.search(rb"is X = (\d+).*?of Y = (\d+)", text, re.DOTALL)
        seen = (int(found[1]), int(found[2])) if found else None
        if seen != (sample.x, sample.y):
            wrong.append(f"X, Y are {seen}, foretold {(sample.x, sample.y)}")
    if sample.empty == bool(text):
        wrong.append(f"{len(text)} bytes")
    if len(text) > sample.max_bytes:
        wrong.append(f"{len(text)} bytes are more than {sample.max_bytes}")
    if wrong:
        raise SampleRefusedError(f"{name}: " + "; ".join(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description="Record samples/ from a real llama-server.")
    parser.add_argument("--realserver", type=Path, required=True, help="folder of the two scripts")
    parser.add_argument("--server", type=Path, required=True, help="llama-server binary")
    parser.add_argument("--build", required=True, help="its build, such as b11434")
    parser.add_argument("--source", type=Path, help="its source tree, hidden in assertion lines")
    parser.add_argument("--models", type=Path, help="keep the models here instead of in a temporary folder")
    parser.add_argument("names", nargs="*", help="samples to record (default: all planned for this build)")
    args = parser.parse_args()
    sys.path.insert(0, str(args.realserver))
    cases = importlib.import_module("run_cases")
    samples = planned(int(args.build.lstrip("b")))
    if unknown := set(args.names) - {s.name for s in samples}:
        parser.error("not planned for this build: " + ", ".join(sorted(unknown)))
    n_refused = 0
    with tempfile.TemporaryDirectory(prefix="models-") as scratch:
        models = (args.models or Path(scratch)).resolve()
        models.mkdir(parents=True, exist_ok=True)
        write_models(models)
        source = args.source.resolve() if args.source else None
        recorder = Recorder(cases, args.server.resolve(), args.build, models, source)
        for sample in samples:
            if args.names and sample.name not in args.names:
                continue
            try:
                sys.stdout.write(recorder.record(sample) + "\n")
            except SampleRefusedError as refused:
                n_refused += 1
                sys.stdout.write(f"refused: {refused}\n")
    return 1 if n_refused else 0


def write_models(models: Path) -> None:
    """Writes all models and pictures that the plan names, as the model maker's own command does."""
    maker = importlib.import_module("make_tiny_models")
    for name, make in maker.MODELS.items():
        make(models / name)
    maker.write_png(models / "photo.png", 224, 224)
    maker.write_png(models / "wide.png", 448, 224, seed=1)
    drafter_models.write_models(models, maker)
    gemma4_models.write_models(models, maker)


if __name__ == "__main__":
    sys.exit(main())
