"""Reconciling in a process of its own: the child reports in JSON lines, the parent reads them and may cancel.

The child is whatever command the caller names; it ends when it is told to or when its parent is gone. One that stays
alive (`live.py`) reconciles again whenever something changes or it is asked to.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import IO

import msgspec

from .report import Report
from .results import Progress


class Failed(msgspec.Struct, tag="failed", frozen=True):
    """Why a reconcile could not be done, in a sentence."""

    message: str
    busy: bool = False
    """Another process is indexing; nothing is wrong."""


class Working(msgspec.Struct, tag="working", frozen=True):
    """How far it has come."""

    progress: Progress


class Done(msgspec.Struct, tag="done", frozen=True):
    """It has ended, perhaps early."""

    report: Report


class Watching(msgspec.Struct, tag="watching", frozen=True):
    """From now on changes are noticed."""

    notice: str = ""
    """Why they are not noticed at once, in a sentence."""


class Learning(msgspec.Struct, tag="learning", frozen=True):
    """How many chunks have been embedded, of those that are to be; the last one has all, or says what is wrong."""

    done: int = 0
    total: int = 0
    trouble: str = ""
    """Why there is no search by meaning, in a sentence."""

    @property
    def is_last(self) -> bool:
        """Whether there is nothing more to do until the next pass."""
        return bool(self.trouble) or self.done >= self.total


Event = Working | Done | Failed | Watching | Learning
_decoder = msgspec.json.Decoder(Event)
ASK, TYPING = b"\n", b"t"
"""What the parent may write to the child."""


class Worker:
    """The parent's side: one child process and a thread that reads what it says."""

    def __init__(
        self,
        command: Sequence[str],
        on_event: Callable[[Event], object],
        environ: Mapping[str, str] | None = None,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """`on_event` is called from another thread; the last event of a pass is a `Done` or a `Failed`.

        `on_end` is called there too, when the child is gone.
        """
        self._on_event, self._on_end = on_event, on_end
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=environ,
        )
        self._thread = threading.Thread(target=self._listen, name="reconcile", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ask the child to stop after the transaction that it is in; closing its input is the sign."""
        if self._child.stdin:
            with contextlib.suppress(OSError):
                self._child.stdin.close()

    def ask(self) -> None:
        """Have a child that stays alive reconcile now, whether or not something seems to have changed."""
        if self._child.stdin:
            with contextlib.suppress(OSError, ValueError):
                self._child.stdin.write(ASK)
                self._child.stdin.flush()

    def typing(self) -> None:
        """Tell a child that stays alive that the person types: what can wait does, for a moment."""
        if self._child.stdin:
            with contextlib.suppress(OSError, ValueError):
                self._child.stdin.write(TYPING)
                self._child.stdin.flush()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether the child has ended within `seconds`."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _listen(self) -> None:
        last: Event | None = None
        with self._child:
            for line in self._child.stdout or ():
                try:
                    last = _decoder.decode(line)
                except msgspec.MsgspecError:
                    continue
                self._on_event(last)
        if (code := self._child.returncode) or not isinstance(last, Done | Failed | Watching | Learning):
            self._on_event(Failed(f"indexing ended unexpectedly (exit code {code}); what was indexed is kept"))
        self._on_end()


Attempt = Callable[[Callable[[Progress], None], Callable[[], bool], Collection[str]], Done | Failed]
"""Reconciles once: gets a function to report progress to, one to ask whether to stop, and the files that changed if
nothing else can have; raises nothing."""


def serve(attempt: Attempt, output: IO[bytes]) -> None:
    """The child's side: reconcile once, say how it goes, stop when the parent closes our input."""
    stop = threading.Event()
    heed(stop.set)
    tell(attempt(teller(output), stop.is_set, ()), output)


def heed(
    stop: Callable[[], object],
    asked: Callable[[], object] = lambda: None,
    typing: Callable[[], object] = lambda: None,
) -> None:
    """From now on `stop` is called when our parent closes our input or a signal tells us to end, `asked` when it asks,
    `typing` when it says that the person types.

    Called by the main thread.
    """
    threading.Thread(target=_watch_input, args=(stop, asked, typing), daemon=True).start()

    def on_signal(number: int, frame: object) -> None:
        stop()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, on_signal)


def teller(output: IO[bytes], *, after: float = 0.0) -> Callable[[Progress], None]:
    """A function that tells of progress ten times a second, once `after` seconds have passed."""
    last = time.monotonic() + after - 0.1

    def on_progress(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.1:
            last = now
            tell(Working(progress), output)

    return on_progress


def tell(event: Event, output: IO[bytes]) -> None:
    """Write one event; a parent that is gone no longer needs it."""
    with contextlib.suppress(OSError, ValueError):
        output.write(msgspec.json.encode(event) + b"\n")
        output.flush()


def _watch_input(stop: Callable[[], object], asked: Callable[[], object], typing: Callable[[], object]) -> None:
    """Read below Python's buffer: its lock would outlive this daemon thread."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        while said := os.read(sys.stdin.fileno(), 4096):
            if TYPING in said:
                typing()
            if ASK in said:
                asked()
    stop()
