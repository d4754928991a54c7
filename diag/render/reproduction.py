"""The shortest command line that a failure can be reproduced with, as far as the report knows."""

import re
import shlex
from collections.abc import Iterable, Mapping

from diag.model.boundaries import FIRST_TYPED
from diag.model.report import Diagnosis
from diag.model.run import Session

_MODELS = ("-m", "-hf", "--hf-file", "-mu", "--mmproj", "-mmu", "-md", "-hfd", "--lora")
_TYPES = {"mtp": "draft-mtp", "dflash": "draft-dflash", "eagle3": "draft-eagle3"}  # from b9246 on
_SPECULATION = re.compile(r"--spec-|--draft|-(?:cd|devd|ngld|ctkd|ctvd|td|tbd)\Z")


def minimal_command(session: Session, diagnosis: Diagnosis | None) -> tuple[str, bool]:
    """Return a command line of llama-server, and whether the user's own is in the log.

    Kept are the models, what concerns speculation, and each flag that the diagnosis speaks of: in its cause, in its
    arithmetic, or in a fix. Models and speculation that the log shows and no flag names are added.
    """
    spoken = diagnosis.flags if diagnosis is not None else ()
    kept = {
        flag: value
        for flag, value in session.flags.items()
        if flag in _MODELS or flag in spoken or _SPECULATION.match(flag)
    }
    if session.command is None:
        kept = {**dict(_from_log(session, kept)), **kept}
    return _joined(kept.items()), session.command is not None


def _from_log(session: Session, given: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if session.target.path and not {"-m", "-hf", "-mu"} & given.keys():
        yield "-m", session.target.path
    if session.projector and not {"--mmproj", "-mmu"} & given.keys():
        yield "--mmproj", session.projector
    if session.drafter.path and not {"-md", "-hfd"} & given.keys():
        yield "-md", session.drafter.path
    if "--spec-type" not in given:
        drafter = session.drafter
        if drafter.spec_types:
            yield "--spec-type", ",".join(drafter.spec_types)
        elif drafter.kind in _TYPES and (session.build.high or FIRST_TYPED) >= FIRST_TYPED:
            yield "--spec-type", _TYPES[drafter.kind]


def _joined(flags: Iterable[tuple[str, str]]) -> str:
    words = ["llama-server"]
    for flag, value in flags:
        words.append(f"{flag} {_quoted(value)}" if value else flag)
    return " ".join(words)


def _quoted(value: str) -> str:
    """Return the value for a shell; a masked folder stays readable."""
    masked = re.fullmatch(r"<[a-z]+\d*>[\\/\w.+-]*", value)
    return value if masked else shlex.quote(value)
