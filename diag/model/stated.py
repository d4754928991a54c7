"""What the user states on the command line because the log hides it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stated:
    build: int | None = None
    backend: str | None = None
    flavour: str | None = None
    os: str | None = None
