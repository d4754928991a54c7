"""Headings of issue forms -> what they ask for."""

import re

# One table for all trackers: llama.cpp (its forms since 2023), ik_llama.cpp and llamafile, LM Studio, ollama, llama-swap,
# koboldcpp, lemonade, ROCm. A heading that is not here is prose and ends nothing.
_FIELDS: tuple[tuple[str, str], ...] = (
    ("version", r"name and version|version|git commit|(?:which )?version of (?:lm studio|llama\.cpp).{0,20}|(?:ollama|lemonade|llama\.cpp|llama-swap|app|server) version"
                r"|build|llama\.cpp (?:build|commit|version)|environment and context"),
    ("os", r"(?:what |which )?operating systems?(?: are you seeing the problem on| and version)?|os|platform|os version"),
    ("backends", r"(?:ggml )?backends?|component|runtime"),
    ("hardware", r"hardware|gpu|cpu|gpus?(?: / | ?/ ?)apu model|graphics card|gpu / apu|device|system"),
    ("models", r"models?|model name|model used"),
    ("modules", r"which llama\.cpp modules do you know to be affected|affected modules"),
    ("command", r"command line|compile command|command|launch (?:command|params|parameters)|launch params|my configuration|configuration|config"),
    ("first_bad_commit", r"first bad commit"),
    ("problem", r"problem description(?: & steps to reproduce)?|what happened|what is the (?:issue|bug)|describe the (?:bug|issue)|bug description|steps to reproduce"
                r"|to reproduce|current behavior|expected (?:behaviou?r|vs actual behavior)|additional (?:information|context)|failure information.{0,20}"),
    ("logs", r"relevant log output|logs?|log output|failure logs|(?:proxy|upstream|server|llama-server|runtime|developer) logs?|logs? / output|output|stack ?trace|crash log"),
    ("other", r"contact details|screenshots?|prerequisites|rocm (?:version|component)|expected vs actual behavior"
              r"|\(optional for linux users\).{0,80}|code of conduct|checklist"),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(rf"(?:{pattern})[?:.]?$", re.IGNORECASE)) for name, pattern in _FIELDS)
_HEADING = re.compile(r"#{1,6} {1,4}(?P<label>[^#\n]{1,120}?) {0,4}#{0,6} {0,4}$")
_BOLD = re.compile(r"\*\*(?P<label>[^*\n]{1,100})\*\*:? {0,4}(?P<answer>.{0,2000})$")
_ITEM = re.compile(
    r" {0,4}(?:[-*+] )?(?:\*\*|__)?(?P<label>[A-Za-z][\w ./-]{1,30}?)(?:\*\*|__)? ?:(?:\*\*|__)? {1,4}(?P<answer>\S.{0,500})$"
)
_ITEM_LABELS = frozenset({
    "os", "operating system", "platform", "gpu", "hardware", "cpu", "backend", "backends", "version", "llama.cpp version", "llama.cpp build", "model", "models",
    "lm studio version", "ollama version", "build",
})  # fmt: skip


def heading(text: str) -> tuple[str, str] | None:
    """Return the field a row asks for and the answer standing on the same row ("" for none); None for no known heading."""
    found = _HEADING.match(text)
    answer = ""
    if found is None:
        found = _BOLD.match(text)
        if found is None:
            return None
        answer = found["answer"].strip()
    name = field_of(found["label"])
    return (name, answer) if name else None


def item(text: str) -> tuple[str, str] | None:
    """Return field and answer of a row like `- OS: Linux` in free text; None for any other row."""
    found = _ITEM.match(text)
    if found is None or found["label"].strip().lower() not in _ITEM_LABELS:
        return None
    label = found["label"].strip().lower()
    name = "version" if label.endswith(("version", "build")) else field_of(label)
    return (name, found["answer"].strip()) if name else None


def field_of(label: str) -> str | None:
    """Return the field a heading's words ask for; None where they are no form's."""
    label = label.strip().strip("*_:").strip()
    for name, pattern in _PATTERNS:
        if pattern.match(label):
            return name
    return None
