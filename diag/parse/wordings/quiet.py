"""Known lines that are no failure of their own: those that follow from one, and those that healthy servers print.

Lines that a signature covers need no row here.
"""

from diag.model.events.event import ConsequenceLine, HarmlessLine
from diag.parse.wording import Wording as W

WORDINGS = (
    W(
        ConsequenceLine,
        "decode() failed: ",
        r"(?<!error: )(?:pre_|post_)?decode\(\) failed: ",
        "b9763+",
        "srv  update_slots: decode() failed: failed to process speculative batch",
    ),
    W(
        ConsequenceLine,
        "failed to decode mtmd chunk, idx = ",
        r"failed to decode mtmd chunk, idx = \d+, res = -?\d+",
        "b9670+",
        "failed to decode mtmd chunk, idx = 4, res = 1",
    ),
    W(
        ConsequenceLine,
        "failed to launch slot with task, id_task = ",
        r"failed to launch slot with task, id_task = \d+",
        "all",
        "srv  process_sing: failed to launch slot with task, id_task = 0",
    ),
    W(ConsequenceLine, "no tokens to decode", r"no tokens to decode", "all", "srv  update_slots: no tokens to decode"),
    W(
        ConsequenceLine,
        "llama_model_load_from_file_impl: failed to load model",
        r"failed to load model",
        "all",
        "llama_model_load_from_file_impl: failed to load model",
    ),
    W(
        ConsequenceLine,
        "failed to load draft model",
        r"failed to load draft model",
        "all",
        "srv    load_model: failed to load draft model, '/models/d.gguf'",
    ),
    W(
        ConsequenceLine,
        "failed to load multimodal model",
        r"failed to load multimodal model",
        "all",
        "srv    load_model: failed to load multimodal model, '/models/mmproj.gguf'",
    ),
    W(
        ConsequenceLine,
        "failed to load model",
        r"failed to load model,? '",
        "all",
        "srv    load_model: failed to load model, '/models/a.gguf'",
    ),
    W(
        ConsequenceLine,
        "failed to load model",
        r"common_init_\w*: failed to load model",
        "all",
        "common_init_from_params: failed to load model '/models/a.gguf'",
    ),
    W(
        ConsequenceLine,
        "removing memory module entries for seq_id",
        r"removing memory module entries for seq_id",
        "f49e917+",
        "decode: removing memory module entries for seq_id = 0, pos = [5, +inf)",
    ),
    W(
        ConsequenceLine,
        "encountered an error while trying to fit params",
        r"encountered an error while trying to fit params",
        "2026",
        "common_fit_params: encountered an error while trying to fit params to free device memory: failed to load model",
    ),
    W(
        HarmlessLine,
        "failed to measure draft model memory",
        r"\[spec\] failed to measure draft model memory",
        "b9509..b10456",
        "srv    load_model: [spec] failed to measure draft model memory: failed to create llama_context from model",
    ),
    W(
        HarmlessLine,
        "failed to measure ",
        r"\[spec\] failed to measure \S.{0,30} memory",
        "b9509..b10456",
        "srv    load_model: [spec] failed to measure MTP context memory: failed to load model",
    ),
    W(
        HarmlessLine,
        "failed to measure the memory of the extra model",
        r"failed to measure the memory of the extra model, fitting without it",
        "b10605+",
        "operator(): failed to measure the memory of the extra model, fitting without it: failed to create llama_context from model",
        not_before=10457,
    ),
    W(
        HarmlessLine,
        "this can be a security risk",
        r"this can be a security risk",
        "b10012..b11010",
        "srv  llama_server: this can be a security risk (cross-origin attacks)",
        not_before=9872,
        not_after=11204,
    ),
    W(
        HarmlessLine,
        "security: no API key is set",
        r"security: no API key is set",
        "b11205+",
        "srv  llama_server: security: no API key is set and CORS allows all origins",
        not_before=11011,
    ),
    W(
        HarmlessLine,
        "more info: https://github.com/",
        r"more info: https://github\.com/ggml-org/llama\.cpp/",
        "all",
        "load_hparams: more info: https://github.com/ggml-org/llama.cpp/issues/16842",
    ),
    W(HarmlessLine, "--------", r"-{8,}\s*$", "banner rules", "srv  llama_server: -----------------"),
    W(
        HarmlessLine,
        "llama threadpool init, n_threads = ",
        r"llama threadpool init, n_threads = ",
        "b10456+",
        "cmn          init: llama threadpool init, n_threads = 1",
        not_before=10241,
    ),
)
