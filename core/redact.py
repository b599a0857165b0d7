"""Masks secrets in text: `redact` sees the whole cleaned message before anything is cut, stored or shown."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Generator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clean import clean_line

if TYPE_CHECKING:
    from .redact_find import Own, Span

REDACTION_VERSION = 2
"""Raised whenever the rules change, so that stored text is redacted again."""

_ROUNDS = 6
_own: ContextVar[Own | None] = ContextVar("own", default=None)


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without the secrets that were found in it, and how many there were of each kind."""

    text: str
    counts: dict[str, int]


@contextlib.contextmanager
def also(own: Own | None) -> Generator[None]:
    """Within the block a person's own rules count too."""
    before = _own.set(own)
    try:
        yield
    finally:
        _own.reset(before)


def redact(text: str, *, keep_lines: bool = False) -> Redacted:
    """`text` with each secret replaced by `[redacted:<kind>]`; the same object when there is none.

    With `keep_lines` there are as many lines as before: those that a secret took up are empty after its mark.

    Applying it twice changes nothing more. Work is proportional to the length of `text`: of one that would take more,
    nothing is kept but `[redacted:message]`, and that is counted.
    """
    if not text:
        return Redacted(text, {})
    from .redact_find import Own, TooMuch, find  # its rules take 40 ms to prepare, and only those who index need them

    own = _own.get() or Own()
    counts: Counter[str] = Counter()
    # What stands beside a mark can show as a secret only now, so a masked text is read again until nothing is found.
    for _ in range(_ROUNDS):
        try:
            spans = find(text, own)
        except TooMuch:
            break
        if not spans:
            return Redacted(text, dict(counts))
        counts.update(span.kind for span in spans)
        text = _mask(text, spans, keep_lines)
    # Only text made to defeat redaction gets here; none of it is kept.
    return Redacted("[redacted:message]" + "\n" * (text.count("\n") if keep_lines else 0), {"message": 1})


def redact_line(text: str, limit: int = 200) -> str:
    """`text` cleaned, redacted and on one line; cut only after that."""
    return clean_line(redact(clean_line(text, len(text))).text, limit)


def _mask(text: str, spans: list[Span], keep_lines: bool) -> str:
    parts: list[str] = []
    done = 0
    for span in spans:
        lost = text.count("\n", span.start, span.end) if keep_lines else 0
        parts += (text[done : span.start], f"[redacted:{span.kind}]", "\n" * lost)
        done = span.end
    parts.append(text[done:])
    return "".join(parts)
