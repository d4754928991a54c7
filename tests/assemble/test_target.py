"""The target model: name, architecture, positions."""

import pytest

from diag.assemble.target import architecture_hint
from diag.model.form import Command, Form
from diag.model.run import Target
from tests.build import models, session

LOADING = "0.00.006.394 I srv    load_model: loading model '/models/a.gguf'"
KV = "0.00.007.000 I llama_model_loader: - kv   0:                       general.architecture str              = {arch}"
ARCH = "0.00.007.000 I print_info: arch                  = {arch}"
ROPE = "0.00.007.001 I print_info: rope type             = {rope}"
NAME = "0.00.007.002 I print_info: general.name          = Tiny"


def target(*parts: str) -> Target:
    return session("\n".join((LOADING, *parts))).target


def test_the_path_stands_in_every_log_and_the_rest_only_at_verbosity_4() -> None:
    assert target() == Target(None, "/models/a.gguf", None, None, None)


@pytest.mark.parametrize("line", [KV, ARCH])
def test_the_architecture_is_read_from_either_line(line: str) -> None:
    assert target(line.format(arch="qwen35")).arch == "qwen35"


@pytest.mark.parametrize(
    ("rope", "positions"),
    [("-1", "one-axis"), ("0", "one-axis"), ("2", "one-axis"), ("8", "mrope"), ("24", "mrope"), ("40", "mrope")],
)
def test_the_rope_type_tells_the_positions(rope: str, positions: str) -> None:
    assert target(ARCH.format(arch="x"), ROPE.format(rope=rope)).rope == positions


@pytest.mark.parametrize(
    ("arch", "positions", "hybrid"),
    [("qwen35", "mrope", True), ("qwen2vl", "mrope", False), ("llama", "one-axis", False)],
)
def test_the_table_tells_the_positions_of_a_known_architecture(arch: str, positions: str, hybrid: bool) -> None:
    found = target(ARCH.format(arch=arch))
    assert (found.rope, found.hybrid) == (positions, hybrid)


@pytest.mark.parametrize("arch", ["dflash", "eagle3", "gemma4-assistant", "clip"])
def test_a_drafters_or_a_projectors_architecture_never_counts(arch: str) -> None:
    assert target(KV.format(arch=arch), KV.format(arch="llama")).arch == "llama"
    assert target(KV.format(arch=arch)).arch is None


def test_the_first_model_of_a_session_is_the_target() -> None:
    assert target(KV.format(arch="qwen35"), KV.format(arch="llama")).arch == "qwen35"


def test_the_name_and_where_the_architecture_is_known_from() -> None:
    one = session("\n".join((LOADING, NAME, ARCH.format(arch="llama"))))
    assert one.target.name == "Tiny"
    assert (one.sources["target"].origin, one.sources["target"].line) == ("log", 3)


def test_the_command_line_gives_the_path_that_a_cut_log_lost() -> None:
    form = Form(commands=(Command(1, "llama-server -m b.gguf", ("llama-server", "-m", "b.gguf")),))
    assert session("main: model loaded", form=form).target.path == "b.gguf"


@pytest.mark.parametrize(("path", "hint"), [(None, None), ("", None), ("/models/unheard-of.gguf", None)])
def test_a_file_name_that_says_nothing_is_no_hint(path: str | None, hint: str | None) -> None:
    assert architecture_hint(path, models()) == hint


def test_a_file_name_may_hint_at_an_architecture_of_the_table() -> None:
    found = architecture_hint("/models/Qwen3.5-35B-A3B-Q4_K_M.gguf", models())
    assert found is not None
    assert found in models().architectures
