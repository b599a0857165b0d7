"""What is told of keys that a person has chosen, and how their names may be written."""

from __future__ import annotations

import pytest
from harkback.tui.key_spelling import is_text, spelled, why_not_sent
from harkback.tui.key_troubles import key_troubles
from harkback.tui.keys import GROUPS, KNOWN, PLACES
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App


def test_no_keys_chosen_and_no_trouble() -> None:
    assert key_troubles({}) == []
    assert key_troubles({"sort": "f9", "timeline.back": "f9"}) == []


def test_an_action_that_does_not_exist_is_named() -> None:
    assert key_troubles({"soort": "f9", "sort": "f8"}) == ["there is no soort; f1 shows the keys, README their names."]


def test_a_key_that_another_action_has_is_told_with_both() -> None:
    assert key_troubles({"sort": "f9,ctrl+r"}) == ["^r is now for sort, and no longer for scope."]
    assert key_troubles({"whole": "n"}) == ["n is now for whole, and no longer for next_match."]


def test_two_actions_given_one_key_are_told_once() -> None:
    assert key_troubles({"sort": "f9", "scope": "f9"}) == ["f9 is now for scope, and no longer for sort."]


def test_keys_that_change_places_are_no_trouble() -> None:
    assert key_troubles({"sort": "ctrl+r", "scope": "ctrl+s"}) == []


def test_what_has_the_focus_is_asked_first_and_that_is_told() -> None:
    assert key_troubles({"mark": "j"}) == [
        "in the results, j is for list.down, and not for mark.",
        "in the conversation, j is for transcript.next, and not for mark.",
        "in the timeline, j is for list.down, and not for mark.",
        "in the timeline's conversation, j is for transcript.next, and not for mark.",
    ]
    assert key_troubles({"skips": "ctrl+t"}) == [
        "in the results, ^t is for mode, and not for skips.",
        "in the conversation, ^t is for mode, and not for skips.",
    ]


def test_keys_of_the_conversation_clash_with_those_of_the_timeline_around_it() -> None:
    told = key_troubles({"next_match": "w"})
    assert any("timeline" in each for each in told), told


def test_keys_that_two_tables_share_of_old_are_no_clash() -> None:
    assert key_troubles({"list.choose": "enter,l", "down": "down,ctrl+n,ctrl+j"}) == []


def test_keys_that_the_search_box_has_for_itself_are_told() -> None:
    assert key_troubles({"scope": "z"}) == ["z is text in the search box; scope works outside it alone."]
    assert key_troubles({"scope": "ctrl+e"}) == ["^e edits the text in the search box; scope works outside it alone."]
    assert key_troubles({"whole": "z", "basket.copy": "z", "quit": "ctrl+c,f9"}) == []


def test_keys_that_do_not_exist_or_that_few_terminals_send_are_told() -> None:
    assert key_troubles({"sort": "pagedn"}) == ["sort: there is no key pagedn; is it pagedown?"]
    assert key_troubles({"sort": "ctrl+enter"}) == [
        "sort: ctrl+enter comes only from terminals with the Kitty keyboard protocol."
    ]
    assert key_troubles({"sort": " , "}) == ["sort has no key there, so it keeps its own."]


def test_our_own_keys_do_not_clash() -> None:
    for _, layers in PLACES:
        for layer in layers:
            names = [name for key in layer for name in key.keys.split(",")]
            assert len(names) == len(set(names))


def test_every_terminal_sends_our_own_keys_and_they_are_spelled_as_we_spell_keys() -> None:
    for _, keys in GROUPS:
        for key in keys:
            assert spelled(key.keys) == key.keys
            assert [why_not_sent(name) for name in key.keys.split(",") if why_not_sent(name)] == []


def test_every_action_has_one_name() -> None:
    names = [key.id for _, keys in GROUPS for key in keys]
    assert len(names) == len(set(names)) == len(KNOWN)


# ---- how keys are written ----


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("Esc, ^y, C-r, PgUp", "escape,ctrl+y,ctrl+r,pageup"),
        ("Ctrl+R", "ctrl+r"),
        ("M-x,alt+V", "alt+x,alt+shift+v"),
        ("?,/,+,-,=,[", "question_mark,slash,plus,minus,equals_sign,left_square_bracket"),
        ("ctrl+\\,ctrl+_", "ctrl+backslash,ctrl+underscore"),
        ("shift+g,G", "G,G"),
        ("ctrl+i,ctrl+m,ctrl+[", "tab,enter,escape"),
        ("shift+ctrl+down", "ctrl+shift+down"),
        ("", ""),
        (" ,", ""),
    ],
)
def test_keys_may_be_written_as_people_write_them(written: str, known: str) -> None:
    assert spelled(written) == known


@pytest.mark.parametrize("key", ["ctrl+1", "shift+enter", "super+c", "ctrl+question_mark", "alt+slash", "ctrl+shift+p"])
def test_what_only_some_terminals_send(key: str) -> None:
    assert "Kitty" in why_not_sent(key)


@pytest.mark.parametrize("key", ["alt+down", "alt+ctrl+f5", "shift+tab", "é", "slash", "ctrl+underscore", "f13"])
def test_what_all_send(key: str) -> None:
    assert why_not_sent(key) == ""


def test_characters_are_text_and_other_keys_are_not() -> None:
    assert all(map(is_text, ("a", "Z", "é", "space", "slash", "plus", "剪")))
    assert not any(map(is_text, ("f1", "enter", "up", "ctrl+a", "alt+a", "escape")))


@given(st.text(max_size=12))
def test_anything_may_be_written_and_is_spelled_one_way(written: str) -> None:
    known = spelled(written)
    assert spelled(known) == known
    key_troubles({"sort": written})
    App[None]().set_keymap({"sort": known})
