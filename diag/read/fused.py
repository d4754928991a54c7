"""A line that lost its line ends -> the messages in it."""

from bisect import bisect_left

from diag.late import late

_SHORTEST = 8
_LONGEST = 1 << 16  # characters searched; beyond, a line is data
_NAME = r"(?:llama|ggml|llm|gguf|clip|mtmd|common)_[\w:~<>]{1,80}(?:\(\))?: "
_TAG = r"(?:slot|srv|que|res|cmn|spec) {1,12}[\w~()]{2,14}(?: \(\))?: "
_UNTAGGED = (
    r"(?:statistics {1,12}[\w-]{2,24}: |(?:decoding|encoding) image |image (?:slice |decoded )"
    r"|model has unused tensor |device_info:(?:$| ))"
)
# A list printed piece by piece has a clock before each ("[0.00.291.756 I 1, ..."): what follows must be a message.
_CLOCK = late(
    rf"(?<![\d.])(?=\d{{1,7}}\.\d\d\.\d{{3}}\.\d{{3}} [IWED] (?:{_TAG}|[A-Za-z_~][\w:~<>()-]{{1,80}}: "
    rf"| {{0,4}}-? ?[A-Z]\w{{2,20}} |{_UNTAGGED}))"
)
_PADDING = late(rf" {{20}} *(?=\d{{1,7}}\.\d\d\.\d{{3}}\.\d{{3}} [IWED] |{_TAG}|{_NAME}|load_backend: |print_info: )")
_FLAT = late(rf"(?<=\S) (?={_TAG})")
_GLUED = late(
    r"(?<=[^\s_~:/\\'\"`(\[<{=,@*+-])(?<!\.\w)(?="
    r"(?:gguf_init_from_\w{1,20}|ggml_(?:backend|metal|cuda|gallocr)_\w{1,60}|ggml_vulkan|llama_(?:model_load"
    r"|init_from|kv_cache|load_model)\w{0,40}): "
    r"|Exception caught at file:)"
)
_QUOTE = late(r'\\.|"')
# Messages that nothing quotes: in the middle of a line each is a line of its own.
_ALWAYS_FIRST = late(
    r"(?<=\S) (?=(?:llama_load_model_from_file|llama_model_load_from_file_impl|common_init_from_params"
    r"|srv {1,4}load_model): )"
)


def split_fused(text: str) -> list[str]:
    """Return the messages of one line, in order; a list with the line itself where it is one message."""
    if not _may_be_fused(text):
        return [text]
    places: list[tuple[int, int]] = []  # where a message ends, where the next begins
    places += [(found.start(), found.start()) for found in _CLOCK.finditer(text, _SHORTEST, _LONGEST)]
    places += [(found.start(), found.end()) for found in _PADDING.finditer(text, _SHORTEST, _LONGEST)]
    if not places:
        always = [(found.start(), found.end()) for found in _ALWAYS_FIRST.finditer(text, 26, _LONGEST)]
        flat = [(found.start(), found.end()) for found in _FLAT.finditer(text, 26, _LONGEST)]
        if always or len(flat) > 1:
            places = list({*always, *flat})
    places += [(found.start(), found.start()) for found in _GLUED.finditer(text, 1, _LONGEST)]
    places = _outside_strings(text, sorted(places))
    messages, begin = [], 0
    for end, following in places:
        if end > begin:
            messages.append(text[begin:end].rstrip())
            begin = following
    messages.append(text[begin:])
    return [message for message in messages if message] or [text]


def _outside_strings(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the places that are not inside a JSON string: a logged request may quote a log, which is no message."""
    body = text.find('{"')
    if not places or not 0 <= body < places[-1][0]:
        return places
    quotes = [found.start() for found in _QUOTE.finditer(text, body, places[-1][0]) if found[0] == '"']
    return [place for place in places if place[0] <= body or bisect_left(quotes, place[0]) % 2 == 0]


def _may_be_fused(text: str) -> bool:
    """Return whether a cheap look leaves it open; nearly every healthy line ends here."""
    find = text.find
    return (
        find(" I ", 20) > 0
        or find(" E ", 20) > 0
        or find(" W ", 20) > 0
        or find("                    ", _SHORTEST) > 0
        or find(" srv ", 26) > 0
        or find(" slot ", 26) > 0
        or find("gguf_init", 1) > 0
        or find("ggml_", 1) > 0
        or find("llama_", 1) > 0
        or find("Exception caught", 1) > 0
    )
