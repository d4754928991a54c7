"""Which flags of llama-server a diagnosis speaks of."""

from collections.abc import Mapping
from dataclasses import replace

from diag.late import late
from diag.model.report import Diagnosis
from diag.model.spelling import canonical

_FLAG = late(r"(?<![\w-])--?[a-zA-Z][\w-]{0,60}")


def with_flags(diagnosis: Diagnosis, spellings: Mapping[str, str]) -> Diagnosis:
    """Return the diagnosis with the flags that its cause, its arithmetic and its fixes name, in the order met."""
    texts = [diagnosis.cause, *diagnosis.chain, *diagnosis.arithmetic]
    texts += [text for fix in diagnosis.fixes for text in (fix.do, fix.when, fix.because)]
    named = (canonical(flag, spellings) for text in texts for flag in _FLAG.findall(text))
    return replace(diagnosis, flags=tuple(dict.fromkeys(named)))
