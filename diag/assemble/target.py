"""The target model: name, architecture, positions."""

import re
from collections.abc import Sequence

from diag.model.events import Event
from diag.model.events.device import ModelDescribed
from diag.model.events.server import ModelLoading
from diag.model.models import ModelTable
from diag.model.run import Source, Target

# print_info's "rope type": -1 none, 0 norm, 2 neox, 8 mrope, 24 vision, 40 imrope (llama.h)
_MROPE_TYPES = ("8", "24", "40")
_DRAFT_ARCHITECTURES = ("dflash", "eagle3", "gemma4-assistant", "clip")


def read_target(events: Sequence[Event], table: ModelTable, flag_model: str | None) -> tuple[Target, Source | None]:
    """Return the target and where its architecture is known from; fields are None where the log does not show them.

    The first model that a session describes is the target; a drafter's or projector's own architecture never counts.
    """
    arch = name = rope = None
    source = None
    path = next((event.path for event in events if isinstance(event, ModelLoading)), None) or flag_model
    for event in events:
        if not isinstance(event, ModelDescribed):
            continue
        value = event.value.strip()
        if event.key in ("arch", "general.architecture") and arch is None and value not in _DRAFT_ARCHITECTURES:
            arch, source = value, Source("log", event.line.number, event.line.text.strip())
        elif event.key == "general.name" and name is None:
            name = value
        elif event.key == "rope type" and rope is None:
            rope = "mrope" if value in _MROPE_TYPES else "one-axis"
    row = table.architectures.get(arch) if arch else None
    if rope is None and row is not None and row.positions in ("one-axis", "mrope"):
        rope = row.positions
    return Target(name, path, arch, rope, row.hybrid if row is not None else None), source


def architecture_hint(path: str | None, table: ModelTable) -> str | None:
    """Return the architecture that a model's file name hints at, or None."""
    if not path:
        return None
    small = path.lower()
    return next(
        (hint.architecture for hint in table.names if hint.word in small and re.search(hint.pattern, path)), None
    )
