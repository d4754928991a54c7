"""A whole report without what identifies its owner."""

import datetime as dt
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from typing import Any

import pytest

from diag.model.events import Event
from diag.model.report import Report
from diag.pipeline import Analyzer
from diag.redact.masks import mask
from diag.redact.report import NOT_FREE, redact_report
from diag.render import FORMATS, renderer

SECRETS = {
    "path": "/home/plantedname/planted-folder/x.gguf",
    "mail": "planted.person@planted.example",
    "machine": "198.51.100.77",
    "key": "--api-key plantedkey",
    "token": "hf_PlantedTokenPlantedTokenPlanted",
    "prompt": '{"prompt": "planted question"}',
}
PLANT = " ".join(SECRETS.values())
GONE = [
    "plantedname",
    "planted-folder",
    "planted.person",
    "198.51.100.77",
    "plantedkey",
    "PlantedToken",
    "planted question",
]


def planted(kind: Any, owner: str = "", name: str = "") -> Any:
    """Return a value of a field's type: every text that may come from a log holds all the secrets."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        choices = [arg for arg in args if arg is not types.NoneType]
        return planted(str if str in choices else choices[0], owner, name)
    if kind is str:
        return VOCABULARY.get(f"{owner}.{name}", "known") if f"{owner}.{name}" in NOT_FREE else PLANT
    if origin is typing.Literal:
        assert f"{owner}.{name}" in NOT_FREE, "one of the program's own words is masked"
        return args[0]
    if kind is bool:
        return True
    if kind in (int, float):
        return 7
    if kind is dt.date:
        return dt.date(2026, 11, 30)
    if origin is tuple:
        inner = args[0]
        if isinstance(inner, type) and issubclass(inner, Event):
            return ()
        return tuple(planted(arg, owner, name) for arg in args if arg is not Ellipsis)
    if origin is not None and issubclass(origin, Mapping):
        if typing.get_args(kind)[1] is str:
            return {PLANT: PLANT} | ({"-p": "planted question", "--api-key": "plantedkey"} if name == "flags" else {})
        if name == "acceptance":
            return {"text": planted(args[1])}
        return {planted(args[0], owner, name): planted(args[1], owner, name)}
    if is_dataclass(kind):
        assert isinstance(kind, type)
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: planted(hints[field.name], kind.__name__, field.name) for field in fields(kind)})
    raise TypeError(f"no value for {kind}")


VOCABULARY = {
    "Drafter.family": "dflash",
    "Drafter.position_class": "mrope-separate",
    "Drafter.kind": "dflash",
    "Ending.kind": "running",
    "Session.image_input": "seen",
    "Target.rope": "mrope",
    "Task.outcome": "failed",
    "UpstreamStatus.relation": "report",
    "Diagnosis.severity": "error",
}


@pytest.fixture(scope="module")
def report() -> Report:
    made = planted(Report)
    assert isinstance(made, Report)
    return made


def test_the_planted_report_holds_a_secret_in_each_part(report: Report) -> None:
    assert report.sessions[0].target.path == PLANT
    assert report.diagnoses[0].fixes[0].command == PLANT
    assert report.excerpts[0].text == PLANT


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_secret_planted_in_any_text_of_a_report_is_left_in_any_format(form: str, full: bool, report: Report) -> None:
    options = {} if form == "json" else {"full": full}
    text = renderer(form)(redact_report(report), **options)
    flat = "".join(text.split())  # the text format breaks lines
    assert [word for word in GONE if word.replace(" ", "") in flat] == []


def test_no_secret_is_left_in_a_field_that_no_format_prints(report: Report) -> None:
    text = repr(redact_report(report))
    assert [word for word in GONE if word in text] == []


def test_every_field_named_as_not_free_exists_and_is_text() -> None:
    modules = [import_module(f"diag.model.{name}") for name in ("report", "run", "line", "finding", "catalog")]
    classes = {name: item for module in modules for name, item in vars(module).items() if is_dataclass(item)}
    for entry in NOT_FREE:
        owner, _, name = entry.partition(".")
        assert name in {field.name for field in fields(classes[owner])}, entry


def test_a_kind_of_value_that_nobody_thought_of_is_refused(report: Report) -> None:
    strange = replace(report, catalog_hash="", tool_version="", coverage=({"a", "b"},))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="set"):
        redact_report(strange)


LOG = """\
0.00.003.321 I srv  llama_server: initializing ...
0.00.006.394 I srv    load_model: loading model '/home/anna/models/target-step35-mtp.gguf'
0.00.022.044 I srv    load_model: loaded multimodal model, '/home/anna/models/mmproj-llava.gguf'
0.00.025.535 I srv  llama_server: model loaded
0.00.080.339 E init: the tokens of sequence 0 in the input batch have inconsistent sequence positions:
 - the last position stored in the memory module of the context (i.e. the KV cache) for sequence 0 is X = 19
 - the tokens for sequence 0 in the input batch have a starting position of Y = 36
 it is required that the sequence positions remain consecutive: Y = X + 1
0.00.080.352 E decode: failed to initialize batch
0.00.080.354 E spec      process: llama_process(ctx_dft) head=0 failed rc=-1 (pos=36)
0.00.080.381 E srv        decode: failed to process speculative batch
"""


def test_the_answer_and_its_figures_are_the_same_after_redaction(shipped_analyzer: Analyzer) -> None:
    plain = shipped_analyzer.analyze_text(LOG)
    hidden = redact_report(plain)
    for before, after in zip(plain.diagnoses, hidden.diagnoses, strict=True):
        assert (before.signature, before.positions, before.impact, before.verdict) == (
            after.signature,
            after.positions,
            after.impact,
            after.verdict,
        )
        assert [item.line for item in before.evidence] == [item.line for item in after.evidence]
    assert hidden.sessions[0].target.path == "<path>/target-step35-mtp.gguf"
    assert hidden.sessions[0].projector == "<path>/mmproj-llava.gguf"


def test_no_text_of_the_catalogue_is_changed_by_a_mask(shipped_analyzer: Analyzer) -> None:
    """Advice passes through the masks with the log's figures filled in, and has to come out whole."""
    changed = [
        text
        for signature in shipped_analyzer.catalog.signatures.values()
        for text in (
            signature.title,
            signature.cause,
            *signature.chain,
            *(part for fix in signature.fixes for part in (fix.do, fix.cost, fix.verify)),
        )
        if mask(text) != text
    ]
    assert changed == []
