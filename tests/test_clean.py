"""Text from sessions comes out of `clean` harmless, readable, and the same however often it is cleaned."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from harkback.core.clean import clean, clean_line, without_controls
from hypothesis import given, settings
from hypothesis import strategies as st

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
SHARED_VECTORS = Path(__file__).parents[1].parent / "shared" / "reference" / "terminal_vectors.json"
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# Of what Unicode calls format characters these can be seen, or shape the letters beside them.
SEEN = set("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")

# A small alphabet of what sequences, clusters and stacks are made of finds far more than all of Unicode does.
CHARACTERS = (
    ESC
    + BEL
    + "[]PX^_;0mA \\\r\n\t\x00\x08\x0b\x7f\x85\x90\x98\x9b\x9c\x9d\x9f\u2028\u200b\u200c\u200d\u202e\u2066\ufeff"
    "\ufe00\ufe0e\ufe0f\u20e3\u0301\u0489\u00ad\u3164\U000e0041\ud800\udfff\uffff\ufdd0\U0001fffe\u2800\u1160\U00013430\u2de0\u0f71👩👧❤🏽مخक\u094dष1#é密"
)
PIECES = st.sampled_from([*CHARACTERS, "\r\n", "31", ESC + "[", ESC + "]"])
TEXTS = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(st.characters(codec=None), max_size=60))


def unsafe(text: str) -> list[str]:
    """The characters that no cleaned text may hold."""
    return [
        character
        for character in text
        if (unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\n\t")
        or character in BIDI
        or (unicodedata.category(character) == "Cf" and character not in SEEN)
        or character in "\u034f\u115f\u1160\u17b4\u17b5\u180b\u2800\u3164\uffa0"
        or "\U000e0000" <= character <= "\U000e0fff"
        or "\ufdd0" <= character <= "\ufdef"
        or "\ufff0" <= character <= "\ufffb"
        or ord(character) & 0xFFFE == 0xFFFE
    ]


@given(TEXTS)
@settings(max_examples=400)
def test_nothing_unsafe_is_left_and_cleaning_twice_changes_nothing(text: str) -> None:
    cleaned = clean(text)
    assert not unsafe(cleaned)
    assert clean(cleaned) == cleaned
    assert len(cleaned) <= len(text)


def test_every_character_alone_comes_out_harmless() -> None:
    for block in range(0, 0x110000, 0x1000):
        text = "a".join(map(chr, range(block, block + 0x1000)))
        assert not unsafe(clean(text)), hex(block)


@given(
    st.lists(st.sampled_from("e\u0301\u2de0\u0f71\u05bf\u0946\u200d\ufe0f\u0489\u0e31中👩"), max_size=60).map("".join)
)
def test_no_character_carries_a_tower_of_marks_of_any_script(text: str) -> None:
    height = 0
    for character in clean(text):
        height = height + 1 if unicodedata.category(character)[0] == "M" else 0 if character not in "\u200d" else height
        assert height <= 8


@given(TEXTS, st.integers(0, 12))
def test_a_line_is_one_line_within_its_limit_and_stays_as_it_is(text: str, limit: int) -> None:
    line = clean_line(text, limit)
    assert len(line) <= limit
    assert not unsafe(line)
    assert not {"\n", "\t"} & set(line)
    assert "  " not in line
    assert line == line.strip()
    assert clean_line(line, limit) == line
    assert clean(line) == line


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from("\n\t"), max_size=80))
def test_plain_text_is_returned_as_the_same_object(text: str) -> None:
    assert clean(text) is text


@pytest.mark.parametrize(
    "text",
    [
        *("déjà vu", "数据库迁移失败", "ok ✅ — “quoted”", "e\u0301"),
        *("👨\u200d👩\u200d👧", "❤\ufe0f 1\ufe0f\u20e3 #\ufe0f\u20e3 👍🏽", "می\u200cخواهم", "क\u094d\u200dष"),
        *(
            "مرحبا بالعالم 123",
            "שָׁלוֹם עולם",
            "สวัสดี ที่นี่",
            "ནམོ་རཏྣ་ཏྲ་ཡཱ་ཡ",
            "Việt Nam đẹp",
            "한국어",
            "ﷺ",
            "─" * 80,
            "🎉" * 30,
        ),
        *("🏳️\u200d🌈", "🇩🇪🇯🇵", "க்ஷ ஸ்ரீ", "ক্‍ষ", "ශ්‍රී", "a\u0323\u0302"),
    ],
)
def test_ordinary_writing_and_emoji_are_kept(text: str) -> None:
    assert clean(text) == text


STRINGS = {"OSC": ("]", "\x9d"), "DCS": ("P", "\x90"), "APC": ("_", "\x9f"), "PM": ("^", "\x9e"), "SOS": ("X", "\x98")}
BODIES = ["52;c;QUJD", "0;title", "8;;http://host.test/", "q#0!9~", ""]


@pytest.mark.parametrize("terminator", [BEL, ST, "\x9c"])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", STRINGS)
def test_a_string_sequence_disappears_with_its_body(name: str, body: str, terminator: str) -> None:
    short, eight_bit = STRINGS[name]
    for introducer in (ESC + short, eight_bit):
        assert clean(f"a{introducer}{body}{terminator}b") == "ab"


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", STRINGS)
def test_an_unterminated_string_sequence_ends_with_its_line(name: str, body: str) -> None:
    introducer = ESC + STRINGS[name][0]
    assert clean(f"a{introducer}{body}") == "a"
    assert clean(f"a{introducer}{body}\r\nb") == "a\nb"


@pytest.mark.parametrize("introducer", [ESC + "[", "\x9b"])
@pytest.mark.parametrize("body", ["m", "31m", "2J", "?1049h", "38;2;1;2;3m", ">4;2m", "6n", "21t", "1 q", "!p", "200~"])
def test_a_control_sequence_disappears(introducer: str, body: str) -> None:
    assert clean(f"a{introducer}{body}b") == "ab"


@pytest.mark.parametrize("sequence", ["c", "7", "8", "#8", "(0", "%G", "=", "M", "D", ""])
def test_a_short_sequence_disappears(sequence: str) -> None:
    assert clean(f"a{ESC}{sequence}") == "a"


def test_removing_a_sequence_forms_no_new_one() -> None:
    assert clean(f"{ESC}{ESC}[0m[31mred") == "[31mred"
    assert clean(f"{ESC}Ptmux;{ESC}{ESC}]52;c;QUJD{BEL}{ST}") == ""
    assert clean(f"{ESC}\x00]0;title{BEL}") == "]0;title"


def test_wrongly_decoded_quotation_marks_swallow_nothing() -> None:
    text = "“one” and ‘two’".encode().decode("latin-1")
    assert {"one", "and", "two"} <= set(clean(text).translate({0xFFFD: " ", 0xE2: " "}).split())


def test_every_kind_of_line_end_is_one_newline() -> None:
    assert clean("a\r\nb\rc\x85d\u2028e\u2029f\n\ng") == "a\nb\nc\nd\ne\nf\n\ng"


def test_controls_are_dropped_blanked_or_replaced() -> None:
    assert clean("a\x00\x07\x08\x7fb") == "ab"
    assert clean("a\x0b\x0cb") == "a  b"
    assert clean("a\x01\x1a\x1f\x80\ud800\uffffb") == "a" + "\ufffd" * 6 + "b"
    assert clean("a\tb") == "a\tb"


def test_what_cannot_be_seen_cannot_split_or_fill_a_word() -> None:
    assert clean("pass\u00adword\ufeff") == "password"
    assert clean("to\u200bk\u200de\u200cn\u2060") == "token"
    assert clean("a" + "".join(map(chr, range(0xFE00, 0xFE10))) + "\U000e0100b") == "ab"
    assert clean("hi" + "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")) == "hi"
    assert clean('level = "user\u202e \u2066// admin\u2069 \u2066"') == 'level = "user // admin "'


def test_marks_are_stacked_no_higher_than_four() -> None:
    assert clean("e" + "\u0301" * 500 + "x") == "e" + "\u0301" * 4 + "x"
    assert clean("e" + "\u0301\u200d" * 9) == "e" + "\u0301" * 4


def test_a_line_joins_words_with_single_spaces_and_shows_its_cut() -> None:
    assert clean_line(" one\r\n\ttwo   three ") == "one two three"
    assert clean_line("abcdef", 4) == "abc…"
    assert clean_line("abc def", 5) == "abc…"
    assert clean_line("👨‍👩‍👧", 3) == "👨…"
    assert clean_line("abc", 0) == ""
    assert len(clean_line("title " * 200_000)) == 200


@pytest.mark.skipif(not SHARED_VECTORS.exists(), reason="the shared vectors are not here")
def test_the_shared_terminal_vectors_come_out_harmless() -> None:
    for vector in json.loads(SHARED_VECTORS.read_text("utf-8")):
        cleaned = clean(f"before {vector['payload']}\nafter")
        assert not unsafe(cleaned), vector["id"]
        assert cleaned.startswith("before"), vector["id"]
        assert cleaned.endswith("after"), vector["id"]


def calls_made(function: Callable[[], object]) -> int:
    """How many Python and C functions run within `function`: work that is counted, not timed."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(previous)
    return calls


@pytest.mark.parametrize(
    "piece", [ESC, ESC + "]", ESC + "[1", "\x9d", "\x9dab", "\u0301", "e\u0301\u200d", "\ufe0f", "\r", "\x00"]
)
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    small, large = (calls_made(lambda n=n: clean(piece * n)) for n in (500, 5000))
    assert large <= 10 * small + 100


@given(TEXTS)
def test_what_is_laid_out_keeps_its_place_and_loses_only_what_acts(text: str) -> None:
    left = without_controls(text)
    assert not unsafe(left.replace("\u200c", "").replace("\u200d", ""))
    kept = iter(text)
    assert all(character in kept for character in left), "in their order"
    assert without_controls("plain 密 text 👩\u200d🔬") == "plain 密 text 👩\u200d🔬"
