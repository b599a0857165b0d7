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
    """(whether indexing goes on, what to tell the person)."""
    if not place.config().ticked(place.titles):
        return False, ["no source is ticked, so nothing new was read; see `harkback sources`"]
    deadline = time.monotonic() + PATIENCE
    try:
        report = place.reconcile(stopped=lambda: time.monotonic() > deadline)
    except Busy:
        return True, ["another harkback is indexing; this answers from what it has done so far"]
    except StoreError as error:
        return False, [f"the index could not be updated: {error}"]
    if report.finished:
        return False, [f"{place.titles[name]} could not be read ({error})" for name, error in report.errors.items()]
    _go_on_in_background(place)
    return True, ["indexing goes on in the background; the newest sessions come first"]


def _go_on_in_background(place: Surroundings) -> None:
    command = [part for part in place.worker_command() if part != "--events"]
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
