"""The words inside identifiers: `getUserName` is found as get, user and name as well."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .results import Span

_BORDER = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z](?=[a-z])")
"""Where one part ends and the next begins; sought first, since most words have none."""
_NAME = re.compile(r"[A-Za-z0-9]+")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
LONGEST, MOST_PARTS = 80, 12
"""Characters and parts; what has more is no name but data."""


def parts(text: str) -> Iterator[list[Span]]:
    """Of each identifier with capitals in it the places of its parts, in code points."""
    passed = 0
    for border in _BORDER.finditer(text):
        if border.start() < passed:
            continue
        start = border.start()
        while start > passed and _NAME.match(text, start - 1, start):
            start -= 1
        passed = _NAME.match(text, start).end()  # type: ignore[union-attr]
        if passed - start <= LONGEST:
            spans = [part.span() for part in _PART.finditer(text, start, passed)]
            if 1 < len(spans) <= MOST_PARTS:
                yield spans


def spelled_out(text: str) -> str:
    """The parts of all identifiers in a text, each once, for the index; the parts of one stand together."""
    return " ".join(dict.fromkeys(" ".join(text[start:stop] for start, stop in name) for name in parts(text)))


def apart(text: str) -> str:
    """The text with blanks between the parts of its identifiers, as they stand in `get_user_name` and in prose."""
    borders = {start for name in parts(text) for start, _ in name[1:]}
    return "".join(f" {character}" if at in borders else character for at, character in enumerate(text))
