"""What the user states on the command line because the log hides it."""

from diag.model.noun import noun


@noun
class Stated:
    build: int | None = None
    backend: str | None = None
    flavour: str | None = None
    os: str | None = None
    session: str = "all"  # which starts to answer for: all | last | a number
