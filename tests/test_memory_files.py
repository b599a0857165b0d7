"""Memory files: where they are, how they are cut, what they are called, and what stays when one is rewritten."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from engine import Engine, check
from harkback.adapters import markdown, memory_files
from harkback.adapters.claude import Claude
from harkback.adapters.markdown import OVERLAP, TARGET, Chunk, chunks, first_heading, front_matter, lines_of, tokens
from harkback.adapters.memory_files import MemoryFiles
from harkback.core.config import Limits
from harkback.core.model import Record, Reread, SessionRecord, SkipRecord, TurnRecord, Unreadable
from harkback.core.projects import projects_of
from hypothesis import example, given
from hypothesis import strategies as st

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "memory-markdown"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
MEMORY = MemoryFiles()
WORD = "kiln "


def write(path: Path, text: str | bytes, day: int = 3) -> Path:
    """A file that was changed last on a day of November 2026."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    time = datetime(2026, 11, day, 8, 30, tzinfo=UTC).timestamp()
    os.utime(path, (time, time))
    return path


def read(path: Path) -> list[Record]:
    return list(MEMORY.read(path, None))


def turns(path: Path) -> list[TurnRecord]:
    return [record for record in read(path) if isinstance(record, TurnRecord)]


def facts(path: Path) -> SessionRecord:
    (found,) = [record for record in read(path) if isinstance(record, SessionRecord)]
    return found


def cut(text: str) -> list[tuple[int, int]]:
    lines = lines_of(text)
    return [tuple(chunk) for chunk in chunks(lines, front_matter(lines)[1])]


def found_below(root: Path, adapter: MemoryFiles = MEMORY) -> set[str]:
    return {str(item.relative_to(root)) for item in adapter.find(root) if isinstance(item, Path)}


# ---- cutting ----


def test_every_section_is_a_chunk_with_its_heading() -> None:
    assert cut("# Kiln\n\nHot.\n\n## Firing\nSlowly.\n\n## Glaze\n\nThin.\n") == [(1, 3), (5, 6), (8, 10)]
    assert cut("Before any heading.\n# One\ntext") == [(1, 1), (2, 3)]
    assert cut("Title\n=====\n\ntext\n\nOther\n---\nmore") == [(1, 4), (6, 8)]
    assert cut("") == cut("\n \n\t\n") == []


def test_a_heading_with_nothing_below_it_goes_with_what_follows() -> None:
    assert cut("# Kiln\n\n## Firing\n\nSlowly.\n\n## Glaze\nThin.") == [(1, 5), (7, 8)]
    assert cut("text\n\n# The end") == [(1, 1), (3, 3)]


def test_sections_below_one_stay_with_it_while_there_is_room() -> None:
    long = WORD * 200
    assert cut("## Firing\nSlowly.\n### Bisque\nlow\n### Glost\nhigh\n## Glaze\nThin.") == [(1, 6), (7, 8)]
    assert cut(f"## Firing\nSlowly.\n### Bisque\n{long}\n### Glost\n{long}") == [(1, 4), (5, 6)]


def test_what_only_looks_like_a_heading_is_none() -> None:
    assert cut("# A\n```sh\n# a comment\n## another\n```\n\ntext") == [(1, 7)]
    assert cut("# A\n~~~~\n~~~\n# inside\n~~~~\nend") == [(1, 6)]
    assert cut("# A\n#tag and #another\n- item\n---\nend") == [(1, 5)]
    assert cut("text\n```\n# never closed\nmore") == [(1, 2), (3, 4)]


def test_a_long_section_is_cut_between_paragraphs_and_its_parts_overlap() -> None:
    paragraph = f"{WORD * 60}end."
    text = "# Log\n\n" + "\n\n".join([paragraph] * 20)
    found = cut(text)
    assert len(found) > 4
    for (_, stop), (start, _) in pairwise(found):
        assert start == stop, "the last paragraph of one is the first of the next"
        assert lines_of(text)[start - 1] == paragraph


def test_a_fenced_block_stays_whole_if_it_can() -> None:
    code = "```\n" + "fire the kiln\n" * 60 + "```"
    text = "# Log\n\n" + f"{WORD * 200}\n\n{code}\n\n{WORD * 200}\n\n{code}\n"
    lines = lines_of(text)
    assert tokens(code) < TARGET
    for start, stop in cut(text):
        assert lines[start - 1 : stop].count("```") in (0, 2)
    huge = "```\n" + "fire the kiln\n" * 400 + "```"
    assert len(cut(huge)) > 3


def test_one_line_that_is_too_long_is_a_chunk_as_it_is() -> None:
    assert cut(f"short\n\n{WORD * 2_000}\n\nshort") == [(1, 1), (3, 3), (5, 5)]


def test_a_token_is_four_letters_or_one_and_a_half_signs() -> None:
    assert tokens("x" * 1599) == 400
    assert tokens("窑" * 600) == pytest.approx(400.25)
    assert tokens("がマ한𠀀") == pytest.approx(4 / 1.5 + 0.25)


PIECES = [
    "# A\n", "## B\n", "### C ##\n", "```\n", "```py\n", "~~~\n", "text\n", "text\r\n", "\n", "   \n", "- item\n",
    "---\n", "===\n", "| a |\n", f"{WORD * 30}\n", "窑炉" * 60 + "\n", f"{WORD * 500}\n", "\r", "    indented\n",
]  # fmt: skip
documents = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=90).map("".join))


@given(documents)
@example("```\n" * 7)
@example(f"{WORD * 10}\n" * 200)
@example("a\n---\n---\n")
def test_every_line_that_says_something_is_in_a_chunk_and_none_is_too_long(text: str) -> None:
    lines = lines_of(text)
    start = front_matter(lines)[1]
    found = list(chunks(lines, start))
    covered = {number for first, last in found for number in range(first, last + 1)}
    wanted = {number for number, line in enumerate(lines, 1) if line.strip() and number > start}
    assert wanted <= covered
    for chunk in found:
        inside = lines[chunk.first - 1 : chunk.last]
        assert inside[0].strip()
        assert inside[-1].strip()
        size = sum(map(tokens, inside))
        assert size <= TARGET + OVERLAP or len(inside) == 1 or size - tokens(inside[-1]) <= OVERLAP
    for one, next_one in pairwise(found):
        assert one.first < next_one.first
        assert one.last < next_one.last
        shared = lines[next_one.first - 1 : one.last]
        assert sum(map(tokens, shared)) <= OVERLAP


def test_hostile_text_takes_no_longer_than_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = [0]

    class Counting(list[str]):
        def __getitem__(self, at):  # type: ignore[no-untyped-def]
            looked_at[0] += 1
            return super().__getitem__(at)

    for line in ("```a", "~~~~", "# a", "a", "- x", "---"):
        looked_at[0] = 0
        assert list(chunks(Counting([line] * 20_000)))
        assert looked_at[0] < 20 * 20_000, line


# ---- front matter ----


def test_front_matter_is_facts_and_no_text(tmp_path: Path) -> None:
    text = '---\ndescription: "When to fire"\nglobs: **/*.kiln, *.glaze\nalwaysApply: false\n---\n\nSlowly.\n'
    assert front_matter(lines_of(text)) == (
        {"description": "When to fire", "globs": "**/*.kiln, *.glaze", "alwaysapply": "false"},
        5,
    )
    path = write(tmp_path / "fire.mdc", text)
    assert [(turn.text, turn.cite) for turn in turns(path)] == [("Slowly.", "L7-L7")]
    assert facts(path).title == "When to fire"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: >\n  over\n  two lines\nname: x\n...\n", ({"title": "over two lines", "name": "x"}, 6)),
        ("---\nnever: closed\n", ({}, 0)),
        ("---\n\n---\ntext", ({}, 0)),
        ("---\njust words\n---\ntext", ({}, 0)),
        (" ---\na: b\n---\n", ({}, 0)),
        ("---\n" + "a: b\n" * 300 + "---\n", ({}, 0)),
        ("---\nurl: http://x:1\nempty:\n- a\n---", ({"url": "http://x:1", "empty": ""}, 5)),
    ],
)
def test_front_matter_of_many_shapes(text: str, expected: tuple[dict[str, str], int]) -> None:
    assert front_matter(lines_of(text)) == expected


# ---- titles, projects, times ----


def test_a_file_is_called_what_it_calls_itself(tmp_path: Path) -> None:
    def title(name: str, text: str) -> str | None:
        return facts(write(tmp_path / "web" / name, text)).title

    assert title("a.md", "# Kiln rules ##\n\ntext") == "Kiln rules"
    assert title("a.md", "text\n\nKiln\n----\nmore") == "Kiln"
    assert title("a.md", "---\ntitle: 'Mine'\ndescription: d\n---\n# Other\n") == "Mine"
    assert title("a.md", "---\nname: curve\n---\ntext") == "curve"
    assert title("CLAUDE.md", "# CLAUDE.md\n\ntext") == "web/CLAUDE.md"
    assert title(".claude/CLAUDE.md", "text") == "web/.claude/CLAUDE.md"
    assert title("memory/2026-11-03.md", "# 2026-11-03\n\ntext") == "web/memory/2026-11-03.md"
    assert first_heading(lines_of("```\n# code\n```\n#\n## Real")) == "Real"


def test_a_file_belongs_to_the_project_it_lies_in(tmp_path: Path) -> None:
    web = tmp_path / "src" / "web"

    def project(path: Path) -> str | None:
        return facts(write(path, "text")).project

    for name in (
        "CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules/deep/er.md", ".cursor/rules/a.mdc", ".cursorrules",
        ".github/copilot-instructions.md", ".github/instructions/a.instructions.md", ".windsurf/rules/a.md",
        "memory/2026-11-03.md", "memory/people/ann.md", "MEMORY.md", ".codebuddy/rules/a.md",
    ):  # fmt: skip
        assert project(web / name) == str(web), name
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    for name in (".claude/CLAUDE.md", ".codex/AGENTS.md", ".codex/memories/a.md", ".gemini/GEMINI.md"):
        assert project(tmp_path / name) is None, name
    tree = tmp_path / ".codex" / "worktrees" / "ab12" / "web"
    assert project(tree / "AGENTS.md") == str(tree)
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(web))
    notes = tmp_path / ".claude" / "projects" / slug / "memory"
    assert project(notes / "MEMORY.md") == str(web)
    assert project(notes.parents[1] / f"{slug}-gone" / "memory" / "a.md") is None


def test_the_time_is_the_files_or_the_day_that_a_note_is_named_for(tmp_path: Path) -> None:
    (turn,) = turns(write(tmp_path / "CLAUDE.md", "text", day=3))
    assert (turn.time, turn.quality, turn.role) == (1_793_694_600_000, "file", "memory")
    for name in ("2026-09-01.md", "2026-09-01-api-design.md"):
        (turn,) = turns(write(tmp_path / "memory" / name, "text"))
        assert datetime.fromtimestamp((turn.time or 0) / 1000, UTC).date().isoformat() == "2026-09-01"
    for name in ("2026-13-01.md", "2026-09-012.md", "0001-01-01.md"):
        (turn,) = turns(write(tmp_path / "memory" / name, "text"))
        assert turn.time == 1_793_694_600_000
    path = write(tmp_path / "old.md", "text")
    os.utime(path, (0, 0))
    (turn,) = turns(path)
    assert (turn.time, turn.quality) == (None, "none")


def test_a_path_is_the_name_of_its_session_unless_it_is_not_fit_to_be_shown(tmp_path: Path) -> None:
    assert facts(write(tmp_path / "窑 kiln" / "CLAUDE.md", "x")).session == str(tmp_path / "窑 kiln" / "CLAUDE.md")
    for name in (b"a\nb", b"a\x1b[31m", b"\xff\xfe", "a\u202eb".encode()):
        folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        session = facts(write(folder / "CLAUDE.md", "x")).session
        assert re.fullmatch(r"[0-9a-f]{16}/CLAUDE\.md", session)
        assert memory_files.session_name(folder / "CLAUDE.md") == session


# ---- bytes ----


def test_lines_are_counted_as_other_programs_count_them(tmp_path: Path) -> None:
    text = "\ufeff# A\r\n\r\ntext\x0cmore\u2028and\r\n\r\n## B\r\nend"
    assert [turn.cite for turn in turns(write(tmp_path / "a.md", text))] == ["L1-L3", "L5-L6"]
    assert [turn.text for turn in turns(write(tmp_path / "a.md", "# A\rone\r\r# B\rtwo\r"))] == ["# A\none", "# B\ntwo"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"# text\n" * 700_000, "too-large"),
        ("# text".encode("utf-16"), "encoding"),
        ("# text and more".encode("utf-16-be"), "encoding"),
        (b"\x1f\x8b\x08 packed", "compressed"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not-text"),
    ],
)
def test_what_is_no_text_or_too_much_is_set_aside(content: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as caught:
        read(write(tmp_path / "a.md", content))
    assert caught.value.reason == reason


def test_a_line_in_another_encoding_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", b"# Kiln\n\nD\xe9cision\n")
    assert [record.reason for record in read(path) if isinstance(record, SkipRecord)] == ["replaced-bytes"]
    assert [turn.text for turn in turns(path)] == ["# Kiln\n\nD\ufffdcision"]


def test_of_a_file_with_too_many_sections_the_rest_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_files, "MOST_CHUNKS", 3)
    path = write(tmp_path / "a.md", "## A\ntext\n" * 5)
    assert len(turns(path)) == 3
    assert SkipRecord("note-cut", "line 7") in read(path)
    monkeypatch.setattr(memory_files, "MOST_LINES", 4)
    assert len(turns(path)) == 2
    assert SkipRecord("note-cut", "line 5") in read(path)


def test_a_million_headings_and_a_million_lines_are_few_chunks(tmp_path: Path) -> None:
    for line in ("# a\n", "a\n\n", "## a\nb\n"):
        path = write(tmp_path / "a.md", line * 600_000 if len(line) < 5 else line * 400_000)
        assert 0 < len(turns(path)) <= memory_files.MOST_CHUNKS


def test_a_file_is_read_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "# A\n")
    (*_, end) = read(path)
    with pytest.raises(Reread):
        list(MEMORY.read(path, end))  # type: ignore[arg-type]


# ---- places ----


def test_roots_follow_the_agents_own_variables(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".openclaw" / "workspace-ops").mkdir(parents=True)
    assert home / ".claude" / "projects" not in MEMORY.roots(home, {}), "there is only what another source reads"
    (home / ".claude" / "projects" / "-a" / "memory").mkdir(parents=True)
    write(home / ".claude" / "settings.json", '{"autoMemoryDirectory": "~/notes", "env": {"KEY": "no"}}')
    usual = {str(root.relative_to(home)) for root in MEMORY.roots(home, {}) if root.is_relative_to(home)}
    assert {
        ".claude/CLAUDE.md", ".claude/rules", ".claude/projects", "notes", ".codex/AGENTS.md",
        ".codex/AGENTS.override.md", ".codex/memories", ".gemini/GEMINI.md", ".kimi-code/AGENTS.md",
        ".agents/AGENTS.md", ".codebuddy/CODEBUDDY.md", ".codebuddy/rules", ".openclaw/workspace/MEMORY.md",
        ".openclaw/workspace/USER.md", ".openclaw/workspace/memory", ".openclaw/workspace-ops/memory",
        ".codeium/windsurf/memories",
    } <= usual  # fmt: skip
    assert Path("/etc/claude-code") in MEMORY.roots(home, {})
    assert Path("/Library/Application Support/ClaudeCode") in MEMORY.roots(home, {})
    other = tmp_path / "other"
    for variable, path in {
        "CLAUDE_CONFIG_DIR": "CLAUDE.md", "CODEX_HOME": "memories", "GEMINI_CLI_HOME": ".gemini/GEMINI.md",
        "KIMI_CODE_HOME": "AGENTS.md", "CODEBUDDY_CONFIG_DIR": "CODEBUDDY.md", "OPENCLAW_STATE_DIR": "workspace/memory",
        "PROGRAMFILES": "ClaudeCode",
    }.items():  # fmt: skip
        assert other / path in MEMORY.roots(home, {variable: str(other)}), variable


def test_only_notes_are_found_and_no_folder_that_is_hidden(tmp_path: Path) -> None:
    for name in (
        "a.md", "deep/er/b.MD", "c.mdc", ".cursorrules", ".aider.chat.history.md", "d.txt", "e.md.bak", ".git/f.md",
        "node_modules/g/README.md", ".obsidian/h.md",
    ):  # fmt: skip
        write(tmp_path / "notes" / name, "x")
    assert found_below(tmp_path / "notes") == {"a.md", "deep/er/b.MD", "c.mdc", ".cursorrules"}
    assert list(MEMORY.find(tmp_path / "notes" / "a.md")) == [tmp_path / "notes" / "a.md"]
    assert list(MEMORY.find(tmp_path / "notes" / "d.txt")) == []
    assert list(MEMORY.find(tmp_path / "nothing")) == []


def test_of_claudes_projects_only_the_memory_is_found(tmp_path: Path) -> None:
    for name in ("-src-web/memory/MEMORY.md", "-src-web/memory/a/b.md", "-src-web/s/tool-results/x.md", "C--src/y.md"):
        write(tmp_path / "projects" / name, "x")
    assert found_below(tmp_path / "projects") == {"-src-web/memory/MEMORY.md", "-src-web/memory/a/b.md"}
    write(tmp_path / "mine" / "projects" / "web" / "plan.md", "x")
    assert found_below(tmp_path / "mine" / "projects") == {"web/plan.md"}


def test_in_a_project_only_known_places_are_looked_at(tmp_path: Path) -> None:
    places = MEMORY.project_roots(tmp_path)
    names = {str(place.relative_to(tmp_path)) for place in places}
    assert {
        "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules", "AGENTS.md", "AGENTS.override.md",
        "AGENTS.local.md", "GEMINI.md", ".cursor/rules", ".cursorrules", "CODEBUDDY.md", "CODEBUDDY.local.md",
        ".codebuddy/CODEBUDDY.md", ".codebuddy/rules", ".github/copilot-instructions.md", ".github/instructions",
        ".windsurfrules", ".windsurf/rules", "MEMORY.md", "memory",
    } == names  # fmt: skip


def test_what_holds_for_a_repository_holds_in_the_folders_below(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    below = tmp_path / "repo" / "packages" / "kiln"
    below.mkdir(parents=True)
    assert tmp_path / "repo" / "AGENTS.md" in MEMORY.project_roots(below)
    assert tmp_path / "repo" / "packages" / "CLAUDE.md" in MEMORY.project_roots(below)
    assert tmp_path / "AGENTS.md" not in MEMORY.project_roots(below)
    assert tmp_path / "AGENTS.md" not in MEMORY.project_roots(tmp_path / "alone")


# ---- in the index ----


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine", (Claude(), MEMORY))  # type: ignore[arg-type]


def work_in(engine: Engine, *names: str) -> list[Path]:
    """Projects that a session of Claude Code was held in."""
    folders = [engine.home / "src" / name for name in names]
    for number, folder in enumerate(folders):
        folder.mkdir(parents=True)
        line = (
            '{"type":"user","uuid":"u%d","timestamp":"2026-11-03T08:00:00Z","cwd":"%s","sessionId":"s%d",'
            '"message":{"role":"user","content":"hello"}}\n'
        )
        write(engine.home / ".claude" / "projects" / f"-{number}" / f"s{number}.jsonl", line % (number, folder, number))
    return folders


def where(engine: Engine, query: str) -> list[tuple[str, str | None, int]]:
    """(path below the home, cite, number of other files that have it) of each hit."""
    return [
        (hit.session.native_id.removeprefix(f"{engine.home}/"), hit.cite, len(hit.also_in))
        for hit in engine.search(query)
    ]


def test_files_of_the_projects_worked_in_are_found_and_no_others(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    write(web / "CLAUDE.md", "# Web\n\nUse zebra crossings.\n\n## Tests\n\nRun zebra tests.\n")
    write(web / "docs" / "README.md", "zebra documentation")
    write(engine.home / "src" / "never" / "CLAUDE.md", "zebra")
    engine.run()
    assert sorted(where(engine, "zebra")) == [("src/web/CLAUDE.md", "L1-L3", 0), ("src/web/CLAUDE.md", "L5-L7", 0)]
    (hit, _) = engine.search("zebra kind:memory source:memory role:memory")
    assert (hit.session.kind, hit.session.project, hit.session.title) == ("memory", str(web), "Web")
    assert engine.run().read == 0
    check(engine)


def test_a_link_to_a_file_beside_is_the_same_file_and_a_copy_is_found_once(engine: Engine) -> None:
    web, app = work_in(engine, "web", "app")
    write(web / "AGENTS.md", "# Rules\n\nzebra\n", day=1)
    (web / "CLAUDE.md").symlink_to("AGENTS.md")
    write(web / "GEMINI.md", "# Rules\n\nzebra\n", day=2)
    write(app / "AGENTS.md", "intro\n\n# Rules\n\nzebra\n", day=3)
    engine.run()
    assert where(engine, "zebra") == [("src/web/AGENTS.md", "L1-L3", 2)]
    assert engine.rows("SELECT count(*) FROM files WHERE source = 'memory'") == [(3,)]
    check(engine)


def test_links_that_lead_out_of_a_project_are_not_followed(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    secret = write(engine.home / "private" / "diary.md", "zebra")
    write(engine.home / "private" / "rules" / "a.md", "zebra")
    (web / "CLAUDE.md").symlink_to(secret)
    (web / "memory").symlink_to(secret.parent)
    (web / ".claude").mkdir()
    (web / ".claude" / "rules").symlink_to(secret.parent / "rules")
    write(web / ".cursor" / "rules" / "b.md", "okapi")
    (web / ".cursor" / "rules" / "c.md").symlink_to(secret)
    write(web / "AGENTS.md", f"@{secret}\n@../../private/diary.md\n")
    engine.run()
    assert where(engine, "zebra") == []
    assert where(engine, "okapi") == [("src/web/.cursor/rules/b.md", "L1-L1", 0)]


def test_a_rewritten_file_keeps_the_chunks_that_stayed(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    path = write(web / "CLAUDE.md", "# Web\n\nzebra\n\n## B\n\nokapi\n\n## C\n\nquokka\n", day=3)
    engine.run()

    def rows() -> dict[str, tuple[object, ...]]:
        found = engine.rows(
            """SELECT substr(text, -6), turns.id, chunks.id, cite, time FROM turns JOIN chunks ON turn = turns.id
               WHERE cite IS NOT NULL"""
        )
        return {row[0].strip(): row[1:] for row in found}

    before = rows()
    write(path, "# Web\n\nOne more line.\nzebra\n\n## C\n\nquokka\n", day=9)
    engine.run()
    after = rows()
    assert sorted(after) == ["quokka", "zebra"]
    assert after["quokka"] == (*before["quokka"][:2], "L6-L8", before["quokka"][3])
    assert after["zebra"][:2] != before["zebra"][:2]
    assert where(engine, "okapi") == []
    assert where(engine, "quokka") == [("src/web/CLAUDE.md", "L6-L8", 0)]
    check(engine)
    path.unlink()
    engine.run()
    assert [hit.session.gone_at_source for hit in engine.search("quokka")] == [True]


def test_a_chunk_that_a_file_has_twice_is_there_twice(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    write(web / "CLAUDE.md", "## A\n\nzebra\n\n## A\n\nzebra\n\n## B\nx\n\n## A\n\nzebra\n")
    engine.run()
    assert engine.rows("SELECT count(*), count(DISTINCT native_id) FROM turns WHERE cite IS NOT NULL") == [(4, 4)]


def test_a_secret_across_the_border_of_two_chunks_is_masked_in_both(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    armour = "-----{} RSA PRIVATE" + " KEY-----"
    key = ["MIIEow" + f"{number:04}" * 14 for number in range(60)]
    lines = ["# Keys", "", *(f"note {n} about the kiln" for n in range(20)), armour.format("BEGIN"), *key]
    lines += [armour.format("END"), *(f"line {n} after it" for n in range(40))]
    write(web / "CLAUDE.md", "\n".join(lines))
    engine.run()
    kept = "\n".join(engine.texts(str(web / "CLAUDE.md"), "memory"))
    assert "MIIEow" not in kept
    assert "[redacted:" in kept
    ((_, cite, _),) = where(engine, '"line 39"')
    assert (cite or "").endswith(f"-L{len(lines)}")
    rows = engine.rows("SELECT text, cite FROM turns WHERE cite IS NOT NULL")
    assert len(rows) > 1


def test_what_was_written_long_ago_still_counts(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    write(web / "CLAUDE.md", "zebra")
    write(web / "memory" / "2024-02-03.md", "a zebra")
    os.utime(web / "CLAUDE.md", (1_600_000_000, 1_600_000_000))
    engine.limits = Limits("recent")
    engine.run()
    assert {path for path, _, _ in where(engine, "zebra")} == {"src/web/CLAUDE.md", "src/web/memory/2024-02-03.md"}
    assert [hit.session.native_id for hit in engine.search("zebra on:2024-02-03")] == [
        str(web / "memory/2024-02-03.md")
    ]


def test_notes_lie_in_folders_that_are_no_projects_for_that(engine: Engine) -> None:
    (web,) = work_in(engine, "web")
    write(engine.home / "notes" / "deep" / "a.md", "zebra")
    write(engine.home / "notes" / "deep" / "CLAUDE.md" / "not-here", "x")
    engine.roots = (str(engine.home / "notes"),)
    engine.run()
    assert where(engine, "zebra") == [("notes/deep/a.md", "L1-L1", 0)]
    db = engine.store.read()
    assert projects_of(db) == [web]
    db.close()


# ---- real files ----


@needs_fixtures
def test_real_files_are_read_right() -> None:
    files = sorted(path for path in FIXTURES.rglob("*") if path.is_file())
    assert len(files) == 10
    for path in files:
        records = read(path)
        assert not [record for record in records if isinstance(record, SkipRecord)]
        found = [record for record in records if isinstance(record, TurnRecord)]
        lines = path.read_text("utf-8").split("\n")
        assert found
        for turn in found:
            first, last = map(int, re.fullmatch(r"L(\d+)-L(\d+)", turn.cite or "").groups())  # type: ignore[union-attr]
            assert turn.text == "\n".join(lines[first - 1 : last])
        covered = {n for turn in found for n in range(*_range(turn.cite))}
        start = front_matter(lines)[1]
        assert {n for n, line in enumerate(lines, 1) if line.strip() and n > start} <= covered
        if path.suffix == ".mdc":
            assert (facts(path).title, start) == ("TypeScript standards", 5)


def _range(cite: str | None) -> tuple[int, int]:
    first, last = re.findall(r"\d+", cite or "")
    return int(first), int(last) + 1


@needs_fixtures
def test_the_heading_of_every_section_begins_a_chunk() -> None:
    path = FIXTURES / "claude-mem-CLAUDE.md"
    starts = [turn.text.split("\n")[0] for turn in turns(path)]
    assert starts == [line for line in path.read_text("utf-8").split("\n") if re.match("#{1,2} ", line)]
    assert isinstance(next(iter(markdown.chunks(["x"]))), Chunk)
