"""The list of any length: what it draws, what it asks for, and how keys and mouse move through it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from harkback.tui.virtual_list import VirtualList
from textual import on
from textual.app import App, ComposeResult
from textual.content import Content
from textual.message import Message
from textual.pilot import Pilot


def draw(item: int, width: int) -> list[Content]:
    return [Content(f"item {item}"), Content("中" * width), Content("[b]x[/b]")]


class ListApp(App[None]):
    def __init__(self, items: Sequence[Any]) -> None:
        super().__init__()
        self.items = items
        self.log_of: list[tuple[str, int]] = []
        self.wanted: list[tuple[int, int]] = []

    def compose(self) -> ComposeResult:
        yield VirtualList(draw, id="list")

    def on_mount(self) -> None:
        self.list.show(self.items)
        self.list.focus()

    @property
    def list(self) -> VirtualList[int]:
        return self.query_one("#list", VirtualList)

    @on(VirtualList.Highlighted, "#list")
    def note_highlight(self, event: VirtualList.Highlighted) -> None:
        self.log_of.append(("highlighted", event.index))

    @on(VirtualList.Chosen, "#list")
    def note_choice(self, event: VirtualList.Chosen) -> None:
        self.log_of.append(("chosen", event.index))

    @on(VirtualList.Wanted)
    def note_want(self, event: VirtualList.Wanted) -> None:
        self.wanted.append((event.first, event.last))


@asynccontextmanager
async def running(items: Sequence[Any], size: tuple[int, int] = (30, 9)) -> AsyncIterator[tuple[ListApp, Pilot[None]]]:
    app = ListApp(items)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def screen(app: App[Any]) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


def titles(app: App[Any]) -> list[str]:
    """The first lines of the rows on the screen, without the scroll bar."""
    return [line[: app.size.width - 1].rstrip() for line in screen(app) if "item" in line]


async def test_the_selected_row_has_a_bar_and_the_others_none() -> None:
    async with running(range(2), (12, 7)) as (app, _):
        assert screen(app) == [
            "▌ item 0",
            "▌ 中中中中…",
            "▌ [b]x[/b]",
            "  item 1",
            "  中中中中…",
            "  [b]x[/b]",
            "",
        ]


async def test_keys_move_the_cursor_and_the_view_follows() -> None:
    async with running(range(100)) as (app, pilot):
        for key, index in [
            ("down", 1),
            ("j", 2),
            ("ctrl+n", 3),
            ("up", 2),
            ("k", 1),
            ("pagedown", 4),
            ("G", 99),
            ("g", 0),
            ("end", 99),
            ("pageup", 96),
            ("home", 0),
            ("up", 0),
        ]:
            await pilot.press(key)
            assert app.list.cursor == index
            assert f"▌ item {index}" in titles(app)


async def test_the_view_scrolls_no_further_than_the_cursor_needs() -> None:
    async with running(range(100)) as (app, pilot):
        await pilot.press("down", "down", "down")
        assert titles(app) == ["  item 1", "  item 2", "▌ item 3"]


async def test_a_screen_can_drive_the_list_without_focus() -> None:
    async with running(range(100)) as (app, pilot):
        app.set_focus(None)
        app.list.action_move(5)
        app.list.action_page(1)
        app.list.action_choose()
        await pilot.pause()
        assert app.log_of[-2:] == [("highlighted", 8), ("chosen", 8)]


async def test_moving_highlights_and_enter_chooses() -> None:
    async with running(range(10)) as (app, pilot):
        await pilot.press("down", "enter")
        assert app.log_of == [("highlighted", 0), ("highlighted", 1), ("chosen", 1)]


async def test_an_empty_list_says_nothing() -> None:
    async with running([]) as (app, pilot):
        await pilot.press("down", "enter", "G", "pagedown")
        await pilot.click("#list", offset=(3, 3))
        assert app.log_of == []
        assert screen(app) == [""] * 9


async def test_a_click_highlights_and_another_one_chooses() -> None:
    async with running(range(10)) as (app, pilot):
        app.CLICK_CHAIN_TIME_THRESHOLD = 0.0
        await pilot.click("#list", offset=(4, 4))
        assert app.log_of[-1] == ("highlighted", 1)
        await pilot.click("#list", offset=(4, 3))
        assert app.log_of[-1] == ("chosen", 1)


@pytest.mark.parametrize("row", [0, 2])
async def test_a_double_click_chooses_once(row: int) -> None:
    async with running(range(10)) as (app, pilot):
        await pilot.double_click("#list", offset=(4, row * 3))
        assert [entry for entry in app.log_of if entry[0] == "chosen"] == [("chosen", row)]


async def test_the_row_under_the_mouse_is_tinted() -> None:
    async with running(range(10)) as (app, pilot):
        await pilot.hover("#list", offset=(4, 4))
        assert app.list.hovered == 1
        await pilot.press("G")
        assert app.list.hovered is None


async def test_new_results_keep_the_selected_row_where_it_is_on_the_screen() -> None:
    async with running(range(100)) as (app, pilot):
        await pilot.press(*["down"] * 10, "up")
        before = titles(app)
        assert "▌ item 9" in before
        app.list.show(range(-50, 100), keep=59)
        await pilot.pause()
        assert titles(app) == before
        assert app.list.cursor == 59
        assert app.log_of[-1] == ("highlighted", 9)


async def test_new_contents_start_at_the_top() -> None:
    async with running(range(100)) as (app, pilot):
        await pilot.press("G")
        app.list.show(range(500, 600))
        await pilot.pause()
        assert titles(app)[0] == "▌ item 500"
        assert app.log_of[-1] == ("highlighted", 0)


async def test_a_shorter_list_never_leaves_the_cursor_outside() -> None:
    async with running(range(100)) as (app, pilot):
        await pilot.press("G")
        app.list.show(range(2), keep=99)
        await pilot.pause()
        assert app.list.cursor == 1
        assert titles(app) == ["  item 0", "▌ item 1"]


async def test_unknown_rows_are_asked_for_and_drawn_when_they_come() -> None:
    async with running([None] * 1000) as (app, pilot):
        assert screen(app)[0] == "▌ …"
        first, last = app.wanted[-1]
        assert first == 0
        assert last >= 2
        app.list.fill(first, range(first, last + 1))
        await pilot.pause()
        assert titles(app) == ["▌ item 0", "  item 1", "  item 2"]
        assert len(app.wanted) == 1


async def test_scrolling_asks_for_what_comes_into_view() -> None:
    async with running([None] * 1000) as (app, pilot):
        await pilot.press("G")
        assert app.wanted[-1][1] == 999
        assert app.wanted[-1][0] > 980
        app.list.fill(app.wanted[-1][0], range(20))
        await pilot.pause()
        assert app.list.item(999) is not None
        assert app.list.item(500) is None


async def test_rows_that_never_come_are_not_asked_for_again_and_again() -> None:
    async with running([None] * 3) as (app, pilot):
        for _ in range(5):
            app.list.fill(0, [7])
            await pilot.pause()
        assert app.wanted == [(0, 2), (1, 2)]


async def test_rows_brought_for_one_list_are_not_shown_in_the_next() -> None:
    async with running([None] * 3) as (app, pilot):
        app.list.fill(0, [7, 8, 9])
        app.list.show([None] * 3)
        await pilot.pause()
        assert titles(app) == []


async def test_a_list_that_grows_can_keep_a_row_that_was_out_of_reach() -> None:
    async with running(range(2)) as (app, pilot):
        app.list.show(range(100), keep=50)
        await pilot.pause()
        assert titles(app)[0] == "▌ item 50"


async def test_it_knows_which_rows_are_seen() -> None:
    async with running(range(100), size=(30, 10)) as (app, pilot):
        assert app.list.on_screen == range(4)
        await pilot.press("end")
        assert app.list.on_screen == range(96, 100)
        app.list.show(range(2))
        assert app.list.on_screen == range(2)
        app.list.show(())
        assert app.list.on_screen == range(0)


async def test_only_rows_near_the_screen_are_touched() -> None:
    touched: set[int] = set()

    class Counted(Sequence[int]):
        def __len__(self) -> int:
            return 1_000_000

        def __getitem__(self, index: Any) -> Any:
            touched.add(index)
            return index

    async with running(Counted()) as (app, pilot):
        await pilot.press("G", "up")
        assert titles(app)[-1] == "  item 999999"
        assert len(touched) < 40


@pytest.mark.parametrize("size", [(8, 4), (1, 1), (2, 2), (3, 12), (120, 36)])
async def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    async with running([*range(20), None], size) as (app, pilot):
        await pilot.press("down", "G", "pageup")
        await pilot.resize_terminal(5, 3)
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert screen(app)[0].startswith("▌"[: size[0] - 1])


async def test_resizing_keeps_the_cursor_in_view() -> None:
    async with running(range(100), (30, 12)) as (app, pilot):
        await pilot.press("down", "down", "down")
        await pilot.resize_terminal(30, 3)
        await pilot.pause()
        assert titles(app) == ["▌ item 3"]


async def test_the_cursor_row_looks_different_with_focus_and_in_another_theme() -> None:
    async with running(range(3)) as (app, pilot):

        def background() -> Any:
            return app.list.render_line(0)._segments[0].style.bgcolor

        focused = background()
        app.set_focus(None)
        await pilot.pause()
        blurred = background()
        assert blurred != focused
        app.theme = "textual-light"
        await pilot.pause()
        assert background() != blurred


async def test_highlights_in_the_queue_collapse_per_list() -> None:
    one, other = VirtualList(draw), VirtualList(draw)
    first: Message = VirtualList.Highlighted(one, 1)
    assert VirtualList.Highlighted(one, 2).can_replace(first)
    assert not VirtualList.Highlighted(other, 2).can_replace(first)
    assert VirtualList.Wanted(one, 0, 1).can_replace(VirtualList.Wanted(one, 5, 6))
    assert not VirtualList.Wanted(one, 0, 1).can_replace(first)
