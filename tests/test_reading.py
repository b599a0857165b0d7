"""The conversation beside the results: what is folded, found and followed in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from harkback.core import config
from harkback.core.history import NotFound
from harkback.core.off_branch import spawned_by, with_abandoned
from harkback.tui.surroundings import Surroundings
from ready_place import ReadySurroundings
from test_app import SIZES, ask, open_turns, running, search_screen, settled, without_milliseconds
from textual.pilot import Pilot

ID = "00000000-0000-4000-8000-000000000001"
BEGAN = datetime(2026, 11, 29, 23, 40, tzinfo=UTC)


def record(number: int, role: str, text: str, parent: int | None, content: Any = None) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": f"00000000-0000-4000-8000-1000000000{number:02}",
        "parentUuid": None if parent is None else f"00000000-0000-4000-8000-1000000000{parent:02}",
        "sessionId": ID,
        "cwd": "/srv/web",
        "timestamp": (BEGAN + timedelta(minutes=number)).isoformat().replace("+00:00", "Z"),
        "message": {"role": role, "content": content or text},
    }


def branched() -> Iterator[dict[str, Any]]:
    """A talk of 40 turns in which the question of turn 5 was asked twice, differently."""
    yield record(0, "user", "why is the walrus late", None)
    for number in range(1, 4):
        yield record(number, "assistant" if number % 2 else "user", f"step {number} of the walrus", number - 1)
    yield record(4, "user", "the abandoned penguin question", 3)
    yield record(5, "assistant", "the abandoned penguin answer", 4)
    yield record(6, "user", "the better question about a walrus\n\n# Plan\n\n```py\nwalrus = 1\n```", 3)
    for number in range(7, 40):
        yield record(number, "assistant" if number % 2 else "user", f"step {number} of the narwhal", number - 1)


@pytest.fixture(scope="module")
def branched_place(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    home = tmp_path_factory.mktemp("branched")
    path = home / ".claude" / "projects" / "-srv-web" / f"{ID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in branched()))
    (path.parent / ID / "subagents").mkdir(parents=True)
    agent = [{**record(n, r, t, None), "isSidechain": True, "agentId": "ab12"} for n, r, t in AGENT]
    (path.parent / ID / "subagents" / "agent-ab12.jsonl").write_text("".join(json.dumps(line) + "\n" for line in agent))
    place = ReadySurroundings(home / "harkback", home, {}, now=lambda: datetime(2026, 11, 30, 9, 30))  # noqa: DTZ001
    config.change(place.folder, {"sources.claude.enabled": True})
    place.reconcile()
    return place


AGENT = [(8, "user", "look for every ostrich"), (9, "assistant", "there is one ostrich")]
KEY = f"claude:{ID}"


def reading(pilot: Pilot[Any]) -> Any:
    return search_screen(pilot).reading


def current_text(pilot: Pilot[Any]) -> str:
    turn = reading(pilot).transcript.current_turn
    assert turn is not None
    return str(turn.text)


async def opened(pilot: Pilot[Any], query: str) -> None:
    await ask(pilot, query)
    await pilot.press("enter")
    await settled(pilot)


# ---- abandoned branches ----


def test_abandoned_turns_stand_where_they_were_said(branched_place: Surroundings) -> None:
    with closing(branched_place.store.read()) as db:
        conversation = with_abandoned(db, KEY)
        with pytest.raises(NotFound):
            with_abandoned(db, "claude:no")
    assert [turn.number for turn in conversation.turns][:8] == [1, 2, 3, 4, None, None, 5, 6]
    assert "penguin" in conversation.turns[4].text


async def test_v_shows_abandoned_branches_and_hides_them_again(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        page = reading(pilot).transcript.page
        shown = len(page.turns)
        await pilot.press("v")
        await settled(pilot)
        assert len(reading(pilot).transcript.page.turns) == shown + 2
        await pilot.press("v")
        await settled(pilot)
        assert len(reading(pilot).transcript.page.turns) == shown


async def test_a_hit_on_an_abandoned_branch_opens_there(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "penguin question branch:any")
        assert "penguin" in current_text(pilot)
        assert open_turns(pilot) == 5


async def test_a_session_without_abandoned_branches_says_so(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await opened(pilot, "clipboard ssh")
        await pilot.press("v")
        await settled(pilot)
        assert any("no abandoned" in note.message for note in pilot.app._notifications)


# ---- folding ----


async def test_enter_opens_a_folded_turn_and_folds_it_again(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        assert open_turns(pilot) == 5
        await pilot.press("j", "j", "j")
        assert reading(pilot).transcript.current_turn.id in reading(pilot).transcript.folded
        await pilot.press("enter")
        await settled(pilot)
        assert open_turns(pilot) == 6
        await pilot.press("enter")
        await settled(pilot)
        assert open_turns(pilot) == 5


async def test_a_click_opens_a_folded_turn(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        transcript = reading(pilot).transcript
        page = transcript.page
        last = next(i for i, t in enumerate(page.turns) if t.id in transcript.folded and i > transcript.current)
        await pilot.click(transcript, offset=(6, page.top(last) - transcript.scroll_offset.y))
        await settled(pilot)
        assert page.turns[last].id not in transcript.folded


async def test_n_opens_the_folded_turn_that_has_the_next_match(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        for _ in range(12):
            await pilot.press("N")
            await settled(pilot)
        assert current_text(pilot) == "why is the walrus late"
        assert reading(pilot).transcript.current_turn.id not in reading(pilot).transcript.folded


# ---- finding ----


async def test_slash_finds_in_the_whole_conversation(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        await pilot.press("slash", *"STEP 31")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert current_text(pilot) == "step 31 of the narwhal"
        assert search_screen(pilot).focused is reading(pilot).transcript
        await pilot.press("n")
        await settled(pilot)
        assert any("no further match" in note.message for note in pilot.app._notifications)
        await pilot.press("escape")
        await settled(pilot)
        assert not reading(pilot).is_finding
        assert search_screen(pilot).focused is reading(pilot).transcript
        await pilot.press("escape")
        assert search_screen(pilot).focused is search_screen(pilot).query_input


async def test_escape_in_the_find_box_leads_back_to_the_conversation(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        await pilot.press("slash", *"xyz", "escape")
        await settled(pilot)
        assert not reading(pilot).is_finding
        assert search_screen(pilot).query_input.value == "walrus plan"
        assert search_screen(pilot).focused is reading(pilot).transcript


# ---- sub-agents ----


def test_sessions_that_a_session_started_are_known(branched_place: Surroundings) -> None:
    with closing(branched_place.store.read()) as db:
        assert [session.turns for session in spawned_by(db, KEY)] == [2]
        assert spawned_by(db, "claude:no") == []


async def test_s_leads_into_a_sub_agent_and_backspace_back(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        await pilot.press("s")
        await settled(pilot)
        assert reading(pilot).session.kind == "subagent"
        assert current_text(pilot) == "look for every ostrich"
        await pilot.press("backspace")
        await settled(pilot)
        assert reading(pilot).session.key == KEY
        assert "better question" in current_text(pilot)


async def test_from_a_sub_agent_that_was_found_backspace_leads_to_its_session(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "ostrich")
        assert reading(pilot).session.kind == "subagent"
        await pilot.press("backspace")
        await settled(pilot)
        assert reading(pilot).session.key == KEY
        await pilot.press("backspace")
        await settled(pilot)
        assert any("came from no other" in note.message for note in pilot.app._notifications)


async def test_a_click_on_its_line_leads_into_a_sub_agent(branched_place: Surroundings) -> None:
    async with running(branched_place) as pilot:
        await opened(pilot, "walrus plan")
        transcript = reading(pilot).transcript
        page = transcript.page
        piece = next(index for index, each in enumerate(page.pieces) if each.what == "agent")
        await pilot.click(transcript, offset=(6, page.tops[piece] - transcript.scroll_offset.y))
        await settled(pilot)
        assert reading(pilot).session.kind == "subagent"


# ---- what is seen ----


@pytest.mark.parametrize("size", SIZES)
async def test_branches_folds_sub_agents_and_what_is_found_to_the_letter(
    branched_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
) -> None:
    async with running(branched_place, size) as pilot:
        await opened(pilot, "walrus plan")
        await pilot.press("v", "slash", *"penguin")
        await settled(pilot)
        without_milliseconds(pilot)
        await pilot.pause()
        compare_screen(pilot.app, f"folded-{size[0]}x{size[1]}")


async def test_a_window_that_becomes_narrow_shows_what_has_the_focus(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await opened(pilot, "clipboard ssh")
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert screen.reading.transcript.region.width > 0
        await pilot.press("shift+tab")
        await pilot.pause()
        assert screen.focused is screen.results.list
        assert screen.results.list.region.width > 0


async def test_the_focus_goes_to_the_search_box_when_the_list_goes_away(sample_place: Surroundings) -> None:
    place = replace(sample_place, working_folder=Path("/nowhere"))
    async with running(place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard ssh")
        await pilot.press("tab", "ctrl+r")
        await settled(pilot)
        assert screen.results.answer is not None
        assert screen.results.answer.total == 0
        assert screen.focused is screen.query_input
