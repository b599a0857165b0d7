"""The pass over JSON lines that most adapters share: its checkpoints, its state, and its count of unknown types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from harkback.adapters.line_pass import BETWEEN_CHECKPOINTS, Taker, line_records, restored
from harkback.adapters.unknown_types import TOLD_APART, UnknownTypes
from harkback.core.model import Checkpoint, Record, Reread, SkipRecord, TurnRecord
from hypothesis import given
from hypothesis import strategies as st

LINES = msgspec.json.Decoder(dict[str, object])


class Held(Taker[dict[str, object]]):
    """Holds each text back until the next line."""

    def __init__(self, *, waits: bool = False) -> None:
        super().__init__()
        self.waits = waits
        self.text = ""

    @property
    def state(self) -> bytes | None:
        return None if self.waits and self.text else b"state"

    def take(self, at: int, line: dict[str, object]) -> Iterator[Record]:
        yield from self.finish()
        self.text = str(line.get("text", ""))
        if "text" not in line:
            self.unknown.count(line.get("type"), f"byte {at}")

    def finish(self) -> Iterator[Record]:
        if self.text:
            yield TurnRecord("s", "user", self.text, None, 0)
        self.text = ""


def written(folder: Path, *lines: object) -> Path:
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def checkpoints(records: list[Record]) -> list[int]:
    return [record.offset for record in records if isinstance(record, Checkpoint)]


def test_what_waits_and_what_is_unknown_come_before_the_last_checkpoint(tmp_path: Path) -> None:
    path = written(tmp_path, {"type": "weather"}, {"type": "weather"}, {"text": "the ibex"})
    assert list(line_records(path, None, LINES, Held())) == [
        TurnRecord("s", "user", "the ibex", None, 0),
        SkipRecord("unknown-type", "weather at byte 0", 2),
        Checkpoint(path.stat().st_size, b"state"),
    ]


def test_a_pass_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    path = written(tmp_path, {"text": "one"})
    end = path.stat().st_size
    with path.open("a") as stream:
        stream.write('{"text": "two"}\n')
    turn, checkpoint = line_records(path, Checkpoint(end, b"state"), LINES, Held())
    assert isinstance(turn, TurnRecord)
    assert turn.text == "two"
    assert checkpoint == Checkpoint(path.stat().st_size, b"state")


def test_a_file_that_got_shorter_is_read_anew(tmp_path: Path) -> None:
    path = written(tmp_path, {"text": "one"})
    with pytest.raises(Reread):
        list(line_records(path, Checkpoint(path.stat().st_size + 1), LINES, Held()))


def test_a_checkpoint_comes_now_and_then_but_never_while_something_waits(tmp_path: Path) -> None:
    path = written(tmp_path, *({"text": "x"} for _ in range(BETWEEN_CHECKPOINTS)), {"type": "end"}, {"text": "y"})
    size, row = path.stat().st_size, len('{"text": "x"}\n')
    assert checkpoints(list(line_records(path, None, LINES, Held()))) == [row * BETWEEN_CHECKPOINTS, size]
    assert checkpoints(list(line_records(path, None, LINES, Held(waits=True)))) == [size - row, size]


def test_a_state_of_no_use_makes_for_a_pass_anew() -> None:
    assert restored(b"", dict[int, int]) == {}
    assert restored(msgspec.msgpack.encode({1: 2}), dict[int, int]) == {1: 2}
    for state in (b"\xff\xff", b"\xc0", msgspec.msgpack.encode({"a": 2}), b"\xa1\xff"):
        with pytest.raises(Reread):
            restored(state, dict[int, int])


def test_a_type_that_could_be_a_text_of_a_person_is_not_told() -> None:
    unknown = UnknownTypes()
    for kind in ("my words are here", None, 7, "tool.call/v2"):
        unknown.count(kind, "byte 3")
    assert [skip.example for skip in unknown.told()] == ["odd at byte 3", "none at byte 3", "tool.call/v2 at byte 3"]
    assert list(unknown.told()) == []


@given(st.lists(st.text(max_size=4) | st.none() | st.integers(), max_size=200))
def test_every_unknown_record_is_counted_and_few_are_told_apart(kinds: list[object]) -> None:
    unknown = UnknownTypes()
    for kind in [*kinds, *(f"type-{number}" for number in range(TOLD_APART))]:
        unknown.count(kind, "byte 0")
    told = list(unknown.told())
    assert sum(skip.count for skip in told) == len(kinds) + TOLD_APART
    assert len(told) <= TOLD_APART + 1
