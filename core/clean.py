"""Terminal-safe text: what sessions hold, made harmless to index, show, copy and print.

Nothing that `clean` returns can move a cursor, write a clipboard, reorder a line or hide a word.
"""

from __future__ import annotations

import re
import unicodedata

# A string sequence ends with its terminator, or unterminated with its line. The 8-bit form counts only when it is
# terminated and ASCII: wrongly decoded quotation marks hold the same code points, and must not swallow what they quote.
_STRING = r"[\]PX^_][^\x07\x1b\x9c\r\n]*+(?:\x1b\\|[\x07\x9c])?"
_STRING_8BIT = r"[\x20-\x7e]*+(?:\x1b\\|[\x07\x9c])"
_CONTROL = r"[\x30-\x3f]*+[\x20-\x2f]*+[\x40-\x7e]?"
_SHORT = r"[\x20-\x2f]{0,4}+[\x30-\x7e]?"
# Here and below, a pattern begins with one character class, for which the engine scans fastest.
_SEQUENCE = re.compile(
    r"[\x1b\x90\x98\x9b\x9d-\x9f]"
    rf"(?:(?<=\x1b)(?:\[{_CONTROL}|{_STRING}|{_SHORT})|(?<=\x9b){_CONTROL}|(?<![\x1b\x9b]){_STRING_8BIT})"
)

_NEWLINES = "\x85\u2028\u2029"
_BLANKS = "\x0b\x0c\u115f\u1160\u2800\u3164\uffa0"
_DROPPED = (
    "\x00\x07\x08\x7f"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, overrides and isolates
    "\u00ad\u034f\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"  # invisible
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3"  # what places hieroglyphs and strokes of shorthand
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # invisible musical signs, tags, variation selectors 17 to 256
)
_NO_CHARACTERS = "\ufdd0-\ufdef" + "".join(f"{chr(0x10000 * n + 0xFFFE)}{chr(0x10000 * n + 0xFFFF)}" for n in range(17))
_REPLACED = f"\x01-\x06\x0e-\x1f\x80-\x84\x86-\x9f\ud800-\udfff{_NO_CHARACTERS}"

_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe00-\ufe0f"
_PICTURES = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING_SCRIPTS = "\u0620-\u07ff\u0840-\u0dff\u1000-\u109f\u1780-\u17ff"  # Arabic and its kin, Indic, Burmese, Khmer
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06dc\u0951-\u0954\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302d\u3099\u309a\ufe20-\ufe2f"
)
_MOST_MARKS = 4
_MOST_OF_ANY_SCRIPT = 8
"""Marks of scripts that stack more than others do."""

_CONTROL_ASCII = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_UNSAFE = re.compile(f"[\r{_NEWLINES}{_BLANKS}{_DROPPED}{_REPLACED}]")
_NEWLINE = re.compile(f"[{_NEWLINES}]")
_BLANK = re.compile(f"[{_BLANKS}]")
_DROP = re.compile(f"[{_DROPPED}]+")
_REPLACE = re.compile(f"[{_REPLACED}]")

_SHAPED = re.compile(f"[{_JOINERS}{_SELECTORS}{_MARKS}]")
# Joiners and selectors count as part of a stack of marks, so that taking them out later cannot make it taller.
_STACK = re.compile(f"[{_MARKS}][{_MARKS}{_JOINERS}{_SELECTORS}]{{{_MOST_MARKS},}}+")
_IN_STACK = re.compile(f"[{_JOINERS}{_SELECTORS}]+")
_NO_LETTERS = re.compile(rf"[^\w\s\x00-\x7f]{{{_MOST_OF_ANY_SCRIPT + 1},}}+")
# An emoji keeps the selector that colours it and the joiner that makes it a family; a keycap keeps its selector.
_STRAY_SELECTOR = re.compile(f"[{_SELECTORS}](?<![{_PICTURES}][\ufe0e\ufe0f])(?:(?<![0-9#*]\ufe0f)|(?!\u20e3))")
# A letter keeps the joiner that its script needs.
_STRAY_JOINER = re.compile(
    f"[{_JOINERS}](?:(?<![{_JOINING_SCRIPTS}].)(?<![{_PICTURES}\ufe0f]\u200d)|(?![{_JOINING_SCRIPTS}{_PICTURES}]))"
)


def clean(text: str) -> str:
    """`text` without escape sequences, control, bidi or invisible characters; newlines are `\\n`, and tabs stay.

    Never longer than `text`, the same when applied twice, and in time proportional to its length.
    """
    if (_CONTROL_ASCII if text.isascii() else _UNSAFE).search(text):
        text = _plain(text)
    if text.isascii():
        return text
    text = _NO_LETTERS.sub(lambda run: _flat(run[0]), text)
    return _shaped(text) if _SHAPED.search(text) else text


def clean_line(text: str, limit: int = 200) -> str:
    """`text`, cleaned, on one line of at most `limit` characters; a cut shows as an ellipsis."""
    line = " ".join(clean(text).split())
    if len(line) <= limit:
        return line
    # What joins a character to one that was cut off goes too.
    return line[: max(limit - 1, 0)].rstrip(" \u200c\u200d\ufe0e\ufe0f") + "…" if limit > 0 else ""


def without_controls(text: str) -> str:
    """A piece of one line without the characters that `clean` would drop or replace; all others stay where they are.

    For text that is laid out already: what goes has no width, and what remains of an escape sequence is only letters.
    """
    return _UNSAFE.sub("", _LINE_CONTROL.sub("", text))


def _plain(text: str) -> str:
    """`text` with whole sequences and invisible characters gone, and one kind each of newline and blank."""
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and not _CONTROL_ASCII.search(text):
        return text
    return _REPLACE.sub("\ufffd", _DROP.sub("", _BLANK.sub(" ", _NEWLINE.sub("\n", text))))


def _flat(run: str) -> str:
    """`run`, which is without letters, with no more than so many marks on one character."""
    kept: list[str] = []
    height = 0
    for character in run:
        if character not in _JOINERS:
            height = height + 1 if unicodedata.category(character)[0] == "M" else 0
        if height <= _MOST_OF_ANY_SCRIPT:
            kept.append(character)
    return "".join(kept)


def _shaped(text: str) -> str:
    """`text` with no joiner or selector where none belongs, and no tall stack of combining marks."""
    text = _STACK.sub(lambda stack: _IN_STACK.sub("", stack[0])[:_MOST_MARKS], text)
    return _STRAY_JOINER.sub("", _STRAY_SELECTOR.sub("", text))
