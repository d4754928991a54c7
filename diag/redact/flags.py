"""Command line flags whose value is private for the flag's sake."""

import re

from diag.redact.addresses import mask_host
from diag.redact.numbers import Numbers

_FLAG = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]{0,60})(?:(=)|[ \t]{1,4})(?=[^\s`,;)<])")
_SECRET_WORDS = frozenset({"key", "keys", "token", "password", "passwd", "secret", "hft"})
_PROMPTS = frozenset(
    {"-p", "--prompt", "-sys", "--system-prompt", "-r", "--reverse-prompt", "--in-prefix", "--in-suffix"}
)
_HOSTS = frozenset({"--host", "--rpc", "--rpc-servers"})
_NUMERIC = re.compile(r"[\d.:/+-]{1,24}\Z")
_ELSEWHERE = re.compile(r"[/<]\S*\Z")  # a path is masked as one, a mask is masked already
_NEXT_FLAG = re.compile(r" --?[A-Za-z]|[`\n]")
_OTHER_PROGRAM = re.compile(
    r"\b(?:gdb|lldb|strace|perf|kubectl|mkdir|ssh)\b[^|;&\n]{0,30} -p \Z"
)  # their -p is no prompt
_WORD = re.compile(r"(?:\\.|\"(?:\\.|[^\"\\])*\"?|'[^']*'?|[^\s\"'\\`])+")
_PROSE = re.compile(  # "--api-key is missing", "`--api-key KEY`": words of a sentence, no values
    r"(?:KEY|TOKEN|is|was|are|and|or|to|in|not|for|with|has|have|must|as|if|on|of|flag|option|requires|needs|the|a)\Z"
)
_ENDPOINT = re.compile(r"(\[[0-9A-Fa-f:.%]{2,45}\]|[^:\s,\"']{1,253})(:\d{1,5})?")


def mask_flag(name: str, value: str, numbers: Numbers) -> str | None:
    """Return the masked value of a flag that is private by its name, None where the name says nothing."""
    kind = _kind(name)
    if kind is None or not value:
        return None
    if kind == "host":
        return ",".join(_endpoint(part, numbers) for part in value.split(","))
    # `-p 512` is a benchmark's, `-p 8080:8080` a container's; a key may well be a number
    plain = kind == "prompt" and _NUMERIC.match(value)
    return value if plain or _ELSEWHERE.match(value) else f"<{kind}>"


def mask_flags(text: str, numbers: Numbers) -> str:
    """Return a text with the private values of the flags in it masked: prompts, keys and tokens, hosts.

    A prompt that lost its quotes ends before the next flag.
    """
    if "-" not in text:
        return text
    parts: list[str] = []
    start = 0
    while found := _FLAG.search(text, start):
        name, end = found[1], found.end()
        parts.append(text[start:end])
        start = end
        kind = _kind(name)
        if name == "-p" and _OTHER_PROGRAM.search(text, max(0, end - 60), end):
            continue
        word = _WORD.match(text, end) if kind is not None else None
        if word is None or _PROSE.match(word[0]) or (word[0][0] == "-" and kind != "prompt"):
            continue
        stop = word.end()
        quote = word[0][0] if word[0][0] in "\"'" else ""
        if kind == "prompt" and not quote and not _NUMERIC.match(word[0]):
            following = _NEXT_FLAG.search(text, stop)
            stop = following.start() if following else len(text)
        masked = mask_flag(name, text[end:stop].strip("\"'"), numbers)
        parts.append(f"{quote}{masked}{quote}" if masked is not None else text[end:stop])
        start = stop
    return "".join([*parts, text[start:]])


def _kind(name: str) -> str | None:
    """Return what a flag's value is: secret | prompt | host, None where the name says nothing."""
    if name in _PROMPTS:
        return "prompt"
    if name in _HOSTS:
        return "host"
    words = name.lower().lstrip("-").replace("_", "-").split("-")
    return "secret" if not _SECRET_WORDS.isdisjoint(words) and words[-1] not in ("file", "path", "dir") else None


def _endpoint(part: str, numbers: Numbers) -> str:
    found = _ENDPOINT.fullmatch(part.strip())
    return f"{mask_host(found[1], numbers)}{found[2] or ''}" if found else part
