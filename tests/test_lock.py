"""One writer at a time, among real processes, and none that outlives its holder."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from harkback.core.lock import Busy, exclusive, held

HOLDER = """
import sys
from pathlib import Path
from harkback.core.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
    if sys.argv[2:]:
        raise SystemExit(sys.argv[2])
"""
ASKER = """
import sys
from pathlib import Path
from harkback.core.lock import Busy, exclusive, held
try:
    with exclusive(Path(sys.argv[1])):
        print("taken")
except Busy:
    print("busy", held(Path(sys.argv[1])))
"""
COUNTER = """
import sys
from pathlib import Path
from harkback.core.lock import Busy, exclusive
lock, count = map(Path, sys.argv[1:])
done = 0
while done < 20:
    try:
        with exclusive(lock):
            before = int(count.read_text())
            count.write_text("")
            count.write_text(str(before + 1))
            done += 1
    except Busy:
        pass
"""


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return tmp_path / "index.lock"


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(lock: Path) -> Iterator[Start]:
    """Starts a program of the above on the lock, and ends it at the latest with the test."""
    running: list[subprocess.Popen[str]] = []

    def begin(program: str, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", program, str(lock), *arguments]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def holding(start: Start, *arguments: str) -> subprocess.Popen[str]:
    process = start(HOLDER, *arguments)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_nobody_else_gets_it_meanwhile(lock, start):
    process = holding(start)
    assert held(lock)
    with pytest.raises(Busy), exclusive(lock):
        pass
    process.communicate("go on\n")
    assert process.returncode == 0
    assert not held(lock)
    with exclusive(lock):
        pass


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_is_free_again_however_its_holder_ends(lock, start, end):
    process = holding(start)
    process.send_signal(end)
    process.communicate()
    assert process.returncode != 0
    assert not held(lock)
    with exclusive(lock):
        pass


def test_it_is_free_again_after_an_error(lock, start):
    process = holding(start, "failed")
    process.communicate("go on\n")
    assert process.returncode == 1
    with pytest.raises(ZeroDivisionError), exclusive(lock):
        raise ZeroDivisionError
    with exclusive(lock):
        pass


def test_another_process_sees_that_this_one_holds_it(lock, start):
    with exclusive(lock):
        assert start(ASKER).communicate()[0] == "busy True\n"
        assert held(lock)
    assert start(ASKER).communicate()[0] == "taken\n"


def test_a_child_that_lives_on_does_not_keep_it(lock):
    with exclusive(lock):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert not held(lock)
    finally:
        child.communicate(b"\n")


def test_writers_in_a_crowd_never_meet(lock, start, tmp_path):
    count = tmp_path / "count"
    count.write_text("0")
    crowd = [start(COUNTER, str(count)) for _ in range(3)]
    for process in crowd:
        _, complaint = process.communicate()
        assert process.returncode == 0, complaint
    assert count.read_text() == "60"


def test_askers_do_not_take_each_other_for_a_writer(lock):
    lock.touch()
    asking = os.open(lock, os.O_RDWR)
    import fcntl

    fcntl.flock(asking, fcntl.LOCK_SH | fcntl.LOCK_NB)
    try:
        assert not held(lock)
    finally:
        os.close(asking)


def test_asking_makes_no_file_and_fails_for_none(lock, tmp_path):
    assert not held(lock)
    assert not lock.exists()
    assert not held(tmp_path)
    with pytest.raises(FileNotFoundError), exclusive(tmp_path / "no" / "folder"):
        pass


def test_the_lock_file_is_private_and_stays(lock):
    old = os.umask(0)
    try:
        with exclusive(lock):
            assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    finally:
        os.umask(old)
    assert lock.exists()
    with suppress(Busy), exclusive(lock):
        assert lock.read_bytes() == b""
