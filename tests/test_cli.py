"""The command line as a program sees it: what goes to stdout, what to stderr, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from harkback.core.lock import exclusive
from harkback.core.private import write_private
from harkback.tui.demo import write_home
from harkback.tui.surroundings import Surroundings

CORPUS = Path(__file__).parent / "corpus"
NOW = datetime.now(UTC)
"""The child processes' own clock: the default limits look 90 days back from it."""
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")

HIT = {
    "session", "source", "turn", "role", "time", "title", "project", "branch", "model", "snippet", "spans", "score",
    "arms", "also_in", "gone_at_source",
}  # fmt: skip
SESSION = {
    "session", "source", "title", "project", "branch", "model", "started", "updated", "parent", "kind", "turns",
    "gone_at_source",
}  # fmt: skip
TICKED = """
limits.preset = "everything"
sources.claude.enabled = true
sources.codex.enabled = true
"""
LEFT_OUT = {"window", "per_source", "total", "per_file"}


@pytest.fixture
def samples(harkback: CommandLine) -> CommandLine:
    """A home with the sample sessions, both sources ticked, nothing indexed yet."""
    write_home(harkback.home, NOW)
    write_private(harkback.folder / "config.toml", TICKED)
    return harkback


@pytest.fixture
def indexed(samples: CommandLine) -> CommandLine:
    """The same, with everything indexed."""
    Surroundings(samples.folder, samples.home, {}).reconcile()
    return samples


def claude_session(home: Path, *texts: str, name: str = "0a1b2c3d-0000-4000-8000-00000000000a", **facts: Any) -> Path:
    """Write a session of Claude Code in which a person says `texts`; `facts` are fields of its records."""
    path = home / ".claude" / "projects" / "-home-mara-web" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", errors="surrogatepass") as file:
        for text in texts:
            line = {
                "type": "user",
                "uuid": f"{name}:{path.stat().st_size}",
                "timestamp": f"{NOW:%Y-%m-%dT%H:%M:%S}.000Z",
                "cwd": "/home/mara/web",
                "message": {"role": "user", "content": text},
                **facts,
            }
            file.write(json.dumps(line) + "\n")
            file.flush()
    return path


def texts_in(value: object) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (str(key), *texts_in(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


# ---- sources ----


def test_with_nothing_ticked_index_says_what_was_found_and_how_to_tick_it(harkback: CommandLine) -> None:
    write_home(harkback.home, NOW)
    ran = harkback("index")
    assert (ran.code, ran.out) == (1, "")
    assert "Claude Code: 9 files in ~/.claude/projects" in ran.err
    assert "harkback sources enable claude codex" in ran.err
    assert not harkback.folder.exists()


def test_with_nothing_found_every_place_that_was_looked_at_is_named(harkback: CommandLine) -> None:
    ran = harkback("index")
    assert ran.code == 1
    assert "No agent's sessions were found" in ran.err
    assert "~/.codex" in ran.err
    assert "harkback sources add NAME PATH" in ran.err


def test_a_search_with_nothing_ticked_tells_how_to_tick(harkback: CommandLine) -> None:
    write_home(harkback.home, NOW)
    ran = harkback("search", "clipboard")
    assert (ran.code, ran.out) == (1, "")
    assert "harkback sources enable claude codex" in ran.err


def test_sources_as_json(samples: CommandLine) -> None:
    before = samples("sources", "--json").json
    assert before["schema"] == 1
    assert [source["name"] for source in before["sources"]][:2] == ["claude", "codex"]
    claude = before["sources"][0]
    assert claude == {
        "name": "claude",
        "title": "Claude Code",
        "found": True,
        "ticked": True,
        "roots": [str(samples.home / ".claude" / "projects")],
        "files": 9,
        "sessions": 0,
        "turns": 0,
        "skipped": 0,
        "last_run": None,
        "last_error": None,
        "swept_soon": None,
        "held": [],
    }
    samples("index")
    claude = samples("sources", "--json").json["sources"][0]
    assert (claude["files"], claude["sessions"], claude["turns"]) == (9, 9, 56)
    assert datetime.fromisoformat(claude["last_run"]).tzinfo is not None


def test_rows_of_sources_stand_under_each_other(indexed: CommandLine) -> None:
    head, *lines = indexed("sources").out.splitlines()
    claude, codex = (line for line in lines if line.startswith("[x]"))
    assert claude.startswith("[x]  claude      9         9     56 ")
    assert claude.index("~/.claude") == codex.index("~/.codex") == head.index("where")


def test_enabling_says_what_comes_next_and_an_unknown_name_says_what_there_is(harkback: CommandLine) -> None:
    ran = harkback("sources", "enable", "codex")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("ticked: codex")
    ran = harkback("sources", "enable", "codecs")
    assert ran.code == 2
    assert "there is no source 'codecs'; there are claude, codex" in ran.err


def test_disabling_a_source_removes_what_was_indexed_of_it(indexed: CommandLine) -> None:
    assert indexed("search", "mosh", "--no-refresh").code == 0
    ran = indexed("sources", "disable", "codex")
    assert (ran.code, ran.out) == (0, "unticked, and no longer in the index: codex\n")
    assert indexed("search", "mosh", "--no-refresh").code == 1
    codex = indexed("sources", "--json").json["sources"][1]
    assert (codex["ticked"], codex["sessions"], codex["turns"], codex["last_run"]) == (False, 0, 0, None)


def test_a_place_can_be_added_and_taken_back(harkback: CommandLine) -> None:
    elsewhere = harkback.home / "backup" / "codex"
    shutil.copytree(CORPUS / "codex", elsewhere)
    harkback("config", "set", "limits.preset", "everything")
    ran = harkback("sources", "add", "codex", f"{elsewhere}/../codex")
    assert ran.code == 0
    assert "tick it with `harkback sources enable codex`" in ran.out
    harkback("sources", "enable", "codex")
    assert harkback("index", "--json").json["sessions"] > 5
    assert str(elsewhere) in harkback("sources", "--json").json["sources"][1]["roots"]
    assert harkback("sources", "remove", "codex", str(elsewhere)).code == 0
    assert harkback("status", "--json").json["sessions"] == 0
    assert str(elsewhere) not in harkback("sources", "--json").json["sources"][1]["roots"]
    assert json.loads(harkback("config", "get", "sources.codex.roots").out) == []


def test_places_that_cannot_be_added_or_removed_change_nothing(harkback: CommandLine) -> None:
    missing = harkback("sources", "add", "codex", "/no/such/place")
    assert missing.code == 2
    assert "/no/such/place does not exist; nothing was changed" in missing.err
    never = harkback("sources", "remove", "codex", "/no/such/place")
    assert never.code == 2
    assert "is none of the added places of codex: there are none" in never.err
    assert not (harkback.folder / "config.toml").exists()


def test_a_place_whose_name_is_no_text_is_refused_in_a_sentence(harkback: CommandLine) -> None:
    hostile = os.fsencode(harkback.home) + b"/\xff\x1b]52;c;eA==\x07"
    os.mkdir(hostile)  # noqa: PTH102, a Path can't be made of these bytes
    ran = harkback("sources", "add", "codex", hostile)
    assert ran.code == 2
    assert "is not valid UTF-8" in ran.err
    assert not UNSAFE.search(ran.err)


# ---- index ----


def test_index_as_json(samples: CommandLine) -> None:
    ran = samples("index", "--json")
    assert (ran.code, ran.err) == (0, "")
    report = ran.json
    assert set(report) == {
        "schema", "files", "sessions", "turns", "added", "removed", "bytes_read", "skips", "left_out", "errors",
        "held", "finished", "seconds",
    }  # fmt: skip
    assert report["files"] == {"seen": 17, "read": 17, "unchanged": 0, "quarantined": 0, "gone": 0, "excluded": 0}
    assert (report["sessions"], report["turns"]) == (16, 100)
    assert report["added"] == {"sessions": 16, "turns": 100}
    assert report["removed"] == {"sessions": 0, "turns": 0}
    assert report["left_out"] == dict.fromkeys(LEFT_OUT, 0)
    again = samples("index", "--json").json
    assert (again["files"]["read"], again["files"]["unchanged"], again["bytes_read"]) == (0, 17, 0)


def test_index_with_nothing_ticked_still_prints_an_object_of_the_same_shape(samples: CommandLine) -> None:
    shape = set(samples("index", "--json").json)
    samples("sources", "disable", "claude", "codex")
    ran = samples("index", "--json")
    assert ran.code == 1
    assert set(ran.json) == shape
    assert set(ran.json["left_out"]) == LEFT_OUT


def test_index_of_one_source_leaves_the_others_for_later(samples: CommandLine) -> None:
    assert samples("index", "--source", "codex", "--json").json["sessions"] == 7
    assert samples("index", "--json").json["sessions"] == 16
    samples("sources", "disable", "claude")
    ran = samples("index", "--source", "claude")
    assert ran.code == 2
    assert "not ticked: claude; `harkback sources enable claude` ticks it" in ran.err


def test_a_rebuild_reads_every_file_again(indexed: CommandLine) -> None:
    report = indexed("index", "--rebuild", "--json").json
    assert (report["files"]["read"], report["sessions"], report["turns"]) == (17, 16, 100)


def test_what_limits_leave_out_is_said_with_what_widens_them(samples: CommandLine) -> None:
    samples("config", "set", "limits.preset", "recent")
    ran = samples("index")
    assert "beyond the window of days" in ran.out
    assert "harkback config set limits.preset everything" in ran.out
    found = samples("search", "clipboard")
    assert "left out by limits" in found.err


def test_a_folder_that_cannot_be_made_ends_in_3_and_the_search_still_answers(samples: CommandLine) -> None:
    (samples.home / "file").touch()
    ran = samples("index", "--home", str(samples.home / "file" / "below"))
    assert (ran.code, ran.out) == (2, "")  # its config.toml can't even be looked for
    samples("index")
    shutil.rmtree(samples.folder / "index.lock", ignore_errors=True)
    (samples.folder / "index.lock").unlink()
    (samples.folder / "index.lock").mkdir()
    ran = samples("index")
    assert ran.code == 3
    assert "can't be written: Is a directory" in ran.err
    found = samples("search", "clipboard", "--json")
    assert found.code == 0
    assert found.json["hits"]
    assert any("nothing new was read" in line for line in found.json["notes"])


def test_while_another_process_writes_index_ends_in_3_and_search_answers(indexed: CommandLine) -> None:
    with exclusive(indexed.folder / "index.lock"):
        ran = indexed("index")
        assert (ran.code, ran.out) == (3, "")
        assert "another harkback is indexing" in ran.err
        found = indexed("search", "clipboard", "--json")
        assert (found.code, found.json["indexing"]) == (0, True)
        assert indexed("search", "clipboard", "--no-refresh", "--json").json["indexing"] is True
        assert indexed("status", "--json").json["indexing"] is True
        kept = indexed("sources", "disable", "codex")
        assert (kept.code, kept.out) == (0, "")
        assert "the next `harkback index` removes it" in kept.err
    assert indexed("index", "--json").json["sessions"] == 9


def test_a_damaged_index_is_said_to_be_so_and_the_sources_are_named_safe(indexed: CommandLine) -> None:
    for left in indexed.folder.glob("index.db-*"):
        left.unlink()
    (indexed.folder / "index.db").write_bytes(b"no database" * 1_000)
    ran = indexed("search", "clipboard", "--no-refresh")
    assert ran.code == 3
    assert "is damaged" in ran.err
    assert "untouched" in ran.err


# ---- search ----


def test_search_as_json(samples: CommandLine) -> None:
    ran = samples("search", "set-clipboard", "tmux", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = ran.json
    assert set(found) == {
        "schema", "query", "mode", "indexing", "total", "total_exact", "elapsed_ms", "left_out", "notes",
        "suggestion", "hits",
    }  # fmt: skip
    assert (found["schema"], found["query"], found["mode"]) == (1, "set-clipboard tmux", "lexical")
    assert (found["indexing"], found["total_exact"], found["notes"]) == (False, True, [])
    assert found["total"] == len(found["hits"]) >= 3
    for hit in found["hits"]:
        assert set(hit) == HIT
        assert hit["session"].startswith(hit["source"] + ":")
        assert hit["role"] in ("user", "assistant")
        assert datetime.fromisoformat(hit["time"]).tzinfo is not None
        assert hit["arms"] == ["lexical"]
        for start, stop in hit["spans"]:
            assert hit["snippet"][start:stop].lower() in ("set", "clipboard", "tmux", "set-clipboard")


def test_offsets_of_matches_count_code_points(samples: CommandLine) -> None:
    claude_session(samples.home, "😀 naïve 剪贴板 😀 zebra")
    (hit,) = samples("search", "zebra", "--json").json["hits"]
    assert [hit["snippet"][a:b] for a, b in hit["spans"]] == ["zebra"]


def test_hits_are_printed_for_people_and_the_count_goes_to_stderr(samples: CommandLine) -> None:
    ran = samples("search", "mosh")
    assert ran.code == 0
    assert ran.err.splitlines()[0] == "2 hits"
    title, excerpt, facts, command = ran.out.splitlines()[:4]
    assert title.startswith("Copy does nothing in the remote shell  ")
    assert "mosh" in excerpt
    assert facts.strip() == f"Codex · you · ~{os.sep}src{os.sep}infra · main"
    assert command.strip().startswith("harkback show codex:")
    assert samples("search", "日本時間").err.startswith("1 hit\n")


def test_the_printed_command_shows_the_turn_that_was_found(samples: CommandLine) -> None:
    command = next(line for line in samples("search", "mosh").out.splitlines() if line.startswith("  harkback show"))
    ran = samples(*command.split()[1:])
    assert ran.code == 0
    assert "mosh" in ran.out


def test_nothing_found_ends_in_1_and_says_so(samples: CommandLine) -> None:
    ran = samples("search", "xyzzy")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "Nothing says 'xyzzy'.\n"
    found = samples("search", "xyzzy", "--json")
    assert (found.code, found.json["total"], found.json["hits"]) == (1, 0, [])


@pytest.mark.parametrize("query", ["", "   ", "!?", "\u200b", "-"])
def test_a_query_of_nothing_asks_for_something_to_look_for(samples: CommandLine, query: str) -> None:
    ran = samples("search", "--", query)
    assert (ran.code, ran.out) == (1, "")
    assert "There is nothing to look for" in ran.err


@pytest.mark.parametrize("query", ['"', "*", "NEAR(", "a AND", "col:x", "(" * 2_000, "x " * 4_000, "\udcff", "'; --"])
def test_no_query_breaks_the_search(samples: CommandLine, query: str) -> None:
    ran = samples("search", "--json", "--", os.fsencode(query))
    assert ran.code in (0, 1)
    assert ran.json["schema"] == 1
    json.dumps(ran.json).encode()
    "".join(texts_in(ran.json)).encode()  # no lone surrogate, which strict readers refuse


def test_a_word_can_be_excluded_in_the_middle_of_the_command(samples: CommandLine) -> None:
    with_it = samples("search", "clipboard", "--json").json["total"]
    without = samples("search", "clipboard", "-mosh", "--json", "-tmux").json["total"]
    assert 0 < without < with_it
    assert samples("search", "clipboard", "-hello", "--json").code == 0


def test_a_misspelt_option_is_no_word_of_the_query(samples: CommandLine) -> None:
    ran = samples("search", "clipboard", "--limt", "5")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no option --limt" in ran.err
    assert samples("search", '"--verify"').code == 0


def test_what_is_not_understood_of_a_query_is_said_and_ignored(samples: CommandLine) -> None:
    ran = samples("search", "clipboard", "after:32nd", "--json")
    assert ran.code == 0
    assert [line for line in ran.json["notes"] if line.startswith("after:32nd: ")]


def test_filters_groups_order_and_limit(samples: CommandLine) -> None:
    by_turn = samples("search", "tmux", "--json").json
    by_session = samples("search", "tmux", "--group", "session", "--json").json
    sessions = [hit["session"] for hit in by_session["hits"]]
    assert len(sessions) == len(set(sessions)) < by_turn["total"]
    assert set(sessions) == {hit["session"] for hit in by_turn["hits"]}
    recent = [hit["time"] for hit in samples("search", "tmux", "--sort", "recent", "--json").json["hits"]]
    assert recent == sorted(recent, reverse=True)
    limited = samples("search", "tmux", "--limit", "2", "--json").json
    assert (len(limited["hits"]), limited["total"]) == (2, by_turn["total"])
    codex = samples("search", "tmux", "source:codex", "--json").json["hits"]
    assert {hit["source"] for hit in codex} == {"codex"}
    assert samples("search", "tmux", "--limit", "0").code == 2


def test_hybrid_search_without_a_model_is_by_words_and_says_so(samples: CommandLine) -> None:
    found = samples("search", "tmux", "--mode", "hybrid", "--json").json
    assert found["mode"] == "lexical"
    assert "by words alone: search by meaning is off" in found["notes"][0]


def test_search_brings_the_index_up_to_date_by_itself(samples: CommandLine) -> None:
    claude_session(samples.home, "the first thing about quokkas")
    assert samples("search", "quokkas", "--json").json["total"] == 1
    claude_session(samples.home, "another thing about quokkas")
    assert samples("search", "quokkas", "--no-refresh", "--json").json["total"] == 1
    assert samples("search", "quokkas", "--json").json["total"] == 2


# ---- show ----


def test_show_as_json(samples: CommandLine) -> None:
    key = samples("search", "pg_stat_activity", "--json").json["hits"][0]["session"]
    whole = samples("show", key, "--json").json
    assert set(whole) == {"schema", "session", "turns", "before", "after"}
    assert set(whole["session"]) == SESSION
    assert [turn["turn"] for turn in whole["turns"]] == list(range(1, 11))
    assert (whole["before"], whole["after"]) == (0, 0)
    part = samples("show", key.partition(":")[2][:8], "--turn", "5", "--context", "1", "--json").json
    assert [(turn["turn"], turn["hit"]) for turn in part["turns"]] == [(4, False), (5, True), (6, False)]
    assert (part["before"], part["after"]) == (3, 4)
    assert all(set(turn) == {"turn", "role", "time", "text", "hit"} for turn in part["turns"])


def test_show_prints_a_conversation(samples: CommandLine) -> None:
    key = samples("search", "pg_stat_activity", "--json").json["hits"][0]["session"]
    ran = samples("show", key, "--turn", "1", "--context", "0")
    assert ran.code == 0
    assert ran.out.startswith("Migration 0042 fails halfway\n")
    assert "▸ you  [1]" in ran.out
    assert "… 9 later turns" in ran.out


def test_sessions_and_turns_that_do_not_exist_end_in_1(samples: CommandLine) -> None:
    assert samples("show", "x").code == 1
    samples("index")
    ran = samples("show", "codex:nope")
    assert (ran.code, ran.out) == (1, "")
    assert "there is no session 'codex:nope'" in ran.err
    key = samples("search", "mosh", "--json").json["hits"][0]["session"]
    beyond = samples("show", key, "--turn", "99", "--json")
    assert (beyond.code, beyond.json["turns"]) == (1, [])
    assert "has 6 turns, so there is no turn 99" in beyond.err


# ---- status, config, help ----


def test_status_as_json(samples: CommandLine) -> None:
    before = samples("status", "--json")
    assert (before.code, before.out) == (1, "")
    assert "nothing is indexed yet" in before.err
    samples("index")
    status = samples("status", "--json").json
    assert set(status) == {
        "schema", "index", "bytes", "sessions", "turns", "gone_at_source", "quarantined", "excluded", "skips",
        "left_out", "redacted", "oldest", "newest", "held", "swept_soon", "indexing",
        "semantic",
    }  # fmt: skip
    assert (status["sessions"], status["turns"], status["indexing"]) == (16, 100, False)
    assert status["index"] == str(samples.folder / "index.db")
    assert samples("status").out.startswith("index       ~")


def test_settings_can_be_read_and_changed(harkback: CommandLine) -> None:
    assert harkback("config", "path").out.strip() == str(harkback.folder / "config.toml")
    assert harkback("config", "get", "limits.preset").out == '"recent"\n'
    assert harkback("config", "set", "limits.window_days", "30").out == "limits.window_days = 30\n"
    assert json.loads(harkback("config", "get").out)["limits"]["window_days"] == 30


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get", "limits.presets"], "there is no setting 'limits.presets'"),
        (["set", "limits.preset", "all"], "limits.preset: invalid enum value 'all'; allowed: everything, recent"),
        (["set", "limits.window_days", "soon"], "limits.window_days: "),
        (["set", "limits.window_days", "-1"], "0 means no limit"),
        (["set", "limit.preset", "recent"], "`limit`"),
        (["set", "sources.nope.enabled", "true"], "there is no source 'nope'; there are claude, codex"),
    ],
)
def test_a_wrong_setting_ends_in_2_with_the_key_and_what_is_allowed(
    harkback: CommandLine, words: list[str], said: str
) -> None:
    ran = harkback("config", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert not (harkback.folder / "config.toml").exists()


@pytest.mark.parametrize("command", [["search", "x"], ["index"], ["sources"], ["config", "get"]])
def test_a_broken_config_names_its_file_and_key(harkback: CommandLine, command: list[str]) -> None:
    harkback.folder.mkdir(parents=True)
    (harkback.folder / "config.toml").write_text('[limits]\npreset = "\\u001b]0;x\\u0007most"\n')
    ran = harkback(*command)
    assert (ran.code, ran.out) == (2, "")
    assert f"{harkback.folder / 'config.toml'}: limits.preset: " in ran.err
    assert not UNSAFE.search(ran.err)


def test_home_may_stand_before_or_behind_the_command(harkback: CommandLine, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    assert harkback("--home", other, "config", "path").out.strip() == str(Path(other, "config.toml"))
    assert harkback("config", "path", "--home", other).out.strip() == str(Path(other, "config.toml"))
    assert harkback("--home", "/elsewhere", "config", "--home", other, "path").out.strip().startswith(other)
    assert harkback("config", "path", HARKBACK_HOME=other).out.strip().startswith(other)


def test_without_a_folder_of_its_own_the_index_lies_where_the_platform_keeps_data(harkback: CommandLine) -> None:
    del harkback.environ["HARKBACK_HOME"]
    assert harkback("config", "path").out.strip().startswith(str(harkback.home))


@pytest.mark.parametrize(
    "words", [["nope"], ["sources", "nope"], ["search"], ["search", "x", "--limit", "many"], ["show"]]
)
def test_a_wrong_command_line_ends_in_2_with_where_it_is_explained(harkback: CommandLine, words: list[str]) -> None:
    ran = harkback(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "--help` explains it" in ran.err


def test_the_app_without_a_terminal_says_what_works_without_one(harkback: CommandLine) -> None:
    for words in ([], ["demo"]):
        ran = harkback(*words)
        assert (ran.code, ran.out) == (2, "")
        assert "the app needs a terminal" in ran.err


def test_help_and_version(harkback: CommandLine) -> None:
    for words in (["--help"], ["-h"], ["search", "--help"], ["sources", "enable", "--help"]):
        ran = harkback(*words)
        assert (ran.code, ran.err) == (0, "")
        assert "Usage: harkback" in ran.out
    assert harkback("--version").out.startswith("harkback, version ")


# ---- output ----


HOSTILE = (
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1b]0;title\x1b\\",
    "\x1b[2J\x1b[31m",
    "\x9b31m",
    "\x1bP+q544e\x1b\\",
    "\r\x08\x08\x7f",
    "\u202egnp.exe\u202c",
    "\u2066x\u2069\u200b\ufeff\u00ad",
    "\udcff\ud800",
)


def test_hostile_sessions_and_queries_print_no_control_characters(harkback: CommandLine) -> None:
    hostile = "".join(HOSTILE)
    claude_session(
        harkback.home, *(f"walrus {each} walrus" for each in HOSTILE), cwd=f"/home/{hostile}", gitBranch=f"b{hostile}"
    )
    path = claude_session(harkback.home, f"walrus {hostile}", name="walrus")
    path.write_text(path.read_text() + json.dumps({"type": "custom-title", "customTitle": f"T {hostile}"}) + "\n")
    path.rename(os.fsdecode(os.fsencode(path.parent) + b"/w\xff.jsonl"))
    harkback("sources", "enable", "claude")
    text = hostile.encode("utf-8", "surrogatepass")
    sessions = {hit["session"] for hit in harkback("search", "walrus", "--json").json["hits"]}
    assert len(sessions) == 2
    runs = [
        harkback("search", "walrus"),
        harkback("search", "walrus", b"title:" + text),
        harkback("search", text, "--json"),
        harkback("search", b"source:" + text),
        harkback("show", text),
        harkback("show", text, "--json"),
        harkback(text),
        harkback("sources", "enable", text),
        harkback("sources", "add", "claude", text),
        harkback("sources", "remove", "claude", text),
        harkback("index", b"--" + text),
        harkback("index", "--source", text),
        harkback("config", "get", text),
        harkback("config", "set", "limits.preset", text),
        harkback("status", "--home", text),
        harkback("config", "path", "--home", text),
        harkback("sources", "--json"),
        harkback("status"),
        *(harkback("show", session) for session in sessions),
        *(harkback("show", session, "--json") for session in sessions),
    ]
    for ran in runs:
        assert ran.code in (0, 1, 2)
        assert not UNSAFE.search(ran.out), ran
        assert not UNSAFE.search(ran.err), ran
        (ran.out + ran.err).encode()  # and nothing that is not UTF-8
        if ran.out.startswith("{"):
            found = UNSAFE.search("".join(texts_in(ran.json)).replace("\n", ""))
            assert not found, ran


@pytest.mark.parametrize("environ", [{"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}])
def test_an_ascii_terminal_gets_escapes_instead_of_errors(indexed: CommandLine, environ: dict[str, str]) -> None:
    ran = indexed("search", os.fsencode("剪贴板"), **environ)
    assert ran.code == 0
    as_json = indexed("search", os.fsencode("剪贴板"), "--json", **environ)
    assert as_json.json["query"] == "剪贴板"
    assert indexed("show", as_json.json["hits"][0]["session"], **environ).code == 0
    assert indexed("search", "--help", **environ).code == 0


def test_a_closed_pipe_is_no_error_and_prints_nothing(samples: CommandLine) -> None:
    claude_session(samples.home, *(f"pelican number {number} {'x' * 2_000}" for number in range(200)))
    samples("index")
    child = subprocess.Popen(
        [samples.program, "search", "pelican", "--limit", "1000", "--no-refresh"],
        env=samples.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout
    assert child.stderr
    assert child.stdout.readline()
    child.stdout.close()
    said = child.stderr.read().decode()
    child.stderr.close()
    assert (child.wait(), said) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_ends_in_3(indexed: CommandLine) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [indexed.program, "status"], env=indexed.environ, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (
        3,
        "harkback: could not go on: No space left on device; the index is as it was\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_closed_streams_are_no_error(indexed: CommandLine) -> None:
    for words, closed in (("status", ">&-"), ("search tmux", ">&- 2>&-"), ("search tmux", "<&-"), ("nope", "2>&-")):
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" {words} {closed}', indexed.program],
            env=indexed.environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode == (2 if words == "nope" else 0)
        assert "Traceback" not in done.stderr


def test_a_terminal_gets_excerpts_that_fit_its_width(indexed: CommandLine) -> None:
    screen = on_a_terminal(indexed, "search", "tmux", "--no-refresh", columns=60)
    assert "\x1b[1m" in screen
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in screen.splitlines()]
    excerpts = [line for line in lines if line.startswith("  ") and " · " not in line and "harkback show" not in line]
    assert len(excerpts) > 4
    assert max(map(len, excerpts)) <= 60


def test_a_terminal_gets_a_progress_line_that_it_can_show_and_a_pipe_does_not(samples: CommandLine) -> None:
    screen = on_a_terminal(samples, "index", columns=80)
    assert "▕" in screen
    samples("index", "--rebuild")
    assert samples("index", "--rebuild").err == ""


def on_a_terminal(harkback: CommandLine, *words: str, columns: int) -> str:
    """What a command prints on a terminal."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    done = subprocess.Popen(
        [harkback.program, *words],
        env=harkback.environ | {"COLUMNS": str(columns), "TERM": "xterm"},
        stdin=child,
        stdout=child,
        stderr=child,
    )
    os.close(child)
    said = b""
    while True:
        try:
            part = os.read(parent, 65_536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        said += part
    os.close(parent)
    assert done.wait() == 0
    return said.decode().replace("\r\n", "\n")


def test_many_queries_are_answered_in_one_process_line_by_line(indexed: CommandLine) -> None:
    ran = indexed("search", "--stdin", "--limit", "2", typed="clipboard\n\nzzzzqqq\nclipboard role:nobody\n")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [answer["query"] for answer in answers] == ["clipboard", "zzzzqqq", "clipboard role:nobody"]
    assert [bool(answer["hits"]) for answer in answers] == [True, False, True]
    assert answers[2]["notes"]
    assert ran.code == 0
    assert indexed("search", "--stdin", typed="zzzzqqq\n").code == 1
    assert indexed("search", "--stdin", "clipboard", typed="tmux\n").code == 2
    assert indexed("search").code == 2


def test_a_score_is_explained_when_that_is_asked_for(indexed: CommandLine) -> None:
    ran = indexed("search", "clipboard", "--explain", "--limit", "1")
    assert re.search(r"^  \d+\.\d\d = bm25 \d+\.\d\d × \(1 \+ 1\.00 for clipboard\)", ran.out, re.MULTILINE)
    (hit,) = indexed("search", "clipboard", "--explain", "--limit", "1", "--json").json["hits"]
    why = hit["explain"]
    own = why["bm25"] * (1 + why["coverage"]) * why["role"]
    assert hit["score"] == pytest.approx((own + why["neighbours"] + why["session"]) * why["time"], abs=0.001)


def test_a_misspelt_word_finds_what_was_meant_and_says_so(indexed: CommandLine) -> None:
    ran = indexed("search", "clipbaord", "--json")
    assert ran.json["suggestion"] == "clipboard"
    assert ran.json["hits"]
    assert ran.json["notes"] == ["clipbaord: no text has it, so clipboard will do"]
    assert "did you mean: clipboard" in indexed("search", "clipbaord").err
