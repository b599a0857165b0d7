"""The app as a person meets it, over the demo's sessions: screens as text at four sizes, and what the keys do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harkback.tui import asking, reading_pane
from harkback.tui.app import HarkbackApp
from harkback.tui.help_screen import HelpScreen
from harkback.tui.reading_pane import ReadingPane
from harkback.tui.search_screen import SearchScreen
from harkback.tui.surroundings import Surroundings
from harkback.tui.welcome_screen import WelcomeScreen
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled

SIZES = [(120, 36), (80, 24), (40, 12), (8, 4)]


def is_unpainted(screen: Screen[Any]) -> bool:
    """Whether something of it is still to be laid out or drawn."""
    return screen.is_current and bool(screen._layout_required or screen._repaint_required or screen._dirty_widgets)


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until nothing is searched, read, laid out or indexed any more."""
    screen = pilot.app.screen
    for _ in range(20):
        while isinstance(screen, SearchScreen) and screen._live.busy:
            await pilot.pause(0.01)
        with suppress(WorkerCancelled):  # a newer question takes the place of one that is still being answered
            await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        idle = not pilot.app.workers and not (isinstance(screen, SearchScreen) and screen._live.busy)
        if idle:
            await pilot.pause()
            while is_unpainted(pilot.app.screen) or any(pane._waits for pane in pilot.app.screen.query(ReadingPane)):
                await pilot.pause(0.01)
            if not pilot.app.workers:
                return
    raise AssertionError("the app does not come to rest")


@asynccontextmanager
async def running(place: Surroundings, size: tuple[int, int] = (120, 36)) -> AsyncIterator[Pilot[Any]]:
    app = HarkbackApp(place)
    app.NOTIFICATION_TIMEOUT = 3_600  # what was told is still there on a slow machine
    with pytest.MonkeyPatch.context() as patch:
        for module, pace in ((asking, "UNTIL_THE_REST"), (reading_pane, "SETTLED")):
            patch.setattr(module, pace, 0.01)  # nobody types on or moves on here
        async with app.run_test(size=size, notifications=True) as pilot:
            await settled(pilot)
            yield pilot


async def ask(pilot: Pilot[Any], text: str) -> None:
    """Have `text` in the search box, and wait for what it finds."""
    search_screen(pilot).query_input.value = text
    await settled(pilot)


def search_screen(pilot: Pilot[Any]) -> SearchScreen:
    screen = pilot.app.screen
    assert isinstance(screen, SearchScreen)
    return screen


def open_turns(pilot: Pilot[Any]) -> int:
    """How many turns of the conversation are more than one line."""
    transcript = search_screen(pilot).reading.transcript
    assert transcript.page is not None
    return sum(turn.id not in transcript.folded for turn in transcript.page.turns)


def status(pilot: Pilot[Any]) -> str:
    return str(search_screen(pilot)._bar.render())


def without_milliseconds(pilot: Pilot[Any]) -> None:
    """The one figure on the screen that no two runs share."""
    screen = search_screen(pilot)
    if answer := screen._status.answer:
        screen._set_status(answer=replace(answer, elapsed_ms=7.0))


@pytest.mark.parametrize("size", SIZES)
class TestScreens:
    """What is seen, to the letter."""

    @pytest.fixture
    def shown(
        self, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> Callable[[Pilot[Any], str], None]:
        def compare(pilot: Pilot[Any], name: str) -> None:
            compare_screen(pilot.app, f"{name}-{size[0]}x{size[1]}")

        return compare

    async def test_recent_sessions_before_anything_is_typed(
        self, sample_place: Surroundings, size: tuple[int, int], shown: Any
    ) -> None:
        async with running(sample_place, size) as pilot:
            shown(pilot, "recent")

    async def test_results_beside_the_conversation(
        self, sample_place: Surroundings, size: tuple[int, int], shown: Any
    ) -> None:
        async with running(sample_place, size) as pilot:
            await ask(pilot, "clipboard ssh")
            without_milliseconds(pilot)
            await pilot.pause()
            shown(pilot, "results")

    async def test_a_conversation_opened_at_its_hit(
        self, sample_place: Surroundings, size: tuple[int, int], shown: Any
    ) -> None:
        async with running(sample_place, size) as pilot:
            await ask(pilot, "clipboard ssh")
            await pilot.press("enter")
            await settled(pilot)
            without_milliseconds(pilot)
            await pilot.pause()
            shown(pilot, "reading")

    async def test_nothing_found(self, sample_place: Surroundings, size: tuple[int, int], shown: Any) -> None:
        async with running(sample_place, size) as pilot:
            await ask(pilot, "xylophone after:32nd")
            without_milliseconds(pilot)
            await pilot.pause()
            shown(pilot, "nothing")

    async def test_the_keys(self, sample_place: Surroundings, size: tuple[int, int], shown: Any) -> None:
        async with running(sample_place, size) as pilot:
            await pilot.press("f1")
            await settled(pilot)
            shown(pilot, "keys")

    async def test_the_first_start(
        self, sample_place: Surroundings, tmp_path: Path, size: tuple[int, int], shown: Any
    ) -> None:
        async with running(replace(sample_place, folder=tmp_path / "fresh"), size) as pilot:
            assert isinstance(pilot.app.screen, WelcomeScreen)
            shown(pilot, "welcome")

    async def test_a_machine_without_sessions(
        self, sample_place: Surroundings, tmp_path: Path, size: tuple[int, int], shown: Any
    ) -> None:
        place = replace(sample_place, folder=tmp_path / "fresh", home=tmp_path / "nobody")
        async with running(place, size) as pilot:
            shown(pilot, "welcome-nothing")


# ---- searching ----


async def test_results_come_while_typing_and_the_last_question_wins(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await pilot.press(*"clipboard")  # key by key, as a person would
        await settled(pilot)
        answer = search_screen(pilot).results.answer
        assert answer is not None
        assert answer.request.text == "clipboard"
        assert answer.total > 0


async def test_the_best_hit_is_shown_with_its_neighbours_without_a_key(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        reading = search_screen(pilot).reading
        assert reading.session is not None
        assert "clipboard" in reading.session.title.lower()
        assert 1 < open_turns(pilot) <= 5


async def test_growing_adds_turns_and_the_whole_conversation_has_all(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("enter")
        await settled(pilot)
        reading = search_screen(pilot).reading
        before = open_turns(pilot)
        await pilot.press("plus")
        await settled(pilot)
        assert open_turns(pilot) > before
        await pilot.press("a")
        await settled(pilot)
        assert reading.session is not None
        assert open_turns(pilot) == reading.session.turns > before
        await pilot.press("minus")
        await settled(pilot)
        assert open_turns(pilot) == before


async def test_the_cursor_stays_on_its_hit_when_an_answer_comes_again(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "the")
        results = search_screen(pilot).results
        await pilot.press("down", "down", "down")
        await settled(pilot)
        item = results.item
        results.ask_again()
        await settled(pilot)
        assert results.list.cursor == 3
        assert results.item == item


async def test_moving_works_while_the_search_box_has_the_focus(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await pilot.press("down", "ctrl+n", "up")
        await settled(pilot)
        assert screen.results.list.cursor == 1
        assert screen.focused is screen.query_input


async def test_letters_are_text_in_the_search_box_and_keys_in_the_conversation(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "any")
        assert screen.query_input.value == "any"
        await pilot.press("enter", "question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is screen
        assert screen.query_input.value == "any"


async def test_tab_completes_a_filter_then_goes_on_to_the_results(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "source:cod")
        await pilot.press("tab")
        await settled(pilot)
        assert screen.query_input.value == "source:codex "
        assert screen.results.answer is not None
        assert screen.results.answer.total > 0
        await pilot.press("tab")
        await pilot.pause()
        assert screen.focused is screen.results.list
        await pilot.press("tab")
        await pilot.pause()
        assert screen.focused is screen.reading.transcript


async def test_escape_steps_back_one_thing_at_a_time(sample_place: Surroundings) -> None:
    async with running(sample_place, (80, 24)) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard")
        await pilot.press("enter")
        await settled(pilot)
        assert screen.has_class("-reading")
        await pilot.press("escape")
        await pilot.pause()
        assert not screen.has_class("-reading")
        assert screen.focused is screen.query_input
        await pilot.press("escape")
        await settled(pilot)
        assert screen.query_input.value == ""
        await pilot.press("escape")
        await pilot.pause()
        assert not pilot.app.is_running or pilot.app.return_value is None


async def test_next_match_goes_on_into_the_next_session(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "the")
        first = screen.reading.session
        await pilot.press("enter")
        await settled(pilot)
        for _ in range(60):
            await pilot.press("n")
            await settled(pilot)
            if screen.reading.session != first:
                return
        raise AssertionError("n never left the first session")


async def test_scope_and_order_are_shown_and_change_the_results(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "the")
        answer = screen.results.answer
        assert answer is not None
        everywhere = answer.total
        await pilot.press("ctrl+r")
        await settled(pilot)
        assert screen.results.answer is not None
        assert 0 < screen.results.answer.total < everywhere
        assert "this project" in str(screen.box._modes.render())
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "newest" in str(screen.box._modes.render())


# ---- copying ----


@pytest.fixture
def fake_clipboard(tmp_path: Path, sample_place: Surroundings) -> tuple[Surroundings, Path]:
    """A machine whose one clipboard program writes to a file."""
    copied = tmp_path / "copied"
    program = tmp_path / "bin" / "tmux"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat > '{copied}'\n")
    program.chmod(0o755)
    environ = {"TMUX": "x", "PATH": f"{program.parent}:/usr/bin:/bin"}
    return replace(sample_place, environ=environ), copied


async def test_y_copies_the_turn_and_says_by_which_way(fake_clipboard: tuple[Surroundings, Path]) -> None:
    place, copied = fake_clipboard
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("y")
        await settled(pilot)
        screen = search_screen(pilot)
        assert copied.read_text() == screen.reading.turn_text()
        assert "tmux" in [note.message for note in pilot.app._notifications][-1]


async def test_a_round_is_the_question_and_its_answers(fake_clipboard: tuple[Surroundings, Path]) -> None:
    place, copied = fake_clipboard
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("Y")
        await settled(pilot)
        page = search_screen(pilot).reading.transcript.page
        assert page is not None
        text = copied.read_text()
        assert sum(turn.text in text for turn in page.turns if turn.role == "user") == 1
        assert any(turn.text in text for turn in page.turns if turn.role == "assistant")


async def test_the_resume_command_names_folder_and_session(fake_clipboard: tuple[Surroundings, Path]) -> None:
    place, copied = fake_clipboard
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("ctrl+y")
        await settled(pilot)
        session = search_screen(pilot).reading.session
        assert session is not None
        assert copied.read_text() == f"cd {session.project} && claude --resume {session.native_id}"


# ---- the first start ----


async def test_nothing_is_read_until_the_person_says_so(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    async with running(place) as pilot:
        assert isinstance(pilot.app.screen, WelcomeScreen)
        assert not place.store.exists()
        await pilot.press("escape")
        await pilot.pause()
    assert not place.store.exists()
    assert place.config().ticked(place.titles) == []


async def test_what_is_ticked_is_indexed_and_nothing_else(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    async with running(place) as pilot:
        await pilot.press("down", "space", "enter")  # the second source is unticked
        await settled(pilot)
        await settled(pilot)
        screen = search_screen(pilot)
        assert place.config().ticked(place.titles) == ["claude"]
        assert screen.results.answer is not None
        assert screen.results.answer.total > 0
    db = place.store.read()
    assert [row[0] for row in db.rows("SELECT DISTINCT source FROM sessions")] == ["claude"]
    db.close()


async def test_everything_or_ninety_days_is_one_choice(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    async with running(place) as pilot:
        await pilot.press("down", "down", "down", "space", "enter")
        await settled(pilot)
        assert place.config().limits.preset == "everything"


async def test_the_keys_of_config_toml_replace_ours(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    place.folder.mkdir()
    (place.folder / "config.toml").write_text('[sources.claude]\nenabled = true\n[keys]\nsort = "ctrl+g"\n')
    async with running(place) as pilot:
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert "relevance" in str(search_screen(pilot).box._modes.render())
        await pilot.press("ctrl+g")
        await settled(pilot)
        assert "newest" in str(search_screen(pilot).box._modes.render())


async def test_f5_looks_for_new_sessions(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    place.folder.mkdir()
    (place.folder / "config.toml").write_text("[sources.claude]\nenabled = true\n")
    async with running(place) as pilot:
        place.store.path.unlink()
        await pilot.press("f5")
        await settled(pilot)
    db = place.store.read()
    assert db.value("SELECT count(*) FROM sessions") > 0
    db.close()


async def test_a_key_for_an_action_that_does_not_exist_is_told(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    place.folder.mkdir()
    (place.folder / "config.toml").write_text('[keys]\nsoort = "ctrl+g"\n')
    async with running(place) as pilot:
        assert any("soort" in note.message for note in pilot.app._notifications)


async def test_a_failing_app_shows_no_conversation(
    sample_place: Surroundings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: SearchScreen) -> None:
        private = "a private conversation"
        raise RuntimeError(private)

    monkeypatch.setattr(SearchScreen, "action_sort", broken)
    app = HarkbackApp(sample_place)

    async def fail() -> None:
        async with app.run_test() as pilot:
            await pilot.press("ctrl+s")
            await pilot.pause()

    with pytest.raises(RuntimeError):
        await fail()
    shown = str(app._exit_renderables) + "".join(capsys.readouterr())
    assert "private" not in shown


async def test_a_selected_row_that_goes_out_of_the_first_page_keeps_its_conversation(
    sample_place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "the")
        await pilot.press("tab", "down", "down", "down", "enter", "pagedown")
        await settled(pilot)
        item, line = screen.results.item, screen.reading.transcript.scroll_offset.y
        opened: list[object] = []
        read = screen.reading.open
        monkeypatch.setattr(
            screen.reading,
            "open",
            lambda item, query, *, fresh: (opened.append((item, fresh)), read(item, query, fresh=fresh)),
        )
        monkeypatch.setattr("harkback.tui.asking.FIRST_PAGE", 2)  # as if so many newer ones had come before it
        monkeypatch.setattr("harkback.tui.asking.MOVED", -1_000)
        for _ in range(2):
            screen.results.ask_again()
            await settled(pilot)
        assert screen.results.item == item
        assert opened
        assert all(shown is not None and not fresh for shown, fresh in opened)
        assert screen.focused is screen.reading.transcript
        assert screen.reading.transcript.scroll_offset.y == line
