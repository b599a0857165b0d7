"""`harkback memory`: what it finds, which lines it prints, and that no file is opened for them."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Ran
from harkback.adapters.markdown import lines_of
from harkback.core.config import Config
from harkback.core.database import Database
from harkback.core.memory import MOST_BYTES, NoSuchFile, Passage, passage
from harkback.core.private import write_private
from harkback.tui.surroundings import Surroundings
from hypothesis import given
from hypothesis import strategies as st

TICKED = 'limits.preset = "everything"\nsources.memory.enabled = true\nsources.claude.enabled = true\n'
CLAUDE = "# Kiln\n\nFire zebra slowly.\n\n## Glaze\n\n- thin\n- zebra glaze\n"
LONG = "# Log\n\n" + "\n\n".join(f"On day {n} the zebra kiln was fired. " + "It was hot. " * 20 for n in range(60))


@pytest.fixture
def notes(harkback: CommandLine) -> CommandLine:
    """A home with some memory files and a session, everything indexed."""
    return written(harkback)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The same, for tests that only read."""
    here = place(written(CommandLine(tmp_path_factory.mktemp("library") / "home")))
    db = here.store.read()
    yield Library(here, here.config(), db)
    db.close()


@dataclass(frozen=True)
class Library:
    """An index that is open, and what it was made of."""

    here: Surroundings
    config: Config
    db: Database

    def get(self, named: str, first: int | None = None, count: int | None = None, folder: str = "") -> Passage:
        home = self.here.home
        return passage(self.db, self.config, home, named, first, count, folder=home / folder)


def written(harkback: CommandLine) -> CommandLine:
    write(harkback.home / ".claude" / "CLAUDE.md", CLAUDE)
    write(harkback.home / ".codex" / "AGENTS.md", LONG)
    write(harkback.home / ".gemini" / "GEMINI.md", "---\ntitle: Facts\n---\n\nzebra first\n\n\n\nand\tlast  \n\n")
    line = '{"type":"user","uuid":"u","timestamp":"2026-11-03T08:00:00Z","message":{"role":"user","content":"a zebra"}}'
    write(harkback.home / ".claude" / "projects" / "-a" / "s.jsonl", line + "\n")
    write_private(harkback.folder / "config.toml", TICKED)
    place(harkback).reconcile()
    return harkback


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")
    return path


def place(harkback: CommandLine) -> Surroundings:
    return Surroundings(harkback.folder, harkback.home, {}, working_folder=harkback.home)


def get(harkback: CommandLine, *words: str) -> Ran:
    return harkback("memory", "get", *words)


# ---- search ----


def test_memory_search_finds_memory_alone_and_search_finds_both(notes: CommandLine) -> None:
    hits = notes("memory", "search", "zebra", "--json").json["hits"]
    assert {hit["role"] for hit in hits} == {"memory"}
    assert {hit["source"] for hit in hits} == {"memory"}
    assert {hit["source"] for hit in notes("search", "zebra", "--json").json["hits"]} == {"memory", "claude"}
    assert {hit["source"] for hit in notes("search", "zebra -kind:memory", "--json").json["hits"]} == {"claude"}
    assert notes("search", "zebra kind:memory", "--json").json["total"] == len(hits)
    assert notes("memory", "search", "okapi").code == 1
    assert notes("memory", "search", "--jsn", "zebra").code == 2
    assert len(notes("memory", "search", "zebra", "--limit", "2", "--json").json["hits"]) == 2


def test_a_hit_cites_its_lines_and_get_prints_them(notes: CommandLine) -> None:
    (hit,) = notes("memory", "search", "glaze", "--json").json["hits"]
    assert hit["cite"] == f"{notes.home}/.claude/CLAUDE.md#L5-L8"
    done = get(notes, hit["cite"])
    assert (done.code, done.out) == (0, "## Glaze\n\n- thin\n- zebra glaze\n")
    shown = notes("memory", "search", "glaze").out
    assert "~/.claude/CLAUDE.md#L5-L8" in shown
    (command,) = [line for line in shown.splitlines() if line.startswith("  harkback ")]
    assert notes(*shlex.split(command)[1:]).out == done.out
    assert "L5-L8" in notes("show", hit["session"]).out
    turns = notes("show", hit["session"], "--json").json["turns"]
    assert [turn["cite"] for turn in turns] == [
        f"{notes.home}/.claude/CLAUDE.md#{lines}" for lines in ("L1-L3", "L5-L8")
    ]


def test_what_has_changed_is_read_before_a_search(notes: CommandLine) -> None:
    write(notes.home / ".claude" / "CLAUDE.md", "okapi")
    assert notes("memory", "search", "okapi", "--no-refresh").code == 1
    assert notes("memory", "search", "okapi").code == 0


# ---- get ----


def test_every_line_is_given_once_and_as_it_is(notes: CommandLine) -> None:
    found = get(notes, "~/.codex/AGENTS.md", "--json").json
    assert found["text"] == LONG
    assert (found["schema"], found["from"], found["to"], found["lines"]) == (1, 1, 121, 121)
    assert (found["path"], found["title"], found["truncated"]) == (f"{notes.home}/.codex/AGENTS.md", "Log", False)
    rows = place(notes).store.read()
    parts = rows.value("SELECT count(*) FROM turns WHERE cite IS NOT NULL")
    rows.close()
    assert parts > 8, "it was cut into parts that overlap"


def test_front_matter_is_not_given_and_blank_lines_are(notes: CommandLine) -> None:
    found = get(notes, "~/.gemini/GEMINI.md", "--json").json
    assert (found["text"], found["from"], found["to"]) == ("zebra first\n\n\n\nand\tlast  ", 5, 9)


def test_a_file_is_named_in_full_from_home_from_here_or_by_its_key(library: Library) -> None:
    path = f"{library.here.home}/.claude/CLAUDE.md"
    for named in (path, "~/.claude/CLAUDE.md", ".claude/CLAUDE.md", "./x/../.claude/CLAUDE.md", f"memory:{path}"):
        assert library.get(named).text == CLAUDE.rstrip("\n"), named
        assert library.get(f"{named}#L3").text == "Fire zebra slowly."


@pytest.mark.parametrize(
    ("first", "count", "lines"),
    [
        (None, None, (1, 8)),
        (3, None, (3, 8)),
        (3, 2, (3, 4)),
        (None, 2, (1, 2)),
        (-5, None, (1, 8)),
        (0, 0, (1, 1)),
        (10**22, 5, (8, 8)),
        (None, -3, (1, 1)),
        (None, 10**30, (1, 8)),
    ],
)
def test_what_is_asked_for_is_brought_within_the_file(
    library: Library, first: int | None, count: int | None, lines: tuple[int, int]
) -> None:
    found = library.get("~/.claude/CLAUDE.md", first, count)
    assert (found.first, found.last) == lines
    assert found.text == "\n".join(lines_of(CLAUDE)[lines[0] - 1 : lines[1]])


@pytest.mark.parametrize(
    ("cite", "lines"),
    [
        ("#L3", (3, 3)),
        ("#L3-L4", (3, 4)),
        ("#L3-4", (3, 4)),
        ("#L6-L2", (6, 6)),
        ("#L0-L99999", (1, 8)),
        ("#L99", (8, 8)),
    ],
)
def test_a_citation_names_its_lines(library: Library, cite: str, lines: tuple[int, int]) -> None:
    found = library.get(f"~/.claude/CLAUDE.md{cite}")
    assert (found.first, found.last) == lines
    assert library.get(f"~/.claude/CLAUDE.md{cite}", 1, 1).last == 1


def test_options_say_which_lines(notes: CommandLine) -> None:
    assert get(notes, "~/.claude/CLAUDE.md", "--from", "-4", "--lines", "1").out == "# Kiln\n"
    assert get(notes, "~/.claude/CLAUDE.md#L5-L8", "--from", "3", "--lines", "9" * 30).out == CLAUDE[8:]
    assert get(notes, "~/.claude/CLAUDE.md", "--lines", "many").code == 2


def test_one_answer_is_of_80_kb_at_most_and_says_where_it_goes_on(notes: CommandLine) -> None:
    text = "\n".join(f"line {n} 窑窑窑" + " x" * 40 for n in range(2_000))
    write(notes.home / ".claude" / "CLAUDE.md", text)
    place(notes).reconcile()
    first = get(notes, "~/.claude/CLAUDE.md", "--json").json
    assert first["truncated"]
    assert MOST_BYTES - 200 < len(first["text"].encode()) <= MOST_BYTES
    assert f"--from {first['to'] + 1}" in get(notes, "~/.claude/CLAUDE.md").err
    kept, at = [first["text"]], first["to"] + 1
    while at <= first["lines"]:
        more = get(notes, "~/.claude/CLAUDE.md", "--from", str(at), "--json").json
        kept.append(more["text"])
        at = more["to"] + 1
    assert "\n".join(kept) == text
    write(notes.home / ".claude" / "CLAUDE.md", "窑" * 100_000 + "\nend")
    place(notes).reconcile()
    one = get(notes, "~/.claude/CLAUDE.md", "--json").json
    assert (one["to"], one["truncated"], len(one["text"])) == (1, True, MOST_BYTES // 3)


def test_secrets_are_masked_and_lines_stay_where_they_are(notes: CommandLine) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    armour = "-----{} RSA PRIVATE" + " KEY-----"
    key = [armour.format("BEGIN"), *("MIIEow" + f"{n:04}" * 14 for n in range(30)), armour.format("END")]
    lines = ["# Keys", f"token = {token}", *key, "after", "last"]
    write(notes.home / ".claude" / "CLAUDE.md", "\n".join(lines))
    place(notes).reconcile()
    found = get(notes, "~/.claude/CLAUDE.md", "--json").json
    assert token not in found["text"]
    assert "MIIEow" not in found["text"]
    assert found["text"].split("\n")[-2:] == ["after", "last"]
    assert found["lines"] == len(lines)


def test_a_changed_file_is_given_as_it_was_indexed(notes: CommandLine) -> None:
    write(notes.home / ".claude" / "CLAUDE.md", "other")
    assert get(notes, "~/.claude/CLAUDE.md").out == CLAUDE
    (notes.home / ".claude" / "CLAUDE.md").unlink()
    assert get(notes, "~/.claude/CLAUDE.md").out == CLAUDE


def test_an_empty_index_has_no_memory_files(harkback: CommandLine) -> None:
    assert (get(harkback, "x").code, harkback("memory", "search", "x", "--no-refresh").code) == (1, 1)


# ---- what nobody may read ----

OUTSIDE = [
    "../../etc/passwd", "/etc/passwd", "~", "~/", "~root/.bashrc", "file:///etc/passwd", "%2e%2e/%2e%2e/etc/passwd",
    "..%2f..%2fetc%2fpasswd", "..\\..\\etc\\passwd", "~/.claude/CLAUDE.md\0", "~/.claude/CLAUDE.md.",
    "~/.claude/CLAUDE.md ", " ~/.claude/CLAUDE.md", "/proc/self/environ", "/dev/zero", "CON", "NUL", "", ".", "#L1",
    "#L1-L2", "~/.claude/CLAUDE.md#L", "~/.claude/claude.MD", "~/.claude/CLAUDE.md/", "~/.claude//CLAUDE.md",
    "~/.claude/rules/../CLAUDE.md", "memory:", "claude:s", "x" * 100_000, "\ud800", "~/.claude/settings.json",
    "~/.claude/CLAUDE.md#L" + "9" * 5_000,
]  # fmt: skip
_opened: list[str] | None = None


def _note_opening(event: str, arguments: tuple[Any, ...]) -> None:
    if _opened is not None and event in ("open", "os.listdir", "os.scandir") and not isinstance(arguments[0], int):
        _opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_note_opening)


@contextmanager
def opened() -> Iterator[list[str]]:
    """What Python opens or lists in the block; SQLite opens the index by itself."""
    global _opened
    _opened = []
    try:
        yield _opened
    finally:
        _opened = None


@pytest.mark.parametrize("named", OUTSIDE, ids=lambda named: ascii(named[:40]))
def test_no_file_but_an_indexed_one_is_ever_opened(library: Library, named: str) -> None:
    write(library.here.home / ".claude" / "settings.json", "{}")
    with opened() as paths, pytest.raises(NoSuchFile):
        library.get(named, folder="src")
    assert paths == []
    with opened() as paths:
        assert library.get("~/.claude/CLAUDE.md").first == 1
    assert paths == [], "nor is that"


@given(st.text(max_size=40) | st.text(alphabet="./~#L1-\\%ACLUDE.md", max_size=30))
def test_no_name_upsets_it(library: Library, named: str) -> None:
    with pytest.raises(NoSuchFile):
        library.get(named)


def test_a_rule_counts_before_the_index_follows_it(notes: CommandLine) -> None:
    here, config = place(notes), notes.folder / "config.toml"
    db = here.store.read()
    codex = f"{notes.home}/.codex/AGENTS.md"

    def is_there() -> bool:
        try:
            return bool(passage(db, here.config(), here.home, codex, folder=here.home))
        except NoSuchFile:
            return False

    assert is_there()
    for rule in ("~/.codex/**", f"session:memory:{codex}", "title:log", "source:memory", "project:~/.claude"):
        config.write_text(f'{TICKED}exclude.patterns = ["{rule}"]\n')
        assert is_there() == rule.startswith("project:"), rule
    config.write_text(TICKED.replace("sources.memory.enabled = true", "sources.memory.enabled = false"))
    assert not is_there()
    db.close()


def test_all_that_may_not_be_read_gets_one_answer(notes: CommandLine) -> None:
    def answer(path: str) -> tuple[int, str, str]:
        done = get(notes, path)
        return done.code, done.out, re.sub(r"file: .*", "file: …", done.err)

    unknown = answer("~/unknown.md")
    assert unknown == (1, "", "harkback: no such memory file: …\n")
    write(notes.home / "outside.md", "zebra")
    assert answer("~/outside.md") == answer("claude:s") == unknown
    assert notes("exclude", "add", "~/.codex/**").code == 0
    assert answer("~/.codex/AGENTS.md") == unknown
    assert notes("forget", "--session", f"memory:{notes.home}/.gemini/GEMINI.md", "--yes").code == 0
    place(notes).reconcile()
    assert answer("~/.gemini/GEMINI.md") == unknown
    assert get(notes, "~/.claude/CLAUDE.md").code == 0
    assert notes("sources", "disable", "memory").code == 0
    assert answer("~/.claude/CLAUDE.md") == unknown


def test_a_folder_of_notes_can_be_added_and_taken_back(notes: CommandLine) -> None:
    write(notes.home / "notes" / "deep" / "kiln.md", "an okapi")
    assert notes("memory", "search", "okapi").code == 1
    assert notes("sources", "add", "memory", str(notes.home / "notes")).code == 0
    (hit,) = notes("memory", "search", "okapi", "--json").json["hits"]
    assert hit["cite"] == f"{notes.home}/notes/deep/kiln.md#L1-L1"
    assert notes("sources", "remove", "memory", str(notes.home / "notes")).code == 0
    assert get(notes, "~/notes/deep/kiln.md").code == 1
