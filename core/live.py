"""The child that stays alive: reconciles, then waits for changes below the sources' folders and reconciles again.

One pass at a time, at most a fifth of the time; nothing but a glance at the folders' inodes while nothing happens.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from .watch import Glance, Watcher
from .worker import Attempt, Done, Failed, Learning, Watching, heed, tell, teller

LOOK_SECONDS = 5.0
"""How often folders are looked for that appeared or were made anew."""
GLANCE_SECONDS = 0.05
"""How long changes are waited for while there is something left to do besides."""
SAFETY_SECONDS = 300.0
"""After so long a pass is made without any sign of a change, in case one went unreported."""
LEAST_PAUSE, LONGEST_PAUSE = 0.1, 5.0
"""Seconds between two passes, in which further changes gather."""
BUSY_PAUSE, FAILED_PAUSE, LONGEST_FAILED_PAUSE = 0.5, 15.0, 600.0
"""Seconds before the next try when another process is indexing, and when the index could not be written: twice as
long each time."""
PATIENT_TRIES = 4
"""After so many refusals it is said that another process is indexing, if nobody asked for the pass."""
UNSEEN_SECONDS = 0.5
"""A pass that nobody asked for shows its progress only when it takes longer."""

TYPING_SECONDS = 1.5
"""So long after the person typed what can wait goes on."""

Spare = Callable[[Callable[[], bool]], Learning | None]
"""Does a little of what can wait, asking often whether it has to stop; None when there is nothing left of it."""


class _Signs:
    """What the parent wants; `wait` ends when it wants anything."""

    def __init__(self) -> None:
        self._any = threading.Event()
        self._typed = -TYPING_SECONDS
        self.stopped = threading.Event()
        self.is_set, self.wait = self._any.is_set, self._any.wait

    def stop(self) -> None:
        self.stopped.set()
        self._any.set()

    def ask(self) -> None:
        self._any.set()

    def typing(self) -> None:
        self._typed = time.monotonic()

    def is_typing(self) -> bool:
        return time.monotonic() - self._typed < TYPING_SECONDS

    def take(self) -> bool:
        """Whether a pass was asked for since the last look."""
        asked = self._any.is_set()
        self._any.clear()
        if self.stopped.is_set():
            self._any.set()
        return asked


def serve_live(
    attempt: Attempt,
    roots: Callable[[], Iterable[Path]],
    own: Path,
    output: IO[bytes],
    glanced: Callable[[], Iterable[Path]] = list,
    spare: Spare = lambda stopped: None,
) -> None:
    """Be the child until the parent closes our input: every pass ends with a `Done` or a `Failed`.

    `roots` are what to watch, asked for again and again; `own` is the folder that we write to ourselves; `glanced` are
    places where changes show within `LOOK_SECONDS`, since what lies around them is not to be watched. While another
    process is indexing that is said once, and its end is waited for. `spare` is done between two passes, while nothing
    has changed and the person does not type.
    """
    signs, watcher, glance = _Signs(), Watcher(own), Glance()
    heed(signs.stop, signs.ask, signs.typing)
    asked = True
    touched: set[str] | None = None
    """Files of which it is known that they changed, and nothing else; empty: anything may have; None: nothing has."""
    quiet = pause = 0.0
    rested = time.monotonic()
    """When everything may be looked at again; single files are looked at before."""
    refused = failed = 0
    is_left = False
    """Whether there may be something for `spare` to do."""
    while not signs.stopped.is_set():
        if watcher.follow(roots()):
            touched = set()
            tell(Watching(watcher.trouble), output)
        if (seen := glance.changes(glanced())) and touched != set():
            touched = seen | (touched or seen)
        asked = signs.take() or asked
        if asked or quiet >= SAFETY_SECONDS:
            touched = set()
        if touched is None:
            if is_left and not signs.is_typing():
                if told := spare(lambda: signs.is_set() or signs.is_typing()):
                    tell(told, output)
                is_left = told is not None and not told.is_last
            patience = (TYPING_SECONDS if signs.is_typing() else GLANCE_SECONDS) if is_left else LOOK_SECONDS
            touched = watcher.wait(patience, signs)
            quiet += patience
            continue
        everything = not touched
        if everything and not asked:
            signs.wait(max(0.0, rested - time.monotonic()))
            if signs.stopped.is_set():
                break
        outcome = attempt(teller(output, after=0.0 if asked else UNSEEN_SECONDS), signs.stopped.is_set, touched)
        busy = isinstance(outcome, Failed) and outcome.busy
        refused = refused + 1 if busy else 0
        if not busy or refused == (1 if asked else PATIENT_TRIES):
            tell(outcome, output)
        if isinstance(outcome, Done):
            asked, touched, is_left = False, None, True
            failed, quiet = 0, 0.0
            pause = _pause(outcome, pause)
            rested = time.monotonic() + pause
            signs.wait(LEAST_PAUSE if everything else pause)
        elif busy:
            signs.wait(BUSY_PAUSE)
        else:
            signs.wait(min(LONGEST_FAILED_PAUSE, FAILED_PAUSE * 2**failed))
            failed = min(failed + 1, 10)


def _pause(done: Done, before: float) -> float:
    """Four times as long as the pass took; longer each time when what changes is nothing that is read."""
    least = max(LEAST_PAUSE, 4 * done.report.seconds)
    return min(LONGEST_PAUSE, least if done.report.read else max(least, 2 * before))
