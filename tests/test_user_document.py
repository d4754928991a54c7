"""Every fact of the user document of 2026-08-29 is findable in a registry, in the table and row named here."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

SIGNATURES = Path(__file__).resolve().parent.parent / "signatures"
LLAMA = "ggml-org/llama.cpp#"
Table = dict[str, Any]


def read(name: str) -> Table:
    with (SIGNATURES / name).open("rb") as file:
        return tomllib.load(file)


UPSTREAM = read("upstream.toml")
MODELS = read("models.toml")
MEASUREMENTS = read("measurements.toml")
ITEMS: dict[str, Table] = {item["ref"]: item for item in UPSTREAM["item"]}


def strings(value: Any) -> str:
    """All text of a table, dates and numbers included, joined by newlines."""
    if isinstance(value, dict):
        return "\n".join(f"{key} {strings(part)}" for key, part in value.items())
    if isinstance(value, list):
        return "\n".join(strings(part) for part in value)
    return str(value)


def place(where: str) -> str:
    """The text of `upstream:<ref>`, `models:<table>/<name>`, `measurements:<id>` or `question:<n>`."""
    kind, _, name = where.partition(":")
    if kind == "upstream":
        return strings(ITEMS[name if "/" in name else LLAMA + name])
    if kind == "question":
        return strings(UPSTREAM["question"][int(name)])
    if kind == "models":
        table, _, row = name.partition("/")
        return strings(next(entry for entry in MODELS[table] if entry["name"] == row))
    rows = [*MEASUREMENTS["measurement"], *MEASUREMENTS["statement"]]
    return strings(next(entry for entry in rows if entry["id"] == name))


USER_DOCUMENT = [
    (
        "upstream:22105",
        ["batch_in.token == nullptr || batch_in.embd != nullptr", "TODO: how to make it work with vision tokens?"],
    ),
    ("models:position_rule/mrope-token", ["n_pos_per_embd > 1", "X < Y"]),
    ("models:position_rule/mrope-embedding", ["n_pos_per_embd > 1", "X <= Y"]),
    ("models:position_rule/consecutive", ["Y = X + 1", "No jump is allowed"]),
    ("models:family/dflash", ["independent cache", "M-RoPE (Qwen3.5/3.6)", "copied target positions leave a gap"]),
    (
        "models:family/dflash",
        [
            "rollback, checkpoint, prompt-cache, slot and cancellation",
            "never uses target positions",
            "no view of the image",
        ],
    ),
    ("models:family/dflash", ["target hidden states carry image information", "acceptance on image turns may fall"]),
    ("upstream:25144", ["ggerganov", "without an author name", "vision embeddings and target embeddings at once"]),
    (
        "upstream:25144",
        ["last draft position + 1", "2026-06-29", "failed to process speculative batch", "Step-3.7-Flash"],
    ),
    (
        "upstream:25144",
        ["drops speculation for a sequence", "gated on the draft's RoPE type", "second commit", "2026-06-30"],
    ),
    ("upstream:25144", ["position just before the image"]),
    (
        "upstream:25144",
        ["temporary patch", "lower acceptance on vision input", "FIXME", "2026-07-03", "2026-07-07", "not to merge"],
    ),
    ("upstream:25144", ["put the target-side image embeddings back into the draft cache", "draft-local positions"]),
    ("upstream:25144", ["draft_since 2026-07-08", "converted to a draft by its author"]),
    ("upstream:25144", ["1, 2, 3, 3, 3, 3, 7", "0 1 2 [3 3 3 3] 7 8 9", "0 1 2 3 4 5"]),
    ("upstream:25144", ["draft context accepts no vision input today"]),
    ("upstream:25144", ["Step-3.7-Flash, crashes", "Qwen3.6, tolerates", "Gemma-4, no gap forms"]),
    ("upstream:25144", ["zero accepted drafts", "about 0.75 on a quick probe"]),
    ("upstream:25144", ["get_text_tokens", "compacted text-only prompt"]),
    (
        "upstream:25144",
        ["RTX 3090", "Qwen3.8-27B", "draft-mtp", "text-only prompts work", "2026-08-29", "without reviews"],
    ),
    ("upstream:25144", ["three MTP families", "keeps the speed-up", "neither side", "fixes ggml-org/llama.cpp#25129"]),
    ("models:family/independent-draft", ["get_text_tokens", "do not gap", "recordings show"]),
    ("models:family/one-axis-separate", ["Step-3.7-Flash", "Y = X + 1"]),
    ("models:family/mrope-separate", ["Qwen3.5/3.6", "forward jump"]),
    ("models:family/shared-cache", ["Gemma-4", "no gap forms"]),
    (
        "upstream:24669",
        ["(wip) add llama_batch_ext", "2026-06-15", "marked draft the same day", "supersedes ggml-org/llama.cpp#11875"],
    ),
    ("upstream:11875", ["superseded", "closed"]),
    (
        "upstream:22105",
        ["2026-07-23", "ruixiang63", "Vision input for speculative decoding is not supported yet", "25144 and 24669"],
    ),
    ("upstream:22105", ["repeated non-consecutive warnings", "text works"]),
    ("upstream:22105", ["b9871", "ROCm 7.2.4", "27B and 35B-A3B", "block_size=16", "n_max=8", "n_extract=8"]),
    ("upstream:22105", ["requires ctx_other", "no DFlash acceptance figure on image turns"]),
    ("upstream:25129", ["Eval bug: MTP breaks multimodality in StepFun Step-3.7-Flash"]),
    (
        "upstream:z-lab/llama.cpp-fork#5",
        ["keep DFlash draft positions contiguous across mtmd vision chunks", "2026-08-23", "noise blocks"],
    ),
    (
        "upstream:z-lab/llama.cpp-fork#5",
        ["find_slot: non-consecutive token position", "required Y = X + 1", "failed to process mtmd chunk"],
    ),
    (
        "upstream:z-lab/llama.cpp-fork#5",
        ["3x Tesla V100", "Qwen3.8-27B Q4_K_M", "draft_n = 63", "draft_n_accepted = 42", "two images followed by text"],
    ),
    ("upstream:z-lab/llama.cpp-fork#5", ["about 67 %", "HTTP 200", "upstream has not taken"]),
    ("measurements:fork-dflash2-22k-image", ["22K", "draft_n = 63", "draft_n_accepted = 42", "3x Tesla V100"]),
    ("measurements:mtp-relaxed-check", ["zero accepted drafts"]),
    ("measurements:mtp-renumbered", ["0.75", "quick probe"]),
    ("measurements:no-image-figure-in-the-argument", ["neither side showed an acceptance figure measured on images"]),
    ("measurements:no-dflash-on-metal", ["Metal", "no report from a Mac", "2026-11-30"]),
    ("question:0", ["24669", "25144", "2026-08-29", "merged on 2026-09-24"]),
    ("question:1", ["draft-local numbering for DFlash", "batch change"]),
    ("question:2", ["Metal", "DFlash acceptance"]),
]


@pytest.mark.parametrize(("where", "phrases"), USER_DOCUMENT)
def test_a_fact_of_the_user_document_is_findable(where: str, phrases: list[str]) -> None:
    text = place(where)
    assert [phrase for phrase in phrases if phrase not in text] == []


def test_what_only_the_user_document_states_says_so() -> None:
    fork = ITEMS["z-lab/llama.cpp-fork#5"]
    assert fork["state"] == "unknown"
    assert "user document, 2026-08-29" in fork["source"]
