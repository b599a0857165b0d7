"""Every file that harkback writes is its owner's alone, whatever the umask is, and while it is being written."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from command_line import CommandLine, ready_command
from harkback.core.basket import BasketFile
from harkback.tui.prompt_files import save, write_prompt
from mcp_agent import serving
from test_mcp import said

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes")


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Nothing is kept from others by default, here and in child processes."""
    before = os.umask(0)
    yield
    os.umask(before)


def loose(place: Path) -> list[tuple[str, str]]:
    """What others may read, write or enter, the folder itself included."""
    found: list[tuple[str, str]] = []
    for path in [place, *place.rglob("*")]:
        try:
            mode = stat.S_IMODE(path.lstat().st_mode)
        except FileNotFoundError:
            continue  # it was there for a moment only
        if mode & 0o077:
            found.append((path.name, oct(mode)))
    return found


@pytest.mark.usefixtures("open_umask")
def test_every_command_that_writes_leaves_nothing_that_others_may_read(harkback: CommandLine) -> None:
    temporary = harkback.home.parent / "tmp"
    temporary.mkdir(mode=0o700)
    harkback.environ["TMPDIR"] = str(temporary)
    said(harkback, "a", "a zebra", "It has stripes.")
    said(harkback, "b", "a gnu")

    def runs(*words: str, code: int = 0) -> None:
        """Run a command and look all the while."""
        child = subprocess.Popen(
            ready_command(*words), env=harkback.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        while child.poll() is None:
            if harkback.folder.exists():
                assert loose(harkback.folder) == [], words
            assert loose(temporary) == [], words
        out, _ = child.communicate()
        assert child.returncode == code, (words, out.decode())
        assert loose(harkback.folder) == [], words

    runs("config", "set", "limits.preset", "everything")
    runs("sources", "enable", "claude")
    runs("index")
    (harkback.home / "elsewhere").mkdir()
    runs("sources", "add", "claude", str(harkback.home / "elsewhere"))
    runs("sources", "remove", "claude", str(harkback.home / "elsewhere"))
    runs("exclude", "add", "title:salary")
    runs("exclude", "remove", "title:salary")
    said(harkback, "a", "zebra again")
    runs("search", "zebra")
    runs("context", "zebra")
    runs("memory", "search", "zebra", code=1)
    with serving(harkback) as agent:
        said(harkback, "a", "a third zebra")
        assert agent.call("sessions_search", query="zebra")["total"] >= 2
    assert loose(harkback.folder) == []
    runs("index", "--rebuild")
    runs("index", "--verify")
    runs("forget", "--session", "claude:b", "--yes")
    runs("doctor")

    damage(harkback.folder / "index.db")
    harkback("search", "zebra")
    runs("index")
    names = {path.name.partition("-")[0] for path in harkback.folder.iterdir()}
    assert {"index.db.damaged", "index.db", "index.lock", "config.toml"} <= names, names
    runs("forget", "--all", "--yes")


def damage(path: Path) -> None:
    """Make the pages of the index's tables unreadable."""
    with apsw.Connection(str(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = db.execute("PRAGMA page_size").fetchone()
    assert size
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // size[0]):
            file.seek(page * size[0])
            file.write(b"\xff" * 200)


@pytest.mark.usefixtures("open_umask")
def test_baskets_prompts_and_what_is_saved_of_them_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "harkback"
    BasketFile(folder).change(lambda basket: basket.in_next_style())
    write_prompt(folder, "a zebra", "prompt.md")
    assert {path.name for path in folder.rglob("*")} >= {"prompt.md"}
    assert loose(folder) == []
    (folder / "seen").write_text("by all")
    assert loose(folder) == [("seen", "0o666")]
    save(tmp_path / "saved.md", "a zebra")
    assert stat.S_IMODE((tmp_path / "saved.md").stat().st_mode) == 0o600
