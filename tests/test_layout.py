"""Wrapping: no character is lost, no line is too wide, and every line leads back to its place in the source."""

from __future__ import annotations

import sys
from itertools import pairwise
from unicodedata import category

import pytest
from harkback.core.clean import clean
from harkback.tui.layout import BLOCK, Line, blocks, edges, height, unfold, wrap
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

ACUTE = "\u0301"
FAMILY = "👩\u200d👩\u200d👧"

# What sessions hold, far denser than in life: two-cell characters, marks, joiners, tabs, runs of spaces.
TEXTS = (
    st.lists(
        st.sampled_from(
            ["a", "word", "longerword", " ", "  ", "\t", "\n", "中", "文字", "、", "é", "e" + ACUTE, ACUTE, "…"]
        )
        | st.sampled_from(["한", "☎\ufe0f", "\u200d", FAMILY, "🇨🇭", "\u200b", "—", "נ", "क्षि"])
        | st.characters(exclude_categories=["Cs", "Cc"]),
        max_size=60,
    )
    .map("".join)
    .map(clean)
)
WIDTHS = st.integers(1, 30)


def shown(text: str, width: int) -> list[str]:
    return [unfold(text, line)[0] for line in wrap(text, width)]


@given(TEXTS, WIDTHS)
@example("  longword", 4)
@example(" " + ACUTE + "ab", 1)
@settings(max_examples=120)
def test_no_character_is_lost_but_the_gaps_at_which_lines_break(text: str, width: int) -> None:
    at = 0
    for line in wrap(text, width):
        assert text[at : line.start] in ("", " ", "\t", "\n")
        assert line.start <= line.end
        assert "\n" not in text[line.start : line.end]
        at = line.end
    assert at == len(text)


@given(TEXTS, WIDTHS)
@example("\tabc", 2)
@example("中\t中", 5)
@settings(max_examples=120)
def test_no_line_is_wider_than_the_width_unless_one_character_is(text: str, width: int) -> None:
    for line in wrap(text, width):
        if cell_len(unfold(text, line)[0]) > width:
            assert sum(after > before for before, after in pairwise(edges(text[line.start : line.end]))) == 1


@given(TEXTS, WIDTHS)
@settings(max_examples=100)
def test_offsets_lead_to_what_is_drawn_there(text: str, width: int) -> None:
    for line in wrap(text, width):
        drawn, places = unfold(text, line)
        source = text[line.start : line.end]
        assert len(places) == len(source) + 1
        assert places[-1] == len(drawn)
        for character, first, last in zip(source, places, places[1:], strict=False):
            assert drawn[first:last] == character or (character == "\t" and set(drawn[first:last]) == {" "})


@given(TEXTS, WIDTHS)
@example("a " + ACUTE + "b", 1)
@settings(max_examples=100)
def test_no_line_begins_with_a_mark_that_belongs_to_the_line_before(text: str, width: int) -> None:
    for line in wrap(text, width):
        if line.end > line.start and (line.start and text[line.start - 1] != "\n"):
            assert text[line.start] == "\t" or cell_len(text[line.start]) > 0


@given(TEXTS, WIDTHS)
@settings(max_examples=100)
def test_measuring_counts_the_lines_that_wrapping_makes(text: str, width: int) -> None:
    assert height(text, width) == len(wrap(text, width))


@given(TEXTS.map(lambda text: text.replace("\n", "").replace("\t", "").lstrip("\u200d")))
@settings(max_examples=100)
def test_edges_grow_to_the_width_that_the_terminal_library_measures(text: str) -> None:
    cells = edges(text)
    assert len(cells) == len(text) + 1
    assert list(cells) == sorted(cells)
    assert cells[-1] == cell_len(text)


def test_characters_taken_for_plain_are_one_cell_wide() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    plain = [one for one in characters if category(one) != "Cc" and isinstance(edges(one), range)]
    assert len(plain) > 1000
    assert [character for character in plain if cell_len(character) != 1] == []


def test_words_stay_whole_where_they_can() -> None:
    assert shown("the quick brown fox", 9) == ["the quick", "brown fox"]
    assert shown("incomprehensible", 6) == ["incomp", "rehens", "ible"]


def test_an_indented_word_is_cut_rather_than_pushed_down() -> None:
    assert shown("    abcdefgh", 8) == ["    abcd", "efgh"]


def test_cjk_breaks_anywhere_and_latin_words_in_it_stay_whole() -> None:
    assert shown("剪贴板在里不工作", 6) == ["剪贴板", "在里不", "工作"]
    assert shown("需要tmux才行", 6) == ["需要", "tmux才", "行"]
    assert shown("里面abc", 4) == ["里面", "abc"]
    assert shown("ab 里面", 3) == ["ab", "里", "面"]


def test_one_cell_still_shows_every_character() -> None:
    assert shown("中a b", 1) == ["中", "a", "b"]


def test_a_family_of_joined_emoji_is_never_cut() -> None:
    assert shown(FAMILY * 2 + "x", 3) == [FAMILY, FAMILY + "x"]


def test_tabs_lead_to_columns_of_four() -> None:
    assert shown("a\tb\n\tc\n中\td", 20) == ["a   b", "    c", "中  d"]


def test_a_wrapped_line_knows_the_tab_column_of_its_source() -> None:
    text = "\taaaa bb\tcc"
    assert shown(text, 9) == ["    aaaa", "bb cc"]


def test_lines_are_named_as_markdown_names_them() -> None:
    text = "# Title\n> said\n- one\n2. two\n```sh\n# no title\n```\nplain #1"
    assert [line.kind for line in wrap(text, 40)] == [
        "heading",
        "quote",
        "item",
        "item",
        "fence",
        "code",
        "fence",
        "text",
    ]


def test_every_piece_of_a_wrapped_heading_is_a_heading() -> None:
    assert {line.kind for line in wrap("## a long heading here", 8)} == {"heading"}


def test_an_empty_text_is_one_empty_line() -> None:
    assert wrap("", 10) == [Line(0, 0, "text")]
    assert height("", 1) == 1


def test_blocks_cover_the_text_and_change_no_line() -> None:
    text = "\n".join(f"{number} " + "lorem ipsum " * (number % 40) for number in range(2000))
    found = list(blocks(text))
    assert len(found) > 5
    assert "\n".join(text[block.start : block.end] for block in found) == text
    assert sum(height(text[block.start : block.end], 37) for block in found) == height(text, 37)


@pytest.mark.parametrize("character", ["x", "中", "e" + ACUTE, FAMILY])
def test_a_source_line_without_end_is_cut_between_whole_characters(character: str) -> None:
    text = character * (5 * BLOCK)
    found = list(blocks(text))
    assert "".join(text[block.start : block.end] for block in found) == text
    assert max(block.end - block.start for block in found) < 2 * BLOCK + 300
    for block in found:
        assert text[block.start : block.end].startswith(character)


def test_a_block_knows_that_it_begins_within_code() -> None:
    text = "```\n" + "code\n" * BLOCK + "```\nprose"
    found = list(blocks(text))
    assert [block.in_code for block in found] == [False] + [True] * (len(found) - 1)
    last = found[-1]
    kinds = [line.kind for line in wrap(text[last.start : last.end], 40, in_code=last.in_code)]
    assert (kinds[0], kinds[-2], kinds[-1]) == ("code", "fence", "text")
