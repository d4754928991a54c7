"""What the code promises of its own shape: who imports whom, how large files are, what is tested where, what is named how."""

import ast
import functools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "diag"
FILES = sorted(path for path in PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
NAMES = [str(path.relative_to(ROOT)) for path in FILES]

# (what is asked, of what) -> why: faults that are known and being mended.
KNOWN: dict[tuple[str, str], str] = {}


def each(question: str, names: Iterable[str]) -> list[object]:
    """Return the names as parameters; those with a known fault must still have it."""
    return [
        pytest.param(name, id=name, marks=[pytest.mark.xfail(strict=question != "test", reason=KNOWN[question, name])])
        if (question, name) in KNOWN
        else pytest.param(name, id=name)
        for name in names
    ]


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, as dotted names; `from a.b import c` gives a.b and a.b.c."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


# --- imports ----------------------------------------------------------------------------------------------------------


CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


@pytest.fixture(scope="module")
def judged() -> str:
    """What import-linter says of the contracts, with the imports that break them."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    found = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert "Contracts:" in found.stdout, found.stdout + found.stderr
    return found.stdout


@pytest.mark.parametrize("name", each("contract", [contract["name"] for contract in CONTRACTS]))
def test_an_import_contract_holds(name: str, judged: str) -> None:
    assert f"{name} KEPT" in judged, judged


def test_a_package_that_nobody_placed_breaks_the_layers() -> None:
    (layers,) = [contract for contract in CONTRACTS if contract["type"] == "layers"]
    assert layers["exhaustive"] is True
    placed = {name.strip() for layer in layers["layers"] for name in layer.split("|")}
    there = {
        path.stem if path.is_file() else path.name
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or path.is_dir()
    }
    assert placed == there - {"__init__", "__pycache__"}


# --- files ------------------------------------------------------------------------------------------------------------

LINES = 320
LONGER = {
    "diag/parse/wordings/server.py": "a table: one row a wording, and rows are never taken out",
}


@pytest.mark.parametrize("name", each("length", NAMES))
def test_a_file_is_short_enough_to_be_read_at_once(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= LINES or name in LONGER


def test_the_exceptions_from_the_length_are_needed() -> None:
    needed = {name for name in LONGER if len((ROOT / name).read_text(encoding="utf-8").splitlines()) > LINES}
    assert needed == set(LONGER)


BANNED = ("utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "tools", "stuff")


@pytest.mark.parametrize("folder", ["diag", "tests", "samples"])
def test_no_module_has_a_name_that_says_nothing(folder: str) -> None:
    assert [path for path in (ROOT / folder).rglob("*") if path.stem in BANNED] == []


UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|NotImplementedError")


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_nothing_is_left_for_later(path: Path) -> None:
    assert UNFINISHED.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_error_is_swallowed(path: Path) -> None:
    """A handler that takes every error and does not raise it again hides a bug."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"line {node.lineno}: a bare except"
            named = {item.id for item in ast.walk(node.type) if isinstance(item, ast.Name)}
            raised = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            assert raised or not named & {"Exception", "BaseException"}, f"line {node.lineno}: every error is caught"


# --- what is said of the code -----------------------------------------------------------------------------------------

_DECORATED_BY_A_FRAMEWORK = ("field_validator", "model_validator", "property", "group", "overload")
_OVERRIDES = (
    "convert",
    "list_commands",
    "get_command",
    "resolve_command",
    "format_commands",
    "invoke",
    "get_help",
    "parse_args",
)


def _decorators(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    return {
        item.id if isinstance(item, ast.Name) else item.attr
        for decorator in node.decorator_list
        for item in ast.walk(decorator)
        if isinstance(item, ast.Name | ast.Attribute)
    }


def _is_noun(node: ast.ClassDef) -> bool:
    """True for a row of fields: its name and the comments of its fields say what it is."""
    plain = not any(isinstance(item, ast.FunctionDef) and not _decorators(item) for item in node.body)
    return plain and bool(
        _decorators(node) & {"dataclass", "fact", "noun"}
        or {"Strict", "BaseModel"} & {item.id for item in node.bases if isinstance(item, ast.Name)}
    )


def public(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef]]:
    """Yield the public functions, classes and methods, with their dotted names."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.ClassDef) and not item.name.startswith("_"):
            yield f"{prefix}{item.name}", item
            if isinstance(item, ast.ClassDef):
                yield from public(item, f"{prefix}{item.name}.")


def needs_a_docstring(item: ast.ClassDef | ast.FunctionDef) -> bool:
    if isinstance(item, ast.ClassDef):
        return not _is_noun(item)
    return not (set(_DECORATED_BY_A_FRAMEWORK) & _decorators(item) or item.name in _OVERRIDES)


@pytest.mark.parametrize("name", each("docstring", NAMES))
def test_what_is_public_says_what_it_is(name: str) -> None:
    module = tree(ROOT / name)
    assert ast.get_docstring(module), "the module says nothing"
    silent = [found for found, item in public(module) if needs_a_docstring(item) and not ast.get_docstring(item)]
    assert silent == []


@pytest.mark.parametrize("name", each("sentence", NAMES))
def test_the_first_line_of_a_docstring_is_a_whole_sentence(name: str) -> None:
    module = tree(ROOT / name)
    texts = {found: ast.get_docstring(item) for found, item in public(module)} | {"(module)": ast.get_docstring(module)}
    cut = [found for found, text in texts.items() if text and not re.search(r"[.:]`?$", text.splitlines()[0].strip())]
    assert cut == []


# --- tests mirror the code --------------------------------------------------------------------------------------------

STAGES = (
    "read",
    "scan",
    "parse",
    "assemble",
    "catalog",
    "match",
    "conclude",
    "render",
    "redact",
    "compare",
    "lookup",
    "positions",
    "large",
    "refresh",
)

# Modules that no test names or imports: the test that runs them.
COVERED_BY = {
    "tests/assemble/test_drafter.py": ("assemble/clues",),
    "tests/catalog/test_check.py": ("catalog/advice",),
    "tests/catalog/test_load.py": ("catalog/schema", "catalog/registry"),
    "tests/cli/test_commands.py": (
        "render/acceptance", "render/builds", "render/comparison", "render/evidence", "render/facts", "render/json_v1", "render/page",
        "render/samples", "render/signature", "render/signatures", "render/threads", "render/upstream",
    ),
    "tests/cli/test_analyze.py": ("conclude/excerpts",),
    "tests/large/test_ranges.py": ("read/damage", "read/range", "scan/scanned"),
    "tests/large/test_same_report.py": (
        "large/analyze", "large/repeats", "large/tell", "scan/counter", "scan/keeper", "scan/marker", "scan/select",
    ),
    "tests/match/test_match.py": ("match/condition", "match/pool"),
    "tests/parse/test_wordings.py": tuple(
        f"parse/wordings/{path.stem}" for path in (PACKAGE / "parse" / "wordings").glob("[a-z]*.py")
    ),
    "tests/read/test_form.py": ("read/commands",),
    "tests/read/test_markdown.py": ("read/document",),
    "tests/read/test_packed.py": (
        "read/archive", "read/compression", "read/entry", "read/layer", "read/tar_archive", "read/zip_archive",
    ),
    "tests/read/test_repair.py": ("read/fused", "read/starts", "read/wraps"),
    "tests/read/test_source.py": ("read/content", "read/stream"),
    "tests/read/test_unwrap.py": (
        "read/colours", "read/fields", "read/messages", "read/objects", "read/partials", "read/prefixes",
    ),
    "tests/redact/test_masks.py": (
        "redact/addresses", "redact/flags", "redact/numbers", "redact/paths", "redact/private", "redact/prompts",
    ),
    "tests/render/test_pasted.py": ("render/reproduction",),
    "tests/refresh/test_command.py": ("render/refresh",),
    "tests/refresh/test_refresh.py": ("refresh/thread",),
}  # fmt: skip


def modules() -> list[str]:
    return [
        str(path.relative_to(PACKAGE).with_suffix(""))
        for path in FILES
        if path.relative_to(PACKAGE).parts[0] in STAGES and path.stem != "__init__"
    ]


def is_named_or_imported(module: str) -> bool:
    package, name = module.rsplit("/", 1)
    if any(
        path.stem in (f"test_{name}", f"test_{package}_{name}") and package.split("/")[0] in path.parts
        for path in TESTS
    ):
        return True
    dotted = f"diag.{module.replace('/', '.')}"
    return any(dotted in imported(path) for path in TESTS)


@pytest.mark.parametrize("module", each("test", modules()))
def test_a_module_of_a_stage_has_a_test(module: str) -> None:
    tests = [test for test, covered in COVERED_BY.items() if module in covered]
    assert is_named_or_imported(module) or (tests and all((ROOT / test).is_file() for test in tests))


def test_the_table_of_tests_names_only_modules_that_are_there() -> None:
    named = [module for covered in COVERED_BY.values() for module in covered]
    assert sorted(named) == sorted(set(named) & set(modules()))


@pytest.mark.parametrize("path", TESTS, ids=[str(path.relative_to(ROOT)) for path in TESTS])
def test_the_name_of_a_test_is_a_sentence(path: Path) -> None:
    short = [
        node.name
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and node.name.count("_") < 2
    ]
    assert short == []


@pytest.mark.parametrize("path", TESTS, ids=[str(path.relative_to(ROOT)) for path in TESTS])
def test_no_test_replaces_a_part_of_the_pipeline(path: Path) -> None:
    assert not {name for name in imported(path) if name.split(".")[0] == "mock" or name.startswith("unittest.mock")}
