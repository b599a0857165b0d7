"""Processes that are killed, or whose calls fail, in the middle of what they do; `bench/faults.c` makes calls fail."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harkback.core.history import NotFound
from harkback.core.store import Busy, StoreError

LIBRARY = "FAULTS_LIBRARY"
"""The environment's name for the library that makes calls fail."""
OPEN, READ, WRITE, SYNC, TRUNCATE, REMOVE, RENAME = KINDS = range(7)
FAIL, SHORT, KILL = range(3)

_library: Any = ctypes.CDLL(os.environ[LIBRARY]) if os.environ.get(LIBRARY) else None


@dataclass(frozen=True)
class Fault:
    """What happens at one call, or from there on at all, of some kinds on the files of a folder."""

    kinds: tuple[int, ...] = tuple(KINDS)
    how: int = FAIL
    error: int = 0
    nth: int = 0
    """From 1; 0: nothing happens, calls are only counted."""
    lasting: bool = False


CALLS = {
    "write fails: EIO": Fault((WRITE,), FAIL, errno.EIO),
    "write fails: ENOSPC": Fault((WRITE,), FAIL, errno.ENOSPC),
    "write does half": Fault((WRITE,), SHORT, errno.ENOSPC),
    "read fails: EIO": Fault((READ,), FAIL, errno.EIO),
    "fsync fails: EIO": Fault((SYNC,), FAIL, errno.EIO),
    "ftruncate fails: EIO": Fault((TRUNCATE,), FAIL, errno.EIO),
    "open fails: EMFILE": Fault((OPEN,), FAIL, errno.EMFILE),
    "unlink fails: EIO": Fault((REMOVE,), FAIL, errno.EIO),
    "rename fails: EIO": Fault((RENAME,), FAIL, errno.EIO),
}


def can_fail() -> bool:
    """Whether calls can be made to fail here."""
    return _library is not None


def arm(folder: Path, fault: Fault) -> None:
    """From now on the fault waits for this process."""
    if _library:
        mask = sum(1 << kind for kind in fault.kinds)
        where = os.fsencode(folder)
        _library.faults_arm(where, mask, fault.how, fault.error, ctypes.c_long(fault.nth), int(fault.lasting))


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    killed: bool
    outcome: str
    """`done`, `refused: ` and the sentence for the person, or a traceback."""
    struck: bool
    calls: tuple[int, ...]
    """Calls of each kind on the files of the folder."""


def in_child(
    do: Callable[[], object], arm: Callable[[], object], meanwhile: Callable[[], object], kill_after: float | None
) -> Ended:
    """Do something in another process, and something else here until that has ended or was killed after so long."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receiving)
        _do_and_tell(do, arm, sending)
    os.close(sending)
    until = float("inf") if kill_after is None else time.monotonic() + kill_after
    try:
        while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
            meanwhile()
            time.sleep(max(0.0, min(0.004, until - time.monotonic())))
            if time.monotonic() >= until:
                os.kill(pid, signal.SIGKILL)
                until = float("inf")
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(receiving)
        raise
    with os.fdopen(receiving, "rb") as pipe:
        said = pipe.read()
    outcome, struck, calls = json.loads(said) if said else ("", False, ())
    killed = os.WIFSIGNALED(ended[1])
    return Ended(killed, "killed" if killed else outcome, struck or killed, tuple(calls))


def _do_and_tell(do: Callable[[], object], arm: Callable[[], object], sending: int) -> None:
    outcome = "done"
    try:
        arm()
        do()
    except (StoreError, Busy, NotFound) as error:
        outcome = f"refused: {error}"
    except BaseException:
        outcome = traceback.format_exc()[-3_000:]
    struck = bool(_library and _library.faults_struck())
    calls = [_library.faults_count(kind) if _library else 0 for kind in KINDS]
    os.write(sending, json.dumps([outcome, struck, calls]).encode())
    os._exit(0)


def forked(work: Callable[[], object]) -> int:
    """A process of its own for some work; it ends with 0 if the work did, else it says why not."""
    if pid := os.fork():
        return pid
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def told(error: Exception) -> str:
    """An error with the line it came from."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({last.name}: {last.line})"[:1_000]
