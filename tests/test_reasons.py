"""Every slug that the code counts under has words, and words that fit where they are shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harkback.core.model import SkipRecord, Unreadable
from harkback.core.reasons import REASONS, reason

ROOT = Path(__file__).parents[1]
COUNTED = re.compile(rf'(?:{SkipRecord.__name__}|{Unreadable.__name__}|_skip)\(\s*"([a-z-]*[a-z])"')


def slugs() -> set[str]:
    """The slugs that stand in the code as literals."""
    texts = [path.read_text("utf-8") for folder in ("core", "adapters") for path in (ROOT / folder).glob("*.py")]
    return {slug for text in texts for slug in COUNTED.findall(text)}


def test_every_reason_in_the_code_has_words() -> None:
    assert {"not-json", "unknown-type", "too-large", "turn-cut"} <= slugs()
    assert slugs() <= set(REASONS)


def test_the_reasons_that_the_reader_gives_have_words() -> None:
    assert {"no-permission", "io-error", "adapter-error", "window", "per_source", "total", "per_file"} <= set(REASONS)


@pytest.mark.parametrize("slug", [*REASONS, "sqlite-ioerr", "never-heard-of"])
def test_words_are_phrases_that_fit_into_a_line(slug: str) -> None:
    words = reason(slug)
    for phrase in (words.sentence, words.remedy):
        assert 0 < len(phrase) <= 110
        assert phrase == phrase.strip()
        assert not phrase.endswith(".")


def test_an_unknown_slug_is_shown_as_it_is() -> None:
    assert "never heard of" in reason("never-heard-of").sentence
    assert "ioerr" in reason("sqlite-ioerr").sentence
