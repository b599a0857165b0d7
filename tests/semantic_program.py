"""harkback with the tests' own embedding model, as a program: what it does with `--home` is what the real one does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from harkback.core.config import Semantic
from harkback.core.no_model import NoModel
from harkback.tui import cli, surroundings
from hashed_words import HashedWords


def open_hashed_words(semantic: Semantic, folder: Path, threads: int | None) -> Any:
    """`model_path` names the revision; a folder `broken` has no model."""
    if semantic.model_path == "broken":
        raise NoModel("broken can't be loaded: it is no model")
    return HashedWords(semantic.model_path)


class Surroundings(surroundings.Surroundings):
    """As the program itself, but for the model, its own and its children's."""

    @classmethod
    def here(cls, folder: str | None = None) -> Surroundings:
        place = super().here(folder)
        return cls(place.folder, place.home, open_embedder=open_hashed_words)

    def worker_command(self, *, live: bool = False) -> list[str]:
        at, module = "-m", "harkback.tui"
        command = super().worker_command(live=live)
        place = command.index(at)
        return [command[0], __file__, *command[place + 2 :]] if command[place + 1] == module else command


def main() -> None:
    cli.Surroundings = Surroundings  # type: ignore[misc]
    cli.main()


if __name__ == "__main__":
    main()
