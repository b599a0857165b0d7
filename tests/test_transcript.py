"""The conversation view: what it shows, how it moves, and that nothing jumps when it grows or is resized."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from harkback.core.results import Conversation, Session, Span, Turn
from harkback.tui import page_view
from harkback.tui.page import Place, lay_out
from harkback.tui.page_matches import matching_pieces
from harkback.tui.transcript import Transcript
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import on
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

SESSION = Session(
    key="claude:1",
    source="claude",
    native_id="1",
    title="A talk",
    project=None,
    branch=None,
    model=None,
    started=None,
    updated=None,
    parent=None,
    kind="main",
    turns=100,
    gone_at_source=False,
)
NOON = int(datetime(2026, 11, 12, 12, 0, tzinfo=UTC).timestamp() * 1000)
MINUTE = 60_000


def turn(number: int, text: str, **more: Any) -> Turn:
    role = "user" if number % 2 else "assistant"
    facts: dict[str, Any] = {"role": role, "time": NOON + number * MINUTE, "quality": "exact", **more}
    return Turn(id=1000 + number, number=number, text=text, **facts)


def talk(first: int, last: int, total: int | None = None, text: str = "turn {} says hello") -> Conversation:
    """The turns `first` to `last` of a session of `total` turns."""
    turns = tuple(turn(number, text.format(number)) for number in range(first, last + 1))
    return Conversation(SESSION, turns, before=first - 1, after=(total or last) - last)


def finder(pattern: str) -> Any:
    def needles(text: str) -> Iterator[Span]:
        return (found.span() for found in re.finditer(pattern, text))

    return needles


class TalkApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, int | None]] = []

    def compose(self) -> ComposeResult:
        yield Transcript(zone=UTC, id="talk")

    def on_mount(self) -> None:
        self.view.focus()

    @property
    def view(self) -> Transcript:
        return self.query_one("#talk", Transcript)

    @on(Transcript.Grow, "#talk")
    def note_grow(self, event: Transcript.Grow) -> None:
        self.said.append(("grow", event.direction))

    @on(Transcript.Current, "#talk")
    def note_current(self, event: Transcript.Current) -> None:
        self.said.append(("current", event.turn.number))


@asynccontextmanager
async def running(
    conversation: Conversation | None = None, size: tuple[int, int] = (40, 12), **more: Any
) -> AsyncIterator[tuple[TalkApp, Pilot[None]]]:
    app = TalkApp()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if conversation is not None:
            app.view.show(conversation, **more)
            await settle(app, pilot)
        yield app, pilot


async def settle(app: App[Any], pilot: Pilot[None]) -> None:
    await app.workers.wait_for_complete()
    await pilot.pause()


def screen(app: App[Any]) -> list[str]:
    """The lines of the screen, without the scroll bar."""
    width = app.size.width - 1
    return [strip.crop(0, width).text.rstrip() for strip in app.screen._compositor.render_strips()]


def current(app: TalkApp) -> int | None:
    return app.view.current_turn.number if app.view.current_turn else None


def styled(app: TalkApp, row: int, attribute: str) -> str:
    """The text on a row of the screen that is drawn with an attribute."""
    segments = app.view.render_line(row)._segments
    return "".join(segment.text for segment in segments if segment.style and getattr(segment.style, attribute))


# ---- What is shown ----


async def test_a_stretch_is_shown_with_what_is_left_out_on_both_sides() -> None:
    conversation = Conversation(
        SESSION,
        (
            turn(18, "Two things:\n\n  1. tmux\n  2. the terminal, which asks only once and then never again"),
            turn(19, "works"),
        ),
        before=17,
        after=1,
    )
    async with running(conversation, (40, 16), hit=18) as (app, _):
        assert screen(app) == [
            "  17 earlier turns                    +",
            "",
            "── Thu 12 Nov 2026 ────────────────────",
            "◆ assistant                       12:18",
            "┃ Two things:",
            "┃",
            "┃   1. tmux",
            "┃   2. the terminal, which asks only",
            "┃ once and then never again",
            "  ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄",
            "▸ you                             12:19",
            "  works",
            "",
            "  1 later turn                        +",
            "",
            "",
        ]


async def test_a_day_line_stands_where_the_date_changes() -> None:
    late = datetime(2026, 11, 12, 23, 59, tzinfo=UTC)
    times = [int(late.timestamp() * 1000) + minutes * MINUTE for minutes in (0, 1, 2)]
    turns = tuple(turn(number, "x", time=time) for number, time in enumerate(times, 1))
    async with running(Conversation(SESSION, turns, 0, 0), (30, 14)) as (app, _):
        days = [line.strip("─ ") for line in screen(app) if "──" in line]
        assert days == ["Thu 12 Nov 2026", "Fri 13 Nov 2026"]


async def test_a_time_taken_from_the_file_is_marked_and_an_unknown_one_left_out() -> None:
    turns = (turn(1, "a", quality="file"), turn(2, "b", time=None), turn(3, "c", time=10**18))
    async with running(Conversation(SESSION, turns, 0, 0)) as (app, _):
        headings = [line.split() for line in screen(app) if "you" in line or "assistant" in line]
        assert headings == [["▸", "you", "~12:01"], ["◆", "assistant"], ["▸", "you"]]


async def test_matches_are_bold_and_underlined_where_they_stand() -> None:
    async with running(talk(1, 1, text="中\ttab then needle, needless"), needles=finder("needle")) as (app, _):
        assert screen(app)[2] == "│ 中  tab then needle, needless"
        assert styled(app, 2, "underline") == "needleneedle"
        assert styled(app, 2, "bold") == "needleneedle"


async def test_a_match_that_is_wrapped_is_marked_on_both_lines() -> None:
    async with running(talk(1, 1, text="wrapped words here"), (12, 6), needles=finder("words here")) as (app, _):
        assert screen(app)[2:5] == ["│ wrapped", "│ words", "│ here"]
        assert styled(app, 3, "underline") == "words"
        assert styled(app, 4, "underline") == "here"


async def test_markup_in_a_turn_stays_text() -> None:
    async with running(talk(1, 1, text="[red]no[/red] [@click=app.quit]x[/]")) as (app, _):
        assert screen(app)[2] == "│ [red]no[/red] [@click=app.quit]x[/]"


async def test_an_empty_conversation_is_shown_as_nothing() -> None:
    async with running(Conversation(SESSION, (), 0, 0)) as (app, pilot):
        await pilot.press("j", "k", "u", "G", "g", "pagedown")
        assert screen(app) == [""] * 12
        assert app.view.current_turn is None
        assert not app.view.next_match()


# ---- Opening ----


async def test_a_hit_opens_with_a_little_of_what_came_before() -> None:
    async with running(talk(1, 30), hit=10) as (app, _):
        assert current(app) == 10
        assert screen(app)[3] == "◆ assistant                       12:10"
        assert screen(app)[4] == "┃ turn 10 says hello"
        assert app.said == [("current", 10)]


async def test_a_long_hit_opens_at_its_first_match() -> None:
    text = "\n".join(f"line {number}" for number in range(500))
    async with running(talk(1, 3, text=text), hit=2, needles=finder(r"line 321\b")) as (app, _):
        assert current(app) == 2
        assert "┃ line 321" in screen(app)


async def test_without_a_hit_a_conversation_opens_at_its_beginning() -> None:
    async with running(talk(5, 30, 30)) as (app, _):
        assert screen(app)[0].split() == ["4", "earlier", "turns", "+"]
        assert current(app) == 5


async def test_a_conversation_shown_before_there_is_room_appears_with_the_room() -> None:
    class Early(TalkApp):
        def on_mount(self) -> None:
            self.view.show(talk(1, 30), hit=20)

    app = Early()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert current(app) == 20
        assert "┃ turn 20 says hello" in screen(app)


# ---- Moving ----


async def test_keys_go_from_turn_to_turn() -> None:
    async with running(talk(1, 30)) as (app, pilot):
        for key, number in [
            ("j", 2),
            ("right_square_bracket", 3),
            ("k", 2),
            ("left_square_bracket", 1),
            ("u", 3),
            ("u", 5),
            ("U", 3),
            ("G", 30),
            ("g", 1),
            ("end", 30),
            ("home", 1),
        ]:
            await pilot.press(key)
            assert current(app) == number
            assert f"turn {number} says hello" in "\n".join(screen(app))
        assert [number for what, number in app.said if what == "current"][-3:] == [1, 30, 1]


async def test_going_back_from_within_a_long_turn_leads_to_its_beginning() -> None:
    async with running(talk(1, 3, text="long\n" * 100)) as (app, pilot):
        await pilot.press("j", "pagedown", "pagedown")
        assert current(app) == 2
        await pilot.press("k")
        assert current(app) == 2
        assert screen(app)[0].startswith("◆ assistant")


async def test_scrolling_takes_the_current_turn_along() -> None:
    async with running(talk(1, 30)) as (app, pilot):
        await pilot.press("down")
        assert app.view.scroll_offset.y == 1
        assert current(app) == 1
        await pilot.press("down", "down")
        assert current(app) == 2
        await pilot.press("pagedown", "pagedown")
        shown = [int(number) for number in re.findall(r"turn (\d+) says", "\n".join(screen(app)))]
        assert current(app) == min(shown)
        await pilot.press("pageup", "pageup", "pageup", "up")
        assert app.view.scroll_offset.y == 0
        assert current(app) in (1, 2, 3, 4)


async def test_the_current_turn_has_a_bar_of_its_own() -> None:
    async with running(talk(1, 5), hit=1) as (app, pilot):
        await pilot.press("j")
        lines = "\n".join(screen(app))
        assert "┃ turn 1" in lines
        assert "│ turn 2" in lines
        assert "  turn 3" in lines


async def test_a_click_makes_a_turn_current_and_a_double_click_selects_nothing() -> None:
    async with running(talk(1, 5)) as (app, pilot):
        await pilot.double_click("#talk", offset=(5, 5))
        assert current(app) == 2
        assert app.screen.get_selected_text() in (None, "")


# ---- Matches ----


async def test_matches_are_visited_in_order_and_end_where_there_are_none() -> None:
    conversation = talk(1, 40, text="turn {} foo and foo")
    async with running(conversation, hit=39, needles=finder("foo")) as (app, pilot):
        visited = [app.view.match]
        while app.view.next_match():
            visited.append(app.view.match)
            await pilot.pause()
        assert [(match.turn, match.start) for match in visited if match] == [(38, 8), (38, 16), (39, 8), (39, 16)]
        assert current(app) == 40
        assert app.view.previous_match()
        assert app.view.match == (39, 8, 11)
        assert app.view.previous_match()
        assert app.view.match == (38, 16, 19)


async def test_the_match_that_is_looked_at_comes_into_view_and_stands_out() -> None:
    text = "\n".join(["filler"] * 60 + ["needle {}"] + ["filler"] * 60)
    async with running(talk(1, 3, text=text), needles=finder("needle")) as (app, pilot):
        assert app.view.next_match()
        assert app.view.next_match()
        await pilot.pause()
        row = next(row for row, line in enumerate(screen(app)) if "needle 2" in line)
        assert styled(app, row, "reverse") == "needle"


async def test_matches_in_one_huge_turn_are_visited_in_order() -> None:
    text = "\n".join(f"line {number}" + " foo" * (number % 5000 == 0) for number in range(12_000))
    async with running(talk(1, 1, text=text), needles=finder("line [0-9]+ foo")) as (app, pilot):
        seen: list[str] = []
        while app.view.next_match():
            await pilot.pause()
            row = next(row for row in range(12) if styled(app, row, "reverse"))
            seen.append(styled(app, row, "reverse"))
        assert seen == ["line 0 foo", "line 5000 foo", "line 10000 foo"]
        assert app.view.previous_match()


async def test_after_moving_the_next_match_is_one_from_there() -> None:
    async with running(talk(1, 30, text="foo"), needles=finder("foo")) as (app, pilot):
        await pilot.press("G")
        assert app.view.next_match()
        assert current(app) == 30
        await pilot.press("g")
        assert not app.view.previous_match()


async def test_without_needles_there_are_no_matches() -> None:
    async with running(talk(1, 3)) as (app, _):
        assert not app.view.next_match()
        assert not app.view.previous_match()


# ---- Growing and reflowing ----


async def test_clicks_on_the_ends_and_steps_beyond_them_ask_for_more() -> None:
    async with running(talk(10, 11, 20), (40, 14)) as (app, pilot):
        await pilot.click("#talk", offset=(5, 0))
        row = next(row for row, line in enumerate(screen(app)) if "later" in line)
        await pilot.click("#talk", offset=(5, row))
        await pilot.press("k", "j", "j")
        assert [entry for entry in app.said if entry[0] == "grow"] == [
            ("grow", -1),
            ("grow", 1),
            ("grow", -1),
            ("grow", 1),
        ]


async def test_nothing_jumps_when_turns_come_before_or_after() -> None:
    async with running(talk(20, 30, 40), hit=25) as (app, pilot):
        await pilot.press("down", "down")
        before = screen(app)
        app.view.extend(talk(3, 38, 40))
        await settle(app, pilot)
        assert screen(app) == before
        assert current(app) == 25
        app.view.extend(talk(25, 30, 40))
        await settle(app, pilot)
        assert current(app) == 25
        assert app.view.conversation == talk(25, 30, 40)


async def test_growing_from_the_top_keeps_the_first_turn_where_it_was() -> None:
    async with running(talk(20, 30, 40)) as (app, pilot):
        before = screen(app)
        app.view.extend(talk(5, 30, 40))
        await settle(app, pilot)
        assert screen(app)[3:] == before[3:]
        assert before[0].split()[:2] == ["19", "earlier"]


async def test_growing_keeps_the_match_that_is_looked_at() -> None:
    async with running(talk(20, 30, 40, "turn {} foo"), hit=22, needles=finder("foo")) as (app, pilot):
        app.view.next_match()
        app.view.extend(talk(10, 30, 40, "turn {} foo"))
        await settle(app, pilot)
        assert current(app) == 23
        assert app.view.next_match()
        assert current(app) == 24


async def test_resizing_keeps_the_top_line_in_place() -> None:
    text = " ".join(f"word{number}" for number in range(400))
    async with running(talk(1, 4, text=text), (60, 12)) as (app, pilot):
        await pilot.press("j", "pagedown", "pagedown")
        top = screen(app)[0].strip(" │┃").split()[0]
        for width in (33, 20, 47, 60):
            await pilot.resize_terminal(width, 12)
            await settle(app, pilot)
            assert top in screen(app)[0]
            words = [int(word) for word in re.findall(r"word(\d+)", "\n".join(screen(app)))]
            assert words == list(range(words[0], words[0] + len(words)))
        assert current(app) == 2


async def test_what_is_looked_at_stays_on_the_screen_in_a_window_that_shrinks_and_grows() -> None:
    text = " ".join(["word"] * 60 + ["here"] + ["word"] * 60)
    async with running(talk(1, 4, text=text), (60, 24), needles=finder("here")) as (app, pilot):
        assert app.view.next_match()
        await settle(app, pilot)
        before = (app.view.scroll_offset.y, app.view.match, current(app))
        for size in ((40, 6), (8, 3), (12, 2), (30, 4), (60, 24)):
            await pilot.resize_terminal(*size)
            await settle(app, pilot)
            assert "here" in "".join(screen(app)).replace(" ", "") or size[0] < 12
            assert (app.view.match, current(app)) == before[1:]
        assert app.view.scroll_offset.y == before[0]


async def test_a_smaller_stretch_without_the_turn_on_top_stays_usable() -> None:
    async with running(talk(1, 30), hit=3) as (app, pilot):
        app.view.extend(talk(20, 25, 30))
        await settle(app, pilot)
        assert current(app) == 20
        await pilot.press("j")
        assert current(app) == 21


# ---- Big conversations ----


@pytest.fixture
def everything_is_big(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_view, "SMALL", -1)


@pytest.mark.usefixtures("everything_is_big")
async def test_a_big_conversation_comes_from_a_thread_and_looks_the_same() -> None:
    async with running(talk(1, 30), hit=10, needles=finder("hello")) as (app, _):
        big = screen(app)
        assert current(app) == 10
        assert app.view.matching is not None
        assert app.view.next_match()
    page_view.SMALL = 10**9
    async with running(talk(1, 30), hit=10, needles=finder("hello")) as (app, _):
        assert screen(app) == big


@pytest.mark.usefixtures("everything_is_big")
async def test_a_jump_asked_for_too_early_is_made_when_the_matches_are_known() -> None:
    async with running(talk(1, 30), hit=1, needles=finder("hello")) as (app, pilot):
        app.view.matching = None
        assert app.view.next_match()
        assert current(app) == 1
        app.view.extend(talk(1, 30))
        await settle(app, pilot)
        assert current(app) == 2


@pytest.mark.usefixtures("everything_is_big")
async def test_until_it_is_laid_out_the_old_content_stays() -> None:
    async with running() as (app, pilot):
        app.view.show(talk(1, 3))
        assert app.view.render_line(0).text.rstrip() == "laying out…"
        await settle(app, pilot)
        shown = app.view.render_line(2).text
        assert "turn 1 says hello" in shown
        app.view.show(talk(4, 6))
        assert app.view.render_line(2).text == shown
        await settle(app, pilot)
        assert current(app) == 4


@pytest.mark.usefixtures("everything_is_big")
async def test_the_last_of_many_conversations_wins() -> None:
    async with running() as (app, pilot):
        for number in range(1, 20):
            app.view.show(talk(number, number + 5), needles=finder("hello"), hit=number)
        await settle(app, pilot)
        assert current(app) == 19


async def test_a_layout_that_comes_too_late_is_dropped() -> None:
    async with running(talk(4, 6)) as (app, pilot):
        late = lay_out(talk(1, 3), 39, UTC)
        assert late is not None
        app.view.post_message(page_view._Laid(0, late))
        app.view.post_message(page_view._Found(0, [1]))
        await settle(app, pilot)
        assert current(app) == 4
        assert app.view.matching == []


# ---- Selecting ----


async def test_dragging_copies_the_text_itself() -> None:
    text = "one \ttwo three four five\n\n中文 end"
    async with running(talk(1, 1, text=text), (22, 10)) as (app, pilot):
        assert screen(app)[2:6] == ["│ one     two three", "│ four five", "│", "│ 中文 end"]
        await pilot.mouse_down("#talk", offset=(0, 2))
        await pilot.hover("#talk", offset=(5, 3))
        assert app.screen.get_selected_text() == "one \ttwo three four"
        assert app.view.text_selection is not None
        await pilot.mouse_up("#talk", offset=(5, 3))


async def test_a_selection_over_turns_leaves_headings_out() -> None:
    async with running(talk(1, 3)) as (app, _):
        selection = Selection(Offset(5, 2), Offset(6, 5))
        assert app.view.get_selection(selection) == ("1 says hello\n\nturn 2", "\n")
        everything = app.view.get_selection(Selection(None, None))
        assert everything == ("turn 1 says hello\n\nturn 2 says hello\n\nturn 3 says hello", "\n")


async def test_what_is_selected_is_drawn_so() -> None:
    async with running(talk(1, 3)) as (app, pilot):
        plain = app.view.render_line(2)
        app.screen.selections = {app.view: Selection(Offset(0, 2), Offset(4, 2))}
        await pilot.pause()
        marked = app.view.render_line(2)
        assert marked.text == plain.text
        background = plain._segments[1].style.bgcolor
        assert [segment.text for segment in marked if segment.style.bgcolor != background][-1] == "turn"


# ---- Any size, any text ----


@pytest.mark.parametrize("size", [(8, 4), (1, 1), (2, 2), (3, 20), (120, 36)])
async def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    async with running(talk(2, 9, 20, "中文 {} word"), size, hit=5, needles=finder("文|word")) as (app, pilot):
        await pilot.press("j", "G", "k", "u", "pageup", "up", "g")
        app.view.next_match()
        await pilot.resize_terminal(5, 3)
        await pilot.resize_terminal(*size)
        await settle(app, pilot)
        assert len(screen(app)) == size[1]
        assert current(app) is not None


@given(
    st.lists(st.text(st.sampled_from("ab \t\n中é\u0301"), max_size=200), min_size=1, max_size=6),
    st.integers(1, 40),
    st.data(),
)
@settings(max_examples=60)
def test_places_and_lines_lead_to_each_other(texts: Sequence[str], width: int, data: st.DataObject) -> None:
    turns = tuple(turn(number, text) for number, text in enumerate(texts, 1))
    page = lay_out(Conversation(SESSION, turns, before=3, after=3), width, UTC)
    assert page is not None
    y = data.draw(st.integers(0, page.height - 1))
    anchor = page.anchor(y)
    assert anchor is not None
    assert page.find(anchor) == y
    index = data.draw(st.integers(0, len(turns) - 1))
    place = Place(index, data.draw(st.integers(0, len(texts[index]))))
    assert page.top(index) < page.line_of(place) < page.bottom(index)
    assert page.place_at(page.line_of(place)).offset <= place.offset
    assert page.between(Place(0, 0), Place(len(turns) - 1, len(texts[-1]))) == "\n\n".join(filter(None, texts))


def test_the_lines_of_huge_turns_add_up() -> None:
    text = "\n".join(f"{number} " + "word " * (number % 50) for number in range(3000))
    page = lay_out(Conversation(SESSION, (turn(1, text), turn(2, "end")), 0, 0), 60, UTC)
    assert page is not None
    assert len([piece for piece in page.pieces if piece.turn == 0 and piece.what == "text"]) > 5
    for offset in (0, 16_500, 40_000, len(text)):
        y = page.line_of(Place(0, offset))
        assert page.place_at(y).offset <= offset < page.place_at(y + 1).offset or offset == len(text)


def test_the_rest_of_a_huge_code_block_is_still_code() -> None:
    page = lay_out(Conversation(SESSION, (turn(1, "```\n" + "# x\n" * 20_000),), 0, 0), 60, UTC)
    assert page is not None
    assert [page.lines(piece)[-2].kind for piece in page.text_pieces(0)] == ["code"] * len(page.text_pieces(0))


def test_laying_out_and_looking_for_matches_can_be_stopped() -> None:
    assert lay_out(talk(1, 3), 40, UTC, lambda: True) is None
    page = lay_out(talk(1, 3), 40, UTC)
    assert page is not None
    assert matching_pieces(page, finder("x"), lambda: True) is None


def test_a_conversation_whose_turns_have_no_number_can_be_shown() -> None:
    turns = tuple(replace(one, number=None) for one in talk(1, 3).turns)
    page = lay_out(Conversation(SESSION, turns, 0, 0), 40, UTC)
    assert page is not None
    assert page.height == 1 + 3 * 3


async def test_a_long_conversation_is_looked_through_beside_the_drawing() -> None:
    conversation = talk(1, 100, text="word " * 200 + "hello {}")
    async with running(needles=finder("never")) as (app, pilot):
        app.view.show(conversation, finder(r"hello 7\b"), 1)
        assert app.view.page is not None  # it is there at once
        assert app.view.matching is None
        assert app.view.next_match()
        await settle(app, pilot)
        assert app.view.matching is not None
        assert current(app) == 7
