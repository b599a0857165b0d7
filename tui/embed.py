"""Embedding what the index holds: all of it after `harkback index`, bit by bit in the app's child."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from ..core.config import ConfigError, Semantic
from ..core.database import Error
from ..core.embedding import Embedded, Embedding, alone
from ..core.lock import Busy
from ..core.no_model import NoModel
from ..core.store import StoreError
from ..core.worker import Learning
from .surroundings import Surroundings

_FAILURES = (StoreError, Error, ValueError, RuntimeError, OSError)
"""What a disk, an index, or a model that fails in the middle may raise."""


def embed_all(
    place: Surroundings,
    on_progress: Callable[[Embedded], None],
    stopped: Callable[[], bool] = lambda: False,
) -> Embedded | None:
    """Give every chunk its vector, if meaning is on; gives how far that came. Raises NoModel, Busy, StoreError."""
    semantic = place.config().semantic
    if not semantic.enabled:
        return None
    with alone(place.folder):
        work = Embedding(place.store, place.open_embedder(semantic, place.folder, None))
        if not work.begin().is_finished:
            while not stopped() and work.step(stopped):
                on_progress(work.progress)
        return work.progress


class SpareEmbedding:
    """The same, a step at a time: what `live.serve_live` takes as its spare work."""

    def __init__(self, place: Surroundings) -> None:
        self._place = place
        self._semantic: Semantic = Semantic()
        self._work: Embedding | None = None
        self._is_going = False
        self._held = ExitStack()
        """The lock of whoever embeds, for as long as there is something to do."""

    def __call__(self, stopped: Callable[[], bool]) -> Learning | None:
        try:
            return self._step(stopped)
        except Busy:
            return self._end()
        except (NoModel, ConfigError) as error:
            return self._end(str(error))
        except _FAILURES as error:
            return self._end(f"embedding failed ({type(error).__name__})")

    def _step(self, stopped: Callable[[], bool]) -> Learning | None:
        if not self._is_going and not self._begin():
            return None
        if self._work is None or not self._work.step(stopped) or self._work.progress.is_finished:
            return self._end()
        return Learning(self._work.progress.done, self._work.progress.total)

    def _begin(self) -> bool:
        """Whether there is anything to do."""
        semantic = self._place.config().semantic
        if not semantic.enabled:
            self._work = None
            return False
        if self._work is None or semantic != self._semantic:
            self._work, self._semantic = None, semantic
            self._work = Embedding(self._place.store, self._place.open_embedder(semantic, self._place.folder, 1))
        if self._work.begin().is_finished:
            return False
        self._held.enter_context(alone(self._place.folder))
        self._is_going = True
        return True

    def _end(self, trouble: str = "") -> Learning | None:
        """Let go of everything; says what is wrong, or that all is done."""
        was_going, self._is_going = self._is_going, False
        self._held.close()
        if trouble:
            return Learning(trouble=trouble)
        if not was_going or self._work is None:
            return None
        total = self._work.progress.total
        return Learning(total, total)
