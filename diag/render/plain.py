"""Pieces of text that several formats share."""

import dataclasses
import datetime as dt
import re

from diag.model.report import Diagnosis, Report
from diag.model.run import Acceptance, Build, Drafter, Session
from diag.model.statistics import FLOOR, rate, wilson_interval

STALE_DAYS = 90  # a status older than this is said to be old
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_CLOCK = re.compile(r"^\[?\d{1,7}\.\d\d\.\d{3}\.\d{3}\]? ")

_KIND = {
    "one-axis-separate": "MTP · one-axis RoPE, separate cache",
    "mrope-separate": "MTP · M-RoPE, separate cache",
    "shared-cache": "MTP · reads the target's cache",
    "dflash": "DFlash",
    "eagle3": "EAGLE-3",
    "independent-draft": "independent draft model",
    "ngram": "n-gram, no draft model",
    "none": "none",
}


def title_of(diagnosis: Diagnosis) -> str:
    """Return the title, which asserts no more than the confidence does."""
    return f"Perhaps: {diagnosis.title}" if diagnosis.confidence == "possible" else diagnosis.title


def visible(text: str) -> str:
    """Return the text without control and direction characters, which a log must not send to a terminal or a page."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\t", "    "))


def message_of(text: str) -> str:
    """Return a line without its clock, for places where room is short."""
    return _CLOCK.sub("", visible(text))


def build_words(build: Build, *, short: bool = False) -> str:
    """Return which build it was, in words."""
    name = "llama.cpp" if build.flavour == "upstream" else build.flavour
    if build.number is not None:
        commit = f" ({build.commit})" if build.commit and build.commit != "unknown" and not short else ""
        if not (build.at_least or 0) <= build.number <= (build.at_most or build.number):
            fits = build_words(dataclasses.replace(build, number=None), short=short)
            return f"{name} b{build.number}{commit} as stated; the log's lines fit {fits.removeprefix(f'{name} ')}"
        return f"{name} b{build.number}{commit}"
    if build.at_least is not None and build.at_most is not None:
        return f"{name} b{build.at_least} to b{build.at_most} (from wordings)"
    if build.at_least is not None:
        return f"{name} b{build.at_least} or later (from wordings)"
    if build.at_most is not None:
        return f"{name} b{build.at_most} or earlier (from wordings)"
    return f"{name}, build not in the log"


def drafter_words(drafter: Drafter) -> str:
    """Return which drafter it is, how sure that is, and the line that shows it best."""
    if drafter.family == "unknown":
        if drafter.kind == "mtp":
            return "MTP, family not in the log"
        return "active, kind not in the log" if drafter.evidence else "no sign of one"
    words = _KIND[drafter.family]
    if drafter.family in ("dflash", "eagle3", "independent-draft") and drafter.position_class != "unknown":
        words += {"one-axis-separate": " · one-axis RoPE", "mrope-separate": " · M-RoPE"}.get(
            drafter.position_class, ""
        )
    line = next((item.line for item in drafter.evidence if item.line is not None), None)
    where = f" (line {line})" if line is not None else ""
    return f"{words} · {drafter.confidence}{where}"


def target_words(session: Session) -> str:
    """Return the target and whether it takes images."""
    target = session.target
    name = target.arch or (target.path.replace("\\", "/").rsplit("/", 1)[-1] if target.path else None) or target.name
    rope = {"one-axis": "one-axis", "mrope": "M-RoPE"}.get(target.rope or "", "")
    images = {
        "seen": "images seen",
        "possible": "projector loaded",
        "excluded": "no projector",
        "unknown": "",
    }[session.image_input]
    return ", ".join(part for part in (name and visible(name), rope, images) if part) or "not in the log"


def clock_words(elapsed_us: int | None, time: str | None) -> str:
    """Return a moment: the wrapper's wall clock, else minutes and seconds since the start."""
    if time:
        return visible(time)
    if elapsed_us is None:
        return ""
    minutes, us = divmod(elapsed_us, 60_000_000)
    return f"{us / 1e6:.3f} s" if not minutes else f"{minutes} min {us / 1e6:.0f} s"


def impact_words(diagnosis: Diagnosis) -> list[str]:
    """Return who was hit, how often, and when, as short phrases."""
    impact = diagnosis.impact
    words: list[str] = []
    if impact.requests_lost:
        total = f" of {impact.requests_seen}" if impact.requests_seen >= impact.requests_lost else ""
        innocent = f", {impact.requests_innocent} of them in another slot" if impact.requests_innocent else ""
        words.append(
            f"{impact.requests_lost}{total} request{'s' if impact.requests_seen != 1 else ''} failed{innocent}"
        )
    elif diagnosis.count > 1:
        words.append(f"{diagnosis.count} times")
    if impact.server != "unknown":
        words.append(f"server {impact.server}")
    if impact.text_requests == "ok" and diagnosis.severity in ("error", "degraded", "fatal"):
        proof = f" (line {impact.text_proof_line})" if impact.text_proof_line is not None else ""
        words.append(f"later ones work{proof}")
    first = clock_words(diagnosis.first.elapsed_us, diagnosis.first.time)
    last = clock_words(diagnosis.last.elapsed_us, diagnosis.last.time)
    if first and last and first != last:
        words.append(f"first at {first}, last at {last}")
    elif first:
        words.append(f"at {first}")
    if diagnosis.withdrawn_by_line is not None:
        words.append(f"taken back by line {diagnosis.withdrawn_by_line}")
    if diagnosis.later_session_ok is not None and diagnosis.severity in ("error", "fatal"):
        words.append(f"start {diagnosis.later_session_ok} came up later")
    return words


def verdict_words(diagnosis: Diagnosis) -> str:
    """Return what the verdict says of the user's build."""
    if diagnosis.verdict == "fixed-later":
        return f"your build has this fault; fixed in b{diagnosis.fixed_in}"
    if diagnosis.verdict == "already-fixed":
        return f"fixed in b{diagnosis.fixed_in}, which your build already has: a regression or another fault"
    if diagnosis.verdict == "unknown-build":
        return f"fixed in b{diagnosis.fixed_in}; your build is not known" if diagnosis.fixed_in else ""
    return ""


def acceptance_words(session: Session) -> list[str]:
    """Return draft acceptance by class of turn, one phrase a class that drafted anything."""
    words: list[str] = []
    for turn in ("text", "image", "unknown"):
        sums = session.acceptance.get(turn, Acceptance())
        share = rate(sums)
        if share is None:
            continue
        label = turn if turn != "unknown" else "turns not told apart"
        interval = wilson_interval(sums.accepted, sums.drafted)
        phrase = f"{label} {sums.accepted}/{sums.drafted} = {share:.2f}"
        if interval is not None:
            phrase += f" [{interval[0]:.2f}, {interval[1]:.2f}]"
        phrase += f" in {sums.requests} request{'s' if sums.requests != 1 else ''}"
        if sums.drafted < FLOOR:
            phrase += " (too few to say)"
        words.append(phrase)
    return words


def short_ref(ref: str) -> str:
    """Return a thread as people write it: #N for llama.cpp itself, owner/repo#N for others."""
    return ref.removeprefix("ggml-org/llama.cpp")


def oldest_check(report: Report, n_diagnoses: int | None = None) -> dt.date | None:
    """Return the oldest day on which a thread of known state of the first n diagnoses (None: of all) was checked.

    None without any.
    """
    return min(_checks(report, n_diagnoses), default=None)


def stale_words(report: Report, today: dt.date | None, n_diagnoses: int | None = None) -> str:
    """Return how old the status of the threads is and what updates it; "" while one check is younger than STALE_DAYS.

    A today of None tells nothing: the text is then the same on every day.
    """
    days = _checks(report, n_diagnoses)
    if today is None or not days or (today - max(days)).days <= STALE_DAYS:
        return ""
    return f"as of {oldest_check(report, n_diagnoses)}; `diag upstream refresh` updates it"


def _checks(report: Report, n_diagnoses: int | None) -> list[dt.date]:
    return [
        item.checked
        for diagnosis in report.diagnoses[:n_diagnoses]
        for item in diagnosis.upstream
        if item.state != "unknown"
    ]
