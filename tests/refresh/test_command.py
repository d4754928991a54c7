"""diag upstream refresh: what it asks, prints, writes and returns."""

import datetime as dt
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from diag.catalog.edit import items_of
from diag.catalog.locate import shipped
from diag.cli.main import cli
from diag.cli.refresh import chosen
from diag.errors import InputError
from diag.model.catalog import Catalog, UpstreamItem
from tests.refresh.fake_api import FakeApi, Reply, issue, pull, release

LLAMA = "/repos/ggml-org/llama.cpp"
PATCH = f"{LLAMA}/pulls/25144"
TITLE = "speculative: fix MTP draft crash on vision inputs"
MERGED = pull(25144, state="closed", created_at="2026-06-29T08:00:00Z", merged_at="2026-11-30T01:00:00Z")
TODAY = dt.datetime.now(dt.UTC).date()
LIMITED = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"}  # in 2100
SMALL = """[[item]]
ref = "ggml-org/llama.cpp#1"
kind = "issue"
title = "one"
state = "open"
checked = 2026-01-01
source = "a survey"

[[item]]
ref = "ggml-org/llama.cpp#2"
kind = "issue"
title = "two"
state = "unknown"
checked = 2025-12-01
source = "a survey"

[[item]]
ref = "ggml-org/llama.cpp#3"
kind = "issue"
title = "three"
state = "closed"
checked = 2025-11-01
source = "a survey"
"""


def run(*words: str, **env: str) -> Result:
    return CliRunner().invoke(cli, ["upstream", *words], env={"NO_COLOR": "", "FORCE_COLOR": "", **env})


def refresh(api: FakeApi, *words: str) -> Result:
    return run("refresh", "--api", api.base, *words)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "upstream.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def kept(home: Path) -> dict[str, dict[str, str]]:
    items: dict[str, dict[str, str]] = json.loads((home / "data/llama-diag/upstream.json").read_text())["items"]
    return items


def test_help_of_both_commands_names_the_other_way() -> None:
    assert "diag upstream refresh" in run("--help").output
    result = run("refresh", "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: ")


def test_a_merged_patch_is_shown_kept_and_laid_over_the_registry(api: FakeApi, home: Path) -> None:
    api.put(PATCH, Reply(200, MERGED, {"ETag": '"e1"'}))
    assert "draft since 2026-07-08" in run("25144").output
    result = refresh(api, "25144")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:4] == [
        "Changed",
        "  was    is now             item",
        "  draft  merged 2026-11-30  #25144",
        f"      {TITLE}",
    ]
    assert "1 changed, 0 the same, 1 request; written to" in " ".join(lines)
    assert all(len(line) <= 80 for line in lines if "/" not in line)  # a path is not broken into pieces of 80
    assert kept(home)["ggml-org/llama.cpp#25144"]["etag"] == '"e1"'
    shown = run("25144").output
    assert f"PR · merged 2026-11-30 · last seen {TODAY}" in shown
    assert "GitHub API" in shown
    again = refresh(api, "#25144")
    assert again.exit_code == 0
    assert api.asked[-1][1]["if-none-match"] == '"e1"'
    assert "The same" in again.output


def test_json_tells_old_and_new_and_what_failed(api: FakeApi) -> None:
    api.put(PATCH, Reply(200, MERGED))
    result = refresh(api, "25144", "24669", "--format", "json")
    assert result.exit_code == 1
    document = json.loads(result.output)
    patch, batch = document["items"]
    assert (patch["old"]["state"], patch["new"]["state"], patch["new"]["merged"]) == ("draft", "merged", "2026-11-30")
    assert patch["new"]["checked"] == TODAY.isoformat()
    assert patch["changed"] == ["state", "merged"]
    assert patch["new"]["title"] == TITLE
    assert (batch["ref"], batch["new"]) == ("ggml-org/llama.cpp#24669", None)
    assert batch["problem"] == "not found (404): removed, private, or never there"
    assert (document["schema_version"], document["requests"], document["stopped"]) == (1, 3, None)


def test_a_release_is_asked_by_its_tag(api: FakeApi) -> None:
    api.put(f"{LLAMA}/releases/tags/b10896", Reply(200, release("b10896", "b10896", "2026-09-03")))
    result = refresh(api, "b10896")
    assert result.exit_code == 0
    assert api.paths() == [f"{LLAMA}/releases/tags/b10896"]


def test_a_dry_run_writes_nothing(api: FakeApi, home: Path, small: Path) -> None:
    api.put(f"{LLAMA}/issues/1", Reply(200, issue(1)))
    result = refresh(api, "--dry-run", "--write", str(small), "1")
    assert result.exit_code == 0
    assert "Vulkan: crash on start" in result.output
    assert "nothing written (--dry-run)" in result.output
    assert small.read_text(encoding="utf-8") == SMALL
    assert not (home / "data").exists()


def test_by_default_moving_items_are_asked_the_oldest_check_first(api: FakeApi, small: Path, home: Path) -> None:
    for number in (1, 2):
        api.put(f"{LLAMA}/issues/{number}", Reply(200, issue(number, title=f"exact {number}")))
    result = refresh(api, "--write", str(small))
    assert result.exit_code == 0
    assert api.paths() == [f"{LLAMA}/issues/2", f"{LLAMA}/issues/1"]
    items = items_of(small.read_text(encoding="utf-8"))
    assert [(item.title, item.state, item.checked == TODAY) for item in items.values()] == [
        ("exact 1", "open", True),
        ("exact 2", "open", True),
        ("three", "closed", False),
    ]
    assert len(kept(home)) == 2  # their ETags
    api.asked.clear()
    assert "0 changed, 0 the same, 0 requests; nothing to write" in refresh(api, "--write", str(small)).output
    assert api.asked == []


def test_a_run_ended_by_the_limit_keeps_what_it_has_and_goes_on_next_time(api: FakeApi, small: Path) -> None:
    api.put(f"{LLAMA}/issues/2", Reply(200, issue(2), LIMITED))
    result = refresh(api, "--write", str(small))
    assert result.exit_code == 1
    said = " ".join(result.output.split())
    assert "Stopped: the rate limit of 60 requests an hour is used up; 1 item not asked" in said
    assert "go on after 2100-01-01 00:00 UTC with the same command (a token in GITHUB_TOKEN raises the limit)" in said
    api.asked.clear()
    api.put(f"{LLAMA}/issues/1", Reply(200, issue(1)))
    assert refresh(api, "--write", str(small)).exit_code == 0
    assert api.paths() == [f"{LLAMA}/issues/1"]


def test_what_failed_gives_1_and_the_others_are_kept(api: FakeApi, small: Path) -> None:
    api.put(f"{LLAMA}/issues/1", Reply(410, {}))
    api.put(f"{LLAMA}/issues/2", Reply(200, issue(2)))
    result = refresh(api, "--write", str(small))
    assert result.exit_code == 1
    assert "#1: gone (410): removed by its owner" in result.output
    items = items_of(small.read_text(encoding="utf-8"))
    assert [item.checked for item in items.values()] == [dt.date(2026, 1, 1), TODAY, dt.date(2025, 11, 1)]


def test_nothing_that_answers_gives_2_and_stops_at_the_first_item(api: FakeApi, small: Path, home: Path) -> None:
    api.put(f"{LLAMA}/issues/2", Reply(hang=True))
    result = refresh(api, "--write", str(small), "--timeout", "0.1")
    assert result.exit_code == 2
    assert "does not answer; 1 item not asked" in " ".join(result.output.split())
    assert small.read_text(encoding="utf-8") == SMALL
    assert not (home / "data").exists()


def test_the_word_behind_write_may_be_a_reference(api: FakeApi, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.parent.joinpath("signatures").mkdir()
    shutil.move(small, small.parent / "signatures" / "upstream.toml")
    monkeypatch.setattr("diag.cli.refresh.shipped", lambda name: small.parent / name)
    api.put(f"{LLAMA}/issues/3", Reply(200, issue(3)))
    assert refresh(api, "--write", "3").exit_code == 0
    assert items_of((small.parent / "signatures/upstream.toml").read_text())["ggml-org/llama.cpp#3"].state == "open"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("99999999",), "not in the registry"),
        (("so-called",), "is no reference"),
        (("--write", "/nowhere/upstream.toml"), "no such file"),
        (("--api", "gopher://127.0.0.1"), "is no http or https address"),
        (("--older-than", "-1"), "--older-than"),
    ],
)
def test_wrong_usage_gives_2_and_asks_nothing(api: FakeApi, words: tuple[str, ...], said: str) -> None:
    result = refresh(api, *words)
    assert result.exit_code == 2
    assert said in result.output + result.stderr
    assert api.asked == []


def test_the_address_may_come_from_the_environment(api: FakeApi) -> None:
    api.put(PATCH, Reply(200, MERGED))
    assert run("refresh", "25144", GITHUB_API_URL=api.base, GH_TOKEN="made-up").exit_code == 0
    assert api.asked[0][1]["authorization"] == "Bearer made-up"


def test_a_damaged_file_of_the_user_is_a_note_on_standard_error(api: FakeApi, home: Path) -> None:
    path = home / "data/llama-diag/upstream.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{")
    shown = run("25144", "--format", "json")
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["items"][0]["state"] == "draft"
    assert "damaged, not JSON; ignored" in shown.stderr
    api.put(PATCH, Reply(200, MERGED))
    refresh(api, "25144")
    mended = run("25144", "--format", "json")
    assert (json.loads(mended.stdout)["items"][0]["state"], mended.stderr) == ("merged", "")


def test_the_choice_follows_state_and_age() -> None:
    day = dt.date(2026, 12, 1)
    items = [
        UpstreamItem(f"a/b#{number}", "issue", "t", state, day - dt.timedelta(days=age))
        for number, (state, age) in enumerate(
            [("open", 14), ("draft", 15), ("unknown", 40), ("merged", 99), ("closed", 99)]
        )
    ]
    catalog = Catalog({}, (), {item.ref: item for item in items})
    before = day - dt.timedelta(days=14)

    def refs(*named: str, everything: bool = False) -> list[str]:
        return [item.ref for item in chosen(catalog, named, everything=everything, before=before)]

    assert refs() == ["a/b#2", "a/b#1"]
    assert refs(everything=True) == ["a/b#3", "a/b#4", "a/b#2", "a/b#1", "a/b#0"]
    assert refs("a/b#4", "a/b#0", "a/b#4") == ["a/b#4", "a/b#0"]
    with pytest.raises(InputError):
        refs("a/b#9")


def test_no_other_command_imports_network_code() -> None:
    log = shipped("samples") / "mtp-one-axis-image-fails-b11434" / "log.txt"
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom diag.cli.main import cli\n"
        f"for words in (['upstream'], ['upstream', '25144'], ['analyze', {str(log)!r}]):\n    CliRunner().invoke(cli, words)\n"
        "print([name for name in sys.modules if name.startswith(('diag.refresh', 'urllib.request', 'http.client'))])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
