"""The one name of a flag of llama-server, whichever of its spellings is written."""

from collections.abc import Mapping


def canonical(flag: str, spellings: Mapping[str, str]) -> str:
    """Return the one name of a flag, so that conditions and fixes need not know its spellings.

    `spellings` are those of the catalogue; a flag that they do not hold is its own name. In a long flag `_` is `-`, as
    llama.cpp has it.
    """
    spelled = flag.replace("_", "-") if flag.startswith("--") else flag
    return spellings.get(spelled, spelled)
