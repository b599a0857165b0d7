"""A file that is one JSON document, rewritten as a whole whenever anything changes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from ..core.model import Unreadable
from .base import open_file
from .json_lines import FOREIGN, decode

T = TypeVar("T")

FILE_LIMIT = 256 << 20
"""Bytes of the largest document that is read: it has to be in memory as a whole."""


def read_json(path: Path, decoder: msgspec.json.Decoder[T], limit: int = FILE_LIMIT) -> tuple[T, int]:
    """The document, and its size in bytes.

    Raises OSError and `Unreadable`; one that is cut short is `not-json`, and read again when it has changed.
    """
    with open_file(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise Unreadable("too-large")
    for reason, beginning in FOREIGN.items():
        if re.match(beginning, data):
            raise Unreadable(reason)
    try:
        return decode(data.lstrip(b"\xef\xbb\xbf"), decoder), len(data)
    except msgspec.ValidationError as error:
        raise Unreadable("unexpected-shape") from error
    except ValueError as error:
        raise Unreadable("not-json") from error
