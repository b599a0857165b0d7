"""Lines and records that are not as they should be, indexed beside good ones by the real adapters."""

from __future__ import annotations

import gzip
import json
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard
from harkback.adapters import json_lines
from harkback.core.history import around
from harkback.core.reconcile import Reconciler
from harkback.core.results import Progress
from stores import TIME, Stores, asked, said, spoken

BEFORE, AFTER = "okapi before", "quokka after"


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    stores = Stores(tmp_path / "engine")
    stores.session("beside", said("zebra"))
    return stores


def between(stores: Stores, *bad: bytes) -> tuple[list[str], dict[str, int]]:
    """What a session of good lines around bad ones says, but for the good ones; and what was skipped."""
    stores.session("bad", said(BEFORE), *bad, said(AFTER))
    report = stores.run()
    assert report.quarantined == 0
    assert stores.places("zebra") == [("beside", 1)]
    texts = stores.says("bad")
    assert (texts[0], texts[-1]) == (BEFORE, AFTER)
    return texts[1:-1], report.skips


def set_aside(stores: Stores, content: bytes) -> dict[str, str]:
    """Why a file of this content is set aside."""
    stores.session("bad", content)
    report = stores.run()
    assert stores.places("zebra") == [("beside", 1)]
    assert report.quarantined == len(stores.reasons())
    assert stores.run().bytes_read == 0
    return stores.reasons()


# ---- lines and bytes ----


def test_a_last_line_that_is_still_being_written_waits_and_is_read_once_it_ends(stores: Stores) -> None:
    path = stores.session("bad", said(BEFORE), said(AFTER)[:-9])
    assert stores.run().skips == {"unfinished-line": 1}
    assert stores.says("bad") == [BEFORE]
    path.write_bytes(said(BEFORE) + said(AFTER))
    assert stores.run().skips == {}
    assert stores.says("bad") == [BEFORE, AFTER]


def test_a_whole_last_line_without_its_newline_is_read_and_not_twice(stores: Stores) -> None:
    path = stores.session("bad", said(BEFORE), said(AFTER).rstrip())
    assert stores.run().skips == {}
    assert stores.says("bad") == [BEFORE, AFTER]
    path.write_bytes(path.read_bytes() + b"\n" + said("okapi again"))
    stores.run()
    assert stores.says("bad") == [BEFORE, AFTER, "okapi again"]


def test_empty_files_and_blank_lines_are_nothing_and_no_skip(stores: Stores) -> None:
    stores.session("empty")
    stores.session("blank", b"\n \t\n\r\n\n")
    assert between(stores, b"\n", b"   \n", b"\r\n") == ([], {})
    assert stores.rows("SELECT count(*) FROM sessions WHERE turns > 0") == [(2,)]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_other_line_ends_are_line_ends(stores: Stores, end: bytes) -> None:
    stores.session("bad", *(said(text).replace(b"\n", end) for text in (BEFORE, "okapi", AFTER)))
    assert stores.run().skips == {}
    assert stores.says("bad") == [BEFORE, "okapi", AFTER]


def test_a_byte_order_mark_costs_nothing(stores: Stores) -> None:
    stores.session("bad", b"\xef\xbb\xbf", said(BEFORE), said(AFTER))
    assert stores.run().skips == {}
    assert stores.says("bad") == [BEFORE, AFTER]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_file_of_utf_16_or_32_is_set_aside_as_such(stores: Stores, encoding: str) -> None:
    assert set_aside(stores, said(BEFORE).decode().encode(encoding)) == {"bad.jsonl": "encoding"}
    assert stores.places("okapi") == []


def test_bytes_that_are_no_text_are_replaced_and_counted(stores: Stores) -> None:
    bad = said("a XX b").replace(b"XX", b"\xff\xfe")
    assert between(stores, bad) == (["a \ufffd\ufffd b"], {"replaced-bytes": 1})


@pytest.mark.parametrize("odd", [b"\xc0\xaf", b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xf5\x80\x80\x80"])
def test_overlong_characters_and_surrogates_as_bytes_are_replaced_and_counted(stores: Stores, odd: bytes) -> None:
    (text,), skips = between(stores, said("a XX b").replace(b"XX", odd))
    assert (text[:2] + text[-2:], set(text[2:-2]), skips) == ("a  b", {"\ufffd"}, {"replaced-bytes": 1})


def test_half_a_pair_of_surrogates_is_replaced_and_aborts_nothing(stores: Stores) -> None:
    bad = said("a XX b").replace(b"XX", rb"\ud800")
    assert between(stores, bad, said("ibex")) == (["a \ufffd b", "ibex"], {})


@pytest.mark.parametrize("null", [b"\\u0000", b"\0"])
def test_a_zero_in_a_text_hides_nothing_behind_it(stores: Stores, null: bytes) -> None:
    (text,), skips = between(stores, said("wombat XX marmot").replace(b"XX", null))
    assert "\0" not in text
    assert skips == {}
    (hit,) = stores.search("marmot")
    assert "marmot" in hit.excerpt.text


def test_control_characters_inside_a_string_cost_nothing(stores: Stores) -> None:
    (text,), skips = between(stores, said("a XX b").replace(b"XX", b"\x1b[31m\x07\x08"))
    assert (text.split(), skips) == (["a", "b"], {})


def test_a_line_that_is_too_long_is_counted_and_the_next_is_read(stores: Stores) -> None:
    assert between(stores, said("x" * (20 << 20))) == ([], {"line-too-long": 1})


def test_a_line_that_is_too_long_and_still_grows_is_not_read_again(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "LINE_LIMIT", 1 << 16)
    path = stores.session("bad", said(BEFORE), said("x" * (1 << 20)).rstrip(b'"}\n'))
    assert stores.run().skips == {"line-too-long": 1}
    assert stores.rows("SELECT max(offset) FROM files") == [(path.stat().st_size,)]
    for more in (b"y" * 1000, b"y" * 100_000, b'"}}\n' + said(AFTER)):
        with path.open("ab") as file:
            file.write(more)
        assert stores.run().bytes_read <= len(more) + json_lines.LINE_LIMIT
    assert stores.says("bad") == [BEFORE, AFTER]


def test_a_hundred_thousand_tiny_lines_are_taken_in_batches(stores: Stores) -> None:
    stores.session("bad", said(BEFORE), b"{}\n" * 100_000, said(AFTER))
    steps: list[Progress] = []
    reconciler = Reconciler(stores.store, stores.adapters, stores.config, stores.home, {}, on_progress=steps.append)
    assert reconciler.run().skips == {"unknown-type": 100_000}
    assert 20 < len(steps) < 200
    assert stores.says("bad") == [BEFORE, AFTER]


def test_runs_of_zero_bytes_are_passed_over_and_those_at_the_end_wait(stores: Stores) -> None:
    stores.session("nothing", b"\0" * 10_000)
    path = stores.session("bad", b"\0" * 4096, said(BEFORE), b"\0" * 4096)
    assert stores.run().skips == {}
    path.write_bytes(path.read_bytes() + said(AFTER))
    assert stores.run().skips == {}
    assert stores.says("bad") == [BEFORE, AFTER]


def test_two_records_on_one_line_are_both_read(stores: Stores) -> None:
    glued = said("ibex").rstrip() + said("marmot")
    assert between(stores, glued) == (["ibex", "marmot"], {})
    broken = said("ibex").rstrip() + said("marmot")[5:]
    assert between(stores, broken) == (["ibex"], {"not-json": 1})


def test_a_line_that_was_interrupted_costs_itself_and_what_is_glued_to_it(stores: Stores) -> None:
    assert between(stores, said("ibex")[:40] + said("marmot"), said("wombat")) == (["wombat"], {"not-json": 1})


@pytest.mark.parametrize("beginning", [b"\x7fELF\2\1\1", b"\x89PNG\r\n\x1a\n", b"\xca\xfe\xba\xbe", b"MZ"])
def test_a_program_or_a_picture_named_like_a_session_is_set_aside(stores: Stores, beginning: bytes) -> None:
    noise = random.Random(1).randbytes(40_000)
    assert set_aside(stores, beginning + noise) == {"bad.jsonl": "not-jsonl"}


def test_a_packed_file_named_like_a_session_is_set_aside_as_such(stores: Stores) -> None:
    assert set_aside(stores, gzip.compress(said(BEFORE))) == {"bad.jsonl": "compressed"}
    assert set_aside(stores, zstandard.compress(said(AFTER))) == {"bad.jsonl": "compressed"}


def test_a_page_of_html_saved_as_a_session_is_set_aside(stores: Stores) -> None:
    page = b"<!doctype html>\n<html>\n" + b"  <p>error</p>\n" * 100 + b"</html>\n"
    assert set_aside(stores, page) == {"bad.jsonl": "not-jsonl"}
    stores.session("bad", b"<html>\n<p>502 Bad Gateway</p>\n</html>\n")
    report = stores.run()
    assert (report.quarantined, report.skips) == (0, {"not-json": 3})


def test_a_line_in_another_encoding_is_replaced_and_counted_and_no_encoding_is_guessed(stores: Stores) -> None:
    (text,), skips = between(stores, said("ibex XX").replace(b"XX", "数据库查询".encode("gbk")))
    assert text.startswith("ibex \ufffd")
    assert skips == {"replaced-bytes": 1}
    assert stores.places("ibex") == [("bad", 2)]


def test_the_words_beside_a_picture_are_read_and_the_picture_is_not(stores: Stores) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "wombat" * 900_000}}
    blocks = [{"type": "text", "text": "look here"}, picture, {"type": "text", "text": "and there"}]
    texts, skips = between(stores, spoken("user", blocks))
    assert (texts[0].split(), skips) == (["look", "here", "and", "there"], {})
    assert stores.rows("SELECT sum(text_size) < 1000 FROM files") == [(1,)]


def test_a_text_of_millions_of_characters_is_cut_and_counted(stores: Stores) -> None:
    (text,), skips = between(stores, said("marmot " + "some words " * 300_000))
    assert text.startswith("marmot some")
    assert 1_900_000 < len(text) <= 2_000_000
    assert skips == {"turn-cut": 1}


# ---- JSON of another shape ----


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_without_end_costs_its_line_or_its_message(stores: Stores, opening: str, closing: str) -> None:
    middle = "" if opening == "[" else "1"
    deep = (opening * 100_000 + middle + closing * 100_000).encode()
    open_ended = (opening * 100_000).encode()
    inside = said("XX").replace(b'"XX"', deep)
    texts, skips = between(stores, deep + b"\n", open_ended + b"\n", inside)
    assert texts == []
    assert sum(skips.values()) == 3
    assert set(skips) <= {"not-json", "unexpected-shape"}


def test_a_number_of_thousands_of_digits_costs_its_line_at_most(stores: Stores) -> None:
    texts, skips = between(stores, said("ibex", n=0).replace(b'"n": 0', b'"n": ' + b"9" * 5000), said("wombat"))
    assert texts[-1] == "wombat"
    assert len(texts) + sum(skips.values()) == 2


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_a_number_that_json_has_no_word_for_costs_its_field_alone(stores: Stores, number: bytes) -> None:
    harmless = said("ibex", n=0).replace(b'"n": 0', b'"n": ' + number)
    as_time = said("wombat", timestamp=0).replace(b'"timestamp": 0', b'"timestamp": ' + number)
    assert between(stores, harmless, as_time) == (["ibex", "wombat"], {})
    assert stores.search("wombat")[0].time is None


def test_of_a_key_that_is_there_twice_the_last_counts(stores: Stores) -> None:
    twice = b'{"type":"summary","type":"user","message":{"content":"marmot","content":"ibex"}}\n'
    assert between(stores, twice) == (["ibex"], {})


def test_values_that_are_no_records_are_counted(stores: Stores) -> None:
    assert between(stores, b"[]\n", b'"user"\n', b"42\n", b"null\n", b"true\n") == ([], {"unexpected-shape": 5})


@pytest.mark.parametrize(
    ("content", "texts", "skips"),
    [
        ("ibex", ["ibex"], {}),
        ([{"type": "text", "text": "ibex"}], ["ibex"], {}),
        ([{"type": "text", "text": "ibex"}, {"type": "later", "text": 4}, {}], ["ibex"], {}),
        (None, [], {}),
        ([], [], {}),
        ({"type": "text", "text": "ibex"}, [], {"unexpected-shape": 1}),
        (4, [], {"unexpected-shape": 1}),
        ([4, None, ["x"], {"type": "text", "text": "ibex"}], [], {"unexpected-shape": 1}),
        ([{"type": "text", "text": ["ibex"]}], [], {}),
    ],
)
def test_content_of_any_shape_is_read_or_counted(
    stores: Stores, content: Any, texts: list[str], skips: dict[str, int]
) -> None:
    assert between(stores, spoken("user", content)) == (texts, skips)


@pytest.mark.parametrize("role", [None, "wizard", "tool", 4, ["user"], "x" * 10_000, "\x1b[31m"])
def test_who_speaks_is_one_of_two_or_nobody(stores: Stores, role: Any) -> None:
    row = json.loads(said("ibex"))
    row["message"]["role"] = row["type"] = role
    assert between(stores, json.dumps(row).encode() + b"\n") == ([], {"unknown-type": 1})
    said_by = {"type": "message", "role": role, "content": [{"type": "input_text", "text": "wombat"}]}
    stores.rollout("odd", {"timestamp": TIME, "type": "response_item", "payload": said_by}, asked("marmot"))
    stores.run()
    assert stores.says("odd", "codex") == ["marmot"]
    assert {row[0] for row in stores.rows("SELECT DISTINCT role FROM turns")} == {"user"}


@pytest.mark.parametrize(
    "time",
    [None, "", "yesterday", -1, 0, 10**30, "9999-12-31T23:59:59Z", "0001-01-01", [], {"s": 1}, True, "2026-13-45"],
)
def test_a_message_with_a_time_that_makes_no_sense_is_there_without_one(stores: Stores, time: Any) -> None:
    assert between(stores, said("ibex", timestamp=time)) == (["ibex"], {})
    (hit,) = stores.search("ibex")
    assert hit.time is None


@pytest.mark.parametrize("time", [1772600767, 1772600767000, 1772600767000000, "2026-03-04T07:06:07+02:00", TIME])
def test_times_in_every_unit_are_one_time(stores: Stores, time: Any) -> None:
    between(stores, said("ibex", timestamp=time))
    assert stores.search("ibex")[0].time == 1772600767000


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a\nb", "\x1b]0;pwned\x07", "x" * 1_000_000, "--help", "a/b", "", None, 7, "\ud800"]
)
def test_a_hostile_session_id_is_harmless_and_its_words_are_found(stores: Stores, name: Any) -> None:
    meta = {"timestamp": TIME, "type": "session_meta", "payload": {"id": name, "cwd": "/src/demo"}}
    stores.rollout("odd", meta, asked("ibex"))
    stores.rollout("good", asked("marmot"))
    stores.run()
    (hit,) = stores.search("ibex")
    assert len(hit.session.native_id) <= 1_000
    assert hit.session.native_id.isprintable()
    resumed = stores.adapters[1].resume(hit.session.native_id)
    assert resumed is None or resumed[-1].isalnum() or not resumed[-1].startswith("-")
    assert stores.places("marmot") == [("good", 1)]


def test_one_id_in_two_files_is_one_session_and_its_copies_count_once(stores: Stores) -> None:
    meta = {"timestamp": TIME, "type": "session_meta", "payload": {"id": "same"}}
    stores.rollout("one", meta, asked("ibex"), asked("wombat"))
    stores.rollout("two", meta, asked("ibex"), asked("wombat"), asked("marmot"))
    stores.run()
    assert sorted(stores.says("same", "codex")) == ["ibex", "marmot", "wombat"]
    assert len(stores.search("ibex")) == 1


def test_a_fork_repeats_what_it_copied_as_one_hit(stores: Stores) -> None:
    stores.session("one", said("ibex", uuid="u-1", sessionId="one"))
    stores.session("two", said("ibex", uuid="u-1", sessionId="two"), said("marmot", uuid="u-2", parentUuid="u-1"))
    stores.run()
    (hit,) = stores.search("ibex")
    assert len(hit.also_in) == 1


def test_unknown_kinds_of_records_are_counted_and_never_set_a_file_aside(stores: Stores) -> None:
    stores.session("new", *(b'{"type":"hologram-%d","version":99}\n' % (n % 3) for n in range(200)))
    assert between(stores, b'{"type":"hologram-1","message":{"content":"ibex"}}\n') == ([], {"unknown-type": 201})
    (example,) = stores.rows("SELECT DISTINCT reason FROM skips")
    assert example == ("unknown-type",)


def test_instructions_in_the_head_of_a_session_are_not_read(stores: Stores) -> None:
    payload = {
        "id": "s",
        "base_instructions": {"text": "wombat"},
        "instructions": "wombat",
        "user_instructions": "wombat",
    }
    told = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "wombat"}]}
    stores.rollout(
        "odd",
        {"timestamp": TIME, "type": "session_meta", "payload": payload},
        {"timestamp": TIME, "type": "response_item", "payload": told},
        asked("marmot"),
    )
    stores.run()
    assert (stores.places("wombat"), stores.places("marmot")) == ([], [("s", 1)])


def test_thoughts_and_signatures_are_not_read(stores: Stores) -> None:
    blocks = [
        {"type": "thinking", "thinking": "wombat", "signature": "wombat"},
        {"type": "redacted_thinking", "data": "wombat"},
        {"type": "text", "text": "ibex"},
    ]
    assert between(stores, spoken("assistant", blocks))[0] == ["ibex"]
    thought = {"type": "reasoning", "summary": [{"text": "wombat"}], "content": "wombat", "encrypted_content": "wombat"}
    stores.rollout("odd", {"timestamp": TIME, "type": "response_item", "payload": thought}, asked("marmot"))
    stores.run()
    assert (stores.places("wombat"), stores.places("marmot")) == ([], [("odd", 1)])


def test_messages_that_name_each_other_as_parents_are_all_there(stores: Stores) -> None:
    ring = [said(f"ibex {n}", uuid=f"u-{n}", parentUuid=f"u-{(n + 1) % 3}") for n in range(3)]
    stores.session("bad", *ring, said("marmot", uuid="u-9", parentUuid="u-9"))
    stores.run()
    assert {hit.excerpt.text for hit in stores.search("branch:any ibex")} == {"ibex 0", "ibex 1", "ibex 2"}
    assert stores.places("marmot") != []


def test_a_session_of_very_many_messages_is_read_a_page_at_a_time(stores: Stores) -> None:
    stores.session("long", *(said(f"number {n}") for n in range(5_000)))
    stores.session("none", b'{"type":"summary","summary":"ibex","leafUuid":"nowhere"}\n')
    stores.run()
    with closing(stores.store.read()) as db:
        conversation = around(db, "claude:long", 4_000, 2, 2)
    assert [turn.number for turn in conversation.turns] == list(range(3_998, 4_003))
    assert (conversation.before, conversation.after) == (3_997, 998)


def test_markup_in_a_title_stays_text(stores: Stores) -> None:
    title = "<script>alert(1)</script> [bold]x[/bold]"
    between(stores, json.dumps({"type": "custom-title", "customTitle": title}).encode() + b"\n")
    assert stores.search("okapi")[0].session.title == title


def test_backslashes_of_windows_stay_as_they_are(stores: Stores) -> None:
    text = r"see C:\Users\new\table.txt and \\server\share"
    assert between(stores, said(text, cwd=r"C:\src\new"))[0] == [text]
    assert stores.search("table.txt")[0].session.project == r"C:\src\new"


def test_a_record_of_hundreds_of_thousands_of_keys_costs_no_more_than_its_bytes(stores: Stores) -> None:
    many = {f"key{n}": n for n in range(300_000)}
    row = json.loads(said("ibex")) | many
    row["message"] |= many
    assert between(stores, json.dumps(row).encode() + b"\n") == (["ibex"], {})
