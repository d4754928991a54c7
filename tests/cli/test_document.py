"""The JSON document of every sample against the table of the format's first version."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from diag import __version__
from diag.render.json_v1 import render as render_json
from tests.build import SAMPLES, ready


def or_none(kind: type) -> tuple[type, type]:
    return (kind, type(None))


NUMBER = (int, float)
WHOLE = {"requests": int, "drafted": int, "accepted": int, "rate": (*NUMBER, type(None)), "ci95": (list, type(None)),
         "mean_len": (*NUMBER, type(None))}  # fmt: skip
MOMENT = {"line": int, "elapsed_us": or_none(int), "time": or_none(str)}
EVIDENCE = {"line": int, "part": int, "text": str, "role": {"trigger", "context"}}
CONFIDENCE = {"certain", "likely", "possible"}
SEVERITIES = {"fatal", "error", "degraded", "info"}
FAMILIES = {
    "one-axis-separate", "mrope-separate", "shared-cache", "dflash", "eagle3", "independent-draft", "ngram", "none",
    "unknown",
}  # fmt: skip
DESIGN: dict[str, Any] = {
    "schema_version": {1},
    "tool": {"name": {"llama-diag"}, "version": str, "signatures": str},
    "input": {
        "name": str, "bytes": int, "lines": int, "encoding": str, "wrappers": [str], "unrecognised_lines": int,
    },
    "notes": [{"what": str, "line": or_none(int)}],
    "sessions": [
        {
            "number": int,
            "stream": or_none(str),
            "first_line": int,
            "last_line": int,
            "build": {
                "number": or_none(int),
                "commit": or_none(str),
                "flavour": str,
                "at_least": or_none(int),
                "at_most": or_none(int),
            },
            "os": or_none(str),
            "backends": [str],
            "devices": [
                {"name": str, "arch": or_none(str), "integrated": or_none(bool), "memory_mib": or_none(int)}
            ],
            "target": {"name": or_none(str), "arch": or_none(str), "rope": or_none(str)},
            "image_input": {"seen", "possible", "excluded", "unknown"},
            "flags": dict,
            "n_slots": or_none(int),
            "n_ctx_slot": or_none(int),
            "drafter": {
                "family": FAMILIES,
                "position_class": {"one-axis-separate", "mrope-separate", "shared-cache", "none", "unknown"},
                "spec_types": [str],
                "params": dict,
                "confidence": {*CONFIDENCE, "unknown"},
                "evidence": [{"line": or_none(int), "part": int, "text": str}],
            },
            "acceptance": {"text": WHOLE, "image": WHOLE, "unknown": WHOLE},
            "sources": dict,
            "ending": {
                "kind": {"clean", "assert", "backend", "exception", "signal", "killed", "cut-off", "running"},
                "line": or_none(int),
            },
        }
    ],
    "diagnoses": [
        {
            "signature": str,
            "title": str,
            "area": str,
            "severity": SEVERITIES,
            "session": int,
            "count": int,
            "confidence": CONFIDENCE,
            "verdict": {"affects", "fixed-later", "already-fixed", "unknown-build"},
            "fixed_in": or_none(int),
            "summary": str,
            "impact": {
                "server": {"alive", "dead", "unknown"},
                "text_requests": {"ok", "fail", "unknown"},
                "requests_lost": int,
            },
            "first": MOMENT,
            "last": MOMENT,
            "withdrawn_by_line": or_none(int),
            "evidence": [EVIDENCE],
            "captures": dict,
            "positions": (
                {
                    "rule": {"consecutive", "mrope-token", "mrope-embedding", None},
                    "x": or_none(int),
                    "y": or_none(int),
                    "gap": or_none(int),
                    "missed": or_none(int),
                    "refused_by": {"draft", "target", "unknown"},
                    "left_by": {"image", "lag", "loop", "stale", "unknown"},
                },
                type(None),
            ),
            "chain": [str],
            "consequences": [str],
            "fixes": [
                {
                    "do": str, "kind": {"upgrade", "flag", "config", "model", "driver", "rebuild", "workaround", "report"},
                    "applies": or_none(bool), "when": str, "because": str, "cost": str, "verify": str,
                    "command": or_none(str), "evidence": [str], "checked": or_none(str),
                }
            ],
            "upstream": [
                {
                    "ref": str, "state": {"open", "draft", "merged", "closed", "unknown"}, "checked": str,
                    "first_build": or_none(int), "note": str, "arguments": [{"side": str, "text": str}],
                }
            ],
        }
    ],
    "benign": [{"signature": str, "evidence": [EVIDENCE]}],
    "coverage": [{"cannot_tell": str, "because": str, "would_help": str}],
}  # fmt: skip
"""Version 1 of the document: name -> type, set of values, [element], or the object inside. Fields may be more."""


def breaches(value: Any, wanted: Any, place: str = "") -> list[str]:
    """Return where a value is not as the table wants it."""
    if isinstance(wanted, Mapping):
        if not isinstance(value, dict):
            return [f"{place}: no object"]
        missing = [f"{place}.{name}: missing" for name in wanted if name not in value]
        return missing + [
            breach
            for name in wanted
            if name in value
            for breach in breaches(value[name], wanted[name], f"{place}.{name}")
        ]
    if isinstance(wanted, list):
        if not isinstance(value, list):
            return [f"{place}: no list"]
        return [breach for at, item in enumerate(value) for breach in breaches(item, wanted[0], f"{place}[{at}]")]
    if isinstance(wanted, set):
        return [] if value in wanted else [f"{place}: {value!r}"]
    if isinstance(wanted, tuple):
        return [] if any(not breaches(value, kind) for kind in wanted) else [f"{place}: {value!r}"]
    right = isinstance(value, wanted) and not (isinstance(value, bool) and wanted is int)
    return [] if right else [f"{place}: {value!r}"]


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*/log.txt")), ids=lambda path: path.parent.name)
def test_the_document_has_every_field_of_version_1_with_its_type(path: Path) -> None:
    text = render_json(ready().analyze(str(path)))
    assert text.isascii()
    loaded = json.loads(text)
    assert breaches(loaded, DESIGN) == []
    assert loaded["diagnoses"] != []
    assert loaded["tool"]["version"] == __version__
    assert loaded["input"]["bytes"] == path.stat().st_size
    for sums in (sums for session in loaded["sessions"] for sums in session["acceptance"].values()):
        if sums["drafted"]:
            low, high = sums["ci95"]
            assert 0 <= low <= sums["rate"] <= high <= 1
            assert sums["rate"] == pytest.approx(sums["accepted"] / sums["drafted"], abs=1e-5)
    signatures = [item["signature"] for item in loaded["diagnoses"]]
    assert signatures.count("no-failure-found") == (1 if signatures[0] == "no-failure-found" else 0)
