"""Where the shipped folders and the user's own are; as text for what every start passes, where pathlib is dear."""

import os
import sys
from typing import TYPE_CHECKING

from diag.errors import CatalogError

if TYPE_CHECKING:
    from pathlib import Path

_OVERLAY = "upstream.json"  # of the data folder: the registry's states as `diag upstream refresh` saw them
_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def shipped(name: str) -> "Path":
    """Return the folder `signatures` or `samples`; raises CatalogError when it is not there."""
    from pathlib import Path

    return Path(shipped_place(name))


def shipped_place(name: str) -> str:
    """Return the same as text.

    A wheel carries it as diag/_<name>; an editable install does not see that and has it beside the package.
    """
    for folder in (os.path.join(_PACKAGE, f"_{name}"), os.path.join(os.path.dirname(_PACKAGE), name)):
        if os.path.isdir(folder):
            return folder
    raise CatalogError(f"{name}: the folder that ships with the package is missing; reinstall it")


def overlay_place() -> str | None:
    """Return the user's file of refreshed states; None where there is no home. It may not exist yet.

    XDG_DATA_HOME counts everywhere, when it is absolute; else the system's own place for what is kept for good.
    """
    stated = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(stated):
        base: str | None = stated
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    else:
        base = os.path.expanduser("~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share")
    return os.path.join(base, "llama-diag", _OVERLAY) if base and not base.startswith("~") else None
