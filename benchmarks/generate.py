"""Seeded logs in the formats of real servers: `python -m benchmarks.generate VARIANT SIZE FILE`.

A: default verbosity, 0.01 % of the lines belong to an incident. B: the same with 5 %. C: -lv 5 with request bodies, one in
twenty with an image in base64 between 20 and 400 KB. D: every line a warning. The same seed gives the same bytes.
"""

import argparse
import base64
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.incidents import INCIDENTS

VARIANTS = {"A": 0.0001, "B": 0.05, "C": 0.0001, "D": 1.0}
"""Share of the lines that belong to an incident."""

_WORDS = [
    "the",
    "of",
    "model",
    "token",
    "cache",
    "context",
    "layer",
    "prompt",
    "image",
    "slot",
    "batch",
    "value",
    "tensor",
    "memory",
    "device",
    "server",
    "request",
    "time",
    "user",
    "system",
    "answer",
    "code",
    "data",
    "list",
    "file",
    "name",
    "type",
    "size",
    "index",
    "key",
    "result",
]


class Writer:
    """Builds a log line by line; the clock is the program's own."""

    def __init__(self, variant: str, seed: int = 1, *, drafter: bool = True) -> None:
        self._random = random.Random(f"{variant} {seed}")
        self._verbose = variant == "C"
        self._only_warnings = variant == "D"
        self._share = VARIANTS[variant]
        self._drafter = drafter
        self._us = 0
        self._task = 0
        self._debt = 0.0  # lines of incidents still owed
        ranks = range(1, len(INCIDENTS) + 1)
        self._weights = [1 / rank for rank in ranks]  # few messages make most of the noise, as in real logs
        self._image = base64.b64encode(self._random.randbytes(300_000)).decode()

    def pieces(self) -> Iterator[str]:
        """Yield the log without end, a start or a request at a time, each closed with a newline."""
        yield self._text(self._start())
        while True:
            lines = self._jumps() if self._only_warnings else self._request()
            if not self._only_warnings:
                lines = self._with_incidents(lines)
                if self._random.random() < 1e-4:
                    lines += ["I srv    operator(): operator(): cleaning up before exit..."]
                    yield self._text(lines)
                    self._us = 0
                    lines = self._start()
            yield self._text(lines)

    def _text(self, lines: list[str]) -> str:
        done = []
        for line in lines:
            if line.startswith("|"):
                done.append(line[1:])
            elif line:
                self._us += self._random.randrange(10, 4000)
                us = self._us
                clock = f"{us // 60_000_000}.{us // 1_000_000 % 60:02d}.{us // 1000 % 1000:03d}.{us % 1000:03d}"
                done.append(f"{clock} {line}")
            else:
                done.append("")
        return "\n".join(done) + "\n"

    def _words(self, n: int) -> str:
        return " ".join(self._random.choices(_WORDS, k=n))

    def _start(self) -> list[str]:
        verbosity = 5 if self._verbose else 3
        lines = [
            "I srv  llama_server: initializing ...",
            f"I cmn  common_param: common_params_print_info: verbosity = {verbosity} (adjust with the `-lv N` CLI arg)",
            "W srv  llama_server: security: no API key is set and CORS allows all origins",
        ]
        if self._verbose:
            lines += [
                "I cmn  common_param: common_params_print_info: build 11434 (0000000) with GNU 12.2.0 for Linux x86_64",
                "I srv    load_model: loading model '/models/target.gguf'",
                *(
                    f"I llama_model_loader: - kv {n:3d}:                 qwen3.key.{self._random.choice(_WORDS)} u32"
                    f"              = {self._random.randrange(99999)}"
                    for n in range(40)
                ),
                "I print_info: arch                  = qwen3",
                *(f"D load_tensors: layer {n:3d} assigned to device CUDA0, is_swa = 0" for n in range(48)),
                "I load_tensors:        CUDA0 model buffer size = 17524.42 MiB",
            ]
        else:
            lines.append("I srv    load_model: loading model '/models/target.gguf'")
        if self._drafter:
            lines.append(
                "I common_speculative_init_result: creating MTP draft context against the target model "
                "'/models/target.gguf'"
            )
        return [
            *lines,
            "I srv    load_model: initializing, n_slots = 4, n_ctx_slot = 32768, kv_unified = 'false'",
            "I srv  llama_server: model loaded",
            "I srv  llama_server: listening on http://127.0.0.1:8080",
        ]

    def _request(self) -> list[str]:
        draw = self._random
        self._task += draw.randrange(1, 300)
        slot, n_prompt, n_gen = draw.randrange(4), draw.randrange(200, 9000), draw.randrange(20, 900)
        at = f"id {slot:2d} | task {self._task} | "
        lines = self._body(n_prompt) if self._verbose else []
        lines += [
            f"I slot get_availabl: id {slot:2d} | task -1 | selected slot by LCP similarity, "
            f"f_sim_best = {draw.random():.3f} (> 0.100 thold), f_keep = {draw.random():.3f}",
            f"I slot launch_slot_: {at}processing task, is_child = 0",
        ]
        if self._verbose:
            lines.append(
                f"I slot   operator(): {at}new prompt, n_ctx_slot = 32768, n_keep = 0, task.n_tokens = {n_prompt}"
            )
            lines.append(f"I slot   operator(): {at}cached n_tokens = 0, memory_seq_rm [0, end)")
        for done in range(1024, n_prompt, 1024):
            lines.append(
                f"I slot print_timing: {at}prompt processing, n_tokens = {done:6d}, progress = {done / n_prompt:.2f}, "
                f"t = {done / 800:6.2f} s / {800 + draw.random() * 50:.2f} tokens per second"
            )
        lines += self._tokens(at, n_gen) if self._verbose else self._progress(at, n_gen)
        ms, drafted = n_gen * 11.1, draw.randrange(99, 200)
        accepted = draw.randrange(99)
        lines += [
            f"I slot print_timing: {at}prompt eval time = {n_prompt * 1.2:10.2f} ms / {n_prompt:5d} tokens "
            f"({1.2:8.2f} ms per token, {830.1:8.2f} tokens per second)",
            f"I slot print_timing: {at}       eval time = {ms:10.2f} ms / {n_gen:5d} tokens "
            f"({11.1:8.2f} ms per token, {90.1:8.2f} tokens per second)",
            f"I slot print_timing: {at}      total time = {ms + n_prompt * 1.2:10.2f} ms / {n_prompt + n_gen:5d} tokens",
            f"I slot print_timing: {at}   graphs reused = {draw.randrange(9999):10d}",
        ]
        if self._drafter:
            lines.append(
                f"I slot print_timing: {at}draft acceptance = {accepted / drafted:0.5f} ({accepted:5d} accepted / "
                f"{drafted:5d} generated), mean len = {1 + draw.random() * 3:5.2f}"
            )
        lines.append(f"I slot      release: {at}stop processing: n_tokens = {n_prompt + n_gen}, truncated = 0")
        if self._verbose:
            lines.append("I srv  update_slots: all slots are idle")
            lines.append("I srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 200")
        return lines

    def _progress(self, at: str, n_gen: int) -> list[str]:
        draw = self._random
        return [
            f"I slot print_timing: {at}n_gen = {done:6d}, tg = {draw.random() * 90:6.2f} t/s, "
            f"tg_3s = {draw.random() * 90:6.2f} t/s"
            for done in range(40, n_gen, 40)
        ]

    def _tokens(self, at: str, n_gen: int) -> list[str]:
        draw, lines = self._random, []
        for done in range(min(n_gen, 120)):
            word = draw.choice(_WORDS)
            lines += [
                f"D slot process_toke: {at}n_gen = {done}, n_remaining = {n_gen - done}, "
                f"next token: {draw.randrange(150000):5d} ' {word}'",
                f"D que          post: new task, id = {self._task}, front = 0",
                "D srv  update_slots: posting NEXT_RESPONSE",
                "D srv  update_slots: n_batch (effective) = 2048, off = 0",
                'D srv      operator: http: streamed chunk: data: {"choices":[{"finish_reason":null,"index":0,'
                f'"delta":{{"content":" {word}"}}}}],"created":1764455555,"id":"chatcmpl-{draw.randrange(10**9)}",'
                '"model":"target","system_fingerprint":"b11434-0000000","object":"chat.completion.chunk"}',
                "",
            ]
        return lines

    def _body(self, n_prompt: int) -> list[str]:
        draw = self._random
        content: object = self._words(min(n_prompt, 3000))
        if draw.random() < 0.05:
            url = "data:image/png;base64," + self._image[: draw.randrange(20_000, 400_000)]
            content = [
                {"type": "image_url", "image_url": {"url": url}},
                {"type": "text", "text": f"why does my server say CUDA error: out of memory? {self._words(30)}"},
            ]
        body = json.dumps({"messages": [{"role": "user", "content": content}], "stream": True, "temperature": 0.7})
        return [f"D srv  log_server_r: request:  {body}"]

    def _with_incidents(self, lines: list[str]) -> list[str]:
        draw = self._random
        self._debt += len(lines) * self._share
        while self._debt >= 1:
            incident = draw.choices(INCIDENTS, self._weights)[0]
            x = draw.randrange(10, 900)
            values = {"n": draw.randrange(1000, 99999), "t": self._task, "x": x, "y": x + draw.randrange(2, 90)}
            at = draw.randrange(2, len(lines))
            lines[at:at] = [line.format(**values) for line in incident]
            self._debt -= len(incident)
        return lines

    def _jumps(self) -> list[str]:
        draw, lines = self._random, []
        for _ in range(300):
            line = (
                f"W find_slot: non-consecutive token position 4 after 4 for sequence {draw.randrange(4)} "
                "with 512 new tokens"
            )
            position, after = draw.randrange(9999), draw.randrange(512)
            lines += [line, line]
            lines.append(
                f"W find_slot: non-consecutive token position {position} after 4 for sequence 0 with {after} new tokens"
            )
        return lines


def write_log(variant: str, n_bytes: int, path: Path, *, seed: int = 1, encoding: str = "utf-8") -> None:
    """Write a log of about n_bytes (before packing); the suffixes .gz and .zst pack it."""
    with _open(path) as file:
        n = 0
        for piece in Writer(variant, seed).pieces():
            n += len(piece)
            file.write(piece.encode(encoding))
            if n >= n_bytes:
                return


def _open(path: Path):  # type: ignore[no-untyped-def]  # three writers without a common class
    if path.suffix == ".gz":
        return gzip.GzipFile(path, "wb", compresslevel=6, mtime=0)
    if path.suffix == ".zst":
        try:
            from compression import zstd  # type: ignore[import-not-found]  # Python 3.14 on
        except ImportError:
            from backports import zstd
        return zstd.open(path, "wb")
    return path.open("wb")


def write_small_files(folder: Path, n_files: int, *, seed: int = 1) -> int:
    """Write n_files logs of 5 to 50 KB into folders of 500; return their bytes."""
    draw = random.Random(seed)
    pieces = Writer("B", seed).pieces()
    start = "".join(Writer("A", seed).pieces().__next__())
    total = 0
    for number in range(n_files):
        into = folder / f"{number // 500:03d}"
        into.mkdir(parents=True, exist_ok=True)
        text = start
        wanted = int(5000 * 10 ** draw.random())
        while len(text) < wanted:
            text += next(pieces)
        data = text[:wanted].encode()
        (into / f"server-{number}.log").write_bytes(data)
        total += len(data)
    return total


def size_of(text: str) -> int:
    """Return the bytes of a size such as 200MB, 1GB or 4096. ValueError for anything else."""
    units = {"KB": 1000, "MB": 1000**2, "GB": 1000**3}
    unit = units.get(text[-2:].upper())
    return int(float(text[:-2]) * unit) if unit else int(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=[*VARIANTS, "small"])
    parser.add_argument("size", help="bytes (200MB, 1GB), or the number of files for small")
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--encoding", default="utf-8")
    asked = parser.parse_args()
    if asked.variant == "small":
        write_small_files(asked.path, int(asked.size), seed=asked.seed)
    else:
        write_log(asked.variant, size_of(asked.size), asked.path, seed=asked.seed, encoding=asked.encoding)


if __name__ == "__main__":
    main()
