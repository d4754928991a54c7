"""Programs that start llama.cpp for a person, and what they call llama-server's flags."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import field

from diag.model.noun import noun


@noun
class Setting:
    """What stands for one flag."""

    text: str  # as a person is told it
    source: str


@noun
class FrontEnd:
    name: str  # as its makers write it
    flavours: tuple[str, ...]  # names of Build.flavour that stand for it
    streams: tuple[str, ...]  # words in a stream's name that stand for it
    settings: Mapping[str, Setting] = field(default_factory=dict)  # by the flag's one name
    passes: str = ""  # where llama-server's own flags can be written; "" = nowhere
    same: bool = False  # its command line takes llama-server's flags, but for the settings
    upgrade: str = ""
    rebuild: str = ""
    log: str = ""  # where its log is, and how it says more
    source: str = ""
    checked: dt.date | None = None
