"""A line's text -> whether it is the beginning of something llama-server (or what runs beside it) prints."""

import re

from diag.late import late
from diag.read.colours import strip_colours

_PAINT = frozenset("\x1b[\ufffd^")  # what a colour code can begin with
WINDOW = 8192  # characters of a line any pattern may look at

NATIVE = late(r"\d{1,7}\.\d\d\.\d{3}\.\d{3} [IWED](?: |$)")
"""The program's own clock and level; matches at the start only."""

# Prefixes that nobody writes in prose: one of these makes a line part of a log, wherever it stands.
STRONG = late(
    r"""[ \t]{0,16}(?:
      \d{1,7}\.\d\d\.\d{3}\.\d{3}[ ][IWED]\b
    | [IWED][ ](?:(?:srv|slot|que|res|cmn|spec)[ ]|[a-z_][\w:~]{2,60}:[ ])
    | (?:slot|srv|que|res|cmn|spec)[ ]{1,12}[\w~()]{2,14}(?:[ ]\(\))?:[ ]
    | (?:llama|ggml|llm|gguf|clip|mtmd|common)_[\w:~<>]{1,80}(?:\(\))?[ ]?:[ ]?
    | (?:print_info|load_tensors|load_backend|system_info|build_info|sched_reserve|graph_reserve|decode|init
        |load_hparams|load|main|find_slot|create_tensor|alloc_tensor_range|check_tensor_dims|register_backend|register_device|rpc_server
        |set_tensor|update_slots|state_read_data|parse|warmup|resolve_fused_ops):[ ]
    | [\w./\\:~ +-]{0,200}\.(?:cpp|cuh?|c|h|hpp|m|metal):\d{1,6}:[ ]
    | (?:CUDA|ROCm|HIP|MUSA|SYCL|rocBLAS)[ ]error\b
    | GGML_(?:ASSERT|ABORT)\b | terminate[ ]called\b | [ ]{0,4}what\(\): | \[New[ ]LWP\b | \#\d{1,3}[ ]{1,3}0x
    | [ ]-[ ]the[ ](?:last[ ]position|tokens[ ]for) | (?:for[ ]M-RoPE,[ ])?it[ ]is[ ]required[ ]that[ ]the
    | version:[ ]\d | build:[ ]\d | \[GIN\][ ] | time=\S{8,40}[ ]level=
    | [ ]?(?:INFO|WARN|ERR|VERB)[ ]{0,2}\[[ ]{0,24}[\w ()~:]{2,40}\][ ]
    | \{"(?:tid|type|level|log|time|msg|MESSAGE|__\w{1,40}|_[A-Z]\w{1,40}|PRIORITY|SYSLOG_\w{1,20}|timestamp)":
    | Memory[ ]access[ ]fault[ ]by[ ]GPU | vk::\w+: | Segmentation[ ]fault | Exception[ ]caught[ ]at
    )""",
    re.VERBOSE,
)

# Known lines without any tag of their own.
_BARE = late(
    r"""[ \t]{0,16}(?:
      -[ ]\S|Device[ ]\d|current[ ]device|cuda[A-Z]|hip[A-Z]|in[ ]function|err$|at[ ]_
    | (?:error|Error|warning|warn|note|fatal|panic|usage):?[ ]
    | (?:Aborted|Abort|Killed|Illegal[ ]instruction|Bus[ ]error|Traceback|Thread\b|Log[ ]start
        |Received[ ]second|No[ ]symbol|libc\+\+abi)
    | <\|[\w|]{1,32} | [.=*\#!-]{8,} | \.\.\.$
    | (?:prompt[ ]eval|eval|total)[ ]time[ ]=|draft[ ]acceptance|statistics[ ]|graphs[ ]reused
    | \#\d{1,3}[ ] | 0x[0-9a-f]{6} | \{"\w{1,24}":
    )""",
    re.VERBOSE,
)
# A word and a colon: the usual start of an untagged message, but also what the second half of a cut one may look like.
_LABEL = late(r"[ \t]{0,16}[A-Za-z_~][\w:~<>.()*-]{1,80}(?: \(\))? ?:(?: |$)")

# Stamps and prefixes of wrappers. They only say that a new physical line begins; unwrapping has finer patterns.
_WRAPPED = late(
    r"""[ \t]{0,16}(?:
      (?P<clock>\[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d:\d\d | \[?\d{1,2}:\d\d:\d\d
        | \[\d{4}-\d\d-\d\d\]\[ | \[\d{10}\][ ])
    | (?P<port>\[[ ]{0,4}\d{1,5}(?:\.\d{6})?\][ ])
    | (?P<journal>(?:<\d{1,3}>)?(?:
        [^\s\d]{2,10}\.?[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d[ ]
      | \d{1,2}[. ]{1,2}(?:[^\s\d]{2,10}\.?|\d\d\.?)[ ]\d\d:\d\d:\d\d[ ]
      | \d{1,2}月[ ]{1,2}\d{1,2}[ ]\d\d:))
    | (?P<pm2>\d{1,3}\|[\w.-]{1,40}[ ]{0,20}\|)
    | (?P<compose>[A-Za-z0-9][\w.-]{0,62}[ ]{1,20}\|[ ])
    | (?P<name>\[[A-Za-z][^\]\s]{0,60}(?:[ ]\w{1,10})?\][ \[])
    | (?P<boot>--[ ](?:Boot|Logs|No[ ]entries))
    )""",
    re.VERBOSE,
)


def wrapper_kind(text: str) -> str | None:
    """Return a name for the wrapper a physical line begins with ("json" for an object); None where there is none."""
    if text.startswith('{"'):
        return "json"
    found = _WRAPPED.match(text, 0, WINDOW)
    return found.lastgroup if found else "logfmt" if text.startswith("time=") else None


def is_tagged(text: str) -> bool:
    """Return whether the text begins as llama-server's own lines begin, tagged or known, whatever wrappers do."""
    return bool(STRONG.match(text, 0, WINDOW) or _BARE.match(text, 0, WINDOW))


def is_strong(text: str) -> bool:
    """Return whether the text begins as only a log line does (own clock, slot or srv tag, assert, JSON log object)."""
    if text[:1] in _PAINT:
        text = strip_colours(text)
    return STRONG.match(text, 0, WINDOW) is not None


def is_certain_start(text: str) -> bool:
    """Return whether the text can only be the beginning of a physical line as a program or a wrapper wrote it."""
    return bool(STRONG.match(text, 0, WINDOW) or _WRAPPED.match(text, 0, WINDOW) or _BARE.match(text, 0, WINDOW))


def is_start(text: str) -> bool:
    """Return whether a message may begin with this text, also one that carries no tag but a name and a colon."""
    return is_certain_start(text) or _LABEL.match(text, 0, WINDOW) is not None
