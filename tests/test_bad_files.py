"""Files and folders that are not as they should be, beside good ones, read by the real adapters."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from engine import Engine, Lines, line, turn
from harkback.adapters import json_lines
from harkback.adapters.base import files_below
from harkback.core import model
from stores import Stores, said


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    stores = Stores(tmp_path / "engine")
    stores.session("beside", said("zebra"))
    return stores


def found(stores: Stores, *words: str) -> list[str]:
    """Those of the words that are found; the session beside always is."""
    assert stores.places("zebra") == [("beside", 1)]
    return [word for word in words if stores.places(word)]


# ---- what is no file ----


def test_pipes_and_sockets_are_counted_without_waiting_for_them(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(stores.claude / "pipe.jsonl")
    monkeypatch.chdir(stores.claude)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.jsonl")
        report = stores.run()
    assert (report.seen, report.read, report.skips) == (1, 1, {"not-a-file": 2})
    assert found(stores) == []


def test_links_to_devices_to_files_outside_and_to_themselves_are_not_followed(stores: Stores, tmp_path: Path) -> None:
    outside = tmp_path / "id_secret.jsonl"
    outside.write_bytes(said("wombat"))
    for name, target in (("zero", "/dev/zero"), ("outside", outside), ("a", "b.jsonl"), ("b", "a.jsonl")):
        (stores.claude / f"{name}.jsonl").symlink_to(target)
    report = stores.run()
    assert (report.read, report.skips) == (1, {"symbolic-link": 4})
    assert found(stores, "wombat") == []


def test_a_folder_linked_into_itself_is_walked_once(stores: Stores) -> None:
    (stores.claude / "up").symlink_to("..", target_is_directory=True)
    (stores.claude / "here").symlink_to(".", target_is_directory=True)
    (stores.claude / "deep").mkdir()
    stores.session("deep/own", said("okapi"))
    report = stores.run()
    assert (report.seen, report.skips) == (2, {"symbolic-link": 2})
    assert found(stores, "okapi") == ["okapi"]


# ---- files that come, go and change ----


def test_a_file_that_loses_its_permission_keeps_its_rows_and_is_tried_again(stores: Stores) -> None:
    path = stores.session("closed", said("okapi"))
    stores.run()
    path.write_bytes(said("okapi") + said("quokka"))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads everything")
    assert stores.run().skips == {"no-permission": 1}
    assert found(stores, "okapi", "quokka") == ["okapi"]
    path.chmod(0o600)
    assert stores.run().skips == {}
    assert found(stores, "okapi", "quokka") == ["okapi", "quokka"]


def test_a_root_that_is_gone_or_empty_keeps_everything(stores: Stores) -> None:
    stores.session("other", said("okapi"))
    stores.run()
    shutil.rmtree(stores.claude)
    assert stores.run().gone == 0
    assert found(stores, "okapi") == ["okapi"]
    shutil.rmtree(stores.home / ".claude")
    assert stores.run().gone == 0
    assert found(stores, "okapi") == ["okapi"]


@pytest.mark.parametrize("seconds", [0, 1, 2**31, 2**32 + 5, 8_000_000_000, 12_000_000_000])
def test_a_file_of_any_time_is_read_once_and_again_when_it_changes(stores: Stores, seconds: int) -> None:
    path = stores.session("odd", said("okapi"))
    try:
        os.utime(path, (seconds, seconds))
    except OverflowError:
        pytest.skip("there are no such times here")
    assert stores.run().read == 2
    assert stores.run().read == 0
    path.write_bytes(said("okapi") + said("quokka"))
    os.utime(path, (seconds, seconds))
    assert stores.run().read == 1
    assert found(stores, "okapi", "quokka") == ["okapi", "quokka"]


def test_a_clock_that_was_set_back_hides_nothing(stores: Stores) -> None:
    path = stores.session("odd", said("okapi"))
    stores.run()
    yesterday = time.time() - 86_400
    path.write_bytes(said("okapi") + said("quokka"))
    os.utime(path, (yesterday, yesterday))
    stores.run()
    stores.session("new", said("ibex"))
    os.utime(stores.claude / "new.jsonl", (yesterday - 5, yesterday - 5))
    stores.run()
    assert found(stores, "okapi", "quokka", "ibex") == ["okapi", "quokka", "ibex"]


def test_lines_are_found_that_were_added_without_a_change_of_time(stores: Stores) -> None:
    path = stores.session("odd", said("okapi"))
    stores.run()
    before = path.stat()
    with path.open("ab") as file:
        file.write(said("quokka"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert stores.run().bytes_read == len(said("quokka"))
    assert found(stores, "okapi", "quokka") == ["okapi", "quokka"]


def test_another_file_under_the_same_name_is_read_anew_even_if_its_inode_is_used_again(stores: Stores) -> None:
    around = said("x" * 9_000)
    path = stores.session("odd", around, said("okapi"), around)
    stores.run()
    before = path.stat()
    path.unlink()
    stores.session("odd", around, said("ibex!"), around, said("marmot"))
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))
    stores.run()
    assert found(stores, "okapi", "ibex", "marmot") == ["ibex", "marmot"]


class InTheCloud(type(Path())):
    """The path of a file whose content is not on this disk, as macOS tells it."""

    def stat(self, *, follow_symlinks: bool = True) -> Any:
        status = super().stat(follow_symlinks=follow_symlinks)
        fields = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
        return SimpleNamespace(**fields | {"st_flags": 0x4000_0020})

    def open(self, *args: Any, **options: Any) -> Any:
        raise AssertionError("opening it would fetch it")


@dataclass(frozen=True)
class Drive(Lines):
    """Of this store the files named `far` are on a cloud drive from the moment when there is a file `full` beside."""

    def find(self, root: Path) -> Iterator[Path | model.SkipRecord]:
        for found in super().find(root):
            is_far = isinstance(found, Path) and found.stem == "far" and (root / "full").exists()
            yield InTheCloud(found) if is_far else found


def test_a_file_that_is_only_in_the_cloud_is_not_fetched_and_what_was_read_of_it_stays(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine", (Drive(),))
    engine.write("beside", turn("zebra"))
    engine.write("far", turn("okapi"))
    engine.run()
    (engine.root / "full").touch()
    report = engine.run()
    assert (report.seen, report.gone, report.skips) == (1, 0, {"in-the-cloud": 1})
    assert engine.places("okapi") == [("far", 1)]
    (engine.root / "full").unlink()
    assert engine.run().skips == {}


# ---- names ----


def test_names_that_look_alike_are_two_files(stores: Stores) -> None:
    for form in ("NFC", "NFD"):
        stores.session(unicodedata.normalize(form, "café"), said(f"okapi {form}"))
    for name in ("Case", "case"):
        stores.session(name, said(f"ibex {name}"))
    if len(list(stores.claude.iterdir())) < 5:
        pytest.skip("this file system takes such names for one")
    assert stores.run().seen == 5
    assert len(stores.search("okapi")) == 2
    assert len(stores.search("ibex")) == 2


def test_a_name_that_is_no_text_costs_nothing(stores: Stores) -> None:
    path = Path(os.fsdecode(os.fsencode(stores.claude) + b"/caf\xe9\xff.jsonl"))
    path.write_bytes(said("okapi"))
    stores.run()
    assert found(stores, "okapi") == ["okapi"]
    assert stores.run().read == 0


@pytest.mark.parametrize("name", ["a\nb", "\x1b]0;x\x07", "\u202eevil", "[bold]", "[link=x]", " ", "%s%n", "-rf"])
def test_a_hostile_name_is_shown_harmless(stores: Stores, name: str) -> None:
    stores.session(name, said("okapi"), b"rubbish\n")
    stores.run()
    (hit,) = stores.search("okapi")
    assert hit.session.native_id.isprintable()
    assert hit.session.key.isprintable()
    assert all(example.isprintable() for (example,) in stores.rows("SELECT example FROM skips"))


def test_a_path_longer_than_the_system_takes_is_reported_and_costs_nothing_else(stores: Stores) -> None:
    name, here = "x" * 250, os.open(stores.claude, os.O_RDONLY)
    for _ in range(20):
        os.mkdir(name, dir_fd=here)
        deeper = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    with os.fdopen(os.open("deep.jsonl", os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as file:
        file.write(said("okapi"))
    os.close(here)
    report = Engine.run(stores)
    assert report.skips == {"unreadable-folder": 1}
    assert found(stores, "okapi") == []
    shutil.rmtree(stores.claude / name)


# ---- numbers and sizes ----


def test_a_folder_of_very_many_files_is_listed_as_it_is_read(stores: Stores) -> None:
    for number in range(2_000):
        (stores.claude / f"{number}.jsonl").touch()
    first = next(files_below(stores.claude, lambda name: name.endswith(".jsonl")))
    assert isinstance(first, Path)
    assert stores.run().seen == 2_001
    assert stores.run().bytes_read == 0
    assert found(stores) == []


def test_a_file_that_claims_a_terabyte_is_given_up_after_a_bounded_part(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LINE_HOPELESS", 32 << 20)
    path = stores.session("holes", said("okapi"))
    try:
        os.truncate(path, 1 << 40)
    except OSError:
        pytest.skip("this file system has no such files")
    Engine.run(stores)
    assert stores.reasons() == {"holes.jsonl": "too-large"}
    report = Engine.run(stores)
    assert (report.read, report.bytes_read) == (0, 0)
    assert found(stores) == []


@dataclass(frozen=True)
class Failing(Lines):
    """Files named `bad` fail as a disk or a network drive does, half-way."""

    error: int = errno.EIO

    def read(self, path: Path, since: model.Checkpoint | None) -> Iterator[model.Record]:
        for count, record in enumerate(super().read(path, since)):
            if path.stem == "bad" and count == 4 and path.stat().st_mode & 0o100:
                raise OSError(self.error, os.strerror(self.error))
            yield record


@pytest.mark.parametrize("error", [errno.EIO, errno.ESTALE, errno.ENXIO])
def test_a_disk_that_fails_keeps_the_rows_and_is_tried_again(tmp_path: Path, error: int) -> None:
    engine = Engine(tmp_path / "engine", (Failing(error=error),))
    engine.write("bad", turn("okapi"))
    engine.write("beside", turn("zebra"))
    engine.run()
    engine.replace("bad", line(turn("ibex")) + b"".join(line(turn(f"quokka {n}")) for n in range(9)))
    engine.path("bad").chmod(0o700)
    report = engine.run()
    assert (report.quarantined, report.skips) == (1, {"io-error": 1})
    assert engine.texts("bad") == ["okapi"]
    assert engine.places("zebra") == [("beside", 1)]
    engine.path("bad").chmod(0o600)
    assert engine.run().skips == {}
    assert engine.texts("bad") == ["ibex", *(f"quokka {n}" for n in range(9))]
