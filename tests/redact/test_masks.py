"""What a mask takes away and what it leaves."""

import pytest

from diag.redact.masks import Masks, mask

PATHS = [
    ("loading model '/home/anna/models/x.gguf'", "loading model '<path>/x.gguf'"),
    ("loading model '/home/anna/My Models/x.gguf'", "loading model '<path>/x.gguf'"),
    (
        "291 tensors from /Volumes/Anna Disk/x.gguf (version GGUF V3",
        "291 tensors from <path>/x.gguf (version GGUF V3",
    ),
    (r"model 'C:\Users\Anna Smith\models\x.gguf'", r"model '<path>\x.gguf'"),
    (r'"model":"C:\\Users\\anna\\x.gguf"', r'"model":"<path>\\x.gguf"'),
    ("-m C:/Users/anna/x.gguf -ngl 99", "-m <path>/x.gguf -ngl 99"),
    (r"failed to open \\nas01\anna\x.gguf", r"failed to open <path>\x.gguf"),
    (r"PS C:\Users\Anna Smith> .\llama-server.exe", r"PS <path>> .\llama-server.exe"),
    ("~/models/x.gguf and ~anna/x.gguf", "<path>/x.gguf and <path2>/x.gguf"),
    ("file:///home/anna/x.gguf", "file://<path>/x.gguf"),
    ("-m ../anna/models/x.gguf", "-m <path>/x.gguf"),
    ("-m models/anna/x.gguf", "-m <path>/x.gguf"),
    ("cd /home/anna", "cd <path>"),
    ("-v /home/anna/models:/models/chat", "-v <path>/models:<path2>/chat"),
    (
        r"starting app=C:\Users\anna\AppData\Local\Ollama version=0.30.6 OS=Windows/10.0.26200",
        r"starting app=<path>\Ollama version=0.30.6 OS=Windows/10.0.26200",
    ),
    # the place in llama.cpp's own tree is what tells the failure
    (
        "/home/anna/tools/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:106: ROCm error",
        "<path>/ggml/src/ggml-cuda/ggml-cuda.cu:106: ROCm error",
    ),
    (
        r"D:\a\llama.cpp\ggml\src\ggml-cuda\fattn.cu:574: fatal error",
        r"<path>\ggml\src\ggml-cuda\fattn.cu:574: fatal error",
    ),
    ("/srv/anna/src/llama.cpp/common/speculative.cpp:956:", "<path>/common/speculative.cpp:956:"),
    ("/home/anna/llama.cpp/src/llama-context.cpp:1164:", "<path>/src/llama-context.cpp:1164:"),
]

PEOPLE_AND_MACHINES = [
    ("anna@workbox:~/src$ ls", "<user>@<host>:<path>/src$ ls"),
    ("write to anna.b@example.com", "write to <email>"),
    ("POST /completion 192.168.1.15 200", "POST /completion <ip> 200"),
    ("RPC0[10.1.0.21:50053] model buffer", "RPC0[<ip>:50053] model buffer"),
    ("--rpc 10.0.0.1:50052,box2:50052 -ngl 9", "--rpc <ip>:50052,<host>:50052 -ngl 9"),
    ("listening on http://[fd12:3456:789a::1]:8080", "listening on http://<ip>:8080"),
    ("from fe80::1ff:fe23:4567:890a", "from <ip>"),
    ("link 00:1a:2b:3c:4d:5e up", "link <mac> up"),
    ("couldn't bind, hostname: box7, port: 80", "couldn't bind, hostname: <host>, port: 80"),
    ('{"hostname": "PC-01"}', '{"hostname": "<host>"}'),
    ("ping gpu.corp.lan", "ping <host>"),
    ("cannot reach myhost.corp.acme.net", "cannot reach <host>"),
    ("libcudart.so.12 and ggml-cuda.cu and tools.server.cpp", "libcudart.so.12 and ggml-cuda.cu and tools.server.cpp"),
    ("see docs.github.com or llama.cpp", "see <host> or llama.cpp"),
    ("connected to gpubox:50052", "connected to <host>:50052"),
    (
        "GET http://anna:pw@gpu.box:8080/v1/models?key=abc",
        "GET http://<host>:8080/v1/models?<query>",
    ),
    ("https://files.corp.example/anna/img.png", "https://<host>/<path>/img.png"),
    ("GPU-1b2c3d4e-1111-2222-3333-444455556666", "GPU-<uuid>"),
    ("Serial Number: C02XL0GHJGH5", "Serial Number: <serial>"),
    ("USER=anna HOME=/home/anna", "USER=<user> HOME=<path>"),
]

SECRETS = [
    ("--api-key s3cr3t -ngl 99", "--api-key <secret> -ngl 99"),
    ("--api-key 123456", "--api-key <secret>"),
    ("password: 123456", "password: <secret>"),
    ("--api-key=s3cr3t", "--api-key=<secret>"),
    ("--hf-token abc -hft def", "--hf-token <secret> -hft <secret>"),
    ("HF_TOKEN=abc LLAMA_API_KEY=def", "HF_TOKEN=<secret> LLAMA_API_KEY=<secret>"),
    ('AZURE_CLIENT_SECRET: "abc"', 'AZURE_CLIENT_SECRET: "<secret>"'),
    ("env: DB_PASSWORD=abc", "env: DB_PASSWORD=<secret>"),
    ('"Authorization": "Bearer abcdef123"', '"Authorization": "Bearer <secret>"'),
    ("Authorization: Basic YW5uYTpwdw==", "Authorization: Basic <secret>"),
    ('{"api_key":"abc"}', '{"api_key":"<secret>"}'),
    ("got hf_AbCdEfGhIjKlMnOpQrStUvWxYz12345678", "got <secret>"),
    ("got sk-proj-AbCdEfGhIjKlMnOp", "got <secret>"),
    ("got ghp_AbCdEfGhIjKlMnOpQrStUvWxYz1234567890", "got <secret>"),
    ("got AKIAIOSFODNN7EXAMPLE", "got <secret>"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = <secret>"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "<secret>"),
]

PROMPTS = [
    ('request: {"prompt": "my diary", "n_predict": 32}', 'request: {"prompt": "<text>", "n_predict": 32}'),
    (
        '{"messages": [{"role": "user", "content": "a ] \\" b"}], "max_tokens": 32}',
        '{"messages": ["<text>"], "max_tokens": 32}',
    ),
    (
        r'"msg":"request: {\"prompt\": \"he said \\\"no\\\"\", \"n\": 1}"',
        r'"msg":"request: {\"prompt\": \"<text>\", \"n\": 1}"',
    ),
    ('{"prompt": "cut off in the mid', '{"prompt": "<text>"'),
    ('{"content":""}', '{"content":""}'),
    ("n_remaining = 31, next token:   266 'on'", "n_remaining = 31, next token:   266 '<text>'"),
    ("llama-cli -p 'my diary' -ngl 9", "llama-cli -p '<prompt>' -ngl 9"),
    ("llama-cli -p my diary -ngl 9", "llama-cli -p <prompt> -ngl 9"),
    ('--system-prompt "be nice to Anna"', '--system-prompt "<prompt>"'),
    ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA", "<data>"),
]

KEPT = [
    "0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)",
    "12.34.150.200 I srv  update_slots: all slots are idle",
    " - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19",
    "version: 0.1.0-dev (build 10430, commit 4c1a0af40)",
    "build 11434 (abc1234) with GNU 12.2.0 for Linux x86_64",
    "  Device 0: AMD Radeon RX 7900 XT, gfx1100 (0x1100), VMM: no, Wave Size: 32",
    "ggml_vulkan: driver version 31.0.101.212",
    "Agent 1, pci 0000:01:00.0, address 0x7f19353606a5",
    "listening on http://127.0.0.1:8080",
    "hostname: 0.0.0.0, port: 8080",
    "http://localhost:8080/v1/chat/completions and http://[::1]:8080",
    "see https://github.com/ggml-org/llama.cpp/pull/25655)",
    "https://huggingface.co/ggml-org/gemma-3-4b-it-GGUF/resolve/main/x.gguf",
    "done request: POST /v1/chat/completions 127.0.0.1 200",
    "load_model: failed to load model 'x.gguf'",
    "-hf ggml-org/gemma-3-4b-it-GGUF:Q4_K_M --image-min-tokens 8 -np 1",
    "no API key is set and CORS allows all origins ('*')",
    "/opt/rocm-7.2.0/lib/librocblas.so and /dev/kfd and /usr/lib/libcuda.so.1",
    "docker run -p 8080:8080 ghcr.io/ggml-org/llama.cpp:server-cuda",
    "std::vector<llama_token>::operator[] and ggml_backend::bad",
    "print_info: BOS token        = 151643 '<|endoftext|>'",
    "tokenizer.ggml.bos_token_id u32 = 1, n_tokens = 61",
    "llama_kv_cache: size = 1024.00 MiB ( 4096 cells,  32 layers,  1/1 seqs), K (f16):  512.00 MiB",
    "draft acceptance = 1.00000 (   11 accepted /    11 generated), mean len =  3.75",
    "task id = 8, error: decode() failed: failed to process speculative batch",
    "Remote RPC server crashed or returned malformed response",
    "error: invalid argument: --no-mmap",
    "image/png and text/event-stream, 12 t/s, n/a",
]


@pytest.mark.parametrize(("text", "expected"), [*PATHS, *PEOPLE_AND_MACHINES, *SECRETS, *PROMPTS])
def test_what_identifies_somebody_is_masked_and_the_rest_stays(text: str, expected: str) -> None:
    assert mask(text) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_a_diagnosis_needs_is_not_touched(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize("text", [text for text, _ in [*PATHS, *PEOPLE_AND_MACHINES, *SECRETS, *PROMPTS]])
def test_a_masked_text_is_masked_to_itself(text: str) -> None:
    assert mask(mask(text)) == mask(text)


def test_two_folders_stay_two_and_one_folder_stays_one() -> None:
    text = "/a/b/x.gguf /c/d/x.gguf /a/b/y.gguf"
    assert mask(text) == "<path>/x.gguf <path2>/x.gguf <path>/y.gguf"


def test_one_set_of_masks_gives_a_folder_the_same_name_in_every_text() -> None:
    masks = Masks()
    assert masks("/a/b/x.gguf") == "<path>/x.gguf"
    assert masks("/c/d/x.gguf") == "<path2>/x.gguf"
    assert masks(r"/a/b/y.gguf") == "<path>/y.gguf"


@pytest.mark.parametrize(
    ("flag", "value", "expected"),
    [
        ("--api-key", "s3cr3t", "<secret>"),
        ("-p", "my diary", "<prompt>"),
        ("-p", "512", "512"),
        ("--rpc", "10.0.0.1:50052,localhost:50053", "<ip>:50052,localhost:50053"),
        ("-m", "/home/anna/x.gguf", "<path>/x.gguf"),
        ("--image-min-tokens", "8", "8"),
        ("--api-key-file", "/home/anna/keys.txt", "<path>/keys.txt"),
        ("-fa", "", ""),
    ],
)
def test_the_value_of_a_flag_is_masked_for_what_the_flag_is(flag: str, value: str, expected: str) -> None:
    assert Masks().flag(flag, value) == expected


HOSTILE = [
    "/",
    "a/",
    "=a/b",
    "\\",
    '"',
    '\\"',
    '"prompt": [',
    "a.",
    "1.",
    "1:",
    "::",
    "a@",
    "C:\\a b ",
    "-p ",
    "A_KEY=",
    "x://",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_masked_to_an_end(piece: str) -> None:
    """A pattern that tries all ways to read such a text would not come back from it."""
    masked = mask(piece * (32768 // len(piece)))
    assert mask(masked) == masked
