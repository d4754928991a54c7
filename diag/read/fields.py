"""Headings of issue forms -> what they ask for."""

import re

from diag.late import late

# One table for all trackers: llama.cpp (its forms since 2023), ik_llama.cpp and llamafile, LM Studio, ollama,
# llama-swap, koboldcpp, lemonade, ROCm. A heading that is not here is prose and ends nothing.
_FIELDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("version", (
        r"name and version", r"version", r"git commit", r"build",
        r"(?:which )?version of (?:lm studio|llama\.cpp).{0,20}",
        r"(?:ollama|lemonade|llama\.cpp|llama-swap|app|server) version", r"llama\.cpp (?:build|commit)",
        r"environment and context",
    )),
    ("os", (
        r"(?:what |which )?operating systems?(?: are you seeing the problem on| and version)?", r"os", r"platform",
        r"os version",
    )),
    ("backends", (r"(?:ggml )?backends?", r"component", r"runtime")),
    ("hardware", (
        r"hardware", r"gpu", r"cpu", r"gpus?(?: / | ?/ ?)apu model", r"graphics card", r"gpu / apu", r"device",
        r"system",
    )),
    ("models", (r"models?", r"model name", r"model used")),
    ("modules", (r"which llama\.cpp modules do you know to be affected", r"affected modules")),
    ("command", (
        r"command line", r"compile command", r"command", r"launch (?:command|params|parameters)", r"my configuration",
        r"configuration", r"config",
    )),
    ("first_bad_commit", (r"first bad commit",)),
    ("problem", (
        r"problem description(?: & steps to reproduce)?", r"what happened", r"what is the (?:issue|bug)",
        r"describe the (?:bug|issue)", r"bug description", r"steps to reproduce", r"to reproduce", r"current behavior",
        r"expected (?:behaviou?r|vs actual behavior)", r"additional (?:information|context)",
        r"failure information.{0,20}",
    )),
    ("logs", (
        r"relevant log output", r"logs?", r"log output", r"failure logs", r"logs? / output", r"output", r"stack ?trace",
        r"(?:proxy|upstream|server|llama-server|runtime|developer) logs?", r"crash log",
    )),
    ("other", (
        r"contact details", r"screenshots?", r"prerequisites", r"rocm (?:version|component)", r"code of conduct",
        r"\(optional for linux users\).{0,80}", r"checklist",
    )),
)  # fmt: skip
_PATTERNS = tuple((name, late(rf"(?:{'|'.join(labels)})[?:.]?$", re.IGNORECASE)) for name, labels in _FIELDS)
_HEADING = late(r"#{1,6} {1,4}(?P<label>[^#\n]{1,120}?) {0,4}#{0,6} {0,4}$")
_BOLD = late(r"\*\*(?P<label>[^*\n]{1,100})\*\*:? {0,4}(?P<answer>.{0,2000})$")
_ITEM = late(
    r" {0,4}(?:[-*+] )?(?:\*\*|__)?(?P<label>[A-Za-z][\w ./-]{1,30}?)(?:\*\*|__)? ?:(?:\*\*|__)? {1,4}"
    r"(?P<answer>\S.{0,500})$"
)
_ITEM_LABELS = frozenset({
    "os", "operating system", "platform", "gpu", "hardware", "cpu", "backend", "backends", "version", "build",
    "llama.cpp version", "llama.cpp build", "lm studio version", "ollama version", "model", "models",
})  # fmt: skip


def heading(text: str) -> tuple[str, str] | None:
    """Return the field a row asks for and the answer on the same row ("" for none); None for no known heading."""
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
