"""Fetching a model's files: the one thing that ever uses a network, and only after the person has said yes."""

from __future__ import annotations

import os
import shutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .config import Semantic
from .embedder import NOT_INSTALLED
from .model_folder import PRESETS, TOKENIZER, Preset, find_model, folder_for
from .no_model import NoModel
from .private import make_private

_MODEL_FILE = "onnx/model_quantized.onnx"


def is_installed() -> bool:
    """Whether what the extra brings is there; nothing of it is imported."""
    return find_spec("fastembed") is not None


def offer(preset: Preset) -> str:
    """What fetching it comes to, for the person who is to say yes."""
    return (
        f"{preset.name} ({preset.licence}; {preset.languages}) has to be fetched once: {preset.megabytes} MB from "
        f"huggingface.co/{preset.repository}. Nothing of yours is sent; afterwards nothing uses the network."
    )


def have_model(semantic: Semantic, home: Path) -> None:
    """See to it that the model is there; the person has said yes to fetching it. Raises NoModel."""
    if not is_installed():
        raise NoModel(NOT_INSTALLED)
    try:
        find_model(semantic, home)
    except NoModel:
        if semantic.model_path:
            raise
        fetch(semantic, home)


def fetch(semantic: Semantic, home: Path) -> None:
    """Fetch the files of the model that `semantic` names; whole or not at all. Raises NoModel."""
    preset, folder = PRESETS[semantic.model], folder_for(semantic, home)
    part = folder.with_name(folder.name + ".part")
    os.environ.pop("HF_HUB_OFFLINE", None)
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    try:
        hub: Any = import_module("huggingface_hub")
        settings: Any = import_module("huggingface_hub.constants")
    except ImportError as error:
        raise NoModel(NOT_INSTALLED) from error
    try:
        make_private(part)
        settings.HF_HUB_OFFLINE = False  # a model that was loaded before has turned it off for this process
        hub.snapshot_download(preset.repository, allow_patterns=[*TOKENIZER, _MODEL_FILE], local_dir=str(part))
        find_model(Semantic(True, semantic.model, str(part)), home)
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
    except NoModel:
        raise
    except Exception as error:  # whatever its library raises: the network, the hub, the disk
        shutil.rmtree(part, ignore_errors=True)
        raise NoModel(f"{preset.name} could not be fetched ({type(error).__name__}); nothing was changed") from error
