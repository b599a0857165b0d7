"""Whether a file still begins with what was read of it, on real files that grow, shrink and are replaced."""

from __future__ import annotations

import os
import re
import zlib
from contextlib import closing
from dataclasses import astuple, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from harkback.core.database import Database
from harkback.core.fingerprint import EDGE, checksum, edges, extended, open_quietly, same_prefix, stamp_of
from harkback.core.ledger import KnownFile, Prefix, Stamp
from hypothesis import example, given
from hypothesis import strategies as st


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def known(path: Path, offset: int) -> KnownFile:
    """The file as it is known after its first `offset` bytes were read."""
    with open_quietly(path) as file:
        prefix = extended(file, None, offset)
    facts: dict[str, Any] = {each.name: None for each in fields(KnownFile)}
    return KnownFile(**{**facts, "path": os.fsencode(path), "stamp": stamp_of(path.stat()), "prefix": prefix})


def same(path: Path, before: KnownFile) -> bool:
    with open_quietly(path) as file:
        return same_prefix(file, before, stamp_of(path.stat()))


CONTENT = b"".join(b"line %d of a session\n" % n for n in range(2_000))  # beyond both edges
READ = len(CONTENT) - 100


def test_a_file_that_grew_is_the_same(path):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    assert same(path, before)
    with path.open("ab") as file:
        file.write(b"more\n" * 5_000)
    assert same(path, before)


@pytest.mark.parametrize("at", [0, EDGE - 1, READ - EDGE, READ - 1])
def test_an_edit_at_either_end_of_what_was_read_shows(path, at):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"\0")
    assert not same(path, before)


def test_an_edit_behind_what_was_read_does_not_matter(path):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    with path.open("r+b") as file:
        file.seek(READ)
        file.write(b"\0")
    assert same(path, before)


def test_a_file_that_shrank_is_another(path):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    os.truncate(path, READ)
    assert same(path, before)
    os.truncate(path, READ - 1)
    assert not same(path, before)
    os.truncate(path, 0)
    assert not same(path, before)


def test_a_file_written_anew_is_another(path):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    path.write_bytes(CONTENT[1:] + b"x" * 500)
    assert not same(path, before)


def replaced(path: Path, content: bytes) -> None:
    """Write as editors do: a new file in place of the old one."""
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.replace(path)


def test_a_copy_in_place_of_the_file_is_compared_byte_by_byte(path):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    replaced(path, CONTENT + b"more\n")
    assert same(path, before)
    before = known(path, READ)
    middle = len(CONTENT) // 2
    replaced(path, CONTENT[:middle] + b"\0" + CONTENT[middle + 1 :])
    assert not same(path, before)


def test_an_edit_in_the_middle_of_the_same_file_is_the_limit_of_the_cheap_look(path):
    path.write_bytes(CONTENT)
    before = known(path, READ)
    with path.open("r+b") as file:
        file.seek(len(CONTENT) // 2)
        file.write(b"\0")
    assert same(path, before)


def test_a_file_of_which_nothing_was_read_is_always_the_same(path):
    path.write_bytes(b"")
    before = known(path, 0)
    assert same(path, before)
    path.write_bytes(CONTENT)
    assert same(path, before)
    replaced(path, b"other")
    assert same(path, before)


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=5), st.integers(1, 200))
@example(b"abc" * 20, [3, 3, 60], 137)
def test_a_fingerprint_grown_step_by_step_is_that_of_one_look(tmp_path, content, stops, times):
    path = tmp_path / "f"
    path.write_bytes(content * times)
    with open_quietly(path) as file:
        prefix: Prefix | None = None
        for stop in sorted(min(stop * times, len(content) * times) for stop in stops):
            prefix = extended(file, prefix, stop)
            read = (content * times)[:stop]
            assert prefix == extended(file, None, stop)
            assert prefix.crc == zlib.crc32(read)
            assert prefix.edges == edges(file, stop)


def test_edges_meet_in_a_short_file(path):
    path.write_bytes(b"ab")
    other = path.with_name("other")
    other.write_bytes(b"ba")
    with open_quietly(path) as one, open_quietly(other) as two:
        assert edges(one, 2) != edges(two, 2)
        assert edges(one, 0) == edges(two, 0)
        assert edges(one, 1) != edges(one, 2)


def test_a_checksum_ends_where_the_file_does(path):
    path.write_bytes(CONTENT)
    with open_quietly(path) as file:
        assert checksum(file, 0, 10**12) == zlib.crc32(CONTENT)
        assert checksum(file, 5, 9) == zlib.crc32(CONTENT[5:9])
        assert checksum(file, 9, 5, crc=7) == 7


def test_looking_leaves_no_trace(path):
    path.write_bytes(CONTENT)
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    before = path.stat()
    same(path, known(path, READ))
    after = path.stat()
    assert (after.st_atime_ns, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_atime_ns, before.st_mtime_ns, before.st_ctime_ns,
    )  # fmt: skip


def test_only_regular_files_are_opened(path, tmp_path):
    path.write_bytes(CONTENT)
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(path)
    os.mkfifo(pipe)
    descriptors = Path("/proc/self/fd")
    opened = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    for each in (link, pipe, tmp_path, tmp_path / "absent"):
        with pytest.raises(OSError, match=re.escape(f"'{each}'")):
            open_quietly(each)
    assert (len(list(descriptors.iterdir())) if descriptors.exists() else 0) == opened


def test_a_stamp_is_what_the_file_system_tells(path):
    path.write_bytes(b"abc")
    status = path.stat()
    assert stamp_of(status) == Stamp(status.st_dev, status.st_ino, 3, status.st_mtime_ns)


def test_the_huge_numbers_of_some_file_systems_fit_into_the_index():
    most = (1 << 64) - 1
    huge = SimpleNamespace(st_dev=most, st_ino=most - 1, st_size=3, st_mtime_ns=12_000 * 10**15)
    stamp = stamp_of(huge)
    with closing(Database(None)) as db:
        assert db.row("SELECT ?, ?, ?, ?", *astuple(stamp)) == astuple(stamp)
    assert stamp.inode != stamp.device
