"""`harkback exclude`: what it prints, what it leaves in the index and on the disk, how it ends."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from command_line import CommandLine
from harkback.core.lock import exclusive
from harkback.core.private import write_private
from harkback.tui.demo import write_home
from harkback.tui.surroundings import Surroundings
from test_cli import NOW, TICKED

WEB = "project:~/src/web"


@pytest.fixture
def indexed(harkback: CommandLine) -> CommandLine:
    """The sample sessions, all indexed."""
    write_home(harkback.home, NOW)
    write_private(harkback.folder / "config.toml", "# mine\n" + TICKED)
    Surroundings(harkback.folder, harkback.home, {}).reconcile()
    return harkback


def rules(harkback: CommandLine) -> list[str]:
    config = tomllib.loads((harkback.folder / "config.toml").read_text("utf-8"))
    return config.get("exclude", {}).get("patterns", [])


def status(harkback: CommandLine) -> dict[str, Any]:
    return harkback("status", "--json").json


def test_a_rule_can_be_tried_added_listed_and_taken_back(indexed: CommandLine) -> None:
    before = status(indexed)
    tried = indexed("exclude", "test", WEB, "--json").json
    assert set(tried) == {"schema", "pattern", "files", "sessions", "titles"}
    assert (tried["schema"], tried["pattern"]) == (1, WEB)
    assert 1 < tried["sessions"] < before["sessions"]
    assert len(tried["titles"]) == min(5, tried["sessions"])
    said = indexed("exclude", "test", WEB)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"would hide {tried['sessions']} sessions of the index, {tried['files']} files\n")
    assert tried["titles"][0] in said.out
    assert rules(indexed) == []
    assert status(indexed)["sessions"] == before["sessions"]

    added = indexed("exclude", "add", WEB)
    assert (added.code, added.err) == (0, "")
    assert f"{tried['sessions']} sessions" in added.out
    assert rules(indexed) == [WEB]
    assert (indexed.folder / "config.toml").read_text("utf-8").startswith("# mine\n")
    after = status(indexed)
    assert after["sessions"] == before["sessions"] - tried["sessions"]
    assert after["excluded"] == {"files": 0, "sessions": tried["sessions"]}
    hits = indexed("search", "web OR clipboard OR build", "--no-refresh", "--limit", "100", "--json").json["hits"]
    assert hits
    assert not [hit for hit in hits if (hit["project"] or "").startswith(str(indexed.home / "src" / "web"))]
    assert indexed("exclude", "test", WEB, "--json").code == 1

    listed = indexed("exclude", "list", "--json").json
    assert listed == {"schema": 1, "patterns": [WEB], "files": 0, "sessions": tried["sessions"]}
    assert indexed("exclude", "list").out == f"{WEB}\n"

    removed = indexed("exclude", "remove", WEB)
    assert (removed.code, removed.err, rules(indexed)) == (0, "", [])
    indexed("index")
    assert status(indexed) | {"bytes": 0} == before | {"bytes": 0}


def test_excluded_files_are_counted_by_index_and_status(indexed: CommandLine) -> None:
    tried = indexed("exclude", "test", "~/.codex", "--json").json
    indexed("exclude", "add", "~/.codex")
    report = indexed("index", "--json").json
    assert report["files"]["excluded"] == tried["files"] > 0
    assert report["files"]["seen"] == sum(report["files"][name] for name in ("read", "unchanged", "excluded"))
    assert status(indexed)["excluded"] == {"files": tried["files"], "sessions": 0}
    assert f"excluded    {tried['files']} files, 0 sessions" in indexed("status").out
    codex = next(each for each in indexed("sources", "--json").json["sources"] if each["name"] == "codex")
    assert (codex["found"], codex["ticked"], codex["sessions"]) == (True, True, 0)


def test_rules_work_before_anything_is_indexed(harkback: CommandLine) -> None:
    write_home(harkback.home, NOW)
    write_private(harkback.folder / "config.toml", TICKED)
    tried = harkback("exclude", "test", "source:codex", "--json")
    assert (tried.code, tried.json["sessions"]) == (0, 0)
    assert tried.json["files"] > 0
    assert harkback("exclude", "add", "source:codex").code == 0
    assert not (harkback.folder / "index.db").exists()
    assert harkback("index", "--json").json["files"]["excluded"] == tried.json["files"]


def test_a_rule_that_matches_nothing_is_kept_and_said_so(indexed: CommandLine) -> None:
    tried = indexed("exclude", "test", "~/src/web")
    assert tried.code == 1
    assert "project:~/src/web" in tried.err
    added = indexed("exclude", "add", "~/src/web")
    assert added.code == 0
    assert "matches nothing now" in added.out
    assert rules(indexed) == ["~/src/web"]


def test_a_rule_is_there_once(indexed: CommandLine) -> None:
    for _ in range(2):
        assert indexed("exclude", "add", "title:x y").code == 0
    assert rules(indexed) == ["title:x y"]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("title:(a+)+", "a repeat of a repeat"),
        ("titel:x", "there is no kind `titel`"),
        ("source:codecs", "there is no source 'codecs'"),
        ("session:nobody:1", "there is no source 'nobody'"),
        ("", "empty"),
    ],
)
def test_a_rule_that_cannot_be_used_changes_nothing(indexed: CommandLine, rule: str, why: str) -> None:
    before = (indexed.folder / "config.toml").read_bytes()
    for command in ("add", "test"):
        ran = indexed("exclude", command, rule)
        assert (ran.code, ran.out) == (2, "")
        assert why in ran.err
    assert (indexed.folder / "config.toml").read_bytes() == before


def test_a_rule_that_is_none_cannot_be_taken_back(indexed: CommandLine) -> None:
    ran = indexed("exclude", "remove", "~/x")
    assert ran.code == 2
    assert "none of your rules" in ran.err


def test_a_bad_rule_in_the_file_is_named_with_file_and_key(indexed: CommandLine) -> None:
    path = indexed.folder / "config.toml"
    path.write_text(path.read_text("utf-8") + '\n[exclude]\npatterns = ["title:("]\n', "utf-8")
    for command in (("exclude", "list"), ("index",), ("search", "x")):
        ran = indexed(*command)
        assert ran.code == 2
        assert f"{path}: exclude.patterns: 'title:(': not a regular expression" in ran.err


def test_while_another_indexes_the_rule_is_saved_for_the_next_pass(indexed: CommandLine) -> None:
    before = status(indexed)["sessions"]
    with exclusive(indexed.folder / "index.lock"):
        ran = indexed("exclude", "add", WEB)
    assert ran.code == 0
    assert "still in the index" in ran.err
    assert status(indexed)["sessions"] == before
    indexed("index")
    assert status(indexed)["sessions"] < before


def test_words_that_are_no_text_are_refused_or_taken_as_they_look(indexed: CommandLine) -> None:
    assert indexed("exclude", "add", b"~/caf\xff").code in (0, 2)
    assert indexed("exclude", "list").code == 0
