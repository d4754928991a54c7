#!/usr/bin/env python3
"""Write a tiny Gemma 4 target and its assistant, whose drafter shares the target's cache.

    gemma4_models.py --realserver DIR OUT_DIR

DIR holds `make_tiny_models.py`, whose vocabulary, seeds and writer are used.  Two files come out, each below 1 MB:

* `target-gemma4.gguf`, a dense Gemma 4 text model: one-axis positions, a sliding-window layer and a full layer in turn;
* `draft-gemma4-assistant.gguf`, its `gemma4-assistant` head: no K or V of its own, it reads the caches of the target's
  last two layers.

Key and tensor names are those of llama.cpp b11434 (`src/llama-arch.cpp`, `src/models/gemma4.cpp`,
`src/models/gemma4-assistant.cpp`); b9871 reads the same files.

Needs gguf and numpy, which the project itself does not.
"""

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from drafter_models import kept_directions

N_DRAFT = 32  # width of the assistant; it must differ from the target's, which tells the server that it is a head


def gemma_hparams(m: Any, n_layer: int, n_embd: int, base: ModuleType) -> None:
    """Adds the keys that both Gemma 4 files have; layers alternate between sliding window (first) and full."""
    for key, value in (
        ("context_length", base.N_CTX),
        ("embedding_length", n_embd),
        ("block_count", n_layer),
        ("feed_forward_length", base.N_FF),
        ("attention.head_count", base.N_HEAD),
        ("attention.head_count_kv", base.N_HEAD_KV),
        ("attention.key_length", base.HEAD_DIM),
        ("attention.value_length", base.HEAD_DIM),
        ("attention.key_length_swa", base.HEAD_DIM),
        ("attention.value_length_swa", base.HEAD_DIM),
        ("rope.dimension_count", base.HEAD_DIM),
        ("rope.dimension_count_swa", base.HEAD_DIM),
        ("attention.sliding_window", 512),
        ("attention.shared_kv_layers", 0),
        ("embedding_length_per_layer_input", 0),
    ):
        m.u32(key, value)
    m.f32("rope.freq_base", 10000.0)
    m.f32("rope.freq_base_swa", 10000.0)
    m.f32("attention.layer_norm_rms_epsilon", 1e-5)
    m.arr("attention.sliding_window_pattern", [i % 2 == 0 for i in range(n_layer)])


def gemma_block(w: Any, n_embd: int, base: ModuleType, own_cache: bool) -> dict[str, np.ndarray]:
    """Tensors of one layer by name; without `own_cache` it has neither K nor V, as in the assistant.

    The norms after attention and feed-forward are small, so that a block disturbs the shared embeddings only a little.
    """
    q_out, kv_out = base.N_HEAD * base.HEAD_DIM, base.N_HEAD_KV * base.HEAD_DIM
    tensors = {
        "attn_norm.weight": w.ones(n_embd),
        "ffn_norm.weight": w.ones(n_embd),
        "post_attention_norm.weight": 0.3 * w.ones(n_embd),
        "post_ffw_norm.weight": 0.3 * w.ones(n_embd),
        "layer_output_scale.weight": w.ones(1),
        "attn_q_norm.weight": w.ones(base.HEAD_DIM),
        "attn_q.weight": w.mat(q_out, n_embd),
        "attn_output.weight": w.mat(n_embd, q_out),
        "ffn_gate.weight": w.mat(base.N_FF, n_embd),
        "ffn_up.weight": w.mat(base.N_FF, n_embd),
        "ffn_down.weight": w.mat(n_embd, base.N_FF),
    }
    if own_cache:
        tensors |= {
            "attn_k.weight": w.mat(kv_out, n_embd),
            "attn_v.weight": w.mat(kv_out, n_embd),
            "attn_k_norm.weight": w.ones(base.HEAD_DIM),
        }
    return tensors


def write_gemma4(path: Path, base: ModuleType, n_layer: int = 4, seed: int = 31) -> None:
    """Writes the target; its last two layers are the ones an assistant reads."""
    m = base.Model(path, "gemma4", "tiny-gemma4")
    gemma_hparams(m, n_layer, base.N_EMBD, base)
    m.heads(m.tokenizer())
    w = base.Weights(seed)
    m.tensor("rope_freqs.weight", w.ones(base.HEAD_DIM // 2))
    for i in range(n_layer):
        m.block(i, gemma_block(w, base.N_EMBD, base, own_cache=True))
    m.close()


def write_assistant(path: Path, base: ModuleType, n_layer: int = 2, seed: int = 32) -> None:
    """Writes the assistant: projects (target embedding, target state) down, and back up after its layers."""
    m = base.Model(path, "gemma4-assistant", "tiny-gemma4-assistant")
    gemma_hparams(m, n_layer, N_DRAFT, base)
    m.u32("embedding_length_out", base.N_EMBD)
    m.u32("nextn_predict_layers", n_layer)
    head = base.family_embeddings(m.tokenizer())[1]
    keep = kept_directions(head, N_DRAFT)
    w = base.Weights(seed)
    pre = w.mat(N_DRAFT, 2 * base.N_EMBD, scale=0.02)
    pre[:, : base.N_EMBD] += keep
    m.tensor("token_embd.weight", head @ keep.T)  # also the output head of the assistant
    m.tensor("output_norm.weight", w.ones(N_DRAFT))
    m.tensor("rope_freqs.weight", w.ones(base.HEAD_DIM // 2))
    m.tensor("nextn.pre_projection.weight", pre)
    m.tensor("nextn.post_projection.weight", np.ascontiguousarray(keep.T))
    for i in range(n_layer):
        m.block(i, gemma_block(w, N_DRAFT, base, own_cache=False))
    m.close()


def write_models(out: Path, base: ModuleType) -> None:
    """Writes both files into `out`; `base` is the imported `make_tiny_models`."""
    write_gemma4(out / "target-gemma4.gguf", base)
    write_assistant(out / "draft-gemma4-assistant.gguf", base)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a tiny Gemma 4 target and its assistant.")
    parser.add_argument("--realserver", type=Path, required=True, help="folder with make_tiny_models.py")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.realserver))
    args.out.mkdir(parents=True, exist_ok=True)
    write_models(args.out, importlib.import_module("make_tiny_models"))


if __name__ == "__main__":
    main()
