"""What a front end calls a flag, in each form of the report."""

import json

from diag.model.report import Report
from diag.render.json_v1 import render as as_json
from diag.render.markdown import render as as_markdown
from diag.render.text import render as as_text
from tests.build import ready

LOG = """\
ggml_backend_cuda_buffer_type_alloc_buffer: allocating 320.00 MiB on device 0: cudaMalloc failed: out of memory
llama_kv_cache_init: failed to allocate buffer for kv cache
"""


def report(unit: str) -> Report:
    return ready().analyze_text("".join(f"Apr 18 00:10:02 host {unit}[281940]: {line}\n" for line in LOG.splitlines()))


def test_the_text_says_it_below_the_fix() -> None:
    shown = as_text(report("ollama"), width=200)
    assert "In ollama: `-c` is `num_ctx` (Modelfile or request) or `OLLAMA_CONTEXT_LENGTH`" in shown
    assert "In ollama" not in as_text(report("llama-server"), width=200)


def test_markdown_says_it_as_a_point_of_the_fix() -> None:
    assert "- In ollama: " in as_markdown(report("ollama"))
    assert "- In " not in as_markdown(report("llama-server"))


def test_json_has_a_key_of_its_own() -> None:
    told, plain = (
        [fix["front_end"] for fix in json.loads(as_json(report(unit)))["diagnoses"][0]["fixes"]]
        for unit in ("ollama", "llama-server")
    )
    assert told[0].startswith("In ollama: ")
    assert set(plain) == {""}


def test_a_condition_is_said_only_while_it_is_open() -> None:
    shown = as_text(report("llama-server"), width=200, full=True)
    assert "Only if the build is b6341 or later." in shown
    assert "[if " not in shown


def test_a_forks_own_count_of_builds_opens_no_condition() -> None:
    shown = as_text(report("ollama"), width=200, full=True)
    assert "Only if the build" not in shown
    assert "the build is" not in as_markdown(report("ollama"), full=True)
