"""The words inside identifiers: `getUserName` is found as get, user and name as well."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .model import Span

_INNER_CAPITAL = re.compile(r"[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
MOST_PARTS = 12
"""What has more is no name but data."""


def parts(text: str) -> Iterator[list[Span]]:
    """Of each identifier with capitals in it the places of its parts, in code points."""
    for name in _INNER_CAPITAL.finditer(text):
        spans = [part.span() for part in _PART.finditer(name[0])]
        if 1 < len(spans) <= MOST_PARTS:
            yield [(name.start() + start, name.start() + stop) for start, stop in spans]


def spelled_out(text: str) -> str:
    """The parts of all identifiers in a text, each once, for the index; the parts of one stand together."""
    return " ".join(dict.fromkeys(" ".join(text[start:stop] for start, stop in name) for name in parts(text)))
