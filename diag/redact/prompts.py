"""What people asked and what the model answered."""

import re

_KEYS = (
    "prompt|content|messages|text|input|system_prompt|reasoning_content|query|documents|suffix|input_prefix|input_suffix"
    "|input_extra|arguments|prefill|image_data|user|username|stop_word|stopping_word|generated_text|tool_calls|delta"
)
_KEY = re.compile(rf"(?P<slashes>\\{{0,15}})\"(?:{_KEYS})(?P=slashes)\"\s{{0,4}}:\s{{0,4}}")
_QUOTE = re.compile(r"(\\*)\"")
_BRACKET = re.compile(r"(\\*)\"|[\[\]{}]")
# Debug lines of the server: `next token:   266 'on'`, `prompt token   0:      1 '<s>'`, `prompt: 'TEXT'`.
_PIECE = re.compile(
    r"((?:next token|prompt token {1,4}\d{1,9}|sampled token|last token) ?: {0,8}(?:\d{1,9} {0,4})?)"
    r"'.{0,400}?'(?=[\s,)]|\Z)"
)
_PRINTED = re.compile(r"((?:\b|^)(?:system )?prompt: {0,4})(['\"])(?!<).+\2", re.DOTALL)
_DATA = re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,60}(?:;[\w=.-]{1,40}){0,4},[A-Za-z0-9+/=_%-]{16,}")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{200,}={0,2}")


def mask_prompts(text: str) -> str:
    """Return the text without prompts, answers and embedded files: JSON values by their key, and debug lines.

    A value keeps its kind: `"content": "<text>"`, `"messages": ["<text>"]`. JSON inside a JSON string is read too, and
    a value that the line cuts off is masked to the end.
    """
    if '"' in text:
        text = _mask_json(text)
    if "oken" in text:
        text = _PIECE.sub(r"\1'<text>'", text)
    if "prompt: " in text:
        text = _PRINTED.sub(r"\1\2<text>\2", text)
    text = _DATA.sub("<data>", text)
    return _BASE64.sub("<data>", text) if len(text) >= 200 else text


def _mask_json(text: str) -> str:
    parts: list[str] = []
    start = 0
    while found := _KEY.search(text, start):
        slashes = found["slashes"]
        end = found.end()
        mask = f'{slashes}"<text>{slashes}"'
        if text.startswith(f'{slashes}"', end):
            stop = _string_end(text, end + len(slashes) + 1, len(slashes))
        elif text[end : end + 1] in ("[", "{"):
            stop = _bracket_end(text, end, len(slashes))
            mask = f"[{mask}]" if text[end] == "[" else mask
        else:  # a number, null or true
            stop, mask = end, ""
        if stop - end == 2 * len(slashes) + 2:  # an empty text tells nothing of anybody, and much of a failure
            mask = text[end:stop]
        parts += [text[start:end], mask]
        start = stop
    return "".join([*parts, text[start:]])


def _closes(n_slashes: int, level: int) -> bool:
    """True when a quote behind so many backslashes ends a string whose own quotes have `level` (0, 1, 3, 7 ...)."""
    return n_slashes % (2 * (level + 1)) == level


def _string_end(text: str, start: int, level: int) -> int:
    """Return where the string ends, behind its closing quote; the end of the text where it is cut off."""
    return next((found.end() for found in _QUOTE.finditer(text, start) if _closes(len(found[1]), level)), len(text))


def _bracket_end(text: str, start: int, level: int) -> int:
    """Return where the array or object ends, behind its bracket; the end of the text where it is cut off."""
    depth = 0
    inside = False
    for found in _BRACKET.finditer(text, start):
        mark = found[0][-1]
        if mark == '"':
            inside ^= _closes(len(found[1]), level)
        elif not inside:
            depth += 1 if mark in "[{" else -1
            if depth == 0:
                return found.end()
    return len(text)
