"""Which embedding models there are, where their files lie, and which of them the files in a folder are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from .config import Semantic
from .no_model import NoModel

QUANTISED = "int8, largest component 127"
"""How a vector becomes bytes (vectors.py); a vector that was made otherwise is another model's."""
TOKENIZER = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
MODEL_FILES = (
    "model_int8.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx", "model_qint8.onnx", "model.onnx",
    "onnx/model.onnx",
)  # fmt: skip
"""In the order of preference: bytes are a few times faster than floats, and as good once words are searched too."""
_EDGE = 1 << 16


@dataclass(frozen=True, slots=True)
class Identity:
    """What two vectors must have in common to be compared."""

    name: str
    revision: str
    dimension: int
    pooling: str
    query_prefix: str
    passage_prefix: str
    quantised: str = QUANTISED


@dataclass(frozen=True, slots=True)
class Preset:
    """A model that harkback knows how to use; all of them pool by the mean and give vectors of length 1."""

    key: str
    """What config.toml says."""
    name: str
    languages: str
    repository: str
    """Where its files are offered, at huggingface.co."""
    megabytes: int
    licence: str
    vocabulary: range
    """How many pieces its tokenizer may know: what it is recognised by, beside `layers`."""
    layers: frozenset[int]
    dimension: int = 384
    query_prefix: str = ""
    passage_prefix: str = ""


PRESETS = {
    each.key: each
    for each in (
        Preset(
            "english-small", "all-MiniLM-L6-v2", "English", "Xenova/all-MiniLM-L6-v2", 24, "Apache-2.0",
            range(30_522, 30_523), frozenset({6}),
        ),
        # Its card asks for the two prefixes.
        Preset(
            "multilingual-small", "multilingual-e5-small", "about a hundred languages", "Xenova/multilingual-e5-small",
            136, "MIT", range(250_002, 250_100), frozenset({12}), query_prefix="query: ", passage_prefix="passage: ",
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The files of a model that was recognised."""

    preset: Preset
    folder: Path
    model_file: str
    """Below `folder`."""

    def identity(self) -> Identity:
        """Reads the ends of the model's file. Raises NoModel."""
        preset = self.preset
        return Identity(
            preset.name,
            _revision(self.folder / self.model_file),
            preset.dimension,
            "mean",
            preset.query_prefix,
            preset.passage_prefix,
        )


def folder_for(semantic: Semantic, home: Path) -> Path:
    """Where the model's files are to be: the person's own folder, else ours below `home`, harkback's folder."""
    if semantic.model_path:
        try:
            return Path(semantic.model_path).expanduser()
        except RuntimeError as error:
            raise NoModel(f"semantic.model_path can't be used: {error}") from error
    return home / "models" / semantic.model


def find_model(semantic: Semantic, home: Path) -> ModelFolder:
    """The model that config.toml names. Raises NoModel."""
    folder = folder_for(semantic, home)
    if not folder.is_dir():
        what = "there is no such folder" if semantic.model_path else "its files are not here yet"
        advice = "" if semantic.model_path else "; `harkback config set semantic.enabled true` offers to fetch them"
        raise NoModel(f"{folder}: {what}{advice}")
    if missing := [name for name in TOKENIZER if not (folder / name).is_file()]:
        raise NoModel(f"{folder} lacks {', '.join(missing)}")
    file = next((name for name in MODEL_FILES if (folder / name).is_file()), None)
    if file is None:
        raise NoModel(f"{folder} lacks the model itself, one of {', '.join(MODEL_FILES)}")
    return ModelFolder(_recognised(folder), folder, file)


def _recognised(folder: Path) -> Preset:
    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NoModel(f"{folder / 'config.json'} can't be read: {error}") from error
    for preset in PRESETS.values():
        layers = config.get("num_hidden_layers")
        fits = config.get("hidden_size") == preset.dimension and (layers is None or layers in preset.layers)
        if fits and config.get("vocab_size") in preset.vocabulary:
            return preset
    known = " and ".join(preset.name for preset in PRESETS.values())
    raise NoModel(f"{folder} holds a model that harkback does not know; it knows {known}")


def _revision(file: Path) -> str:
    """Its size and a hash of its ends: another build of the same model has other weights all over."""
    import hashlib  # brings a library along that few commands need

    try:
        with file.open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            head = opened.read(_EDGE)
            opened.seek(max(0, size - _EDGE))
            tail = opened.read(_EDGE)
    except OSError as error:
        raise NoModel(f"{file} can't be read: {error.strerror or error}") from error
    return f"{size}-{hashlib.blake2b(head + tail, digest_size=8).hexdigest()}"
