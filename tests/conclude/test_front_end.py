"""Advice in the words of the program that starts the server."""

import dataclasses
import datetime as dt

import pytest

from diag.conclude.front_end import front_end_of, told_in, translated
from diag.model.frontends import FrontEnd, Setting
from diag.model.report import Untold
from diag.model.run import Build, Session
from diag.model.signature import Edit, Fix
from tests.build import catalog, ready, session

OLLAMA = FrontEnd(
    "ollama",
    ("ollama",),
    ("ollama",),
    {
        "-c": Setting("`num_ctx`", "docs"),
        "-ctk": Setting("`OLLAMA_KV_CACHE_TYPE`", "docs"),
        "-ctv": Setting("`OLLAMA_KV_CACHE_TYPE`", "docs"),
    },
    upgrade="update ollama",
    rebuild="not with its own build",
    log="`OLLAMA_DEBUG=1`",
    checked=dt.date(2026, 11, 30),
)
SWAP = FrontEnd("llama-swap", ("llama-swap",), ("llama-swap",), passes="the model's `cmd:`")
FORK = FrontEnd("ik_llama.cpp", ("ik_llama.cpp",), (), {"-fa": Setting("on by default", "docs")}, same=True)
KNOWN = (OLLAMA, SWAP, FORK)
PLAIN = session("0.00.006.394 I srv    load_model: loading model '/models/a.gguf'")

TOLD = [
    # (fix, front end, what it says)
    (Fix("flag", "Lower `-c`."), OLLAMA, "In ollama: `num_ctx`"),
    (Fix("flag", "Lower `--ctx-size`."), OLLAMA, "In ollama: `num_ctx`"),
    (Fix("flag", "Use `-ctk q8_0 -ctv q8_0`."), OLLAMA, "In ollama: `OLLAMA_KV_CACHE_TYPE`"),
    (Fix("flag", "Lower `-c` or shift `-ts`."), OLLAMA, "In ollama: `-c` is `num_ctx`; no setting is known for `-ts`"),
    (Fix("flag", "Lower it.", edit=Edit(set={"-c": "4096"})), OLLAMA, "In ollama: `num_ctx`"),
    (Fix("flag", "Set `CUDA_LAUNCH_BLOCKING=1`."), OLLAMA, ""),
    (Fix("config", "Run `docker run --gpus all`."), OLLAMA, ""),
    (Fix("flag", "With ollama set `-c` so."), OLLAMA, ""),  # the fix speaks of it already
    (Fix("workaround", "Lower `-c`; `llama-server --list-devices` has the names."), OLLAMA, "In ollama: `num_ctx`"),
    (Fix("workaround", "Use a build before b9128."), OLLAMA, ""),  # "update" would say the opposite
    (Fix("report", "Look in `dmesg` for Xid lines."), OLLAMA, ""),  # not the front end's log
    (Fix("report", "Read the log of rpc-server on that host."), OLLAMA, ""),
    (Fix("upgrade", "Use b9871."), OLLAMA, "In ollama: update ollama"),
    (Fix("rebuild", "Build with `-DGGML_CUDA=ON`."), OLLAMA, "In ollama: not with its own build"),
    (Fix("rebuild", "Build with `-DGGML_CUDA=ON`."), SWAP, ""),
    (Fix("flag", "Lower `-c`."), SWAP, "In llama-swap: `-c` goes into the model's `cmd:`"),
    (Fix("flag", "Lower `-c` and `-ub`."), SWAP, "In llama-swap: `-c`, `-ub` go into the model's `cmd:`"),
    (Fix("flag", "Lower `-c`."), FORK, ""),  # its command line is llama-server's
    (Fix("flag", "Set `-fa on`."), FORK, "In ik_llama.cpp: on by default"),
    (Fix("flag", "Lower `-c`."), None, ""),
    (Fix("report", "Fetch the log of llama-server itself."), OLLAMA, "In ollama: `OLLAMA_DEBUG=1`"),
    (Fix("report", "Find the exit code."), OLLAMA, ""),
]


@pytest.mark.parametrize(("fix", "front_end", "words"), TOLD)
def test_a_fix_names_what_stands_for_its_flags(fix: Fix, front_end: FrontEnd | None, words: str) -> None:
    assert translated(fix, front_end, catalog().spellings) == words


SEEN = [
    # (flavour, stream, name)
    ("ollama", None, "ollama"),
    ("upstream", None, None),
    ("upstream", "llama-swap-1", "llama-swap"),
    ("upstream", "ollama.listener[281940]", "ollama"),
    ("upstream", "swollamax", None),
    ("ik_llama.cpp", "ollama[1]", "ik_llama.cpp"),
    ("IK_llama.cpp", None, "ik_llama.cpp"),
    ("somefork", None, None),
]


@pytest.mark.parametrize(("flavour", "stream", "name"), SEEN)
def test_the_front_end_is_told_from_the_flavour_or_the_stream(flavour: str, stream: str | None, name: str) -> None:
    found = front_end_of(dataclasses.replace(PLAIN, build=Build(flavour=flavour), stream=stream), KNOWN)
    assert (found.name if found is not None else None) == name


def test_a_launchers_own_line_names_it_and_the_builds_stay_upstreams() -> None:
    found: Session = session("[WARN] <small-4B> ExitError >> exit status 1, exit code: 1")
    front_end = front_end_of(found, KNOWN)
    assert front_end is not None
    assert (front_end.name, found.build.flavour) == ("llama-swap", "upstream")


def test_what_would_help_is_said_in_the_front_ends_words() -> None:
    untold = [Untold("a", "b", "run with `-lv 4`, or more", by_verbosity=True), Untold("a", "b", "look at `dmesg`")]
    assert [item.would_help for item in told_in(untold, OLLAMA)] == ["in ollama: `OLLAMA_DEBUG=1`", "look at `dmesg`"]
    assert told_in(untold, None) == untold
    assert told_in(untold, FORK) == told_in(untold, SWAP) == untold  # there the flag can be given


OUT_OF_MEMORY = """\
ggml_backend_cuda_buffer_type_alloc_buffer: allocating 320.00 MiB on device 0: cudaMalloc failed: out of memory
llama_kv_cache_init: failed to allocate buffer for kv cache
"""


def test_a_unit_of_a_front_end_is_enough_for_its_words() -> None:
    unit = "".join(f"Apr 18 00:10:02 host ollama[281940]: {line}\n" for line in OUT_OF_MEMORY.splitlines())
    plain, told = ready().analyze_text(OUT_OF_MEMORY), ready().analyze_text(unit)
    assert {fix.front_end for fix in plain.diagnoses[0].fixes} == {""}
    assert "`num_ctx`" in told.diagnoses[0].fixes[0].front_end


def test_each_front_end_that_ships_has_its_source_and_date() -> None:
    shipped = catalog().front_ends
    assert {found.name for found in shipped} >= {
        "ollama", "LM Studio", "Jan", "llama-swap", "lemonade", "koboldcpp", "llamafile", "llama-cpp-python", "ik_llama.cpp",
    }  # fmt: skip
    for found in shipped:
        assert all((found.source, found.checked, found.log, found.upgrade)), found.name
        assert found.passes or found.same or found.settings, found.name
        assert all(setting.source for setting in found.settings.values()), found.name
