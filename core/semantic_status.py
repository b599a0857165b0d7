"""How far an index is with search by meaning, without loading the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .config import Semantic
from .database import Database
from .embedding import Embedded, embedded
from .meaning import has_vectors
from .model_folder import PRESETS, find_model
from .no_model import NoModel


@dataclass(frozen=True, slots=True)
class SemanticStatus:
    """What there is to say of it."""

    enabled: bool
    model: str
    """Its name."""
    done: int = 0
    total: int = 0
    """Chunks that have their vector, of those that are to have one."""
    waiting: int = 0
    """Vectors of another model: never compared with these, and replaced one by one."""
    trouble: str = ""
    """Why words alone are searched, in a sentence."""


def semantic_status(db: Database, semantic: Semantic, home: Path) -> SemanticStatus:
    """`home`: harkback's own folder."""
    name = PRESETS[semantic.model].name
    if not semantic.enabled:
        return SemanticStatus(False, name)
    try:
        found = find_model(semantic, home)
        identity = found.identity()
    except NoModel as error:
        return SemanticStatus(True, name, trouble=str(error))
    state = embedded(db, identity) if has_vectors(db) else Embedded(0, embedded(db, identity).total)
    waiting = _all_vectors(db) - state.done if has_vectors(db) else 0
    return SemanticStatus(True, identity.name, state.done, state.total, max(0, waiting))


def _all_vectors(db: Database) -> int:
    return db.value("SELECT count(*) FROM vectors")
