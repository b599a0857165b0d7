"""A path for each session of a database, and back."""

from pathlib import Path

import pytest
from harkback.adapters.foreign_sqlite import split, within
from hypothesis import example, given
from hypothesis import strategies as st

DATABASE = Path("/home/ann/.agent/state.db")


@given(st.text(alphabet=st.characters()))
@example("\ud800")
@example("%")
@example("%2E")
@example("a/b\\c:d\x00e")
def test_any_name_is_one_component_and_comes_back(name: str) -> None:
    path = within(DATABASE, name)
    assert path.parent == DATABASE
    assert split(path) == (DATABASE, name)
    assert path.name.isascii()


@pytest.mark.parametrize("name", ["", ".", "..", "...", "/", "会話"])
def test_names_that_mean_something_to_a_file_system_do_not(name: str) -> None:
    path = within(DATABASE, name)
    assert path.name not in ("", ".", "..")
    assert (path.parent, split(path)[1]) == (DATABASE, name)


@given(st.text(), st.text())
def test_two_names_never_share_a_path(one: str, other: str) -> None:
    assert (within(DATABASE, one) == within(DATABASE, other)) == (one == other)
