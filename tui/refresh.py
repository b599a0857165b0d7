"""Bringing the index up to date before a search answers: a moment in this process, the rest in the background."""

from __future__ import annotations

import subprocess
import time

from ..core.lock import Busy
from ..core.store import StoreError
from .surroundings import Surroundings

PATIENCE = 1.5
"""Seconds that a search waits for new turns; appended lines take milliseconds, a first build goes on by itself."""


def refresh(place: Surroundings) -> tuple[bool, list[str]]:
    """(whether indexing goes on, what to tell the person). Raises ConfigError."""
    if not place.config().ticked(place.titles):
        from .known_sources import how_to_tick

        return False, how_to_tick(place)
    deadline = time.monotonic() + PATIENCE
    try:
        report = place.reconcile(stopped=lambda: time.monotonic() > deadline)
    except Busy:
        return True, ["another harkback is indexing; this answers from what it has done so far"]
    except StoreError as error:
        return False, [f"nothing new was read: {error}"]
    mended = [report.mended] if report.mended else []
    if report.finished:
        return False, mended + [
            f"{place.titles[name]} could not be read ({error}); what was indexed of it stays"
            for name, error in report.errors.items()
        ]
    go_on_in_background(place)
    return True, [*mended, "indexing goes on in the background, the newest sessions first; search again in a moment"]


def go_on_in_background(place: Surroundings) -> subprocess.Popen[bytes]:
    """Start a process that brings the index up to date and outlives this one."""
    return subprocess.Popen(
        [part for part in place.worker_command() if part != "--events"],
        env=place.worker_environ(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
