"""Where the shipped folders are: inside an installed package, or beside it in a checkout."""

from pathlib import Path

from diag.errors import CatalogError

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
