"""The basket as a person uses it: turns marked in results and conversations, put in order, and taken along."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harkback.core import config as configuration
from harkback.core.basket import MOST, Basket, BasketFile, Mark, round_toggled, toggled
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.pack import estimated_tokens
from harkback.tui.basket_dialogs import AgentScreen, SaveScreen
from harkback.tui.basket_screen import BasketScreen
from harkback.tui.help_screen import HelpScreen
from harkback.tui.new_session import PREAMBLE
from harkback.tui.plain_view import PlainView
from harkback.tui.prompt_files import write_prompt
from harkback.tui.question_screen import QuestionScreen
from harkback.tui.resume import Resume
from harkback.tui.surroundings import Surroundings
from test_app import SIZES, ask, running, search_screen, settled, status, without_milliseconds
from textual.app import App
from textual.pilot import Pilot


@pytest.fixture
def place(sample_place: Surroundings, tmp_path: Path) -> Surroundings:
    """The samples with a basket of their own, and a clipboard program that writes to a file."""
    folder = tmp_path / "harkback"
    shutil.copytree(sample_place.folder, folder)
    program = tmp_path / "bin" / "tmux"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat > '{tmp_path / 'copied'}'\n")
    program.chmod(0o755)
    environ = {"TMUX": "x", "PATH": f"{program.parent}:/usr/bin:/bin", "EDITOR": "false"}
    return replace(sample_place, folder=folder, environ=environ)


@pytest.fixture
def filled(place: Surroundings) -> Surroundings:
    """With a turn, the round of another session, and a Chinese turn in the basket."""

    def fill(basket: Basket) -> Basket:
        with closing(place.store.read()) as db:
            rows = {row[1]: row[0] for row in db.rows("SELECT id, text FROM turns WHERE typeof(text) = 'text'")}

            def turn(beginning: str) -> int:
                return next(id_ for text, id_ in rows.items() if text.startswith(beginning))

            basket = toggled(db, basket, [turn("Both are in.")])
            basket = round_toggled(db, basket, turn("our database migration"))
            return toggled(db, basket, [turn("在 tmux 里复制")])

    BasketFile(place.folder).change(fill)
    return place


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[], str]:
    """What the clipboard holds."""
    path = tmp_path / "copied"
    return lambda: path.read_text() if path.exists() else ""


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def basket_screen(pilot: Pilot[Any]) -> BasketScreen:
    screen = pilot.app.screen
    assert isinstance(screen, BasketScreen)
    return screen


def prompt(pilot: Pilot[Any]) -> str:
    return pilot.app.screen.query_one(PlainView).text


def head(pilot: Pilot[Any]) -> str:
    return str(basket_screen(pilot)._head.render())


def said(pilot: Pilot[Any]) -> str:
    return [note.message for note in pilot.app._notifications][-1]


def marks(place: Surroundings) -> tuple[Mark, ...]:
    return BasketFile(place.folder).read().marks


# ---- what is seen ----


@pytest.mark.parametrize("size", SIZES)
class TestScreens:
    """What is seen, to the letter."""

    async def test_the_basket(
        self, filled: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> None:
        async with running(filled, size) as pilot:
            BasketFile(filled.folder).change(lambda basket: basket.with_marks([Mark("codex:gone", None, 7, None)]))
            await press(pilot, "f4", "down")
            compare_screen(pilot.app, f"basket-{size[0]}x{size[1]}")

    async def test_an_empty_basket(
        self, place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> None:
        async with running(place, size) as pilot:
            await press(pilot, "f4")
            compare_screen(pilot.app, f"basket-empty-{size[0]}x{size[1]}")

    async def test_marks_in_the_results_and_in_the_conversation(
        self, place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> None:
        async with running(place, size) as pilot:
            await ask(pilot, "剪贴板")
            await press(pilot, "tab", "space", "down", "space", "up")
            without_milliseconds(pilot)
            await pilot.pause()
            compare_screen(pilot.app, f"basket-marks-{size[0]}x{size[1]}")

    async def test_the_agents(
        self, filled: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> None:
        async with running(filled, size) as pilot:
            await press(pilot, "f4", "s")
            compare_screen(pilot.app, f"basket-agents-{size[0]}x{size[1]}")


# ---- collecting ----


async def test_space_marks_a_turn_in_the_results_and_takes_it_out_again(place: Surroundings) -> None:
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await press(pilot, "tab", "space")
        assert "1 in the basket (f4)" in status(pilot)
        assert len(marks(place)) == 1
        await press(pilot, "space")
        assert "in the basket" not in status(pilot)
        assert marks(place) == ()


async def test_space_is_a_blank_in_the_search_box(place: Surroundings) -> None:
    async with running(place) as pilot:
        await press(pilot, "a", "space", "b", "B")
        assert search_screen(pilot).query_input.value == "a bB"
        assert marks(place) == ()


async def test_a_session_is_no_turn_and_that_is_said(place: Surroundings) -> None:
    async with running(place) as pilot:
        await press(pilot, "tab", "space")
        assert marks(place) == ()
        assert "Only turns go into the basket" in said(pilot)


async def test_a_full_basket_is_told(place: Surroundings) -> None:
    full = tuple(Mark("claude:gone", None, number, None) for number in range(MOST))
    BasketFile(place.folder).change(lambda _: Basket(full))
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await press(pilot, "tab", "space")
        assert said(pilot).startswith("The basket is full: it holds 500 marks.")
        assert marks(place) == full


async def test_a_round_is_marked_from_any_of_its_turns(place: Surroundings) -> None:
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await press(pilot, "enter", "B")
        transcript = search_screen(pilot).reading.transcript
        assert transcript.page is not None
        shown = [turn for turn in transcript.page.turns if turn.id in transcript.collected]
        assert [turn.role for turn in shown] == ["user", "assistant"]
        assert said(pilot) == "2 turns went into the basket."
        await press(pilot, "k", "space")
        assert marks(place) == ()
        assert said(pilot) == "2 turns were taken out of the basket."


async def test_what_is_selected_goes_in_and_no_more(place: Surroundings) -> None:
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await press(pilot, "enter")
        transcript = search_screen(pilot).reading.transcript
        page = transcript.page
        assert page is not None
        y = page.tops[page.text_pieces(transcript.current).start] - transcript.scroll_offset.y
        await pilot.mouse_down(transcript, offset=(5, y))
        await pilot.hover(transcript, offset=(12, y))
        await pilot.mouse_up(transcript, offset=(12, y))
        await pilot.pause()
        (selected,) = transcript.selected()
        wanted = selected[0].text[selected[1] : selected[2]]
        assert 0 < len(wanted) < 20
        await press(pilot, "space", "f4")
        assert prompt(pilot).endswith(f"> {wanted}\n")
        await press(pilot, "r", "r")
        assert prompt(pilot).endswith(f"> {wanted}\n")


async def test_the_basket_is_there_after_a_restart_until_it_is_emptied(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        assert "4 in the basket" in status(pilot)
    async with running(filled) as pilot:
        assert "4 in the basket" in status(pilot)
        await press(pilot, "f4", "C")
        assert isinstance(pilot.app.screen, QuestionScreen)
        await press(pilot, "n")
        assert len(marks(filled)) == 3
        await press(pilot, "C", "y")
        assert "The basket is empty" in str(pilot.app.screen.query_one("#basket-empty").render())
        await press(pilot, "escape")
        assert "in the basket" not in status(pilot)
    assert not BasketFile(filled.folder).path.exists()


@pytest.mark.parametrize("key", ["escape", "b", "q", "f4"])
async def test_it_opens_over_what_is_read_and_closes_again(filled: Surroundings, key: str) -> None:
    async with running(filled) as pilot:
        screen = search_screen(pilot)
        await press(pilot, "enter", "b")
        basket_screen(pilot)
        await press(pilot, "question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)
        await press(pilot, "escape", key)
        assert pilot.app.screen is screen
        assert screen.focused is screen.reading.transcript


# ---- putting in order ----


async def test_keys_move_drop_and_take_back(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        one, two, three = marks(filled)
        await press(pilot, "f4", "J")
        assert marks(filled) == (two, one, three)
        await press(pilot, "alt+down")
        assert marks(filled) == (two, three, one)
        await press(pilot, "K", "alt+up", "alt+up")
        assert marks(filled) == (one, two, three)
        await press(pilot, "down", "x")
        assert marks(filled) == (one, three)
        await press(pilot, "u")
        assert marks(filled) == (one, two, three)
        await press(pilot, "delete")
        assert len(marks(filled)) == 2


async def test_a_mark_grows_to_its_round_and_back(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        await press(pilot, "f4")
        before, turns = prompt(pilot), head(pilot)
        await press(pilot, "r")
        assert len(prompt(pilot)) > len(before)
        assert "5 turns" in head(pilot)
        await press(pilot, "r")
        assert (prompt(pilot), head(pilot)) == (before, turns)


async def test_the_cost_is_live_and_too_much_is_said_in_words(filled: Surroundings) -> None:
    configuration.change(filled.folder, {"basket.budget": 50})
    async with running(filled) as pilot:
        await press(pilot, "f4")
        tokens = estimated_tokens(prompt(pilot))
        assert f"≈ {tokens:,} tokens, {tokens - 50:,} over 50" in head(pilot)
        await press(pilot, "x", "x", "x", "u")
        assert f"≈ {estimated_tokens(prompt(pilot))} tokens" in head(pilot)


async def test_formats_follow_each_other_and_the_choice_is_kept(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        await press(pilot, "f4", "f")
        assert "plain text" in head(pilot)
        await press(pilot, "f")
        assert "```\n" in prompt(pilot)
        await press(pilot, "f")
        assert len(json.loads(prompt(pilot))["items"]) == 3
        await press(pilot, "escape", "f4")
        assert "format: JSON" in head(pilot)
        await press(pilot, "f")
        assert prompt(pilot).startswith("> **")


async def test_the_prompt_follows_the_cursor(filled: Surroundings) -> None:
    async with running(filled, (60, 16)) as pilot:
        await press(pilot, "f4", "down", "down")
        view = pilot.app.screen.query_one(PlainView)
        assert view.scroll_offset.y > 0
        await press(pilot, "up", "up")
        assert view.scroll_offset.y == 0
        await press(pilot, "tab", "pagedown")
        assert view.scroll_offset.y > 0
        await press(pilot, "g")
        assert view.scroll_offset.y == 0


async def test_what_was_forgotten_or_hidden_is_shown_as_gone_and_can_be_taken_out(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        first = marks(filled)[0]
        kept = BasketFile(filled.folder).read()
        forget(filled.store, Request(session=first.session))
        BasketFile(filled.folder).change(lambda _: kept)  # as if the mark had been written meanwhile
        await press(pilot, "f4")
        assert "1 no longer in the index" in head(pilot)
        row = basket_screen(pilot)._list.item(0)
        assert row is not None
        assert row.item.piece is None
        await press(pilot, "x")
        assert "no longer" not in head(pilot)
        assert first not in marks(filled)


async def test_without_an_index_the_basket_is_kept(filled: Surroundings, copied: Callable[[], str]) -> None:
    async with running(filled) as pilot:
        screen = BasketScreen(filled, search_screen(pilot).basket)
        filled.store.path.write_bytes(b"this is no database at all" * 1000)
        pilot.app.push_screen(screen)
        await settled(pilot)
        assert "can't be asked" in said(pilot)
        assert "can't be asked" in str(screen.query_one("#basket-empty").render())
        assert "3 marks" in head(pilot)
        await press(pilot, "y", "w", "s", "e")
        assert pilot.app.screen is screen
        assert copied() == ""
    assert len(marks(filled)) == 3


# ---- taking it along ----


async def test_the_prompt_is_copied_and_the_way_is_named(filled: Surroundings, copied: Callable[[], str]) -> None:
    async with running(filled) as pilot:
        for key in ("y", "enter"):
            await press(pilot, "f4", key)
            assert copied() == prompt(pilot)
            assert said(pilot).startswith("Copied with tmux: the prompt, ≈ ")
            await press(pilot, "escape")


async def test_a_copy_that_reaches_nothing_is_not_called_copied(filled: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "bin" / "tmux").write_text("#!/bin/sh\nexit 1\n")
    async with running(filled) as pilot:
        await press(pilot, "f4", "y")
        assert "Copied" not in said(pilot)
    async with running(replace(filled, environ={**filled.environ, "TERM": "linux"})) as pilot:
        await press(pilot, "f4", "y")
        assert said(pilot) == "Not copied: nothing reached a clipboard; w writes the prompt to a file."


async def test_an_empty_basket_has_nothing_to_take_along(place: Surroundings, copied: Callable[[], str]) -> None:
    async with running(place) as pilot:
        await press(pilot, "f4", "y", "enter", "s", "w", "e", "C", "x", "r")
        assert isinstance(pilot.app.screen, BasketScreen)
        assert copied() == ""
        await press(pilot, "f4")
        search_screen(pilot)


async def test_it_is_written_to_a_file_and_never_over_another_unasked(filled: Surroundings, tmp_path: Path) -> None:
    path = tmp_path / "basket-2026-11-30.md"
    async with running(replace(filled, working_folder=tmp_path)) as pilot:
        await press(pilot, "f4", "w")
        assert isinstance(pilot.app.screen, SaveScreen)
        await press(pilot, "enter")
        assert path.read_text() == prompt(pilot)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert said(pilot) == f"Written to {path}."
        path.write_text("precious")
        await press(pilot, "w", "enter")
        assert "exists" in str(pilot.app.screen.query_one("#save-note").render())
        assert path.read_text() == "precious"
        await press(pilot, "enter")
        assert path.read_text() == prompt(pilot)
        await press(pilot, "w")
        pilot.app.screen.query_one("PathInput").value = str(tmp_path)  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert "is a folder" in str(pilot.app.screen.query_one("#save-note").render())
        pilot.app.screen.query_one("PathInput").value = str(tmp_path / "no" / "where")  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert "Nothing was changed" in str(pilot.app.screen.query_one("#save-note").render())
        await press(pilot, "escape")
        basket_screen(pilot)


async def test_starting_an_agent_writes_the_prompt_and_copies_the_command(
    filled: Surroundings, copied: Callable[[], str]
) -> None:
    async with running(filled) as pilot:
        await press(pilot, "f4", "s")
        assert isinstance(pilot.app.screen, AgentScreen)
        await press(pilot, "down", "enter")
        (file,) = (filled.folder / "prompts").iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.read_text() == PREAMBLE + prompt(pilot)
        assert copied() == f'codex "$(cat {file})"'
        assert copied() in said(pilot)


async def test_prompts_of_yesterday_go_when_the_app_starts(place: Surroundings) -> None:
    prompt_file = write_prompt(place.folder, "private", "old.md")
    os.utime(prompt_file, (1, 1))
    async with running(place):
        assert not prompt_file.exists()


async def test_an_agent_can_be_started_at_once(filled: Surroundings, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    async with running(filled) as pilot:
        await press(pilot, "f4")
        text = prompt(pilot)
        await pilot.press("s")
        await settled(pilot)
        await pilot.press("ctrl+o")  # the one that is installed stands first
        await pilot.app.workers.wait_for_complete()
        for _ in range(3):
            await pilot.pause()
        assert pilot.app.return_value == Resume(("gemini", "--prompt-interactive", PREAMBLE + text), None)


@pytest.fixture
def edits(filled: Surroundings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """With an editor that adds a line, once; the next time it changes nothing."""
    editor = tmp_path / "bin" / "editor"
    editor.write_text('#!/bin/sh\ngrep -q "my question" "$1" || echo "and my question" >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setattr(App, "suspend", nullcontext)  # a test has no terminal that could be lent
    return replace(filled, environ={**filled.environ, "EDITOR": str(editor)})


async def test_what_was_edited_is_what_is_taken_along_until_the_basket_changes(
    edits: Surroundings, copied: Callable[[], str]
) -> None:
    async with running(edits) as pilot:
        await press(pilot, "f4")
        before = prompt(pilot)
        await press(pilot, "e", "y")
        assert prompt(pilot) == copied() == before + "and my question\n"
        assert "edited" in head(pilot)
        await press(pilot, "e")
        assert "as it was" in said(pilot)
        await press(pilot, "J")
        assert "and my question" not in prompt(pilot)
        assert "edited" not in head(pilot)


async def test_what_was_edited_comes_back_with_the_basket_that_it_was_made_of(edits: Surroundings) -> None:
    async with running(edits) as pilot:
        await press(pilot, "f4")
        before = prompt(pilot)
        await press(pilot, "e", "x", "u")
        assert prompt(pilot) == before + "and my question\n"
        await press(pilot, "f", "f", "f", "f", "escape", "f4")
        assert prompt(pilot) == before + "and my question\n"
        forget(edits.store, Request(session=marks(edits)[0].session))
        await press(pilot, "escape", "f4")
        assert "and my question" not in prompt(pilot)


async def test_an_edit_is_taken_back_as_any_change(edits: Surroundings) -> None:
    async with running(edits) as pilot:
        await press(pilot, "f4")
        before = prompt(pilot)
        await press(pilot, "e", "u")
        assert prompt(pilot) == before
        assert len(marks(edits)) == 3


async def test_taking_back_brings_no_mark_of_a_forgotten_session_back(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        first = marks(filled)[0]
        await press(pilot, "f4", "x")
        forget(filled.store, Request(session=first.session))
        await press(pilot, "u")
        assert len(marks(filled)) == 2
        assert first not in marks(filled)


async def test_o_puts_turns_in_the_order_in_which_they_were_said(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        before = marks(filled)
        await press(pilot, "f4", "o")
        times = [each.turns[0].time for each in basket_screen(pilot)._contents.items]  # type: ignore[union-attr]
        assert times == sorted(times)  # type: ignore[type-var]
        assert marks(filled) != before
        await press(pilot, "u")
        assert marks(filled) == before


async def test_an_agent_that_is_not_here_is_not_left_for(filled: Surroundings, copied: Callable[[], str]) -> None:
    async with running(filled) as pilot:
        await press(pilot, "f4", "s", "ctrl+o")
        assert isinstance(pilot.app.screen, AgentScreen)
        assert "Claude Code is not found" in str(pilot.app.screen.query_one("#agents-note").render())
        await press(pilot, "enter")
        assert copied().startswith("claude ")


async def test_the_file_written_last_is_offered_again_and_a_bare_name_is_one_in_the_working_folder(
    filled: Surroundings, tmp_path: Path
) -> None:
    async with running(replace(filled, working_folder=tmp_path)) as pilot:
        await press(pilot, "f4", "w")
        pilot.app.screen.query_one("PathInput").value = "mine.md"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        assert said(pilot) == f"Written to {tmp_path / 'mine.md'}."
        await press(pilot, "w")
        assert pilot.app.screen.query_one("PathInput").value == str(tmp_path / "mine.md")  # type: ignore[attr-defined]


async def test_a_terminal_that_cannot_be_lent_is_told_with_the_other_way(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        await press(pilot, "f4", "e")
        assert "w writes the prompt to a file" in said(pilot)


async def test_marks_are_found_again_after_the_index_was_built_anew(filled: Surroundings) -> None:
    async with running(filled) as pilot:
        filled.reconcile(rebuild=True)
        await press(pilot, "f4")
        assert "no longer" not in head(pilot)
        await press(pilot, "escape")
        await ask(pilot, "剪贴板")
        with closing(filled.store.read()) as db:
            held = search_screen(pilot).reading.transcript.collected
            assert held <= {row[0] for row in db.rows("SELECT id FROM turns")}
        assert "4 in the basket" in status(pilot)
