"""Reading the signatures folder: what comes out, and how a fault is told."""

from pathlib import Path

import pytest

from diag.catalog.load import load_catalog, load_flags
from diag.catalog.locate import shipped
from diag.errors import CatalogError
from tests.build import catalog, signature_toml, tiny_catalog

BODY = '[[match]]\ngrade = "likely"\nall = ["it"]\n[when.it]\nevent = "SpeculativeBatchFailed"\n'
TEXT_BODY = "[[match]]\ngrade = \"likely\"\nall = [\"it\"]\n[when.it]\nanchor = \"some words\"\ntext = '''some words of (?P<x>\\d+)'''\n"


def faults(folder: Path) -> list[str]:
    with pytest.raises(CatalogError) as caught:
        load_catalog([folder])
    return str(caught.value).splitlines()


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_signature_is_found_by_its_id_and_by_its_aliases(tmp_path: Path) -> None:
    found = tiny_catalog(tmp_path, kind=signature_toml("kind", BODY, keys='aliases = ["old-name"]'))
    assert list(found.signatures) == ["kind"]
    assert found.resolve("kind") is found.resolve("old-name") is found.signatures["kind"]
    assert found.resolve("nobody") is None


def test_signatures_stand_in_the_order_of_areas_and_file_names(tmp_path: Path) -> None:
    found = tiny_catalog(
        tmp_path,
        b=signature_toml("b", BODY, area="server"),
        a=signature_toml("a", BODY, area="vision"),
        c=signature_toml("c", BODY, area="context"),
    )
    assert list(found.signatures) == ["c", "b", "a"]


def test_an_outline_holds_what_a_scan_needs(tmp_path: Path) -> None:
    found = tiny_catalog(tmp_path, a=signature_toml("a", BODY), b=signature_toml("b", TEXT_BODY))
    assert [(item.id, item.texts) for item in found.outlines] == [
        ("a", ()),
        ("b", (("it", "some words", r"some words of (?P<x>\d+)"),)),
    ]


def test_a_later_folder_replaces_a_signature_of_the_same_id(tmp_path: Path) -> None:
    write(tmp_path / "one", "server/kind.toml", signature_toml("kind", BODY, severity="error"))
    write(tmp_path / "two", "server/kind.toml", signature_toml("kind", BODY, severity="fatal"))
    found = load_catalog([tmp_path / "one", tmp_path / "two"])
    assert [item.severity for item in found.signatures.values()] == ["fatal"]


def test_the_content_hash_follows_the_bytes(tmp_path: Path) -> None:
    one = tiny_catalog(tmp_path, kind=signature_toml("kind", BODY)).content_hash
    assert tiny_catalog(tmp_path, kind=signature_toml("kind", BODY)).content_hash == one
    assert tiny_catalog(tmp_path, kind=signature_toml("kind", BODY, severity="fatal")).content_hash != one


def test_an_empty_folder_is_an_empty_catalogue(tmp_path: Path) -> None:
    assert load_catalog([tmp_path]).signatures == {}


WRONG = [
    # (what is changed in a right file, key, part of the reason)
    (('severity = "error"', 'severity = "awful"'), "severity", "fatal"),
    (('title = "A composed failure kind"', 'title = "short"'), "title", "at least 8"),
    (('title = "A composed failure kind"', ""), "title", "required"),
    (('[cause]\n', "surprise = 1\n[cause]\n"), "when.it.surprise", "not permitted"),
    (('grade = "likely"', 'grade = "sure"'), "match.0.grade", "certain"),
    (('all = ["it"]', 'all = ["nobody"]'), "(file)", "'nobody'"),
    (('all = ["it"]', ""), "match.0", "one of all, any, sequence"),
    (('[when.it]\nevent = "SpeculativeBatchFailed"', '[when.it]\nevent = "SpeculativeBatchFailed"\ntext = "x"'), "when.it", "either event or text"),
    (('[when.it]\nevent = "SpeculativeBatchFailed"', '[when.it]\ntext = "x"'), "when.it", "needs its anchor"),
    (('[cause]\n', "[when.more]\nevent = 'SpeculativeBatchFailed'\n[cause]\n"), "(file)", "no match uses the condition 'more'"),
    (('event = "SpeculativeBatchFailed"\n', 'event = "SpeculativeBatchFailed"\nwhere = { rc = {} }\n'), "when.it.where.rc", "below, at_least, contains, same_as"),
    (('event = "SpeculativeBatchFailed"\n', 'event = "SpeculativeBatchFailed"\ncount = 0\n'), "when.it.count", "greater than or equal to 1"),
    (('expect = "no-match"', 'expect = "match"'), "(file)", "no-match"),
    (('provenance = "composed"', 'provenance = "somewhere"'), "example.0.provenance", "match pattern"),
    (('[cause]\n', '[[fix]]\nkind = "flag"\ndo = "Do something else."\nevidence = []\nchecked = 2026-11-29\n[cause]\n'), "fix.0.evidence", "at least 1"),
    (('[cause]\n', '[[fix]]\nkind = "flag"\ndo = "Do something else."\nevidence = ["a/b#1"]\n[cause]\n'), "fix.0.checked", "required"),
    (('[cause]\n', '[[upstream]]\nref = "somewhere"\nrelation = "report"\n[cause]\n'), "upstream.0.ref", "match pattern"),
    (('[cause]\n', '[applies]\nfamilies = ["mtp"]\n[cause]\n'), "applies.families.0", "one-axis-separate"),
    (('[cause]\n', "[applies]\nbuilds = [{ introduced = 10, fixed = 9, ref = 'a/b#1' }]\n[cause]\n"), "applies.builds.0", "introduced must be below fixed"),
    (('[cause]\n', "[applies]\nbuilds = [{ fixed = 9 }]\n[cause]\n"), "applies.builds.0", "the ref that fixed it"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "key", "reason"), WRONG)
def test_a_fault_names_the_file_the_key_and_the_reason(
    tmp_path: Path, change: tuple[str, str], key: str, reason: str
) -> None:
    text = signature_toml("kind", BODY)
    assert change[0] in text
    write(tmp_path, "server/kind.toml", text.replace(*change, 1))
    found = faults(tmp_path)
    named = [fault for fault in found if fault.startswith("server/kind.toml: ") and reason in fault]
    assert named, found
    assert any(fault.split(": ", 1)[1].split(" - ")[0].startswith(key) for fault in named), named


def test_the_id_is_the_files_name_and_the_area_its_folders(tmp_path: Path) -> None:
    write(tmp_path, "vision/other.toml", signature_toml("kind", BODY, area="server"))
    assert faults(tmp_path) == [
        "vision/other.toml: id - 'kind' is not the file's name",
        "vision/other.toml: area - 'server' is not the folder's name",
    ]


def test_all_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        "server/a.toml",
        signature_toml("a", BODY, severity="awful").replace('grade = "likely"', 'grade = "sure"'),
    )
    write(tmp_path, "server/b.toml", "id = [unclosed")
    write(tmp_path, "server/c.toml", signature_toml("c", BODY))
    write(tmp_path, "upstream.toml", '[[item]]\nref = "nowhere"\n')
    found = faults(tmp_path)
    assert {fault.split(":")[0] for fault in found} == {"server/a.toml", "server/b.toml", "upstream.toml"}
    assert len([fault for fault in found if fault.startswith("server/a.toml")]) == 2


def test_bytes_that_are_no_text_are_a_fault_of_their_file(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "a.toml").write_bytes(b"\xff\xfe\x00")
    assert [fault.split(":")[0] for fault in faults(tmp_path)] == ["server/a.toml"]


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ('state = "gone"', "item.0.state"),
        ('kind = "rumour"', "item.0.kind"),
        ('state = "open"\nkind = "issue"\nsurprise = 1', "item.0.surprise"),
    ],
)
def test_a_wrong_row_of_the_upstream_registry_is_named(tmp_path: Path, row: str, key: str) -> None:
    write(
        tmp_path, "upstream.toml", f'[[item]]\nref = "a/b#1"\ntitle = "t"\nchecked = 2026-11-29\nsource = "s"\n{row}\n'
    )
    assert any(fault.startswith(f"upstream.toml: {key} - ") for fault in faults(tmp_path))


def test_a_row_of_the_model_table_without_its_name_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path, "models.toml", '[[architecture]]\nrope = "norm"\n')
    assert faults(tmp_path) == ["models.toml: 'name' - a row lacks it"]


def test_a_wrong_flag_table_is_a_fault_of_its_file(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"flags\.toml"):
        load_flags(tmp_path)


def test_what_ships_loads_with_its_registries() -> None:
    found = catalog()
    assert found.signatures
    assert found.upstream
    assert found.models.architectures
    assert found.measurements
    assert found.questions
    assert load_flags(shipped("signatures")).flags


def test_texts_are_put_on_one_line(tmp_path: Path) -> None:
    cause = "It was\\n   composed over  lines."
    found = tiny_catalog(tmp_path, kind=signature_toml("kind", BODY, cause=cause))
    assert found.signatures["kind"].cause == "It was composed over lines."
