"""Lines of interest as real servers print them: each row is one incident, its lines without clock.

`{n}` is a number, `{t}` the running task, `{x}` and `{y}` positions of which y is larger. A line that begins with a level
letter gets a clock; one that begins with "|" is printed raw, as asserts and drivers do.
"""

INCIDENTS: tuple[tuple[str, ...], ...] = (
    ("W srv          stop: cancel task, id_task = {t}",),
    (
        "W decode: failed to find a memory slot for batch of size {n}",
        "W srv  update_slots: failed to find free space in the KV cache, retrying with smaller batch size, off = 0, "
        "n_batch = 256, ret = 1",
    ),
    ("W slot   operator(): id  0 | task {t} | slot context shift, n_keep = 0, n_left = {n}, n_discard = {n}",),
    (
        'W srv    operator(): got exception: {{"error":{{"code":400,"message":"image input is not supported","type":"x"}}}}',
    ),
    (
        "E srv    send_error: task id = {t}, error: request ({n} tokens) exceeds the available context size (2048 tokens)",
    ),
    (
        "W init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:",
        "| - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = {x}",
        "| - the tokens for sequence 0 in the input batch have a starting position of Y = {y}",
        "| it is required that the sequence positions remain consecutive: Y = X + 1",
        "E decode: failed to initialize batch",
        "E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos={y})",
        "E srv        decode: failed to process speculative batch",
        "E srv  update_slots: decode() failed: failed to process speculative batch",
        "E srv    send_error: task id = {t}, error: decode() failed: failed to process speculative batch",
    ),
    ("E srv  update_slots: Invalid input batch. i = 0, n_batch = 2048, ret = -1",),
    ("E spec      process: failed to decode draft batch, ret = -1",),
    ("W draft: ctx_dft pos_max={x} < N-1={y} - process() did not run on every prefill ubatch. Drafts may degrade.",),
    (
        "E ggml_backend_cuda_buffer_type_alloc_buffer: allocating {n}.00 MiB on device 0: cudaMalloc failed: out of memory",
    ),
    ("E ggml_gallocr_reserve_n_impl: failed to allocate CUDA0 buffer of size {n}000",),
    ("W srv    operator(): unauthorized: invalid API key",),
    ('E srv    operator(): got exception: {{"error":{{"code":500,"message":"failed to parse input"}}}}',),
    ("E spec        draft: llama_process[1] returned -1",),
    ("W common_fit_params: encountered an error while trying to fit params to free device memory: {n}",),
    ("E slot   operator(): id  0 | task {t} | failed to restore the context checkpoint {n}",),
    ("E http: worker {n} gave up after {n} ms",),
    ("W srv    operator(): the request was closed by the client after {n} ms",),
    ("E srv    operator(): JSON parse error at line 1, column {n}: unexpected character",),
)
