"""JSON report, version 1: a wire format of its own. Fields may be added, never renamed."""

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from diag.model.finding import Evidence
from diag.model.report import Benign, Diagnosis, FixAdvice, Moment, Report, UpstreamStatus
from diag.model.run import Acceptance, Drafter, Session, Source
from diag.model.statistics import mean_accepted_length, rate, wilson_interval


def render(report: Report, *, compact: bool = False) -> str:
    """Return the document: indented, or on one line where several documents follow each other. ASCII only."""
    return json.dumps(as_dict(report), indent=None if compact else 2, separators=(",", ":") if compact else None)


def as_dict(report: Report) -> dict[str, Any]:
    """Return the document as plain values."""
    facts = report.input
    return {
        "schema_version": 1,
        "tool": {"name": "llama-diag", "version": report.tool_version, "signatures": report.catalog_hash},
        "input": {
            "name": facts.name,
            "bytes": facts.n_bytes,
            "lines": facts.n_lines,
            "encoding": facts.encoding,
            "wrappers": list(facts.wrappers),
            "unrecognised_lines": sum(failure.count for failure in report.unknown),
        },
        "notes": [{"what": note.what, "line": note.line} for note in facts.notes],
        "sessions": [_session(session) for session in report.sessions],
        "diagnoses": [_diagnosis(diagnosis) for diagnosis in report.diagnoses],
        "benign": [_benign(item) for item in report.benign],
        "coverage": [
            {"cannot_tell": gap.cannot_tell, "because": gap.because, "would_help": gap.would_help}
            for gap in report.coverage
        ],
        "unknown_failures": [
            {"fingerprint": item.fingerprint, "line": item.line, "text": item.text, "count": item.count}
            for item in report.unknown
        ],
        "format_drift": [{"shape": item.shape, "count": item.count, "line": item.line} for item in report.drift],
    }


def _session(session: Session) -> dict[str, Any]:
    build = session.build
    return {
        "number": session.number,
        "stream": session.stream,
        "first_line": session.first_line,
        "last_line": session.last_line,
        "build": {
            "number": build.number,
            "commit": build.commit,
            "flavour": build.flavour,
            "at_least": build.at_least,
            "at_most": build.at_most,
        },
        "os": session.os,
        "backends": list(session.backends),
        "devices": [
            {
                "name": device.name,
                "description": device.description,
                "backend": device.backend,
                "arch": device.arch,
                "integrated": device.integrated,
                "memory_mib": device.memory_mib,
                "free_mib": device.free_mib,
            }
            for device in session.devices
        ],
        "target": {
            "name": session.target.name,
            "path": session.target.path,
            "arch": session.target.arch,
            "rope": session.target.rope,
        },
        "image_input": session.image_input,
        "projector": session.projector,
        "flags": dict(session.flags),
        "command": session.command,
        "n_slots": session.n_slots,
        "n_ctx_slot": session.n_ctx_slot,
        "drafter": _drafter(session.drafter),
        "acceptance": {
            turn: _acceptance(session.acceptance.get(turn, Acceptance())) for turn in ("text", "image", "unknown")
        },
        "image_turns": session.image_sign,
        "sources": {name: _source(source) for name, source in session.sources.items()},
        "reached": session.reached,
        "ending": {
            "kind": session.ending.kind,
            "line": session.ending.line,
            "during": session.ending.during,
            "exit_code": session.ending.exit_code,
        },
    }


def _drafter(drafter: Drafter) -> dict[str, Any]:
    return {
        "family": drafter.family,
        "position_class": drafter.position_class,
        "kind": drafter.kind,
        "spec_types": list(drafter.spec_types),
        "params": dict(drafter.params),
        "path": drafter.path,
        "confidence": drafter.confidence,
        "conflict": drafter.conflict,
        "evidence": [
            {"line": item.line, "part": item.part, "text": item.text, "says": item.says} for item in drafter.evidence
        ],
    }


def _acceptance(sums: Acceptance) -> dict[str, Any]:
    interval = wilson_interval(sums.accepted, sums.drafted)
    return {
        "requests": sums.requests,
        "drafted": sums.drafted,
        "accepted": sums.accepted,
        "rate": _rounded(rate(sums)),
        "ci95": [_rounded(interval[0]), _rounded(interval[1])] if interval is not None else None,
        "mean_len": _rounded(mean_accepted_length(sums), 2),
    }


def _rounded(value: float | None, digits: int = 5) -> float | None:
    return round(value, digits) if value is not None else None


def _source(source: Source) -> dict[str, Any]:
    return {"from": source.origin, "line": source.line, "text": source.text}


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    positions = diagnosis.positions
    return {
        "signature": diagnosis.signature,
        "title": diagnosis.title,
        "area": diagnosis.area,
        "severity": diagnosis.severity,
        "session": diagnosis.session,
        "count": diagnosis.count,
        "confidence": diagnosis.confidence,
        "verdict": diagnosis.verdict,
        "fixed_in": diagnosis.fixed_in,
        "summary": diagnosis.summary,
        "impact": {
            "server": diagnosis.impact.server,
            "text_requests": diagnosis.impact.text_requests,
            "requests_lost": diagnosis.impact.requests_lost,
            "requests_seen": diagnosis.impact.requests_seen,
            "requests_innocent": diagnosis.impact.requests_innocent,
        },
        "first": _moment(diagnosis.first),
        "last": _moment(diagnosis.last),
        "withdrawn_by_line": diagnosis.withdrawn_by_line,
        "later_session_ok": diagnosis.later_session_ok,
        "evidence": [_evidence(item) for item in diagnosis.evidence],
        "captures": dict(diagnosis.captures),
        "positions": {
            "rule": positions.rule,
            "x": positions.x,
            "y": positions.y,
            "gap": positions.gap,
            "missed": positions.missed,
            "refused_by": positions.refused_by,
            "left_by": positions.left_by,
        }
        if positions is not None
        else None,
        "arithmetic": list(diagnosis.arithmetic),
        "chain": list(diagnosis.chain),
        "consequences": [item.signature for item in diagnosis.consequences],
        "fixes": [_fix(fix) for fix in diagnosis.fixes],
        "upstream": [_upstream(item) for item in diagnosis.upstream],
    }


def _moment(moment: Moment) -> dict[str, Any]:
    return {"line": moment.line, "elapsed_us": moment.elapsed_us, "time": moment.time}


def _evidence(item: Evidence) -> dict[str, Any]:
    return {"line": item.line, "part": item.part, "text": item.text, "role": item.role}


def _fix(fix: FixAdvice) -> dict[str, Any]:
    return {
        "do": fix.do,
        "kind": fix.kind,
        "applies": fix.applies,
        "when": fix.when,
        "because": fix.because,
        "cost": fix.cost,
        "verify": fix.verify,
        "command": fix.command,
        "front_end": fix.front_end,
        "evidence": list(fix.evidence),
        "checked": _day(fix.checked),
    }


def _upstream(item: UpstreamStatus) -> dict[str, Any]:
    return {
        "ref": item.ref,
        "state": item.state,
        "since": item.since,
        "checked": _day(item.checked),
        "seen": item.seen,  # as `checked`, or the month alone where the day is not known
        "first_build": item.first_build,
        "relation": item.relation,
        "note": item.note,
        "arguments": [{"side": argument.side, "text": argument.text} for argument in item.arguments],
    }


def _day(date: dt.date | None) -> str | None:
    return date.isoformat() if date is not None else None


def _benign(item: Benign) -> Mapping[str, Any]:
    return {
        "signature": item.signature,
        "title": item.title,
        "count": item.count,
        "evidence": [_evidence(line) for line in item.evidence],
    }
