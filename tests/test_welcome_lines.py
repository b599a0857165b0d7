"""What the first screen says, without the app."""

from __future__ import annotations

from pathlib import Path

import pytest
from harkback.core.status import Survey
from harkback.tui.welcome_lines import columns_head, found_here, never_read, not_found, places_of, source_label
from rich.cells import cell_len

NOW = 1_794_000_000_000


def survey(title: str, *roots: str, files: int = 412, size: int = 155_000_000) -> Survey:
    return Survey(title.lower(), title, tuple(map(Path, roots)), True, files, files, size, NOW - 7_200_000, 0)


MISSING = [survey(title) for title in ("OpenClaw", "DSH", "WorkBuddy", "Kimi", "Gemini CLI")]


@pytest.mark.parametrize("width", [10, 30, 60, 90, 200])
def test_those_that_were_not_found_stand_in_one_line(width: int) -> None:
    line = not_found(MISSING, width)
    assert cell_len(line) <= max(width, 16)
    assert "\n" not in line
    assert line.startswith("not found: ")


def test_as_many_are_named_as_there_is_room_for() -> None:
    assert not_found(MISSING, 65) == "not found: OpenClaw, DSH, WorkBuddy, 2 more (w: where we looked)"
    assert "Gemini CLI (w" in not_found(MISSING, 100)
    assert not_found(MISSING, 20) == "not found: 5 (w)"


def test_a_source_has_its_place_where_there_is_room_for_it() -> None:
    claude = survey("Claude Code", "/home/me/.claude/projects")
    wide, narrow = (source_label(claude, "/home/me", NOW, 22, width).plain for width in (110, 53))
    assert wide.split() == ["Claude", "Code", "~/.claude/projects", "412", "files", "155", "MB", "2h"]
    assert narrow.split() == ["Claude", "Code", "412", "files", "155", "MB", "2h"]


def test_a_column_that_has_no_room_is_left_out_whole_and_the_heads_stand_over_theirs() -> None:
    claude = survey("Claude Code", "/home/me/.claude/projects")
    for width in range(12, 120):
        line = source_label(claude, "/home/me", NOW, 22, width).plain
        assert cell_len(line) <= width
        assert not line.rstrip().endswith("…") or width < 22
        head = columns_head(22, width)
        assert ("size" in head) == ("155 MB" in line)
        assert not head or head.index("size") + 4 == line.index("155 MB") + 6
        assert ("newest" in head) == line.rstrip().endswith("2h")
    assert source_label(claude, "/home/me", NOW, 22, 29).plain.strip() == "Claude Code"


def test_where_was_looked_is_told_in_a_line_a_source() -> None:
    many = survey("Kimi", *(f"/home/me/place-{n}/with/a/long/name" for n in range(9)))
    assert len(places_of(many, "/home/me")) <= 80
    assert "and 8 more" in places_of(many, "/home/me")
    assert places_of(survey("Aider"), "/home/me") == "your projects' folders"


def test_counts_are_words() -> None:
    assert found_here(1) == "Found on this machine: 1 source. What may be read?"
    assert "2 rules of yours" in never_read(2)
    assert "built-in list" in never_read(0)
