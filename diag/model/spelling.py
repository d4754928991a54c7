"""The spellings of llama-server's flags."""

from collections.abc import Mapping


# One name a flag, so that conditions and fixes need not know its spellings. Source: common/arg.cpp, b9871 and b11434.
def canonical(flag: str) -> str:
    """Return the one name of a flag; in a long flag `_` is `-`, as common/arg.cpp has it."""
    spelled = flag.replace("_", "-") if flag.startswith("--") else flag
    return CANONICAL.get(spelled, spelled)


CANONICAL: Mapping[str, str] = {
    "--model": "-m",
    "--ctx-size": "-c",
    "--batch-size": "-b",
    "--ubatch-size": "-ub",
    "--parallel": "-np",
    "--gpu-layers": "-ngl",
    "--n-gpu-layers": "-ngl",
    "--model-draft": "-md",
    "--spec-draft-model": "-md",
    "--spec-draft-hf": "-hfd",
    "--mmproj-url": "-mmu",
    "-mm": "--mmproj",
    "--hf-repo": "-hf",
    "-hfr": "-hf",
    "--flash-attn": "-fa",
    "--split-mode": "-sm",
    "--tensor-split": "-ts",
    "--main-gpu": "-mg",
    "--device": "-dev",
    "--threads": "-t",
    "--cache-type-k": "-ctk",
    "--cache-type-v": "-ctv",
    "--log-verbosity": "-lv",
    "--verbosity": "-lv",
    "--fit": "-fit",
    "-cram": "--cache-ram",
    "-kvu": "--kv-unified",
    "--ctx-size-draft": "-cd",
    "--draft": "--draft-max",
    "--draft-n": "--draft-max",
    "--rpc-servers": "--rpc",
}
