"""Reading connections that are kept for whoever reads again and again, as somebody does who types.

A new one knows nothing of the file: it reads the schema and every page again, which takes as long as a search.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass

from .database import Database, Error, Interrupted
from .store import State, Store

IDLE_SECONDS = 5.0
"""An unused connection is closed after that: a file that was forgotten stays on the disk while anybody has it open."""
KEPT = 2
"""One for the search, one for who comes while that is being interrupted."""
NEVER = -1
"""In place of a number of closings: this connection is not kept."""


@dataclass(slots=True)
class _Kept:
    db: Database
    state: State
    """What it was opened in."""
    used: float = 0.0


class Readers:
    """Lends reading connections to one index, to any thread, each to one at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._idle: list[_Kept] = []
        self._closings = 0
        self._timer: threading.Timer | None = None

    @contextlib.contextmanager
    def reading(self) -> Generator[Database]:
        """A connection for the block, which leaves nothing running on it. Raises NoIndex or StoreError.

        It may be interrupted within the block, never after it.
        """
        closings = self._closings
        kept = self._kept() or self._new()
        try:
            yield kept.db
        except Error as error:
            if not isinstance(error, Interrupted):
                closings = NEVER
            raise
        finally:
            self._put_back(kept, closings)

    def close(self) -> None:
        """Let go of the file; who is reading does so at the end."""
        with self._lock:
            self._closings += 1
            idle, self._idle = self._idle, []
        for kept in idle:
            kept.db.close()

    def close_unused(self, seconds: float = IDLE_SECONDS) -> None:
        """Close what nobody has wanted for so long, and come back for the rest."""
        with self._lock:
            old = [each for each in self._idle if time.monotonic() - each.used >= seconds]
            self._idle = [each for each in self._idle if each not in old]
            self._timer = None
            self._come_back()
        for kept in old:
            kept.db.close()

    def _kept(self) -> _Kept | None:
        while True:
            with self._lock:
                if not self._idle:
                    return None
                kept = self._idle.pop()
            try:
                if self._store.state(kept.db) == kept.state:
                    return kept
            except Error:
                pass  # a new one will tell what is wrong
            kept.db.close()

    def _new(self) -> _Kept:
        while True:
            before = self._store.identity()
            db = self._store.read()
            try:
                db.vocabulary("words", "vocabulary")  # made in the middle of a search it would go at the search's end
                state = self._store.state(db)
            except BaseException:
                db.close()
                raise
            if state.file == before:
                return _Kept(db, state)
            db.close()  # another file has taken its place

    def _put_back(self, kept: _Kept, closings: int) -> None:
        kept.used = time.monotonic()
        with self._lock:
            if closings == self._closings and len(self._idle) < KEPT and kept.db.is_idle:
                self._idle.append(kept)
                self._come_back()
                return
        kept.db.close()

    def _come_back(self) -> None:
        if self._idle and self._timer is None:
            self._timer = threading.Timer(IDLE_SECONDS, self.close_unused)
            self._timer.daemon = True
            self._timer.start()
