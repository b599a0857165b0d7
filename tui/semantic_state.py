"""What there is of search by meaning, whether or not this harkback has it: its extra, its settings, its vectors."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from ..core.config import Config
from ..core.database import Database


@dataclass(frozen=True, slots=True)
class Semantic:
    """Its state at one moment."""

    installed: bool = False
    """The extra that it needs is there."""
    on: bool | None = None
    """None: config.toml knows no such setting."""
    model: str = ""
    done: int = 0
    """Pieces of text that have a vector ..."""
    chunks: int = 0
    """... and how many there are."""


def semantic_of(config: Config, db: Database | None) -> Semantic:
    """`db` is None while nothing is indexed. Raises `database.Error`."""
    settings = getattr(config, "semantic", None)
    on = getattr(settings, "enabled", None)
    done = chunks = 0
    if db is not None and db.value("SELECT count(*) FROM sqlite_master WHERE name = 'vectors'"):
        done = db.value("SELECT count(*) FROM vectors")
        chunks = db.value("SELECT count(*) FROM chunks")
    return Semantic(
        installed=find_spec("fastembed") is not None,
        on=on if isinstance(on, bool) else None,
        model=str(getattr(settings, "model", "") or ""),
        done=done,
        chunks=chunks,
    )
