"""Rebuilds every picture in this folder from the demo's sessions, always at the same moment.

python screenshots/take.py
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from harkback.core.config import Config, Interface
from harkback.tui import demo
from harkback.tui.app import HarkbackApp
from harkback.tui.search_screen import SearchScreen
from harkback.tui.settings_screen import SettingsScreen
from harkback.tui.surroundings import Surroundings
from rich.cells import cell_len
from textual.worker import WorkerCancelled

FOLDER = Path(__file__).parent
NOW = datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001, the zone is set to UTC below
READ_AT = int(NOW.replace(tzinfo=UTC).timestamp() * 1000) - 120_000
# Textual's pictures name a font on a server; any monospace of the viewer's will do.
STRETCH = re.compile(r'textLength="([\d.]+)"([^>]*)>([^<]+)<')
"""How wide a text is drawn: Rich takes every character for one cell."""
WEB_FONT = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture's name, the keys that lead to it, its size in cells, its theme."""

    name: str
    keys: Sequence[str] = ()
    size: tuple[int, int] = (110, 32)
    theme: str = ""
    first_start: bool = False


PICTURES = (
    Picture("welcome", first_start=True, size=(100, 23)),
    Picture("search", [*"clipboard ssh"]),
    Picture("chinese", [*"剪贴板"]),
    Picture("reading", [*"migration fails", "enter", "plus", "n"]),
    Picture("narrow", [*"flaky test", "enter"], size=(64, 28)),
    Picture("light", [*"memory leak"], theme="textual-light"),
    Picture("meant", [*"clipbaord"]),
    Picture("timeline", ["f6"]),
    Picture("settings", ["f2"], size=(110, 18)),
    Picture("exclusions", ["f2", "2", *"project:~/src/shop"], size=(110, 18)),
    Picture("keys", ["f1"], size=(96, 40)),
    Picture(
        "basket",
        [*"clipboard ssh", "tab", "space", "down", "down", "space", *["down"] * 6, "space", "f4"],
        size=(110, 28),
    ),  # last: it stays filled
)


def main() -> None:
    os.environ["TZ"] = "UTC"
    time.tzset()
    with tempfile.TemporaryDirectory(prefix="harkback-pictures-") as folder:
        home = Path(folder)
        demo.write_home(home, NOW.replace(tzinfo=UTC))
        place = replace(demo.surroundings(home), now=lambda: NOW, working_folder=home / "src" / "web")
        place.reconcile()
        for picture in PICTURES:
            asyncio.run(take(picture, place))


async def take(picture: Picture, place: Surroundings) -> None:
    """Play the keys and save what is then on the screen."""
    if picture.first_start:
        place = replace(place, folder=place.home / "nothing-yet")
    config = place.config()
    app = HarkbackApp(place, Config(sources=config.sources, interface=Interface(theme=picture.theme)))
    async with app.run_test(size=picture.size) as pilot:
        await settle(app)
        for key in picture.keys:
            await pilot.press("space" if key == " " else key)
            await settle(app)
        if isinstance(screen := app.screen, SearchScreen):
            screen.query_input.cursor_blink = False
            if answer := screen._status.answer:
                screen._set_status(answer=replace(answer, elapsed_ms=7.0))
        if isinstance(settings := app.screen, SettingsScreen) and settings.facts:
            sources = tuple(replace(each, last_run=READ_AT) for each in settings.facts.sources)
            settings.facts = replace(settings.facts, sources=sources)
            await settings.redraw()
        await settle(app)
        svg = WEB_FONT.sub("", app.export_screenshot(title="harkback"))
        svg = re.sub(r"terminal-\d+", "terminal", svg)
        svg = STRETCH.sub(_as_wide_as_its_cells, svg)
        (FOLDER / f"{picture.name}.svg").write_text(svg, "utf-8")


def _as_wide_as_its_cells(found: re.Match[str]) -> str:
    text = html.unescape(found[3])
    width = float(found[1]) * cell_len(text) / len(text)
    return f'textLength="{width:g}"{found[2]}>{found[3]}<'


async def settle(app: HarkbackApp) -> None:
    """Wait until nothing is searched, read or indexed any more."""
    for _ in range(3):
        while isinstance(screen := app.screen, SearchScreen) and screen._live.busy:  # noqa: ASYNC110, a child process
            await asyncio.sleep(0.01)
        with suppress(WorkerCancelled):  # a newer question takes the place of one that is still being answered
            await app.workers.wait_for_complete()
        await asyncio.sleep(0.05)


if __name__ == "__main__":
    main()
