"""Where the shipped folders are: inside an installed package, or beside it in a checkout."""

import os
import sys
from pathlib import Path

from diag.errors import CatalogError

OVERLAY = "upstream.json"  # of the data folder: the registry's states as `diag upstream refresh` saw them
_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(name: str) -> Path:
    """Return the folder `signatures` or `samples`.

    A wheel carries it as diag/_<name>; an editable install does not see that and has it beside the package. Raises
    CatalogError when neither is there.
    """
    for folder in (_PACKAGE / f"_{name}", _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise CatalogError(f"{name}: the folder that ships with the package is missing; reinstall it")


def data_folder() -> Path | None:
    """Return the user's folder for what the tool keeps for good; None where there is no home. It may not exist yet.

    XDG_DATA_HOME counts everywhere, when it is absolute; else the system's own place.
    """
    stated = os.environ.get("XDG_DATA_HOME", "")
    if Path(stated).is_absolute():
        base: str | None = stated
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    else:
        place = "~/Library/Application Support" if sys.platform == "darwin" else "~/.local/share"
        base = os.path.expanduser(place)  # noqa: PTH111  # pathlib raises where there is no home
    return Path(base) / "llama-diag" if base and not base.startswith("~") else None
