"""Packed sessions that are torn, damaged, hostile or packed in parts, indexed beside good ones."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from harkback.adapters import zstd_stream
from stores import Stores, asked

NAME = "rollout-bad.jsonl.zst"
FRAME = b"\x28\xb5\x2f\xfd"


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    stores = Stores(tmp_path / "engine")
    stores.rollout("beside", asked("zebra"))
    return stores


def rows(*texts: str) -> bytes:
    return b"".join(json.dumps(asked(text)).encode() + b"\n" for text in texts)


def outcome(stores: Stores, content: bytes) -> tuple[list[str], str | None, dict[str, int]]:
    """What a packed session says, why it is set aside if it is, and what was skipped."""
    path = stores.codex / NAME
    path.write_bytes(content)
    report = stores.run()
    assert stores.places("zebra") == [("beside", 1)]
    assert stores.run().bytes_read == 0
    return stores.says("rollout-bad", "codex"), stores.reasons().get(NAME), report.skips


def test_a_packed_session_of_several_frames_is_read_whole(stores: Stores) -> None:
    packed = zstandard.compress(rows("okapi")[:30]), zstandard.compress(rows("okapi")[30:] + rows("quokka"))
    assert outcome(stores, b"".join(packed)) == (["okapi", "quokka"], None, {})


def test_half_a_gigabyte_of_zeros_is_set_aside_in_little_memory(stores: Stores) -> None:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    block = bytes(1 << 22)
    bomb = packer.compress(rows("okapi")) + b"".join(packer.compress(block) for _ in range(128)) + packer.flush()
    assert len(bomb) < 100_000
    tracemalloc.start()
    texts, reason, _ = outcome(stores, bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (texts, reason) == ([], "zstd-bomb")
    assert peak < 100 << 20


def test_much_text_that_packs_well_is_no_bomb(stores: Stores) -> None:
    texts, reason, _ = outcome(stores, zstandard.compress(rows(*(f"{n} " + "okapi " * 1000 for n in range(400)))))
    assert (len(texts), reason) == (400, None)


def test_a_frame_that_wants_a_huge_window_is_set_aside(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zstd_stream, "ZSTD_WINDOW", 1 << 20)
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    noise = random.Random(1).randbytes(2 << 20).hex()
    packed = zstandard.ZstdCompressor(compression_params=parameters).compress(rows(noise))
    assert outcome(stores, packed)[:2] == ([], "zstd")


def test_a_frame_that_is_still_being_written_gives_its_whole_lines_and_is_read_again(stores: Stores) -> None:
    noise = random.Random(2)
    texts = [f"okapi {n} {noise.getrandbits(4000):x}" for n in range(1000)]
    packed = zstandard.compress(rows(*texts))
    some, reason, _ = outcome(stores, packed[:-1000])
    assert reason is None
    assert some == texts[: len(some)]
    assert 100 < len(some) < 1000
    assert outcome(stores, packed) == (texts, None, {})


@pytest.mark.parametrize("at", range(20, 120, 7))
def test_a_bit_that_flipped_costs_what_it_hit_and_nothing_raises(stores: Stores, at: int) -> None:
    noise = random.Random(3)
    packed = bytearray(zstandard.compress(rows(*(f"okapi {noise.getrandbits(400):x}" for _ in range(60)))))
    packed[len(packed) * at // 120] ^= 8
    outcome(stores, bytes(packed))


def test_a_skippable_frame_between_frames_is_skipped(stores: Stores) -> None:
    note = b"\x50\x2a\x4d\x18" + (9).to_bytes(4, "little") + b"some note"
    packed = zstandard.compress(rows("okapi")) + note + zstandard.compress(rows("quokka"))
    assert outcome(stores, packed) == (["okapi", "quokka"], None, {})


def test_what_stands_before_rubbish_is_indexed_and_the_rubbish_is_counted(stores: Stores) -> None:
    packed = zstandard.compress(rows("okapi", "quokka")) + b"rubbish behind the last frame"
    assert outcome(stores, packed) == (["okapi", "quokka"], None, {"zstd": 1})


def test_a_frame_packed_with_a_dictionary_that_is_not_here_is_set_aside(stores: Stores) -> None:
    samples = [rows(f"sample {n} with words of every kind {n * 7919}") for n in range(2000)]
    words = zstandard.train_dictionary(2048, samples)
    packed = zstandard.ZstdCompressor(dict_data=words).compress(rows("okapi"))
    assert outcome(stores, packed)[:2] == ([], "zstd")


def test_plain_lines_and_nothing_at_all_under_a_packed_name_are_read(stores: Stores) -> None:
    assert outcome(stores, rows("okapi", "quokka")) == (["okapi", "quokka"], None, {})
    assert outcome(stores, b"") == ([], None, {})
    assert outcome(stores, b"no frame at all")[1] == "zstd"


def test_a_frame_that_claims_to_unpack_to_an_exabyte_takes_no_memory(stores: Stores) -> None:
    text = rows("okapi")
    head = FRAME + bytes([0b11000000, 0b01010000]) + (1 << 60).to_bytes(8, "little")
    last_raw_block = (len(text) << 3 | 1).to_bytes(3, "little") + text
    tracemalloc.start()
    outcome(stores, head + last_raw_block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


def test_frames_that_were_joined_into_one_are_read_again(stores: Stores) -> None:
    two = zstandard.compress(rows("okapi")) + zstandard.compress(rows("quokka"))
    assert outcome(stores, two)[0] == ["okapi", "quokka"]
    assert outcome(stores, zstandard.compress(rows("okapi", "quokka", "ibex")))[0] == ["okapi", "quokka", "ibex"]
