"""Does every fix name only flags that its builds have, and does every upgrade say what is updated."""

import re
from collections.abc import Iterator

from diag.model.boundaries import FIRST_QUIET
from diag.model.flags import FlagTable
from diag.model.signature import Fix, Signature

_QUOTED = re.compile(r"`([^`]{2,200})`")
_FLAG = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")
# Words before a flag that say it is not to be set: taken away, compared with, or told to be missing.
_UNSET = re.compile(
    r"(?:\b(?:drop|remove|without|leave out|leaving out|omit|instead of|replaces?|replaced|rather than|not|no longer|"
    r"no|gone|rejects?|refuses?|lacks?|deprecated|unlike|lose|loses|stop using|take out|than|from|unset|before|was|"
    r"were|old)\b"
    r"[^`.;]{0,40}|[`(,] ?(?:and|or)? ?)$",
    re.IGNORECASE,
)
# What an upgrade updates: "Update llama.cpp", "Update to b9654 or later", "the fork's PR 56 (2026-08-06) or later".
_UPDATED = re.compile(
    r"\bUpdate (?:(?:to|past) (?:b\d{3,5}\b|an? )|(?!(?:to|past|first|when|if|for|so)\b)\w)"
    r"|\b(?:b\d{3,5}|v\d[\w.]*|PR \d+|pull requests? \d+|commit [0-9a-f]{7,}|\d{4}-\d\d-\d\d)\b[^.;]{0,60}\bor later\b"
)
# Advice of another kind: a front end's "update the program" would say the opposite beside it.
_NOT_NEWER = re.compile(
    r"\b(?:(?:another|an older|the same) (?:build|backend|release)|(?:CUDA|ROCm|SYCL|Vulkan|Metal) (?:build|backend))\b"
)


def check_advice(signature: Signature, table: FlagTable) -> Iterator[str]:
    """Yield a fault for each flag that a fix advises and that a build of its range lacks, or that no build has.

    And one for each fix of kind "upgrade" that does not name the newer thing, or sends to another backend or build.
    """
    for number, fix in enumerate(signature.fixes, 1):
        yield from (f"fix {number} - {fault}" for fault in _upgrade(fix))
        first, last = _range(fix, signature, table)
        named = _advised(fix)
        for flag in named:
            if not table.knows(flag):
                if not table.programs(flag):
                    yield f"fix {number} - no build has {flag}"
                continue
            for build in table.lacking(flag, first, last)[:1]:
                instead = table.replacement(flag, build)
                if instead is None or instead.split()[0] not in " ".join(_every(fix)):
                    hint = f"; there it is {instead}" if instead else ""
                    yield f"fix {number} - b{build} has no {flag}{hint}"


def _upgrade(fix: Fix) -> Iterator[str]:
    if fix.kind != "upgrade":
        return
    if not _UPDATED.search(fix.do):
        yield 'an upgrade says what is updated: "Update llama.cpp", "b9654 or later", a fork\'s commit'
    found = _NOT_NEWER.search(fix.do)
    if found is not None:
        yield f"{found[0]!r} is no upgrade: kind workaround (another build or backend) or config (another package)"


def _range(fix: Fix, signature: Signature, table: FlagTable) -> tuple[int, int]:
    newest = table.snapshots[-1].build
    starts = [found.introduced for found in signature.applies.builds if found.introduced is not None]
    ends = [found.fixed for found in signature.applies.builds]
    first = fix.when.build_from or max(
        FIRST_QUIET, min(starts, default=0)
    )  # advice without a range fits builds with today's logging
    last = (fix.when.build_below or newest + 1) - 1
    if fix.when.build_below is None and ends and None not in ends and fix.kind != "upgrade":
        last = max(end for end in ends if end is not None) - 1
    return min(first, last), last


def _advised(fix: Fix) -> list[str]:
    """Return the flags the fix tells to set, each once, in order."""
    found: dict[str, None] = dict.fromkeys(fix.edit.set) if fix.edit is not None else {}
    at = 0
    unset = False
    for quoted in _QUOTED.finditer(fix.do):
        between = fix.do[at : quoted.start()]
        at = quoted.end()
        # in "drop `-md` and `--spec-type`" the second flag is as unwanted as the first
        joined = unset and re.fullmatch(r"[ ,]*(?:and|or|nor)?[ ,]*(?:without )?", between)
        unset = bool(joined or _UNSET.search(between[-60:]))
        if not unset and (quoted[1].startswith("-") or "llama-server" in quoted[1]):
            found.update(dict.fromkeys(_FLAG.findall(quoted[1])))
    return [flag for flag in found if not re.fullmatch(r"-[A-Z]\w*", flag)]


def _every(fix: Fix) -> list[str]:
    return [flag for quoted in _QUOTED.findall(fix.do) for flag in _FLAG.findall(quoted)]
