"""Private keys in armour (PEM, OpenSSH, PGP), whole or broken off, whatever stands between their lines."""

from __future__ import annotations

import re

ARMOUR = "-----BEGIN "
_LONGEST_KEY = 20_000
_KEY_LABEL = re.compile(r"(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----", re.ASCII)
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-----)?", re.ASCII)
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16}", re.ASCII)
# Between two lines of a key that lost its end: line breaks, real or escaped, quotes, diff signs and line numbers.
_KEY_GAP = r"(?:\s|\\{1,7}[nrt]|[\"'+>|,\\→]|\d{1,6}(?=[ \t|→:])|(?<=\d):){0,60}+"
_NO_WORD = r"(?=[a-z]{0,15}[A-Z0-9+/=][a-z]{0,15}[A-Z0-9+/=])"
_KEY_REST = re.compile(
    rf"(?:{_KEY_GAP}(?:[A-Za-z0-9+/=]{{16,}}+|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{{0,200}}+))*+"
    # A line that breaks off is part of the key when nothing but its quote or end follows, or when it is no word.
    rf"(?:{_KEY_GAP}(?:[A-Za-z0-9+/=]{{1,15}}+(?=\W*\Z|[\"'\\])|{_NO_WORD}[A-Za-z0-9+/=]{{2,15}}+(?=[ \t]*\n)))?",
    re.ASCII,
)


def key_ends_at(text: str, end: int) -> int | None:
    """Where the private key ends whose armour begins before `end`; None when it is none, or holds no key."""
    label = _KEY_LABEL.match(text, end)
    if label is None:
        return None
    limit = min(len(text), label.end() + _LONGEST_KEY)
    another = text.find(ARMOUR, label.end(), limit)
    limit = another if another >= 0 else limit
    closing = _KEY_END.search(text, label.end(), limit)
    rest = None if closing else _KEY_REST.match(text, label.end(), limit)
    stop = closing.end() if closing else rest.end() if rest else label.end()
    return stop if _KEY_MATERIAL.search(text, label.end(), stop) else None
