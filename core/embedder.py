"""An embedding model behind a small interface: texts in, vectors of length 1 out.

Nothing is loaded before one is opened, and never anything but files on this disk: the hub is told to be off before
its library is imported.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .config import Semantic
from .model_folder import Identity, ModelFolder, find_model
from .no_model import NoModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 2_000
"""Characters of a text that are embedded: about the 256 to 512 tokens that such models look at."""
NOT_INSTALLED = "the extra for it is not installed: pip install 'harkback[semantic]'"


class Embedder(Protocol):
    """A model, ready to be used."""

    @property
    def identity(self) -> Identity: ...

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Of each text a vector of length 1, one a row; best for texts of similar length, 8 to 32 of them."""
        ...

    def query(self, text: str) -> NDArray[np.float32]:
        """The vector of what is looked for."""
        ...


def open_embedder(semantic: Semantic, home: Path, threads: int | None = None) -> Embedder:
    """Load the model that config.toml names, which takes about a second. Raises NoModel."""
    return FastEmbed(find_model(semantic, home), threads)


class FastEmbed:
    """A model run by fastembed, that is by onnxruntime on the processor."""

    def __init__(self, found: ModelFolder, threads: int | None = None) -> None:
        """Raises NoModel."""
        self.identity = found.identity()
        os.environ["HF_HUB_OFFLINE"] = "1"
        try:
            library: Any = import_module("fastembed")
            description: Any = import_module("fastembed.common.model_description")
        except ImportError as error:
            raise NoModel(NOT_INSTALLED) from error
        name = f"harkback/{found.preset.key}/{found.model_file}"
        if name not in _registered:
            library.TextEmbedding.add_custom_model(
                model=name,
                pooling=description.PoolingType.MEAN,
                normalization=True,
                sources=description.ModelSource(hf="harkback/none"),
                dim=self.identity.dimension,
                model_file=found.model_file,
            )
            _registered.add(name)
        try:
            self._model: Any = library.TextEmbedding(
                name, specific_model_path=str(found.folder), threads=threads, cuda=False
            )
            self.query("ready?")
        except Exception as error:  # whatever its libraries raise: the files are not what they should be
            raise NoModel(f"{found.folder} can't be loaded: {_first_line(error)}") from error

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed([self.identity.passage_prefix + text[:LONGEST] for text in texts])

    def query(self, text: str) -> NDArray[np.float32]:
        return self._embed([self.identity.query_prefix + text[:LONGEST]])[0]

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        rows = np.asarray(list(self._model.embed(list(texts), batch_size=max(1, len(texts)))), dtype=np.float32)
        if rows.shape != (len(texts), self.identity.dimension):
            raise ValueError(f"it gives vectors of {rows.shape[-1]} numbers, not {self.identity.dimension}")
        return rows


_registered: set[str] = set()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
