"""The table of model architectures and drafters: what decides a drafter's fate, by name."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import field

from diag.model.noun import noun


@noun
class Architecture:
    name: str
    rope: str  # none | norm | neox | mrope | imrope | conditional
    positions: str  # one-axis | mrope | conditional
    hybrid: bool
    mtp_family: str | None = (
        None  # one-axis-separate | mrope-separate | shared-cache | conditional; None = no MTP graph
    )
    condition: str | None = None
    source: str = ""
    checked: dt.date | None = None


@noun
class NameHint:
    """A file-name pattern that hints at an architecture."""

    pattern: str
    architecture: str
    word: str = ""  # small letters that every such name holds: most patterns need not be tried


@noun
class ModelTable:
    architectures: Mapping[str, Architecture] = field(default_factory=dict)
    names: tuple[NameHint, ...] = ()
