"""Which model a folder holds, and what is said of one that holds none; the real models where they are at hand."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from harkback.core.config import Semantic
from harkback.core.embedder import open_embedder
from harkback.core.model_folder import PRESETS, TOKENIZER, find_model, folder_for
from harkback.core.no_model import NoModel

MODELS = os.environ.get("TESTS_MODELS", "")
"""A folder with `minilm` and `e5` in it, as fastembed loads them: set for tests with real models."""
ENGLISH = {"hidden_size": 384, "num_hidden_layers": 6, "vocab_size": 30_522}


def lay(folder: Path, config: Any = ENGLISH, model: str = "model.onnx", weights: bytes = b"weights") -> Semantic:
    for name in TOKENIZER:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}", "utf-8")
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config), "utf-8")
    (folder / model).parent.mkdir(exist_ok=True)
    (folder / model).write_bytes(weights)
    return Semantic(enabled=True, model_path=str(folder))


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (ENGLISH, "all-MiniLM-L6-v2"),
        ({"hidden_size": 384, "num_hidden_layers": 12, "vocab_size": 250_037}, "multilingual-e5-small"),
        ({"hidden_size": 384, "vocab_size": 250_037}, "multilingual-e5-small"),
    ],
)
def test_a_model_is_known_by_its_shape(tmp_path: Path, config: Any, name: str) -> None:
    found = find_model(lay(tmp_path / "m", config), tmp_path)
    assert found.identity().name == name
    assert bool(found.identity().passage_prefix) is name.startswith("multilingual")


@pytest.mark.parametrize(
    "config",
    [
        {},
        [],
        "not json",
        ENGLISH | {"hidden_size": 768},
        ENGLISH | {"num_hidden_layers": 12},
        ENGLISH | {"vocab_size": "30522"},
        ENGLISH | {"hidden_size": None},
    ],
)
def test_any_other_model_is_refused(tmp_path: Path, config: Any) -> None:
    with pytest.raises(NoModel):
        find_model(lay(tmp_path / "m", config), tmp_path)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    semantic = lay(tmp_path / "m")
    (tmp_path / "m" / "tokenizer.json").unlink()
    with pytest.raises(NoModel, match=r"lacks tokenizer\.json"):
        find_model(semantic, tmp_path)
    semantic = lay(tmp_path / "m")
    (tmp_path / "m" / "model.onnx").unlink()
    with pytest.raises(NoModel, match="lacks the model itself"):
        find_model(semantic, tmp_path)
    with pytest.raises(NoModel, match="there is no such folder"):
        find_model(Semantic(enabled=True, model_path=str(tmp_path / "none")), tmp_path)
    with pytest.raises(NoModel, match="its files are not here yet"):
        find_model(Semantic(enabled=True), tmp_path)


def test_bytes_are_taken_before_floats_and_other_weights_are_another_model(tmp_path: Path) -> None:
    semantic = lay(tmp_path / "m")
    floats = find_model(semantic, tmp_path).identity()
    lay(tmp_path / "m", model="onnx/model_quantized.onnx", weights=b"fewer")
    found = find_model(semantic, tmp_path)
    assert found.model_file == "onnx/model_quantized.onnx"
    fewer = found.identity()
    assert fewer != floats
    lay(tmp_path / "m", model="onnx/model_quantized.onnx", weights=b"other")
    assert find_model(semantic, tmp_path).identity() not in (fewer, floats)


def test_without_a_path_it_lies_below_our_own_folder(tmp_path: Path) -> None:
    for key in PRESETS:
        assert folder_for(Semantic(model=key), tmp_path) == tmp_path / "models" / key  # type: ignore[arg-type]


def test_files_that_are_no_model_are_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NoModel) as told:
        open_embedder(lay(tmp_path / "m"), tmp_path)
    installed = find_spec("fastembed") is not None
    assert ("can't be loaded" if installed else "pip install") in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.skipif(not MODELS or find_spec("fastembed") is None, reason="no real model is at hand")
@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_a_real_model_tells_what_is_alike(tmp_path: Path, name: str) -> None:
    model = open_embedder(Semantic(enabled=True, model_path=f"{MODELS}/{name}"), tmp_path)
    lock, dough = model.passages(["The database was locked by another process.", "Knead the dough and let it rest."])
    query = model.query("who else has the database open?")
    assert float(query @ query) == pytest.approx(1, abs=1e-3)
    assert float(query @ lock) > float(query @ dough)
    if name == "e5":
        chinese = model.query("数据库被锁住了怎么办")
        assert float(chinese @ lock) > float(chinese @ dough)
