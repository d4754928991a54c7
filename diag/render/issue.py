"""Report as the body of a bug report in llama.cpp's form "Bug (model use)": facts and excerpts, no advice.

Headings, their order and the log field are those of .github/ISSUE_TEMPLATE/011-bug-results.yml in b9871 and b11434.
Upstream takes no text written by a machine: what needs words of a person is left open and listed at the top.
"""

from collections.abc import Iterator, Sequence

from diag.model.report import Diagnosis, Report
from diag.model.run import Session
from diag.render.inert import code, comment, fence, prose
from diag.render.plain import build_words, clock_words
from diag.render.reproduction import minimal_command
from diag.render.threads import also_reported, ranked

_EMPTY = "_No response_"  # what GitHub writes for a field that was left empty
_SYSTEMS = {"linux": "Linux", "macos": "Mac", "windows": "Windows"}
_BACKENDS = {  # the log's name -> the form's
    "blas": "BLAS",
    "cann": "CANN",
    "cpu": "CPU",
    "cuda": "CUDA",
    "metal": "Metal",
    "musa": "Musa",
    "opencl": "OpenCL",
    "rocm": "HIP",
    "rpc": "RPC",
    "sycl": "SYCL",
    "vulkan": "Vulkan",
}
_MOST_LINES = 300  # of the excerpt; the form asks for files where a log is longer
_MOST_CHARACTERS = 30_000
_LONGEST = 1000  # characters of one line
_OF_FLAGS = 1  # weight of what the command line says of the drafter: no line of the log


def render(report: Report, *, full: bool = False) -> str:
    """Return the body: the form's headings filled from the log, led by a comment on what is still missing.

    The excerpt holds the lines of the first diagnosis, with `full` those of all. A field that the log says nothing of
    reads `_No response_`. No line ends in a blank.
    """
    diagnosis = report.diagnoses[0] if report.diagnoses else None
    session = _session_of(report, diagnosis)
    fields = [
        ("Name and Version", _version(session)),
        ("Operating systems", [_SYSTEMS.get(session.os or "", _EMPTY) if session is not None else _EMPTY]),
        ("GGML backends", [_backends(session) or _EMPTY]),
        ("Hardware", _hardware(session) or [_EMPTY]),
        ("Models", _models(session) or [_EMPTY]),
        ("Problem description & steps to reproduce", _problem(report, diagnosis, session)),
        ("First Bad Commit", [_EMPTY]),
        ("Relevant log output", _log(report, session, full=full)),
    ]
    lines = [*_head(report, diagnosis, session)]
    for heading, value in fields:
        lines += ["", f"### {heading}", "", *value]
    return "\n".join(line.rstrip() for line in lines)


def _session_of(report: Report, diagnosis: Diagnosis | None) -> Session | None:
    wanted = diagnosis.session if diagnosis is not None else 0
    found = next((session for session in report.sessions if session.number == wanted), None)
    return found or (report.sessions[-1] if report.sessions else None)


def _head(report: Report, diagnosis: Diagnosis | None, session: Session | None) -> list[str]:
    lines = [
        f"Draft filled from a log by llama-diag {report.tool_version} (rules, signatures {report.catalog_hash}). "
        "A person has to check every line, complete it, and describe the problem in their own words before posting.",
    ]
    if diagnosis is not None:
        lines.append(f"Matched: {diagnosis.signature} ({diagnosis.confidence}).")
        known, unknown = ranked(diagnosis.upstream)
        lines += [
            f"Known thread, to read first: {item.ref} ({item.since or item.state}, last seen {item.seen})"
            for item in known
            if item.relation in ("report", "would-fix", "fixed-by")
        ]
        if unknown:
            lines.append(f"Also {also_reported(unknown).removeprefix('also ')}.")
        if diagnosis.verdict in ("fixed-later", "already-fixed"):
            lines.append(f"Recorded as fixed in b{diagnosis.fixed_in}: try that build or a later one first.")
    lines += ["", "Still missing:", *(f"- [ ] {item}" for item in _missing(report, diagnosis, session))]
    return comment(lines)


def _missing(report: Report, diagnosis: Diagnosis | None, session: Session | None) -> Iterator[str]:
    """Yield what a maintainer would ask for and the log does not hold."""
    yield "a title of your own, after `Eval bug: `"
    if session is None or session.build.number is None:
        bounds = (
            f" (the log's wordings fit {build_words(session.build)})"
            if session is not None and _bounded(session)
            else ""
        )
        yield f"the version: the output of `llama-server --version`{bounds}"
    elif session.build.commit in (None, "unknown"):
        yield "the commit of the build"
    if session is not None and session.build.flavour != "upstream":
        yield f"the same failure with llama-server of ggml-org/llama.cpp; this log is from {session.build.flavour}"
    if session is None or session.os is None:
        yield "the operating system and its version"
    if session is None or not _hardware(session):
        yield "CPU and GPU"
    yield "a link to the model files, or how they were made; their quantization"
    if session is None or session.command is None:
        yield "the exact command"
    yield "the request that fails (its image or prompt, if it can be shared), and what you expected"
    yield "whether an earlier build worked, and the first bad commit (`git bisect`)"
    backends = session.backends if session is not None else ()
    if diagnosis is not None and (diagnosis.area == "memory" or (session is not None and "-fit" in session.flags)):
        yield "a run with `-fit off`; if it only fails with `-fit on`, the logs with and without `--verbose`"
    if "rocm" in backends:
        yield "ROCm version, `rocminfo`, the kernel's version and its lines in `dmesg` at that time"
    if "metal" in backends:
        yield "the version of macOS"
    for gap in report.coverage:
        if gap.cannot_tell != "the exact build":
            yield f"{gap.cannot_tell}: {gap.would_help}"


def _bounded(session: Session) -> bool:
    return session.build.at_least is not None or session.build.at_most is not None


def _version(session: Session | None) -> list[str]:
    """Return the build as its source has it; bounds are no version, and a reader would take one for it."""
    if session is None:
        return [_EMPTY]
    source = session.sources.get("build")
    text = source.text if source is not None else ""
    start = text.find("build ")
    if source is not None and source.origin == "log" and start >= 0:
        return fence([text[start:]], "console")
    if source is not None and source.origin == "issue-form" and text:
        return fence(text.splitlines(), "console")
    return [prose(build_words(session.build))] if session.build.number is not None else [_EMPTY]


def _backends(session: Session | None) -> str:
    """Return the affected backends by the form's names: the one that crashed, else those of GPUs, else the CPU."""
    if session is None:
        return ""
    names = [session.crashed_backend] if session.crashed_backend else list(session.backends)
    accelerated = [name for name in names if name not in ("cpu", "blas")]
    return ", ".join(dict.fromkeys(_BACKENDS.get(name, name) for name in accelerated or names))


def _hardware(session: Session | None) -> list[str]:
    rows = []
    for device in session.devices if session is not None else ():
        parts = [
            device.name,
            device.description,
            device.arch or "",
            f"{device.memory_mib} MiB" if device.memory_mib else "",
        ]
        rows.append(f"- {code(', '.join(part.strip() for part in parts if part.strip()))}")
    return rows


def _models(session: Session | None) -> list[str]:
    if session is None:
        return []
    target, drafter = session.target, session.drafter
    name = target.path or session.flags.get("-m") or session.flags.get("-hf") or target.name
    arch = f", architecture {code(target.arch)}" if target.arch else ""
    rows = [f"- target: {code(_file(name))}{arch}"] if name else []
    projector = session.projector or session.flags.get("--mmproj")
    if projector:
        rows.append(f"- projector: {code(_file(projector))}")
    if drafter.path:
        rows.append(f"- draft: {code(_file(drafter.path))}")
    if drafter.spec_types:
        rows.append(f"- speculation: {code(', '.join(drafter.spec_types))}")
    return rows


def _file(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _problem(report: Report, diagnosis: Diagnosis | None, session: Session | None) -> list[str]:
    lines = [*_facts(report, diagnosis, session)]
    if session is None:
        return lines or [_EMPTY]
    command, complete = minimal_command(session, diagnosis)
    origin = "the command line, only the flags that matter here" if complete else "as far as the log shows it"
    request = " with an image" if _with_image(diagnosis, session) else ""
    return [
        *lines,
        "",
        f"1. Start the server ({origin}):",
        "",
        *(f"   {line}" for line in fence([command], "sh", 4000)),
        "",
        f"2. Send a request{request}: <!-- the request that fails -->",
    ]


def _facts(report: Report, diagnosis: Diagnosis | None, session: Session | None) -> Iterator[str]:
    """Yield what failed, how often and when, one list item each."""
    failed = [task for task in session.tasks if task.outcome == "failed"] if session is not None else []
    if failed and failed[0].error:
        yield f"- error of the request: {code(failed[0].error)}"
    if diagnosis is None:
        return
    trigger = next((item for item in reversed(diagnosis.evidence) if item.role == "trigger"), None)
    if trigger is not None and not failed:
        yield f"- first seen in line {trigger.line}: {code(trigger.text)}"
    impact = diagnosis.impact
    if impact.requests_lost:
        yield f"- requests that failed: {impact.requests_lost} of {max(impact.requests_seen, impact.requests_lost)}"
    if diagnosis.count > 1:
        yield f"- seen {diagnosis.count} times"
    if impact.server != "unknown":
        yield f"- server afterwards: {'still running' if impact.server == 'alive' else 'stopped'}"
    if impact.text_proof_line is not None and impact.text_requests == "ok":
        order = "a later" if impact.text_proof_line > diagnosis.first.line else "an earlier"
        yield f"- {order} request was answered (line {impact.text_proof_line})"
    moments = [clock_words(moment.elapsed_us, moment.time) for moment in (diagnosis.first, diagnosis.last)]
    moments = list(dict.fromkeys(moment for moment in moments if moment))
    if moments:
        yield f"- time: {prose(' to '.join(moments))}{'' if diagnosis.first.time else ' after the start'}"
    if len(report.sessions) > 1:
        yield f"- in start {diagnosis.session} of the {len(report.sessions)} in the log"
    positions = diagnosis.positions
    if positions is not None and positions.x is not None and positions.y is not None:
        context = f", refused by the {positions.refused_by} context" if positions.refused_by != "unknown" else ""
        yield f"- positions: X = {positions.x}, Y = {positions.y}{context}"


def _with_image(diagnosis: Diagnosis | None, session: Session) -> bool:
    if diagnosis is not None and diagnosis.positions is not None:
        return diagnosis.positions.left_by == "image"
    return any(task.outcome == "failed" and task.image == "yes" for task in session.tasks)


def _log(report: Report, session: Session | None, *, full: bool) -> list[str]:
    """Return the excerpt as the form has it: folded, in a console fence, `[...]` where lines are left out."""
    found: dict[tuple[int, int], str] = {(near.line, near.part): near.text for near in report.excerpts}
    for diagnosis in report.diagnoses if full else report.diagnoses[:1]:
        for line in diagnosis.evidence:
            found[line.line, line.part] = line.text
    if session is not None:
        for item in session.drafter.evidence:
            if item.line is not None and item.weight > _OF_FLAGS:
                found.setdefault((item.line, item.part), item.text)
    known = {number for number, _ in found}
    facts = [(failure.line, failure.text) for failure in report.unknown]
    if session is not None:
        facts += [
            (source.line, source.text) for source in session.sources.values() if source.origin == "log" and source.line
        ]
    for number, text in facts:  # without a part: only where nothing of that line is there
        if text and number not in known:
            found[number, 0] = text
    shown = list(_joined(sorted(found.items())))
    if not shown:
        return [_EMPTY]
    return ["<details>", "<summary>Logs</summary>", "", *fence(shown, "console", _LONGEST), "</details>"]


def _joined(lines: Sequence[tuple[tuple[int, int], str]]) -> Iterator[str]:
    before = None
    room = _MOST_CHARACTERS
    for (number, _), text in lines[:_MOST_LINES]:
        room -= min(len(text), _LONGEST) + 1
        if room < 0:
            yield "[...]"
            return
        if before is not None and number > before + 1:
            yield "[...]"
        yield text
        before = number
