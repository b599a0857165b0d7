"""What is told of keys that a person has chosen."""

from __future__ import annotations

from harkback.tui.key_troubles import key_troubles
from harkback.tui.keys import GROUPS, KNOWN, TOGETHER


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


def test_our_own_keys_do_not_clash() -> None:
    for keys in TOGETHER:
        names = [name for key in keys for name in key.keys.split(",")]
        # The function keys that open a page close it too.
        assert {name for name in names if names.count(name) > 1} <= {"f6"}


def test_every_action_has_one_name() -> None:
    names = [key.id for _, keys in GROUPS for key in keys]
    assert len(names) == len(set(names)) == len(KNOWN)
