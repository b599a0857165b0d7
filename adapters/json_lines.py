"""Append-only JSONL in bounded memory, and JSON that is not quite JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, BinaryIO, Generic, TypeVar, cast

import msgspec

from ..core.model import SkipRecord, Unreadable
from .zstd_stream import DAMAGED

T = TypeVar("T")

ANY = msgspec.json.Decoder(object)
"""Decodes a part of a record whatever it is."""
NULL = msgspec.Raw(b"null")
"""A part of a record that is not there."""

LINE_LIMIT = 16 << 20
"""Bytes of the longest line that is read; what agents write beyond it is tool output and compacted history."""
LINE_HOPELESS = 1 << 30
"""A file with a line beyond so many bytes is no session: a disk image, or a hole that claims to be a terabyte."""
BLANK = b" \t\r\n\0"
HOPELESS = 50
"""So many lines in a row that are no JSON, with none before that is, and the file is something else."""
FOREIGN = {
    "encoding": rb"(?:(?:\0\0)?(?:\xff\xfe|\xfe\xff)(?:\0\0)?)?\0{0,3}\{\0{1,3}[\s\"}]",
    "compressed": rb"\x1f\x8b|\x28\xb5\x2f\xfd|BZh[1-9]|\xfd7zXZ|PK\x03\x04",
}
"""How files begin that hold lines all the same, but of UTF-16 or UTF-32, or packed ones."""


class JsonLines(Generic[T]):
    """One pass over a stream of JSON objects, one a line, from `offset` on.

    Iterating gives `(its offset, record)`, or a `SkipRecord` for what is no record. Afterwards `offset` is the end of
    the last whole line: a line that is still being written waits for the next pass.
    Raises `Unreadable` when the stream is not JSONL at all.
    """

    def __init__(self, stream: BinaryIO, decoder: msgspec.json.Decoder[T], offset: int = 0) -> None:
        self.offset = offset
        self._stream, self._decoder = stream, decoder
        if stream.seekable():
            stream.seek(offset)
        else:
            while offset > 0 and (piece := stream.read(min(offset, 1 << 20))):
                offset -= len(piece)

    def __iter__(self) -> Iterator[tuple[int, T] | SkipRecord]:
        good, bad = bool(self.offset), 0
        while line := self._next():
            if isinstance(line, SkipRecord):
                yield line
                return
            start, end, whole = self.offset, self.offset + len(line), line.endswith(b"\n")
            if not whole and len(line) == LINE_LIMIT:
                self.offset = end + self._pass_over()
                yield SkipRecord("line-too-long", f"byte {start}")
                continue
            if not (text := line.strip(BLANK)):
                self.offset = end if whole else start
                continue
            if text[0] != line[0]:
                start += len(line) - len(line.lstrip(BLANK))
            try:
                record = self._decoder.decode(text)
            except (msgspec.MsgspecError, RecursionError):
                for item in self._salvage(line, whole):
                    good = good or not isinstance(item, SkipRecord)
                    yield item
                if self.offset < end:
                    return
                bad += 1
                if bad >= HOPELESS and not good:
                    raise Unreadable("not-jsonl") from None
                continue
            good = True
            self.offset = end  # a whole object without its newline is whole: nothing can be added to it
            if not text.isascii() and not _is_utf8(text):  # what the decoder passes over it does not check
                yield SkipRecord("replaced-bytes", f"byte {start}")
            yield start, record

    def _next(self) -> bytes | SkipRecord:
        """The next line or a part of LINE_LIMIT bytes, or the end of what can be unpacked.

        Raises `Unreadable` when the first says what the file is, or there is none.
        """
        try:
            line = self._stream.readline(LINE_LIMIT)
        except Unreadable as error:
            if self.offset and error.reason == DAMAGED:
                return SkipRecord(DAMAGED, f"byte {self.offset} of what was packed")
            raise
        if not self.offset:
            for reason, beginning in FOREIGN.items():
                if re.match(beginning, line):
                    raise Unreadable(reason)
        return line

    def _salvage(self, line: bytes, whole: bool) -> Iterator[tuple[int, T] | SkipRecord]:
        """What can be taken from a line that is not one clean object: it may hold several, or foreign bytes."""
        text, end, last = line.decode("utf-8", "surrogateescape"), 0, self.offset + len(line)
        while (begin := _skip_blank(text, end)) < len(text):
            start = self.offset + _byte_length(text[end:begin])
            try:
                value, end = _LENIENT.raw_decode(text, begin)
            except (ValueError, RecursionError):
                value, end = None, begin
            if not isinstance(value, dict | list) and not whole:
                yield SkipRecord("unfinished-line", f"byte {self.offset}")
                return
            if end == begin:
                self.offset = last
                yield SkipRecord("not-json", f"byte {start}")
                return
            self.offset = start + _byte_length(text[begin:end])
            if _SURROGATE.search(text, begin, end):
                yield SkipRecord("replaced-bytes", f"byte {start}")
            try:
                yield start, self._decoder.decode(_plain(value))
            except (msgspec.MsgspecError, RecursionError):
                yield SkipRecord("unexpected-shape", f"byte {start}")
        self.offset = last

    def _pass_over(self) -> int:
        passed = 0
        while piece := self._stream.readline(1 << 20):
            passed += len(piece)
            if passed > LINE_HOPELESS:
                raise Unreadable("too-large")
            if piece.endswith(b"\n"):
                break
        return passed


def decode(data: msgspec.Raw | bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decodes a part of a record, foreign bytes and all. Raises ValueError (`msgspec.MsgspecError` is one)."""
    try:
        try:
            return decoder.decode(data)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            return decoder.decode(_plain(_LENIENT.decode(bytes(data).decode("utf-8", "surrogateescape"))))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _finite(number: str) -> float | None:
    return value if isfinite(value := float(number)) else None


_LENIENT = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=lambda _: None)
"""Takes control characters, and null for a number that JSON has no word for."""
_BLANK = re.compile(r"[\s\0\ufeff]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _skip_blank(text: str, start: int) -> int:
    return cast("re.Match[str]", _BLANK.match(text, start)).end()


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _plain(value: Any) -> bytes:
    """JSON that any decoder takes: no control characters, and a replacement character for what is no text."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", json.dumps(value, ensure_ascii=False)).encode()
