"""What all adapters stand on: safe opening, bounded JSONL, zstd frames, times."""

from __future__ import annotations

import io
import json
import os
import random
import re
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from harkback.adapters import base, json_lines, zstd_stream
from harkback.adapters.base import files_below, open_file, parse_time
from harkback.adapters.json_lines import JsonLines, decode
from harkback.adapters.zstd_stream import open_unpacked
from harkback.core.model import SkipRecord, Unreadable
from hypothesis import given
from hypothesis import strategies as st


class Row(msgspec.Struct):
    """A record that wants an object, and takes anything in it."""

    n: Any = None
    raw: msgspec.Raw = msgspec.Raw(b"null")


ROW = msgspec.json.Decoder(Row)
ANY = msgspec.json.Decoder(Any)


def lines(data: bytes, offset: int = 0) -> tuple[list[Any], int]:
    """`(offset, n)` of each record, `(reason, place)` of each skip, and where the next pass goes on."""
    reader = JsonLines(io.BytesIO(data), ROW, offset)
    found = [(i.reason, i.example) if isinstance(i, SkipRecord) else (i[0], i[1].n) for i in reader]
    return found, reader.offset


# ---- JSONL ----


def test_whole_lines_are_read_with_their_places() -> None:
    assert lines(b'{"n":1}\n{"n":2}\n') == ([(0, 1), (8, 2)], 16)
    assert lines(b'{"n":1}\n{"n":2}\n', 8) == ([(8, 2)], 16)
    assert lines(b"") == ([], 0)


def test_a_torn_last_line_waits() -> None:
    found, offset = lines(b'{"n":1}\n{"n":"tw')
    assert found == [(0, 1), ("unfinished-line", "byte 8")]
    assert offset == 8
    assert lines(b'{"n":1}\n{"n":"two"}\n', offset) == ([(8, "two")], 20)


@pytest.mark.parametrize("tail", [b"4", b"tru", b'"x"', b"null", b"[1", b'{"n":2}{"n'])
def test_a_last_line_that_could_still_grow_waits(tail: bytes) -> None:
    found, offset = lines(b'{"n":1}\n' + tail)
    assert found[-1][0] == "unfinished-line"
    assert offset == 8 + (7 if tail.startswith(b"{") else 0)


def test_a_whole_last_line_without_its_newline_is_read_once() -> None:
    found, offset = lines(b'{"n":1}')
    assert (found, offset) == ([(0, 1)], 7)
    assert lines(b'{"n":1}\n{"n":2}\n', offset) == ([(8, 2)], 16)
    assert lines(b'{"n":1}{"n":2}\n', offset) == ([(7, 2)], 15)


def test_blank_lines_and_other_line_ends_are_nothing() -> None:
    assert lines(b'\n  \n\r\n{"n":1}\r\n\t\n') == ([(6, 1)], 17)
    assert lines(b'  {"n":1} \n') == ([(2, 1)], 11)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert lines(b'\xef\xbb\xbf{"n":1}\n{"n":2}\n') == ([(3, 1), (11, 2)], 19)


def test_runs_of_zero_bytes_are_passed_over() -> None:
    assert [n for _, n in lines(b"\0" * 500 + b'{"n":1}\n' + b"\0" * 9 + b'\n{"n":2}\0\0\n')[0]] == [1, 2]


def test_zero_bytes_at_the_end_wait_for_what_will_stand_there() -> None:
    assert lines(b'{"n":1}\n' + b"\0" * 100) == ([(0, 1)], 8)


def test_glued_objects_are_all_read() -> None:
    data = '{"n":"é"}{"n":2} {"n":[3]}\n{"n":4}\n'.encode()
    assert lines(data) == ([(0, "é"), (10, 2), (18, [3]), (28, 4)], 36)


def test_rubbish_behind_an_object_is_counted() -> None:
    assert lines(b'{"n":1} rubbish\n{"n":2}\n') == ([(0, 1), ("not-json", "byte 8"), (16, 2)], 24)


def test_an_interrupted_line_with_the_next_one_glued_on_costs_that_line() -> None:
    assert lines(b'{"n":"half{"n":1}\n{"n":2}\n') == ([("not-json", "byte 0"), (18, 2)], 26)


def test_other_values_than_objects_have_an_unexpected_shape() -> None:
    found, _ = lines(b'[1]\n42\n"x"\nnull\n{"n":1}\n')
    assert [reason for reason, _ in found[:-1]] == ["unexpected-shape"] * 4
    assert found[-1] == (16, 1)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b'{"n":"a\x00\x1b\nb"}'.replace(b"\n", b"\t"), "a\x00\x1b\tb"),
        (b'{"n":"a\xffb"}', "a\ufffdb"),
        (b'{"n":"\xc0\xaf"}', "\ufffd\ufffd"),
        (b'{"n":"\xed\xa0\x80"}', "\ufffd\ufffd\ufffd"),
        (b'{"n":"\\ud800"}', "\ufffd"),
        (b'{"n":"\\ude00\\ud83d"}', "\ufffd\ufffd"),
        (b'{"n":"\\ud83d\\ude00"}', "\U0001f600"),
        ('{"n":"查询"}'.encode("gbk"), "\ufffd\ufffd\u046f"),
    ],
)
def test_text_that_is_no_text_is_repaired(written: bytes, read: str) -> None:
    *skips, found = lines(written + b"\n")[0]
    assert found == (0, read)
    found[1].encode()
    assert skips == ([] if written.isascii() else [("replaced-bytes", "byte 0")])


def test_deep_nesting_costs_its_line() -> None:
    deep = b'{"n":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    found, offset = lines(deep + b'{"n":1}\n')
    assert found == [("not-json", "byte 0"), (len(deep), 1)]
    assert offset == len(deep) + 8


def test_a_line_over_the_limit_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LINE_LIMIT", 64)
    fits = b'{"n":"' + b"x" * 55 + b'"}\n'
    long = b'{"n":"' + b"x" * 100 + b'"}\n'
    assert len(fits) == 64
    found, offset = lines(fits + long + b'{"n":1}\n')
    assert found == [(0, "x" * 55), ("line-too-long", "byte 64"), (64 + len(long), 1)]
    assert offset == 64 + len(long) + 8


def test_a_very_long_line_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LINE_LIMIT", 1 << 16)
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'{"n":"')
        for _ in range(64):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n{"n":1}\n')
    tracemalloc.start()
    with open_file(path) as stream:
        found = list(JsonLines(stream, ROW))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [item.reason for item in found if isinstance(item, SkipRecord)] == ["line-too-long"]
    assert len(found) == 2
    assert peak < 8 << 20


def test_a_file_that_is_something_else_is_given_up() -> None:
    with pytest.raises(Unreadable, match="not-jsonl"):
        lines(b"\x7fELF\x00\n" * json_lines.HOPELESS)
    assert len(lines(b"rubbish\n" * (json_lines.HOPELESS - 1))[0]) == json_lines.HOPELESS - 1


def test_one_good_line_is_hope_enough() -> None:
    assert len(lines(b'{"n":1}\n' + b"rubbish\n" * 200)[0]) == 201
    assert len(lines(b'{"n":1}\n' + b"rubbish\n" * 200, 8)[0]) == 200


def test_a_part_of_a_record_is_repaired_like_a_record() -> None:
    row = ROW.decode(b'{"raw":{"text":"a\xffb"}}')
    assert decode(row.raw, ANY) == {"text": "a\ufffdb"}
    with pytest.raises(ValueError, match="deep"):
        decode(b"[" * 100_000, ANY)
    with pytest.raises(ValueError, match="Expected"):
        decode(b"[1]", ROW)
    with pytest.raises(ValueError, match="deep"):
        decode(b'{"a":"\xff","b":' + b"[" * 100_000, ANY)
    with pytest.raises(ValueError, match="Expecting"):
        decode(b"\xff", ANY)


VALUES = st.recursive(st.none() | st.integers() | st.text(), lambda values: st.lists(values, max_size=3), max_leaves=5)


@given(rows=st.lists(VALUES, max_size=6), cut=st.randoms(use_true_random=False))
def test_a_stream_in_two_pieces_gives_the_same_records(rows: list[Any], cut: random.Random) -> None:
    joints = [b"\n", b"\r\n", b"\n\n", b"", b" ", b"\0\0\n"]
    data = b"".join(
        json.dumps({"n": row}, ensure_ascii=False).encode("utf-8", "surrogatepass") + cut.choice(joints) for row in rows
    )
    data += b"\n"
    whole, _ = lines(data)
    first, offset = lines(data[: cut.randrange(len(data) + 1)])
    second, end = lines(data, offset)
    assert [item for item in first + second if item[0] != "unfinished-line"] == whole
    assert end == len(data)


@given(st.binary(max_size=400))
def test_any_bytes_are_survived(data: bytes) -> None:
    if any(re.match(beginning, data) for beginning in json_lines.FOREIGN.values()):
        with pytest.raises(Unreadable):  # it begins as packed files do, or as JSON in another encoding
            lines(data)
        return
    found, offset = lines(data)
    assert 0 <= offset <= len(data)
    places = [place for place, _ in found if isinstance(place, int)]
    assert places == sorted(set(places))


# ---- files ----


def test_regular_files_are_found_by_name_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("x.jsonl", "a/y.jsonl", "a/b/z.jsonl", "a/b/z.txt"):
        (tmp_path / name).touch()
    found = {
        path.name for path in files_below(tmp_path, lambda name: name.endswith(".jsonl")) if isinstance(path, Path)
    }
    assert found == {"x.jsonl", "y.jsonl", "z.jsonl"}


def test_links_and_pipes_are_reported_and_not_found(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (elsewhere / "x.jsonl").touch()
    (root / "file.jsonl").symlink_to(elsewhere / "x.jsonl")
    (root / "folder").symlink_to(elsewhere, target_is_directory=True)
    (root / "loop").symlink_to(root, target_is_directory=True)
    os.mkfifo(root / "pipe.jsonl")
    (root / "pipe.txt").symlink_to(root / "pipe.jsonl")
    skips = files_below(root, lambda name: name.endswith(".jsonl"))
    assert sorted((skip.reason, Path(skip.example).name) for skip in skips if isinstance(skip, SkipRecord)) == [
        ("not-a-file", "pipe.jsonl"),
        ("symbolic-link", "file.jsonl"),
        ("symbolic-link", "folder"),
        ("symbolic-link", "loop"),
    ]


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert list(files_below(missing, lambda _: True)) == [SkipRecord("unreadable-folder", str(missing))]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list any folder")
def test_a_closed_folder_is_reported_and_its_neighbours_are_found(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o000)
    (tmp_path / "x").touch()
    try:
        found = list(files_below(tmp_path, lambda name: name == "x"))
    finally:
        closed.chmod(0o700)
    assert tmp_path / "x" in found
    assert SkipRecord("unreadable-folder", str(closed)) in found


def test_a_link_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    (tmp_path / "link").symlink_to(tmp_path / "x")
    with pytest.raises(OSError, match="link"):
        open_file(tmp_path / "link")


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unreadable, match="not-a-file"):
        open_file(tmp_path / "pipe")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises((Unreadable, OSError)):
        open_file(tmp_path)


def test_opening_leaves_the_access_time_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"text")
    os.utime(path, ns=(10**18, 10**18))
    with open_file(path) as stream:
        assert stream.read() == b"text"
    assert path.stat().st_atime_ns == 10**18


# ---- zstd ----


def test_several_frames_are_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(
        zstandard.compress(b'{"n":1}\n{"n"') + zstandard.compress(b":2}\n") + zstandard.compress(b'{"n":3}\n')
    )
    with open_unpacked(path) as stream:
        assert [item[1].n for item in JsonLines(stream, ROW) if not isinstance(item, SkipRecord)] == [1, 2, 3]
    with open_unpacked(path) as stream:
        assert [item[1].n for item in JsonLines(stream, ROW, 8) if not isinstance(item, SkipRecord)] == [2, 3]


def test_a_torn_last_frame_gives_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    whole = zstandard.compress(b'{"n":1}\n')
    torn = zstandard.compress(b"".join(b'{"n":%d}\n' % n for n in range(100_000)))
    path.write_bytes(whole + torn[: len(torn) // 2])
    with open_unpacked(path) as stream:
        found = [item[1].n for item in JsonLines(stream, ROW) if not isinstance(item, SkipRecord)]
    assert found[:3] == [1, 0, 1]
    assert 1_000 < len(found) < 100_001


def test_plain_lines_under_a_packed_name_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(b'{"n":1}\n{"n":2}\n')
    with open_unpacked(path) as stream:
        assert [item[1].n for item in JsonLines(stream, ROW) if not isinstance(item, SkipRecord)] == [1, 2]


def test_what_stands_before_the_damage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(zstandard.compress(b'{"n":1}\n{"n":2}\n{"n":') + b"rubbish")
    with open_unpacked(path) as stream:
        one, two, skip = JsonLines(stream, ROW)
    assert not isinstance(one, SkipRecord)
    assert not isinstance(two, SkipRecord)
    assert (one[1].n, two[1].n) == (1, 2)
    assert skip == SkipRecord("zstd", "byte 16 of what was packed")


def test_what_is_no_zstd_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zst"
    path.write_bytes(b"rubbish\n")
    with open_unpacked(path) as stream, pytest.raises(Unreadable, match="zstd"):
        list(JsonLines(stream, ROW))


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zstd_stream, "ZSTD_FREE", 1 << 20)
    path = tmp_path / "x.zst"
    path.write_bytes(zstandard.compress(b'{"n":1}\n' + b"\0" * (8 << 20)))
    with open_unpacked(path) as stream, pytest.raises(Unreadable, match="zstd-bomb"):
        stream.read()


def test_a_frame_that_wants_a_huge_window_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zstd_stream, "ZSTD_WINDOW", 1 << 20)
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=parameters)
    path = tmp_path / "x.zst"
    path.write_bytes(packer.compress(random.Random(1).randbytes(4 << 20)))
    with open_unpacked(path) as stream, pytest.raises(Unreadable, match="zstd"):
        stream.read()


# ---- times ----


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-05-04T09:00:14.572Z", 1777885214572),
        ("2026-05-04T09:00:14Z", 1777885214000),
        ("2026-05-04T11:00:14+02:00", 1777885214000),
        (" 2026-05-04 09:00:14 ", 1777885214000),
        ("2026-05-04T09:00:14.572123456Z", 1777885214572),
        ("2026-05-04", 1777852800000),
        (1777885214, 1777885214000),
        (1777885214.572, 1777885214572),
        (1777885214572, 1777885214572),
        (1777885214572123, 1777885214572),
        (0, None),
        (-1, None),
        (10**30, None),
        (10**400, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ("", None),
        ("yesterday", None),
        ("[trimmed for fixture]", None),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59Z", None),
        ("9999-12-31T23:59:59", None),
        ([], None),
        ({}, None),
    ],
)
def test_a_time_is_read_or_left_out(value: object, time: int | None) -> None:
    assert parse_time(value) == time


@given(st.text() | st.integers() | st.floats() | st.binary())
def test_no_value_breaks_a_time(value: object) -> None:
    time = parse_time(value)
    assert time is None or base.EARLIEST <= time <= base.LATEST
