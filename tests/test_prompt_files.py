"""Prompts on the disk and on the way to agents and editors; the basket's page at every width."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from harkback.core.basket import Basket, Collected, Mark
from harkback.core.pack import STYLES, Piece, pack
from harkback.core.results import Session, Turn
from harkback.tui.basket_page import basket_row, head, rows
from harkback.tui.basket_work import Contents
from harkback.tui.new_session import AGENTS, LONGEST, PREAMBLE, Agent, Start, agents
from harkback.tui.plain_view import MOST, PlainView
from harkback.tui.prompt_files import ENDINGS, KEPT_SECONDS, NotEdited, drop_old_prompts, edited, save, write_prompt
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult

NOW = datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001, the tests' own zone is UTC
HOSTILE = 'it\'s "quoted" $(touch pwned) `touch pwned` \\ $HOME 剪贴板\n-rf --help\n'


# ---- files ----


def test_a_prompt_in_our_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = write_prompt(tmp_path / "harkback", HOSTILE, "a.md")
    assert path.read_text() == HOSTILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_prompts_that_nobody_waits_for_any_more_go(tmp_path: Path) -> None:
    drop_old_prompts(tmp_path)  # there is nothing yet
    old, young = write_prompt(tmp_path, "old", "old.md"), write_prompt(tmp_path, "young", "young.md")
    long_ago = young.stat().st_mtime - KEPT_SECONDS - 60
    os.utime(old, (long_ago, long_ago))
    drop_old_prompts(tmp_path)
    assert list(young.parent.iterdir()) == [young]


def test_saving_never_replaces_unasked(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    save(path, "one, and long")
    with pytest.raises(FileExistsError):
        save(path, "two")
    assert path.read_text() == "one, and long"
    save(path, "two", replace=True)
    assert path.read_text() == "two"


def test_what_is_replaced_is_for_its_owner_alone_and_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "a.md", tmp_path / "link.md"
    path.write_text("for all to see")
    path.chmod(0o644)
    link.symlink_to(path)
    save(link, "mine", replace=True)
    assert link.is_symlink()
    assert path.read_text() == "mine"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(tmp_path.glob(".harkback*")) == []


@pytest.mark.parametrize("replace", [True, False])
def test_a_file_that_can_t_be_written_to_its_end_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replace: bool
) -> None:
    path = tmp_path / "a.md"
    if replace:
        path.write_text("before")

    def full(opened: int, content: bytes) -> None:
        os.write(opened, content[:3])
        os.close(opened)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("harkback.tui.prompt_files._write", full)
    with pytest.raises(OSError, match="No space left"):
        save(path, "a new text", replace=replace)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir() if each.is_file()] == (
        [("a.md", "before")] if replace else []
    )


def test_a_pipe_gets_the_prompt_if_somebody_reads_and_an_error_is_told_if_nobody_does(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="No such device"):
        save(pipe, "unheard", replace=True)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    save(pipe, "heard", replace=True)
    assert os.read(reader, 100) == b"heard"
    os.close(reader)


def test_every_style_has_an_ending() -> None:
    assert set(ENDINGS) == set(STYLES)


# ---- the editor ----


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    program = tmp_path / "an editor"
    program.write_text('#!/bin/sh\n[ "$1" = --wait ] && shift\necho "and my question" >> "$1"\n')
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("variable", ["VISUAL", "EDITOR"])
def test_what_the_editor_leaves_is_taken_over_and_no_copy_stays(tmp_path: Path, editor: Path, variable: str) -> None:
    environ = {"EDITOR": "false", "PATH": os.defpath} | {variable: f"{shlex.quote(str(editor))} --wait"}
    assert edited(tmp_path, HOSTILE, environ) == HOSTILE + "and my question\n"
    assert list((tmp_path / "prompts").iterdir()) == []


def test_the_file_in_the_editor_has_the_ending_of_its_format_and_one_that_is_gone_is_told(tmp_path: Path) -> None:
    program = tmp_path / "editor"
    program.write_text(f'#!/bin/sh\necho "$1" > \'{tmp_path}/name\'\nrm "$1"\n')
    program.chmod(0o755)
    with pytest.raises(NotEdited, match="left no file"):
        edited(tmp_path, "{}", {"EDITOR": str(program), "PATH": os.defpath}, ".json")
    assert (tmp_path / "name").read_text().endswith(".json\n")


@pytest.mark.parametrize(
    ("command", "words"),
    [("false", "false ended with 1"), ("no-such-editor", "can't be run"), ("'", "can't be run"), (" ", "can't be run")],
)
def test_an_editor_that_fails_changes_nothing_and_says_why(tmp_path: Path, command: str, words: str) -> None:
    with pytest.raises(NotEdited, match=words):
        edited(tmp_path, HOSTILE, {"EDITOR": command, "PATH": os.defpath})
    assert not any((tmp_path / "prompts").glob("*"))


# ---- agents ----


@pytest.mark.parametrize("text", [PREAMBLE + HOSTILE, PREAMBLE + "x" * LONGEST])
def test_the_line_for_a_shell_gives_the_agent_what_the_arguments_do(tmp_path: Path, text: str) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\nfor each; do printf '%s\\0' \"$each\"; done\n")
    program.chmod(0o755)
    start = Start(Agent("Any", (str(program), "-i")), write_prompt(tmp_path / "it's here", text, "a b.md"), text)
    by_shell = subprocess.run(["/bin/sh", "-c", start.shell()], cwd=tmp_path, capture_output=True, text=True)
    _, *arguments = start.resume().argv
    assert [each.rstrip("\n") for each in arguments] == by_shell.stdout.split("\0")[:-1]
    assert not arguments[-1].startswith("-")
    assert not (tmp_path / "pwned").exists()
    assert all(len(each.encode()) < 131_072 for each in arguments)


def test_agents_that_are_installed_stand_first(tmp_path: Path) -> None:
    program = tmp_path / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    found = agents({"PATH": str(tmp_path)})
    assert found[0][0].title == "Gemini CLI"
    assert [installed for _, installed in found] == [True] + [False] * (len(AGENTS) - 1)


# ---- the page ----


def contents(texts: list[str], title: str, *, gone: bool, whole: bool, budget: int) -> Contents:
    session = Session(
        "claude:a", "claude", "a", title, "/home/me/web", "main", None, 0, 0, None, "main", len(texts), False
    )  # fmt: skip
    items = [
        Collected(
            Mark("claude:a", None, number, None, whole), session, (Turn(number, number, "user", 0, "exact", text),)
        )
        for number, text in enumerate(texts, 1)
    ]
    if gone:
        items.append(Collected(Mark("codex:b", None, 0, None)))
    pieces = [piece for each in items if (piece := each.piece)]
    basket = Basket(tuple(each.mark for each in items))
    return Contents(1, basket, tuple(items), pack(pieces, "quoted", {}), budget)


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), max_size=3)


@settings(max_examples=60)
@given(TEXTS, st.text(st.sampled_from("ab剪貼 é"), max_size=30), st.booleans(), st.booleans(), st.integers(1, 130))
def test_rows_and_head_fit_every_width(texts: list[str], title: str, gone: bool, whole: bool, width: int) -> None:
    found = contents(texts, title, gone=gone, whole=whole, budget=20)
    assert head(found, found.packed.tokens, width, edited=whole).cell_length <= width
    shown = rows(found)
    assert [row.number for row in shown] == list(range(1, len(found.items) + 1))
    for row in shown:
        lines = basket_row(row, width, NOW, {"codex": "Codex"})
        assert len(lines) == 2
        assert all(line.cell_length <= width for line in lines)


def test_costs_add_up_to_that_of_the_prompt_about() -> None:
    found = contents(["one two three", "剪贴板" * 20, "x" * 400], "t", gone=True, whole=False, budget=9)
    assert found.costs()[-1] == 0
    assert found.packed.tokens <= sum(found.costs()) <= found.packed.tokens + len(found.items)
    assert found.starts[-1] is None
    assert Piece(found.items[0].session, found.items[0].turns).texts() == ["one two three"]  # type: ignore[arg-type]


class Viewer(App[None]):
    def compose(self) -> ComposeResult:
        yield PlainView(id="view")


def lines(app: App[Any]) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def test_a_long_text_is_wrapped_and_found_by_its_characters() -> None:
    app = Viewer()
    async with app.run_test(size=(20, 5)) as pilot:
        view = app.query_one(PlainView)
        view.show("\n".join(f"line {number} 剪贴板" for number in range(100)))
        await pilot.pause()
        assert lines(app)[0] == "line 0 剪贴板"
        view.go_to(view.text.index("line 50"))
        await pilot.pause()
        assert lines(app)[0].startswith("line 50")
        for key, first in (("g", "line 0"), ("G", "line 9"), ("k", "line 9"), ("pageup", "line 9")):
            await pilot.press(key)
            await pilot.pause()
            assert lines(app)[0].startswith(first)
        view.show("short")
        await pilot.pause()
        assert lines(app)[:2] == ["short", ""]


async def test_a_text_beyond_all_measure_is_cut_and_that_is_said() -> None:
    app = Viewer()
    async with app.run_test(size=(20, 5)) as pilot:
        view = app.query_one(PlainView)
        view.show("word\n" * (MOST // 5 + 100))
        await pilot.press("G")
        await pilot.pause()
        assert any("… 500 more" in line for line in lines(app))
