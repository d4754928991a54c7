"""One name for all spellings of a flag, made from the flag table."""

import re
from pathlib import Path

import pytest

from diag.catalog.compiled import open_catalog
from diag.catalog.load import load_catalog, load_flags
from diag.catalog.locate import shipped
from diag.catalog.spellings import CALLED, spellings
from diag.model.flags import Flag, Lifetime
from diag.model.signature import Signature
from diag.model.spelling import canonical
from tests.build import catalog, signature_toml

NOW, THEN = Lifetime(100, 50), Lifetime(10, None, 90, 100)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("--ctx-size", "-c"),
        ("--ctx_size", "-c"),
        ("-c", "-c"),
        ("-mm", "--mmproj"),
        ("-cram", "--cache-ram"),
        ("--model-draft", "-md"),
        ("--draft-n", "--draft-max"),
        ("-ctxcp", "--ctx-checkpoints"),
        ("--swa-checkpoints", "--ctx-checkpoints"),
        ("--nobody-has-it", "--nobody-has-it"),
        ("-Z", "-Z"),
    ],
)
def test_each_spelling_leads_to_the_one_name(written: str, name: str) -> None:
    assert canonical(written, catalog().spellings) == name


def test_a_name_is_never_another_flags_spelling() -> None:
    known = catalog().spellings
    assert not set(known) & set(known.values())


def test_the_names_that_are_chosen_are_flags_and_no_two_of_them_the_same() -> None:
    every = {spelling for flag in load_flags(shipped("signatures")).flags for spelling in flag.spellings()}
    assert set(CALLED) <= every
    assert not set(CALLED) & set(catalog().spellings)


def test_rows_of_one_option_are_joined_over_any_number_of_steps_and_the_newest_names_it() -> None:
    rows = [
        Flag("-a", THEN, True, aliases=("--old",)),
        Flag("--new", NOW, True, same_as=("--middle",)),
        Flag("--middle", THEN, True, same_as=("-a",)),
        Flag("--other", NOW, False),
    ]
    assert spellings(rows) == {"-a": "--new", "--old": "--new", "--middle": "--new"}


def flags_of(signature: Signature) -> set[str]:
    """Return the flags that a signature's fixes change or ask for."""
    edits = [fix.edit for fix in signature.fixes if fix.edit is not None]
    asked = {flag for fix in signature.fixes for flag in fix.when.flags}
    return asked | {flag for edit in edits for flag in (*edit.drop, *edit.set)}


@pytest.mark.parametrize("name", catalog().signatures)
def test_every_spelling_of_a_flag_that_a_fix_changes_or_asks_for_is_known(name: str) -> None:
    table = load_flags(shipped("signatures"))
    for flag in flags_of(catalog().signatures[name]):
        rows = [row for row in table.flags if flag in (*row.spellings(), *row.same_as)]
        others = {spelling for row in rows for spelling in (*row.spellings(), *row.same_as)}
        assert {canonical(other, catalog().spellings) for other in others} <= {canonical(flag, catalog().spellings)}


BODY = """[[match]]
grade = "likely"
all = ["given"]
[when.given]
event = "FlagGiven"
where = { flag = WHICH }
"""


@pytest.mark.parametrize(("written", "asked"), [('"--ctx-size"', "-c"), ('["--fit", "-c"]', ("-fit", "-c"))])
def test_a_condition_may_ask_for_a_flag_in_any_spelling(tmp_path: Path, written: str, asked: object) -> None:
    folder = tmp_path / "server"
    folder.mkdir()
    text = signature_toml("kind", BODY.replace("WHICH", written))
    (folder / "kind.toml").write_text(text, encoding="utf-8")
    found = load_catalog([shipped("signatures"), tmp_path])
    test = found.signatures["kind"].conditions["given"].where["flag"]
    assert (test.equals if isinstance(asked, str) else test.any_of) == asked


def test_the_kept_catalogue_holds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = [shipped("signatures")]
    assert open_catalog(folder).spellings == open_catalog(folder, refuse).spellings == catalog().spellings


def refuse(_folders: object) -> None:
    pytest.fail("the kept catalogue was not used")


def test_the_code_asks_for_flags_by_their_names() -> None:
    root = Path(__file__).resolve().parent.parent.parent / "diag"
    asked = re.compile(r"""flags(?:\.get\(|\[)"(--?[\w-]+)"|"(--?[\w-]+)" (?:not )?in (?:\w+\.)?flags""")
    found = {
        name
        for path in root.rglob("*.py")
        for pair in asked.findall(path.read_text(encoding="utf-8"))
        for name in pair
        if name
    }
    assert {"-m", "-lv", "--mmproj", "--spec-type"} <= found
    assert {name: canonical(name, catalog().spellings) for name in found} == {name: name for name in found}
