"""Who may import whom, seen from a fresh interpreter; what a wheel holds; that no socket is ever opened."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harkback.tui.demo import surroundings, write_home

ROOT = Path(__file__).parents[1]
HEADLESS = [
    f"harkback.{folder}.{path.stem}"
    for folder in ("core", "adapters")
    for path in sorted((ROOT / folder).glob("*.py"))
    if path.stem != "__init__"
] + [f"harkback.tui.{path.stem}" for path in sorted((ROOT / "tui").glob("cli*.py"))]
APP_ONLY = {"textual", "rich", "tomlkit", "pyperclip", "asyncio"}
"""What no command but the app needs, and what would cost its start."""

LOOK = """
import sys
before = set(sys.modules)
{work}
print(*sorted({{name.partition(".")[0] for name in set(sys.modules) - before}}))
"""
RUN = """
sys.argv = ["harkback", *{words!r}]
from harkback.tui.cli import main
try:
    main()
except SystemExit as ended:
    assert ended.code == 0, ended.code
"""
REFUSE = """
import socket
def refuse(*_):
    raise AssertionError("a socket was opened")
socket.socket.__init__ = socket.create_connection = socket.getaddrinfo = refuse
"""


def packages_after(work: str, tmp_path: Path) -> tuple[set[str], str]:
    """The top-level packages that a fresh interpreter has imported for `work`, and what was printed before."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOOK.format(work=work)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *printed, last = done.stdout.splitlines()
    return set(last.split()), "\n".join(printed)


@pytest.mark.parametrize("folder", ["core", "adapters", "tui.cli"])
def test_headless_modules_import_nothing_of_the_app(folder: str, tmp_path: Path) -> None:
    modules = [module for module in HEADLESS if module.startswith(f"harkback.{folder}")]
    assert len(modules) > 3
    loop = f"import importlib\nfor name in {modules}:\n    importlib.import_module(name)\n"
    check = f"    assert not {APP_ONLY} & {{each.partition('.')[0] for each in sys.modules}}, name\n"
    packages, _ = packages_after(loop + check, tmp_path)
    assert "harkback" in packages
    assert not packages & (APP_ONLY | {"socket", "ssl", "http"})
    if folder != "tui.cli":
        loaded, _ = packages_after(loop + "print(*(m for m in sys.modules if m.startswith('harkback.tui')))", tmp_path)
        assert "harkback.tui" not in loaded


@pytest.mark.parametrize("module", ["app", "cli_search"])
def test_who_only_looks_things_up_loads_nothing_of_those_who_read_stores_and_write(module: str, tmp_path: Path) -> None:
    work = f"import harkback.tui.{module}\nprint(*(name for name in sys.modules if name.startswith('harkback.core.')))"
    _, printed = packages_after(work, tmp_path)
    loaded = {name.removeprefix("harkback.core.") for name in printed.split()}
    assert "search" in loaded
    assert not loaded & {"reconcile", "reading", "discover", "intake", "writer", "redact_find", "salvage", "status"}


@pytest.mark.parametrize(
    "words",
    [
        ["search", "clipboard", "--json"],
        ["search", "clipboard"],
        ["index", "--json"],
        ["sources", "--json"],
        ["status", "--json"],
        ["search", "--help"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_commands_run_without_the_app_and_without_a_socket(words: list[str], tmp_path: Path) -> None:
    home = tmp_path / "home"
    write_home(home, datetime(2026, 11, 30, tzinfo=UTC))
    place = surroundings(home)
    place.reconcile()
    if "--help" not in words and "--version" not in words:
        words = [*words, "--home", str(place.folder)]
    packages, printed = packages_after(REFUSE + RUN.format(words=words), tmp_path)
    assert printed
    assert not packages & APP_ONLY


def test_the_app_is_what_imports_textual(tmp_path: Path) -> None:
    packages, _ = packages_after("import harkback.tui.app", tmp_path)
    assert packages >= {"textual", "rich", "asyncio"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[zipfile.ZipFile, str]:
    """A wheel of a copy of the checkout, and what was said while it was built."""
    folder = tmp_path_factory.mktemp("wheel")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "source" / name).write_bytes((ROOT / name).read_bytes())
    build = "from setuptools import build_meta; build_meta.build_wheel('..')"
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=folder / "source", env=environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path), done.stdout + done.stderr


def test_a_wheel_claims_the_one_name_and_holds_what_the_code_needs(wheel: tuple[zipfile.ZipFile, str]) -> None:
    names = {name for name in wheel[0].namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in names} == {"harkback"}
    assert {name.split("/")[1] for name in names} == {"core", "adapters", "tui"}
    wanted = {"core/schema.sql", "tui/demo.json", "core/py.typed", "adapters/py.typed", "tui/py.typed"}
    wanted |= {f"tui/{path.name}" for path in (ROOT / "tui").glob("*.tcss")}
    assert {f"harkback/{name}" for name in wanted} <= names
    code = {
        f"harkback/{path.relative_to(ROOT).as_posix()}"
        for each in ("core", "adapters", "tui")
        for path in (ROOT / each).glob("*.py")
    }
    assert {name for name in names if name.endswith(".py")} == code
    assert any(name.endswith("licenses/LICENSE") for name in wheel[0].namelist())


def test_building_a_wheel_warns_of_nothing(wheel: tuple[zipfile.ZipFile, str]) -> None:
    assert "warning" not in wheel[1].lower()
