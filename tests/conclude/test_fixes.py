"""Fixes judged for a session, and the user's own command line with the fix applied."""

import dataclasses
import datetime as dt

import pytest

from diag.conclude.fixes import advise, edited
from diag.conclude.wording import spell
from diag.model.frontends import FrontEnd, Setting
from diag.model.report import FixAdvice
from diag.model.run import Build, Device, Drafter, Session, Target
from diag.model.signature import Edit, Fix, FixWhen
from tests.build import catalog, session

SPELLINGS = catalog().spellings
PLAIN = session("0.00.006.394 I srv    load_model: loading model '/models/a.gguf'")
COMMAND = "llama-server -m a.gguf --spec-type draft-mtp"


def at(**facts: object) -> Session:
    return dataclasses.replace(PLAIN, **facts)  # type: ignore[arg-type]  # fields of a session


def judged(when: FixWhen, found: Session) -> FixAdvice:
    (advice,) = advise([Fix("flag", "Do it.", when)], found, str, SPELLINGS)
    return advice


CARD, CPU = Device("CUDA0", backend="cuda"), Device("CPU", backend="cpu")
B9871, B11434, UNKNOWN = Build(9871), Build(11434), Build()

JUDGED = [
    # (condition, facts of the session, answer)
    (FixWhen(), {}, True),
    (FixWhen(build_from=9871), {"build": B9871}, True),
    (FixWhen(build_from=9872), {"build": B9871}, False),
    (FixWhen(build_from=9871), {"build": UNKNOWN}, None),
    (FixWhen(build_below=9872), {"build": B9871}, True),
    (FixWhen(build_below=9871), {"build": B9871}, False),
    (FixWhen(build_below=9871), {"build": UNKNOWN}, None),
    (FixWhen(build_from=9247, build_below=11011), {"build": B9871}, True),
    (FixWhen(build_from=9247, build_below=11011), {"build": B11434}, False),
    (FixWhen(build_from=9247, build_below=11011), {"build": Build(at_least=9812, at_most=10239)}, True),
    (FixWhen(build_from=9247, build_below=10000), {"build": Build(at_least=9812, at_most=10239)}, None),
    (FixWhen(build_from=9247, build_below=9500), {"build": Build(at_least=9812)}, False),
    (FixWhen(build_from=10500), {"build": Build(at_most=10239)}, False),
    (FixWhen(build_from=10500), {"build": Build(at_least=11011)}, True),
    (FixWhen(build_from=9247), {"build": Build(9871, flavour="fork")}, None),
    (FixWhen(flavours=("ik_llama.cpp",)), {"build": Build(flavour="ik_llama.cpp")}, True),
    (FixWhen(flavours=("ik_llama.cpp",)), {"build": B9871}, False),
    (FixWhen(backends=("cuda", "rocm")), {"backends": ("rocm", "cpu")}, True),
    (FixWhen(backends=("cuda",)), {"backends": ("rocm", "cpu")}, False),
    (FixWhen(backends=("cuda",)), {"backends": ()}, None),
    (FixWhen(backends=("cuda",)), {"backends": ("cpu",)}, None),  # the processor's buffers say nothing of a card
    (FixWhen(backends=("cpu",)), {"backends": ("cpu",)}, True),
    (FixWhen(families=("eagle3",)), {"drafter": Drafter("eagle3")}, True),
    (FixWhen(families=("eagle3",)), {"drafter": Drafter("dflash")}, False),
    (FixWhen(families=("eagle3",)), {"drafter": Drafter()}, None),
    (FixWhen(os=("windows",)), {"os": "windows"}, True),
    (FixWhen(os=("windows",)), {"os": "linux"}, False),
    (FixWhen(os=("windows",)), {"os": None}, None),
    (FixWhen(target_rope="mrope"), {"target": Target(rope="mrope")}, True),
    (FixWhen(target_rope="mrope"), {"target": Target(rope="one-axis")}, False),
    (FixWhen(target_rope="mrope"), {"target": Target()}, None),
    (FixWhen(drafter_rope="one-axis"), {"drafter": Drafter("dflash", "one-axis-separate")}, True),
    (FixWhen(drafter_rope="one-axis"), {"drafter": Drafter("dflash", "mrope-separate")}, False),
    (FixWhen(drafter_rope="one-axis"), {"drafter": Drafter("dflash")}, None),
    (FixWhen(flags=("-md", "-hfd")), {"flags": {"-hfd": "x"}}, True),
    (FixWhen(flags=("-md",)), {"flags": {"-m": "a.gguf"}}, False),
    (FixWhen(flags=("-md",)), {"flags": {}}, None),
    (FixWhen(image="seen"), {"image_input": "seen"}, True),
    (FixWhen(image="seen"), {"image_input": "excluded"}, False),
    (FixWhen(image="seen"), {"image_input": "unknown"}, None),
    (FixWhen(n_devices_from=2), {"devices": (CARD, dataclasses.replace(CARD, name="CUDA1"))}, True),
    (FixWhen(n_devices_from=2), {"devices": (CARD, CPU)}, False),  # the processor is none
    (FixWhen(n_devices_from=2), {"devices": (CPU,)}, None),
    # one contradiction settles it, one unknown leaves it open
    (FixWhen(build_from=9247, os=("windows",)), {"build": B9871, "os": "windows"}, True),
    (FixWhen(build_from=9247, os=("windows",)), {"build": UNKNOWN, "os": "linux"}, False),
    (FixWhen(build_from=9247, os=("windows",)), {"build": B9871, "os": None}, None),
]


@pytest.mark.parametrize(("when", "facts", "answer"), JUDGED)
def test_each_condition_of_a_fix_is_met_or_not_or_open(
    when: FixWhen, facts: dict[str, object], answer: bool | None
) -> None:
    assert judged(when, at(**facts)).applies is answer


def test_every_key_of_a_condition_is_judged_with_all_three_answers() -> None:
    default = FixWhen()
    seen: dict[str, set[bool | None]] = {item.name: set() for item in dataclasses.fields(FixWhen)}
    for when, _, answer in JUDGED:
        for name in seen:
            if getattr(when, name) != getattr(default, name):
                seen[name].add(answer)
    del seen["flavours"]  # never unknown: a log that names no fork is upstream's
    assert seen == {name: {True, False, None} for name in seen}


def test_an_advice_says_its_condition_and_the_fact_that_settled_it() -> None:
    advice = judged(FixWhen(build_from=9247, build_below=11011), at(build=B9871))
    assert (advice.when, advice.because) == ("builds from b9247 and before b11011", "build is b9871")
    advice = judged(FixWhen(build_below=9247, os=("windows",)), at(build=B9871, os="windows"))
    assert advice.because == "build is b9871"  # only what refutes it


def test_a_fix_without_condition_needs_no_reason() -> None:
    assert (judged(FixWhen(), PLAIN).when, judged(FixWhen(), PLAIN).because) == ("", "")


def test_fixes_keep_their_order_and_those_that_do_not_apply_stand_last() -> None:
    fixes = [
        Fix("flag", "no", FixWhen(os=("windows",))),
        Fix("flag", "open", FixWhen(build_from=9247)),
        Fix("flag", "yes"),
    ]
    advice = advise(fixes, at(os="linux", build=UNKNOWN), str, SPELLINGS)
    assert [(item.do, item.applies) for item in advice] == [("open", None), ("yes", True), ("no", False)]


TWO = (Device("CUDA0", backend="cuda"), Device("CUDA1", backend="cuda"))
DEVICES = [
    (TWO, True),
    (TWO[:1], False),
    ((), None),
    ((*TWO[:1], Device("CPU", backend="cpu")), False),
]


@pytest.mark.parametrize(("devices", "answer"), DEVICES)
def test_several_gpus_are_counted_without_the_cpu(devices: tuple[Device, ...], answer: bool | None) -> None:
    assert judged(FixWhen(n_devices_from=2), at(devices=devices)).applies is answer


def test_of_one_kind_what_the_log_confirms_stands_first_and_other_kinds_keep_their_places() -> None:
    fixes = [
        Fix("flag", "always"),
        Fix("upgrade", "update"),
        Fix("flag", "from a build", FixWhen(build_from=9247)),
        Fix("flag", "two GPUs", FixWhen(n_devices_from=2)),
    ]
    confirmed = advise(fixes, at(devices=TWO, build=B9871), str, SPELLINGS)
    assert [item.do for item in confirmed] == ["two GPUs", "update", "always", "from a build"]
    unknown = advise(fixes, at(devices=(), build=B9871), str, SPELLINGS)
    assert [item.do for item in unknown] == ["always", "update", "from a build", "two GPUs"]


def test_where_the_build_is_open_what_is_for_old_builds_stands_last_of_its_kind() -> None:
    fixes = [
        Fix("flag", "old", FixWhen(build_below=6341)),
        Fix("upgrade", "update"),
        Fix("flag", "new", FixWhen(build_from=6341)),
    ]
    assert [item.do for item in advise(fixes, at(build=UNKNOWN), str, SPELLINGS)] == ["new", "update", "old"]
    assert [item.do for item in advise(fixes, at(build=Build(5000)), str, SPELLINGS)] == ["old", "update", "new"]


def test_a_fix_made_for_a_figure_that_the_log_lacks_is_left_out() -> None:
    fixes = [Fix("flag", "Pass `-c {n}`.", edit=Edit(set={"-c": "{n}"})), Fix("flag", "Pass less.")]
    known = {"n": 4096}
    here = at(command=COMMAND)
    assert [item.do for item in advise(fixes, here, lambda text: spell(text, {}), SPELLINGS)] == ["Pass less."]
    (first, _) = advise(fixes, here, lambda text: spell(text, known), SPELLINGS)
    assert (first.do, first.command) == ("Pass `-c 4096`.", f"{COMMAND} -c 4096")


def test_what_a_front_end_says_once_is_not_said_again_for_builds_of_another_age() -> None:
    ollama = FrontEnd("ollama", ("ollama",), (), {"-fa": Setting("`OLLAMA_FLASH_ATTENTION`", "docs")})
    fixes = [
        Fix("flag", "Set `-fa on`.", FixWhen(build_from=6341)),
        Fix("flag", "Set `-fa`.", FixWhen(build_below=6341)),
    ]
    (only,) = advise(fixes, at(build=Build(flavour="ollama")), str, SPELLINGS, ollama)
    assert (only.front_end, only.only_if) == ("In ollama: `OLLAMA_FLASH_ATTENTION`", "")


ONLY_IF = [
    # (condition, facts, the clause that a report shows)
    (FixWhen(backends=("rocm", "cuda")), {"backends": ()}, "the backend is ROCm or CUDA"),
    (FixWhen(build_from=6341), {"build": UNKNOWN}, "the build is b6341 or later"),
    (
        FixWhen(build_from=6341, build_below=9000),
        {"build": UNKNOWN},
        "the build is b6341 or later and older than b9000",
    ),
    (FixWhen(flags=("--spec-type",)), {"flags": {}}, "you start it with `--spec-type`"),
    (FixWhen(os=("windows",), backends=("cuda",)), {"os": "windows", "backends": ()}, "the backend is CUDA"),
    (FixWhen(os=("windows",)), {"os": "windows"}, ""),
]


@pytest.mark.parametrize(("when", "facts", "clause"), ONLY_IF)
def test_only_what_the_log_leaves_open_is_said(when: FixWhen, facts: dict[str, object], clause: str) -> None:
    assert judged(when, at(**facts)).only_if == clause


def test_a_fix_keeps_its_evidence_and_texts_are_filled_in() -> None:
    fix = Fix(
        "flag", "Do {x}.", cost="Costs {x}.", verify="See {x}.", evidence=("a/b#1",), checked=dt.date(2026, 11, 29)
    )
    (advice,) = advise([fix], PLAIN, lambda text: text.replace("{x}", "it"), SPELLINGS)
    assert (advice.do, advice.cost, advice.verify) == ("Do it.", "Costs it.", "See it.")
    assert (advice.evidence, advice.checked) == (("a/b#1",), dt.date(2026, 11, 29))


def test_the_command_line_is_corrected_only_where_the_fix_may_apply() -> None:
    fix = Fix("flag", "Drop it.", FixWhen(os=("windows",)), edit=Edit(drop=("--spec-type",)))
    (yes,) = advise([fix], at(command=COMMAND, os="windows"), str, SPELLINGS)
    (perhaps,) = advise([fix], at(command=COMMAND, os=None), str, SPELLINGS)
    (no,) = advise([fix], at(command=COMMAND, os="linux"), str, SPELLINGS)
    assert [item.command for item in (yes, perhaps, no)] == ["llama-server -m a.gguf", "llama-server -m a.gguf", None]


EDITS = [
    # (command line, drop, set, result)
    (COMMAND, ("--spec-type",), {}, "llama-server -m a.gguf"),
    ("llama-server --spec-type=draft-mtp -m a.gguf", ("--spec-type",), {}, "llama-server -m a.gguf"),
    ("llama-server -m a.gguf --model-draft d.gguf -c 4096", ("-md",), {}, "llama-server -m a.gguf -c 4096"),
    ("llama-server -m a.gguf --spec-draft-model=d.gguf", ("-md",), {}, "llama-server -m a.gguf"),
    ("llama-server -m a.gguf -md d.gguf", ("--model-draft",), {}, "llama-server -m a.gguf"),
    ("llama-server -m a.gguf -md d.gguf --spec-type draft-mtp", ("-md", "--spec-type"), {}, "llama-server -m a.gguf"),
    # a flag without a value is followed by a flag
    ("llama-server --jinja -m a.gguf", ("--jinja",), {}, "llama-server -m a.gguf"),
    ("llama-server -m a.gguf --jinja", ("--jinja",), {}, "llama-server -m a.gguf"),
    # a negative number is a value
    ("llama-server -ngl -1 -m a.gguf", ("-ngl",), {}, "llama-server -m a.gguf"),
    # every occurrence goes
    ("llama-server -c 1 -m a.gguf --ctx-size 2", ("-c",), {}, "llama-server -m a.gguf"),
    ("llama-server -c 2048 -m a.gguf", (), {"-c": "4096"}, "llama-server -m a.gguf -c 4096"),
    ("llama-server --ctx-size=2048 -m a.gguf", (), {"-c": "4096"}, "llama-server -m a.gguf -c 4096"),
    ("llama-server -m a.gguf", (), {"--swa-full": ""}, "llama-server -m a.gguf --swa-full"),
    ("llama-server -m a.gguf -np 4", (), {"-np": "1", "-lv": "4"}, "llama-server -m a.gguf -np 1 -lv 4"),
    # what needs quotes keeps them
    ("llama-server -m '/models/my model.gguf' --jinja", ("--jinja",), {}, "llama-server -m '/models/my model.gguf'"),
    ('llama-server --alias "a b" --jinja', ("--jinja",), {}, "llama-server --alias 'a b'"),
    # what stands before the program stays
    ("CUDA_VISIBLE_DEVICES=0 llama-server --jinja", ("--jinja",), {}, "CUDA_VISIBLE_DEVICES=0 llama-server"),
    # an underscore in a long flag is a hyphen
    ("llama-server --spec_type draft-mtp -m a.gguf", ("--spec-type",), {}, "llama-server -m a.gguf"),
    # a flag goes in every spelling that a build had
    ("llama-server -ngld 9", (), {"--spec-draft-ngl": "0"}, "llama-server --spec-draft-ngl 0"),
    ("llama-server --gpu-layers-draft=9", (), {"--spec-draft-ngl": "0"}, "llama-server --spec-draft-ngl 0"),
    ("llama-server --override-tensor exps=CPU -cmoe", ("-ot", "--cpu-moe"), {}, "llama-server"),
    ("llama-server -fitt 512 -ctxcp 8", ("--fit-target", "--swa-checkpoints"), {}, "llama-server"),
    # nothing to change, or nothing to change it on
    ("llama-server -m a.gguf", ("--spec-type",), {}, None),
    ("llama-server -c 4096", (), {"-c": "4096"}, None),
    ("llama-server -m 'unbalanced", ("-m",), {}, None),
    (None, ("-m",), {}, None),
]


@pytest.mark.parametrize(("command", "drop", "given", "result"), EDITS)
def test_a_command_line_with_the_fix_applied(
    command: str | None, drop: tuple[str, ...], given: dict[str, str], result: str | None
) -> None:
    assert edited(command, Edit(drop, given), SPELLINGS) == result


def test_a_fix_without_an_edit_gives_no_command_line() -> None:
    assert edited(COMMAND, None, SPELLINGS) is None


def test_a_set_value_with_blanks_is_quoted() -> None:
    assert edited("llama-server", Edit(set={"--chat-template-file": "/srv/my file.jinja"}), SPELLINGS) == (
        "llama-server --chat-template-file '/srv/my file.jinja'"
    )
