"""Tiny drafters that are right often enough to be worth their time, for targets of `make_tiny_models.py`.

The model maker's own EAGLE-3 head is never right, which is a failure of another kind, and no drafter of it is disturbed
by an image.  Key and tensor names are those of llama.cpp b11434 (`src/llama-arch.cpp`, `src/models/eagle3.cpp`).
"""

from pathlib import Path
from types import ModuleType

import numpy as np

N_KEPT = 32  # directions of the target's output head that a drafter keeps: fewer means fewer right guesses


def kept_directions(head: np.ndarray, n_kept: int = N_KEPT) -> np.ndarray:
    """Directions of the residual stream that matter most for the next token: (n_kept, n_embd), orthonormal rows."""
    return np.linalg.svd(head, full_matrices=False)[2][:n_kept].astype(np.float32)


def write_eagle3(path: Path, base: ModuleType, seed: int = 33) -> None:
    """Writes an EAGLE-3 head whose attention looks at the newest token alone and passes its embedding on.

    The head has embeddings of its own: the kept directions, and one constant that makes query and key the same vector
    everywhere, so that rotary positions alone decide and the nearest token wins.
    """
    n, dim, n_kv = base.N_EMBD, base.HEAD_DIM, base.N_HEAD_KV * base.HEAD_DIM
    m = base.Model(path, "eagle3", "tiny-eagle3-trained")
    m.text_hparams(1)
    m.arr("target_layers", [1, 2, 3])
    m.u32("target_hidden_size", n)
    embd, head = base.family_embeddings(m.tokenizer())
    keep = kept_directions(head)
    w = base.Weights(seed)
    own = np.zeros_like(embd)
    own[:, :N_KEPT] = embd @ keep.T
    own[:, N_KEPT] = 8.0
    query, key = np.zeros((base.N_HEAD * dim, 2 * n), np.float32), np.zeros((n_kv, 2 * n), np.float32)
    query[:, N_KEPT] = key[:, N_KEPT] = 4.0
    value = np.zeros((n_kv, 2 * n), np.float32)
    value[:, :N_KEPT] = np.eye(n_kv, N_KEPT)
    back = w.mat(n, base.N_HEAD * dim, scale=0.02)
    for i in range(base.N_HEAD_KV):  # two query heads read one cached head; the first is enough
        first = 2 * i * dim
        back[:, first : first + dim] += 4.0 * keep.T[:, i * dim : (i + 1) * dim]
    m.tensor("token_embd.weight", own)
    m.tensor("fc.weight", w.mat(n, 3 * n, scale=0.01))
    m.tensor("output_norm.weight", w.ones(n))
    m.block(
        0,
        {  # no output head: borrowed from the target, as published heads with the whole vocabulary do
            "attn_norm.weight": w.ones(n),
            "attn_norm_2.weight": w.ones(n),
            "ffn_norm.weight": w.ones(n),
            "attn_q.weight": query,
            "attn_k.weight": key,
            "attn_v.weight": value,
            "attn_output.weight": back,
        }
        | base.feed_forward(w),
    )
    m.close()


def write_disturbed(path: Path, base: ModuleType, seed: int = 34) -> None:
    """Writes a plain llama draft that guesses well until there is an image in its context, and always wrong after that.

    Its own token embeddings leave half of the width empty, where rows of an image are not.  Two cached heads look for
    such rows, one for each sign, and write "q" into the residual stream as soon as one is there.  The lowest rotary
    frequency carries the search, so that distance does not matter.
    """
    n, dim, n_kv = base.N_EMBD, base.HEAD_DIM, base.N_HEAD_KV * base.HEAD_DIM
    m = base.Model(path, "llama", "tiny-llama-34")
    m.text_hparams(1)
    embd, head = base.family_embeddings(m.tokenizer())
    keep = kept_directions(head)
    w = base.Weights(seed)
    own, own_head = np.zeros_like(embd), np.zeros_like(head)
    own[:, :N_KEPT] = embd @ keep.T
    own[:, N_KEPT] = 8.0
    own_head[:, :N_KEPT] = head @ keep.T
    own_head[base.token_id("q"), n - 1] = 3.0
    image = w.mat(n, scale=1.0)
    image[: N_KEPT + 1] = image[n - 1] = 0.0
    image /= np.linalg.norm(image)
    query, back = np.zeros((base.N_HEAD * dim, n), np.float32), np.zeros((n, base.N_HEAD * dim), np.float32)
    key, value = np.zeros((n_kv, n), np.float32), np.zeros((n_kv, n), np.float32)
    query[dim - 2 :: dim, N_KEPT] = 2.0
    for i, sign in enumerate((1.0, -1.0)):
        key[(i + 1) * dim - 2] = 12.0 * sign * image
        value[i * dim] = sign * image
        back[n - 1, 2 * i * dim] = 60.0
    m.tensor("token_embd.weight", own)
    m.tensor("output_norm.weight", w.ones(n))
    m.tensor("output.weight", own_head)
    m.block(
        0,
        {
            "attn_norm.weight": w.ones(n),
            "ffn_norm.weight": w.ones(n),
            "attn_q.weight": query,
            "attn_k.weight": key,
            "attn_v.weight": value,
            "attn_output.weight": back,
        }
        | base.feed_forward(w),
    )
    m.close()


def write_models(out: Path, base: ModuleType) -> None:
    """Writes both files into `out`; `base` is the imported `make_tiny_models`."""
    write_eagle3(out / "draft-eagle3-trained.gguf", base)
    write_disturbed(out / "draft-llama-b.gguf", base)
