"""A tiny embedding model that needs no files: each word is a direction, so texts are near that share words or listed
synonyms. What tests of meaning use in place of a downloaded model, behind the same interface."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from harkback.core.model_folder import Identity

SYNONYMS = {"automobile": "car", "vehicle": "car", "canine": "dog", "puppy": "dog", "purchase": "buy", "bought": "buy"}
_WORD = re.compile(r"\w+")


class HashedWords:
    """Deterministic; `revision` tells two of them apart, as two downloads of a model would be."""

    def __init__(self, revision: str = "1") -> None:
        self.identity = Identity("hashed-words", revision, 384, "mean", "", "")
        self.embedded = 0
        """How many texts it was given."""

    def passages(self, texts: Sequence[str]) -> Any:
        self.embedded += len(texts)
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> Any:
        total = np.full(384, 0.01, np.float32)
        for word in _WORD.findall(text.lower()):
            seed = int.from_bytes(hashlib.blake2b(SYNONYMS.get(word, word).encode(), digest_size=4).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(384).astype(np.float32)
        return total / np.linalg.norm(total)
