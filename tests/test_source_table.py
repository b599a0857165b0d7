"""The table of sources as a person sees it: in one look, in a hundred columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harkback.adapters import ADAPTERS
from harkback.core.held import Held
from harkback.core.status import SourceStatus, sources
from harkback.tui.output import columns
from harkback.tui.source_table import WIDTH, source_lines
from harkback.tui.wording import fitted_paths
from hypothesis import given
from hypothesis import strategies as st
from samples import Everything

NOW = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
READ = int(NOW.timestamp() * 1000) - 3_600_000
SCREENS = Path(__file__).parent / "screens"


def status(name: str, **more: object) -> SourceStatus:
    row = SourceStatus(name, name.title(), True, True, (f"/home/ada/.{name}",), 3, 2, 1_234, 0, READ, None, None)
    return replace(row, **more)  # type: ignore[arg-type]


def lines(*rows: SourceStatus) -> list[str]:
    shown = list(source_lines(rows, "/home/ada", NOW))
    assert all(len(line) <= WIDTH for line in shown), shown
    return shown


def test_what_is_ticked_comes_first_and_what_is_not_found_is_named_in_one_line() -> None:
    gone = {"found": False, "files": 0, "sessions": 0, "turns": 0}
    shown = lines(
        status("amp", ticked=False, last_run=None),
        status("pi", ticked=False, **gone),
        status("dsh", **gone),
        status("codex", files=12),
        status("vibe", ticked=False, **gone),
        status("zcode", last_run=None),
    )
    assert shown == [
        "     source  files  sessions  turns  skipped  last read  where",
        "[x]  codex      12         2  1,234           08:30      ~/.codex",
        "[x]  zcode       3                            not yet    ~/.zcode",
        "[x]  dsh                   0      0           08:30      not found here",
        "[ ]  amp         3                                       ~/.amp",
        "not found here: pi, vibe",
        "     (`harkback sources --json` tells where they are looked for)",
    ]


def test_what_went_wrong_stands_below_its_source() -> None:
    place = "/home/ada/" + "a very long name/" * 20
    question = Held("codex", "", 9, 8, READ, f"{place}s1.jsonl")
    shown = lines(status("codex", last_error="PermissionError", swept_soon=2, skipped=7, held=(question,)))
    assert "[x]  codex       3         2  1,234        7  08:30      ~/.codex" in shown
    assert "     the last run could not read it (PermissionError); what was indexed of it stays" in shown
    assert "     2 will be deleted by Codex in the next 7 days; harkback keeps their text" in shown
    assert any(line.startswith("     8 of 9 files of Codex are gone") for line in shown)
    assert any(line.startswith("     such as ~/a v") and line.endswith("s1.jsonl") for line in shown)
    assert "     if they are really gone: harkback sources confirm codex; if they come back, nothing" in shown


def test_places_that_do_not_fit_are_counted_or_shortened() -> None:
    roots = tuple(f"/srv/{'long/' * 9}{number}" for number in range(4))
    (_, line) = lines(status("claude", roots=roots))
    assert line.endswith("0 and 3 more")
    assert len(line) == WIDTH


@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4), st.integers(24, 90))
def test_paths_fit_whatever_they_are(paths: list[str], width: int) -> None:
    assert len(fitted_paths(paths, width)) <= width


def test_numbers_end_under_each_other() -> None:
    assert columns([("a", "n"), ("bb", "1,000"), ("c", "7")], {1}) == ["a       n", "bb  1,000", "c       7"]


def test_no_source_at_all_is_only_a_line(tmp_path: Path) -> None:
    rows = [replace(status(adapter.name), found=False, ticked=False, files=0) for adapter in ADAPTERS]
    assert lines(*rows)[0].startswith("not found here: claude, codex, ")


# ---- a home with many sources ----

HOME = "/home/ada"
NAMES = """claude codex openclaw dsh workbuddy codebuddy zcode kimi memory claude-mem gemini antigravity opencode
    copilot copilot-vscode cursor qwen cline roo aider goose amp crush droid vibe pi continue""".split()
PLACES = {
    "claude": [".claude/projects"],
    "codex": [".codex"],
    "openclaw": [".openclaw"],
    "kimi": [".kimi", ".kimi-code"],
    "copilot-vscode": [".config/Code/User", ".config/Code - Insiders/User", ".config/VSCodium/User"],
    "roo": [".config/Code/User/globalStorage/rooveterinaryinc.roo-cline"],
    "aider": ["src/bells/.aider.chat.history.md"],
    "gemini": [".gemini/tmp"],
}
UNTICKED = ("gemini", "aider")


def rows_of_a_home() -> Iterator[SourceStatus]:
    for number, name in enumerate(NAMES):
        roots = tuple(f"{HOME}/{place}" for place in PLACES.get(name, ()))
        files, ticked = 7 ** (number % 5) if roots else 0, bool(roots) and name not in UNTICKED
        yield SourceStatus(
            name=name,
            title=name.title(),
            found=bool(roots),
            ticked=ticked,
            roots=roots or (f"{HOME}/.{name}",),
            files=files,
            sessions=files if ticked else 0,
            turns=files * 31 if ticked else 0,
            skipped=number if ticked else 0,
            last_run=READ - number * 40_000_000 if ticked else None,
            last_error="PermissionError" if name == "kimi" else None,
            swept_soon=12 if name == "claude" else None,
        )


def test_the_table_of_a_home_with_many_sources(request: pytest.FixtureRequest) -> None:
    shown = "\n".join(lines(*rows_of_a_home())) + "\n"
    path = SCREENS / "sources.txt"
    if request.config.getoption("--write-screens"):
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


def test_the_table_of_all_samples_fits(tmp_path: Path) -> None:
    home = Everything(tmp_path)
    home.run()
    db = home.store.read()
    rows = sources(db, home.adapters, home.config, home.home, home.environ, int(NOW.timestamp() * 1000))
    db.close()
    shown = list(source_lines(rows, str(home.home), NOW))
    assert all(len(line) <= WIDTH for line in shown)
    assert [line.split()[1] for line in shown if line.startswith("[x]")] == [row.name for row in rows if row.found]
