"""Frames of zstd one at a time: sound ones among damaged ones, and a last one that is still being written."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from harkback.adapters.zstd_frames import MAGIC, ZstdFrames
from harkback.core.model import SkipRecord, Unreadable
from hypothesis import given, settings
from hypothesis import strategies as st

SKIPPABLE = b"\x5e\x2a\x4d\x18\x03\x00\x00\x00abc"


def packed(content: bytes, **options: bool) -> bytes:
    return zstandard.ZstdCompressor(**{"write_checksum": True, "write_content_size": False, **options}).compress(
        content
    )


def streamed(*pieces: bytes) -> bytes:
    """One frame of many blocks."""
    packer = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    blocks = b"".join(packer.compress(piece) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for piece in pieces)
    return blocks + packer.flush()


def read(path: Path, offset: int = 0) -> tuple[list[bytes], list[SkipRecord], int]:
    with path.open("rb") as stream:
        frames = ZstdFrames(stream, offset)
        found = [frame if isinstance(frame, SkipRecord) else frame[1].read() for frame in frames]
    skips = [each for each in found if isinstance(each, SkipRecord)]
    return [each for each in found if isinstance(each, bytes)], skips, frames.offset


def put(folder: Path, content: bytes) -> Path:
    path = folder / "log.zstd"
    path.write_bytes(content)
    return path


@settings(max_examples=60, deadline=None)
@given(contents=st.lists(st.binary(max_size=400) | st.just(b"a" * 300_000), max_size=5), data=st.data())
def test_every_frame_is_found_and_a_cut_costs_only_the_last(contents: list[bytes], data: st.DataObject) -> None:
    options = [{"write_checksum": data.draw(st.booleans()), "write_content_size": data.draw(st.booleans())}] * len(
        contents
    )
    frames = [packed(content, **each) for content, each in zip(contents, options, strict=True)]
    whole = b"".join(frames)
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), whole)
        assert read(path) == (contents, [], len(whole))
        cut = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:cut])
        found, _, offset = read(path)
        assert found == contents[: len(found)]
        path.write_bytes(whole)
        rest, skips, end = read(path, offset)
        assert (found + rest, skips, end) == (contents, [], len(whole))


@settings(max_examples=80, deadline=None)
@given(place=st.integers(0, 10**6), flip=st.integers(1, 255))
def test_a_flipped_byte_costs_its_own_frame_and_no_other(place: int, flip: int) -> None:
    contents = [f'{{"seq": {n}, "text": "thread {n * n}"}}\n'.encode() for n in range(6)]
    frames = [packed(content) for content in contents]
    whole = bytearray(b"".join(frames))
    place %= len(whole)
    whole[place] ^= flip
    hit = next(n for n in range(6) if place < sum(map(len, frames[: n + 1])))
    with tempfile.TemporaryDirectory() as folder:
        found, skips, offset = read(put(Path(folder), bytes(whole)))
    if found == contents:
        return  # a bit that means nothing, such as how much memory is wanted for unpacking
    assert found == contents[:hit] + contents[hit + 1 :]
    assert len(skips) == 1
    if hit < 5:  # a length that is damaged may look like more to come
        assert offset == len(whole)


@settings(max_examples=50, deadline=None)
@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from([MAGIC, b"\0\0\0", b"\xff", SKIPPABLE]), max_size=40).map(b"".join)
)
def test_no_bytes_fail_otherwise_than_unreadable(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), content)
        with suppress(Unreadable):
            _, _, offset = read(path)
            assert 0 <= offset <= len(content)


def test_a_frame_of_many_blocks_is_one_and_what_is_to_be_passed_over_is(tmp_path: Path) -> None:
    path = put(tmp_path, SKIPPABLE + streamed(b"one ", b"two ", b"z" * 400_000) + SKIPPABLE + packed(b"three"))
    found, skips, offset = read(path)
    assert b"".join(found) == b"one two " + b"z" * 400_000 + b"three"
    assert (skips, offset) == ([], path.stat().st_size)


def test_a_torn_frame_waits_and_one_that_was_written_over_it_is_read(tmp_path: Path) -> None:
    first, second = packed(b"first"), packed(b"second, and longer")
    path = put(tmp_path, first + second[:-9])
    assert read(path) == ([b"first"], [SkipRecord("unfinished-line", f"frame at byte {len(first)}")], len(first))
    path.write_bytes(first + packed(b"another"))
    assert read(path, len(first))[0] == [b"another"]


def test_a_damaged_last_frame_waits_until_another_follows_or_it_is_cut_off(tmp_path: Path) -> None:
    first, damaged = packed(b"first"), bytearray(packed(b"second, which is damaged"))
    damaged[12] ^= 0x55
    path = put(tmp_path, first + damaged)
    skip = SkipRecord("zstd", f"frame at byte {len(first)}")
    assert read(path) == ([b"first"], [skip], len(first))
    path.write_bytes(first + damaged + packed(b"third"))
    assert read(path, len(first)) == ([b"third"], [skip], path.stat().st_size)
    path.write_bytes(first + packed(b"another"))
    assert read(path, len(first)) == ([b"another"], [], path.stat().st_size)


def test_a_torn_frame_that_was_written_on_after_costs_itself(tmp_path: Path) -> None:
    first, torn, third = packed(b"first"), packed(b"second" * 50)[:-6], packed(b"third")
    path = put(tmp_path, first + torn + third)
    found, skips, offset = read(path)
    assert found == [b"first", b"third"]
    assert skips == [SkipRecord("zstd", f"frame at byte {len(first)}")]
    assert offset == path.stat().st_size


def test_a_bomb_costs_itself_and_a_long_frame_is_unpacked_as_it_is_read(tmp_path: Path) -> None:
    bomb, long = packed(b"\0" * (80 << 20)), packed(b"".join(b"%d\n" % n for n in range(700_000)))
    path = put(tmp_path, bomb + long + packed(b"after"))
    found, skips, _ = read(path)
    assert [skip.reason for skip in skips] == ["zstd-bomb"]
    assert [len(each) for each in found] == [sum(len(b"%d\n" % n) for n in range(700_000)), 5]


def test_what_is_no_zstd_at_all_is_unreadable_and_what_follows_frames_is_counted(tmp_path: Path) -> None:
    with pytest.raises(Unreadable):
        read(put(tmp_path, b"SQLite format 3\0" * 20))
    path = put(tmp_path, packed(b"first") + b"\0" * 4096)
    found, skips, offset = read(path)
    assert (found, [skip.reason for skip in skips], offset) == ([b"first"], ["zstd"], len(packed(b"first")))


def test_a_file_made_of_beginnings_takes_bounded_time(tmp_path: Path) -> None:
    endless = MAGIC + b"\0\x58" + b"\0\0\0" * 40  # a frame of empty blocks that never ends
    path = put(tmp_path, packed(b"first") + endless * 60_000)
    found, skips, _ = read(path)
    assert found == [b"first"]
    assert skips
