"""The one writer: an OS lock on a file beside the index, released by the kernel however its holder ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Generator
from itertools import chain, repeat
from pathlib import Path


class Busy(Exception):
    """Another process holds the lock."""


@contextlib.contextmanager
def exclusive(path: Path, patience: float = 0) -> Generator[None]:
    """Hold the lock file `path` for a while. Raises Busy when another process does so for `patience` seconds."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        _take(descriptor, time.monotonic() + patience)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, until: float) -> None:
    for pause in chain((0.02, 0.05), repeat(0.1)):  # `held` takes the lock for an instant, and that is no writer
        try:
            return _lock(descriptor)
        except OSError as error:
            if pause == 0.1 and time.monotonic() >= until:
                raise Busy from error
        time.sleep(pause)
    return None


def held(path: Path) -> bool:
    """Whether anyone holds the lock now; answers at once."""
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        _lock(descriptor, shared=True)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, shared: bool = False) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int, *, shared: bool = False) -> None:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
