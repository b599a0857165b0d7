"""What every test lives in: an empty home, UTC, no agent's environment, no network."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from harkback.core.database import Database
from harkback.core.identifiers import spelled_out
from harkback.core.tokens import segment
from harkback.tui.surroundings import Surroundings
from hypothesis import HealthCheck, settings
from ready_place import ReadySurroundings

# One test may run its examples under fixtures of its own; a slow machine is no failure.
settings.register_profile(
    "harkback", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.register_profile("thorough", settings.get_profile("harkback"), max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "harkback"))

os.environ["TEXTUAL_FPS"] = "240"  # the app's own pace (tui/cli.py), before anything of Textual is loaded

# Whoever starts the tests may have interrupts ignored, for their children too.
signal.signal(signal.SIGINT, signal.default_int_handler)

_AGENT_PREFIXES = (
    "CLAUDE_", "CODEX_", "GEMINI_", "QWEN_", "OPENCODE_", "OPENCLAW_", "CLAWDBOT_", "DSH_", "KIMI_", "WORKBUDDY_",
    "CODEBUDDY_", "ZCODE_", "GOOSE_", "AMP_", "CRUSH_", "VIBE_", "PI_", "AIDER_", "CONTINUE_", "COPILOT_", "CURSOR_",
    "FACTORY_", "CLINE_", "DROID_", "XDG_", "APPDATA", "LOCALAPPDATA", "HARKBACK_",
)  # fmt: skip


def pytest_xdist_auto_num_workers() -> int:
    """Half of the time tests wait for child processes and for screens."""
    return 2 * (os.cpu_count() or 1)


def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Before the first run of all tests have each file of them prepared once: every worker would do it for itself."""
    tests = Path(__file__).parent
    is_prepared = any(tests.glob("__pycache__/test_*-pytest-*.pyc"))
    if config.getoption("file_or_dir") or is_prepared or sys.dont_write_bytecode:
        return
    count = os.cpu_count() or 1
    files = sorted(map(str, tests.glob("test_*.py")))
    preparing = [
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "-n0", "--collect-only", "-qq", *files[part::count]],
            cwd=config.rootpath,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for part in range(count)
    ]
    for each in preparing:
        each.wait()


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing outside `tmp_path` is home, configuration or cache."""
    for name in list(os.environ):
        if name.startswith(_AGENT_PREFIXES):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(socket.socket, "connect", _refused(socket.socket.connect))
    yield
    monkeypatch.undo()
    time.tzset()


def _refused(connect: Any) -> Any:
    def local_only(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX:
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    return local_only


class Words:
    """Texts in the index's own full-text table; text number n is row n, from 1."""

    def __init__(self, *texts: str) -> None:
        self.db = Database(None)
        self.db.run_script(resources.files("harkback.core").joinpath("schema.sql").read_text("utf-8"))
        self.db.run_many(
            "INSERT INTO words (rowid, text, date) VALUES (?, ?, ?)",
            [(n, segment(text), spelled_out(text)) for n, text in enumerate(texts, 1)],
        )

    def matching(self, expression: str) -> set[int]:
        """The numbers of the texts that an FTS5 expression matches."""
        return {row[0] for row in self.db.rows("SELECT rowid FROM words WHERE words MATCH ?", expression)}

    def tokens(self) -> list[str]:
        """What FTS5 made of the texts, in order."""
        self.db.run("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, words, instance)")
        return [row[0] for row in self.db.rows("SELECT term FROM temp.seen WHERE col = 'text' ORDER BY doc, offset")]


@pytest.fixture
def words() -> type[Words]:
    return Words


@pytest.fixture
def harkback(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


# ---- the app ----

NOW = datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001, the tests' own zone is UTC
SCREENS = Path(__file__).parent / "screens"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-screens", action="store_true", help="write tests/screens/*.txt anew instead of comparing")


@pytest.fixture(scope="session")
def sample_place(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    """A home with the demo's sessions, all indexed, at a fixed time."""
    from harkback.tui import demo

    home = tmp_path_factory.mktemp("samples")
    demo.write_home(home, NOW.replace(tzinfo=UTC))
    place = ReadySurroundings.of(demo.surroundings(home))
    place = replace(place, now=lambda: NOW, working_folder=home / "src" / "web")
    place.reconcile()
    return place


@pytest.fixture
def compare_screen(request: pytest.FixtureRequest) -> Callable[[Any, str], None]:
    """Compares what an app shows with `tests/screens/NAME.txt`."""

    def compare(app: Any, name: str) -> None:
        lines = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
        # The samples name their own folder, so their size depends on where the test runs.
        shown = re.sub(r"\b\d\d kB", "38 kB", "\n".join(lines).rstrip() + "\n")
        path = SCREENS / f"{name}.txt"
        if request.config.getoption("--write-screens"):
            SCREENS.mkdir(exist_ok=True)
            path.write_text(shown, "utf-8")
        assert shown == path.read_text("utf-8")

    return compare
