"""File paths: the folders go, the file name stays."""

import re

from diag.redact.numbers import Numbers

# A folder or file of a path that stands without quotes. Each component ends before a separator, so a path can be read
# in one way only and a long one costs no more than its length.
_PART = r"(?:\\[ ()&']|[^\s\"'`<>|:;,?*()\[\]{}\\/])"
_WORD = r"[^\s\"'<>|:;,?\\/]"
_FOLDER = r"[^\s\"<>|:;,?\\/]{1,100}(?: {1,2}[^\s\"<>|:;,?=\\/]{1,100}){0,4}"  # on Windows folders hold blanks
_END = rf"(?:{_WORD}{{0,255}}(?: {_WORD}{{1,60}}){{0,3}}(?=>)|{_WORD}{{0,255}})"  # "PS C:\Users\A B>" is a prompt
_PATH = re.compile(
    rf"(?:(?<![\w.<>/\\~-])|(?<=-[ILF]))(?:~[\w.-]{{0,32}}(?:/{{1,3}}{_PART}{{1,255}})+/?"
    rf"|/(?:{_PART}{{1,255}}/{{1,3}})+{_PART}{{0,255}}"
    rf"|\.{{1,2}}/(?:{_PART}{{1,255}}/{{1,3}})+{_PART}{{0,255}}"
    rf"|(?<![\w<])[A-Za-z]:[\\/]{{1,4}}(?:{_FOLDER}\\{{1,4}}|{_WORD}{{1,100}}/{{1,2}})*{_END}"
    rf"|\\\\(?![\\])[\w.$-]{{1,64}}\\(?!\\)(?:{_FOLDER}\\)*{_END}"
    rf"|\\\\\\\\(?![\\])[\w.$-]{{1,64}}\\\\(?!\\)(?:{_FOLDER}\\\\)*{_END}"
    r"|[\w+@=-][\w.+@=-]{0,200}/(?:[\w.+@=-]{1,200}/){0,20}[\w.+@=-]{1,200}\.(?:gguf|bin|safetensors|jinja|ini)\b)"
)
_QUOTED = re.compile(r"(?<=[\"'])(?:~[\w.-]{0,32})?/[^\"':<>|\\\n]{1,600}(?=[\"'])")
_LOADED = re.compile(r"(?<= from )/[^\"':<>|\n]{1,600}?(?= \(version )")  # `... tensors from FILE (version GGUF V3`

# What every machine has: it tells the driver and its version, and nothing of the owner.
_SYSTEM = re.compile(
    r"/(?:dev|proc|sys)/|/usr/(?:local/)?(?:lib|lib32|lib64|libexec|bin|sbin|share|include|cuda[^/]*)(?:/|\Z)"
    r"|/(?:lib|lib64|bin|sbin)/|/opt/(?:rocm|cuda|intel|amdgpu|homebrew)[^/]*/|/nix/store/|/System/"
    r"|/Library/(?:Developer|Frameworks)/|[A-Za-z]:[\\/]+(?i:windows)[\\/]"
)
_ENDPOINT = re.compile(  # a request's path, or a compiler's own relative one
    r"/(?:v1|v1beta)/[a-z/_-]{1,60}\Z|/api/[a-z/_-]{1,40}\Z|/models/(?:load|unload|sse)\Z|/slots/\d"
    r"|/logs/stream(?:/(?:proxy|upstream))?\Z|\.{1,2}/[\w./-]{1,300}\.(?:cpp|cc|c|cu|cuh|h|hpp)\Z"
)
_SOURCE = re.compile(
    r"[\\/](?P<tail>(?:ggml[\\/]+(?:src|include)[\\/]+(?:[\w.-]+[\\/]+){0,3}|src[\\/]+(?:models[\\/]+)?"
    r"|common[\\/]+(?:jinja[\\/]+)?|(?:tools|examples)[\\/]+[\w.-]+[\\/]+|include[\\/]+)"
    r"[\w.-]+\.(?:cpp|cc|c|cu|cuh|h|hpp|m|mm|metal|comp|hip))\Z"
)
_HOMES = re.compile(r"(?:^|[\\/])(?:home|Users|Documents and Settings|media|Volumes)\Z")  # what follows is a name


def mask_paths(text: str, numbers: Numbers) -> str:
    """Return the text with the folders of its paths masked.

    `/home/name/models/x.gguf` becomes `<path>/x.gguf`; the second folder of a text `<path2>`. A source file of
    llama.cpp keeps its place in the tree (`<path>/ggml/src/ggml-cuda/ggml-cuda.cu`), a path of the system and a
    request's path (`/v1/chat/completions`) stay whole, and so does a name without a folder.
    """
    if "/" not in text and "\\" not in text:
        return text

    def quoted(found: re.Match[str]) -> str:
        return _masked(found[0], numbers) if " " in found[0] else found[0]

    text = _QUOTED.sub(quoted, _LOADED.sub(quoted, text))
    return _PATH.sub(lambda found: _masked(found[0], numbers), text)


def _masked(path: str, numbers: Numbers) -> str:
    if _SYSTEM.match(path) or _ENDPOINT.match(path):
        return path
    source = _SOURCE.search(path)
    cut = source.start() if source else max(path.rfind("/"), path.rfind("\\"))
    folder = path[:cut].rstrip("\\/")
    rest = path[len(folder) :]
    file = rest.lstrip("\\/")
    if file and _HOMES.search(folder):
        folder, rest = path, ""
    if not folder or set(folder) <= {".", "/", "\\"} or re.fullmatch(r"[A-Za-z]:", folder):
        return path
    return numbers.name("path", re.sub(r"[\\/]+", "/", folder)) + rest
