"""Which flags a diagnosis speaks of."""

import dataclasses

from diag.conclude.spoken import with_flags
from diag.model.report import Diagnosis
from tests.build import catalog, report

LOG = """\
0.00.010.000 I srv    load_model: loading model '/models/a.gguf'
0.00.020.000 E gguf_init_from_file: invalid magic characters: 'xxxx', expected 'GGUF'
"""


def bare() -> Diagnosis:
    """Return a diagnosis whose texts name no flag."""
    first = report(LOG).diagnoses[0]
    return dataclasses.replace(first, cause="", chain=(), arithmetic=(), fixes=(), flags=())


def test_flags_are_named_once_by_their_one_name_in_the_order_met() -> None:
    told = dataclasses.replace(bare(), cause="Lower `--ctx-size`, or -c.", chain=("`-ot` is not --cpu_moe",))
    assert with_flags(told, catalog().spellings).flags == ("-c", "--override-tensor", "--cpu-moe")


def test_the_figures_and_the_fixes_count_too() -> None:
    found = report(LOG).diagnoses[0]
    fix = dataclasses.replace(found.fixes[0], do="Use --parallel 1.", when="started with -md", because="")
    told = dataclasses.replace(bare(), arithmetic=("at least `-ub 512`",), fixes=(fix,))
    assert with_flags(told, catalog().spellings).flags == ("-ub", "-np", "-md")


def test_a_hyphen_within_a_word_begins_no_flag() -> None:
    told = dataclasses.replace(bare(), cause="A one-axis draft - and a well-known M-RoPE.")
    assert with_flags(told, catalog().spellings).flags == ()
