"""What no cheap look can see: edits that leave size, time and both ends of a file as they were."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from engine import Engine, check, line, turn
from harkback.core.fingerprint import EDGE, checksum, extended, open_quietly, same_prefix, stamp_of
from harkback.core.ledger import KnownFile
from harkback.core.report import Report
from harkback.tui.demo import write_home

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine")


def verify(engine: Engine) -> Report:
    return engine._reconciler(engine.store).run(verify=True)


def edit_unseen(path: Path, old: bytes, new: bytes) -> None:
    """Change bytes in place and put the times back."""
    assert len(old) == len(new)
    status, content = path.stat(), path.read_bytes()
    assert content.count(old) == 1
    with path.open("r+b") as file:
        file.seek(content.index(old))
        file.write(new)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert stamp_of(path.stat()) == stamp_of(status)


def fill(engine: Engine) -> None:
    for name in "abc":
        padding = [turn(f"{name} {number} some padding words") for number in range(300)]
        engine.write(name, *padding, turn(f"zebra in {name}"), *padding)


def test_an_unseen_edit_in_the_middle_is_found_and_read_again(engine: Engine) -> None:
    fill(engine)
    engine.run()
    edit_unseen(engine.path("b"), b"zebra", b"okapi")
    assert engine.run().read == 0
    assert engine.places("okapi") == []
    report = verify(engine)
    assert (report.verified, report.differed, report.read) == (3, 1, 1)
    assert engine.places("okapi") == [("b", 301)]
    assert {name for name, _ in engine.places("zebra")} == {"a", "c"}
    check(engine)
    assert engine.contents() == engine.fresh().contents()
    again = verify(engine)
    assert (again.verified, again.differed, again.read) == (3, 0, 0)


def test_an_edit_before_what_was_appended_is_found(engine: Engine) -> None:
    fill(engine)
    engine.run()
    edit_unseen(engine.path("b"), b"zebra", b"okapi")
    engine.append("b", turn("wombat"))
    assert verify(engine).differed == 1
    assert engine.places("okapi") == [("b", 301)]
    assert engine.contents() == engine.fresh().contents()


def test_what_was_only_appended_does_not_differ(engine: Engine) -> None:
    fill(engine)
    engine.run()
    more = engine.append("b", turn("wombat"))
    report = verify(engine)
    assert (report.verified, report.differed, report.read, report.bytes_read) == (3, 0, 1, more)


def test_files_that_are_gone_or_cannot_be_read_differ_in_nothing(engine: Engine) -> None:
    fill(engine)
    engine.run()
    engine.path("a").unlink()
    engine.path("b").unlink()
    engine.path("b").mkdir()
    report = verify(engine)
    assert (report.verified, report.differed) == (1, 0)
    assert len(engine.places("zebra")) == 3


def test_looking_changes_nothing(engine: Engine) -> None:
    fill(engine)
    engine.run()
    before = engine.listing()
    verify(engine)
    assert engine.listing() == before


# ---- an inode that was used again ----


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "session.jsonl"
    path.write_bytes(CONTENT)
    return path


CONTENT = b"".join(line(turn(f"line {number}")) for number in range(1_000))
MIDDLE = len(CONTENT) // 2
EDITED = CONTENT[:MIDDLE] + b"\0" + CONTENT[MIDDLE + 1 :]
assert MIDDLE > EDGE


def known(path: Path, seconds_after_folder: int) -> KnownFile:
    """The file as it is known when it was last written so long after its folder changed."""
    time = path.parent.stat().st_mtime_ns + seconds_after_folder * 10**9
    os.utime(path, ns=(time, time))
    with open_quietly(path) as file:
        prefix = extended(file, None, len(CONTENT))
    return KnownFile(1, os.fsencode(path), stamp_of(path.stat()), prefix, 1, b"", "ok", None, 1, cut=False)


def same_under_the_old_inode(path: Path, before: KnownFile) -> bool:
    """Whether the file passes, had it got the inode that it is known by."""
    stamp = replace(stamp_of(path.stat()), device=before.stamp.device, inode=before.stamp.inode)
    with open_quietly(path) as file:
        return same_prefix(file, before, stamp)


def replace_file(path: Path, content: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def test_a_file_that_took_the_place_of_another_is_compared_byte_by_byte_whatever_its_inode(path: Path) -> None:
    before = known(path, -10)
    replace_file(path, EDITED + b"more\n")
    assert not same_under_the_old_inode(path, before)
    replace_file(path, CONTENT + b"more\n")
    assert same_under_the_old_inode(path, before)


def test_a_file_whose_time_went_back_is_compared_byte_by_byte(path: Path) -> None:
    before = known(path, 10)
    path.write_bytes(EDITED + b"more\n")
    earlier = before.stamp.mtime_ns - 10**9
    os.utime(path, ns=(earlier, earlier))
    assert not same_under_the_old_inode(path, before)


def test_while_its_folder_did_not_change_only_the_ends_are_looked_at(path: Path) -> None:
    before = known(path, 10)
    with path.open("r+b") as file:
        file.seek(MIDDLE)
        file.write(b"\0")
    later = before.stamp.mtime_ns + 10**9
    os.utime(path, ns=(later, later))
    assert same_under_the_old_inode(path, before)
    with open_quietly(path) as file:
        assert checksum(file, 0, len(CONTENT)) != before.prefix.crc


# ---- the command ----


def test_the_command_says_how_many_files_differed(harkback: CommandLine) -> None:
    write_home(harkback.home, NOW)
    harkback.environ["HARKBACK_HOME"] = str(harkback.home / ".harkback")
    assert harkback("sources", "enable", "claude", "codex").code == 0
    assert harkback("index").code == 0
    path = max(harkback.home.glob(".claude/projects/*/*.jsonl"), key=lambda path: path.stat().st_size)
    content = path.read_bytes()
    at = content.index(b'"text"') if b'"text"' in content else content.index(b'"content"')
    edit_unseen(path, content[at - 200 : at + 200], content[at - 200 : at + 200].swapcase())
    told = harkback("index", "--verify")
    assert told.code == 0
    assert "1 differed and were read again" in told.out
    files = harkback("index", "--verify", "--json").json["files"]
    assert (files["differed"], files["read"]) == (0, 0)
    assert 0 < files["verified"] <= files["seen"]
    assert "differed" not in harkback("index", "--json").json["files"]
