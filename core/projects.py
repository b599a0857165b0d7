"""The folders that people worked in, in which some agents keep files too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .database import Database
from .model import Adapter, PerProject
from .real_paths import RealPaths

MOST = 500
"""So many projects are looked into, those that were worked in last."""


def projects_of(db: Database) -> list[Path]:
    """The working directories of the sessions in the index that are still there, the last used first.

    Where notes lie is not one for that alone.
    """
    rows = db.rows(
        """SELECT project FROM sessions WHERE turns > 0 AND project > '' AND kind != 'memory'
           GROUP BY project ORDER BY max(updated) DESC LIMIT ?""",
        MOST,
    )
    return [path for (project,) in rows if (path := Path(project)).is_absolute() and path.is_dir()]


def project_roots_of(adapter: Adapter, projects: Iterable[Path]) -> list[Path]:
    """Where a source may have files in some working directories, each place once, whether it is there or not."""
    if not isinstance(adapter, PerProject):
        return []
    found = [root for project in projects for root in adapter.project_roots(project)]
    real = RealPaths()
    return list({real.of(root): root for root in found}.values())
