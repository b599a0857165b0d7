"""A filter that is being typed is completed from the index; nothing typed raises."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine import Engine, line, turn
from harkback.core.completions import complete
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = Engine(tmp_path_factory.mktemp("completions") / "engine")
    for name, project, branch in (
        ("a", "/src/web", "main"), ("b", "/src/web", "fix-login"), ("c", "/src/my app", "main"),
        ("d", "/lib/harkback", "main"),
    ):  # fmt: skip
        engine.write(name, ["facts", {"project": project, "branch": branch, "model": "opus-4"}], turn(f"hello {name}"))
    engine.run()
    return engine


def offered(engine: Engine, typed: str) -> list[str]:
    db = engine.store.read()
    try:
        found = complete(db, typed, len(typed))
        return [typed[: each.start] + each.new + typed[each.stop :] for each in found]
    finally:
        db.close()


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("pro", ["project:"]),
        ("clipboard b", ["clipboard branch:", "clipboard before:"]),
        ("project:", ["project:/src/web", 'project:"/src/my app"', "project:/lib/harkback"]),
        ("x project:hark", ["x project:/lib/harkback"]),
        ("project:hkb", ["project:/lib/harkback"]),
        ("-branch:fi", ["-branch:fix-login"]),
        ("branch:main,fi", ["branch:main,fix-login"]),
        ('project:"/src/my', ['project:"/src/my app"']),
        ("role:", ["role:user", "role:assistant", "role:tool", "role:memory"]),
        ("kind:sub", ["kind:subagent"]),
        ("after:last", ['after:"last week"', 'after:"last month"']),
        ("source:l", ["source:lines"]),
        ("model:", ["model:opus-4"]),
        ("has:", ["has:code"]),
    ],
)
def test_what_is_typed_so_far_is_completed(indexed: Engine, typed: str, first: list[str]) -> None:
    assert sorted(offered(indexed, typed)) == sorted(first)


def test_what_most_sessions_have_comes_first(indexed: Engine) -> None:
    assert offered(indexed, "branch:")[0] == "branch:main"
    db = indexed.store.read()
    assert [each.sessions for each in complete(db, "branch:", 7)] == [3, 1]
    db.close()


@pytest.mark.parametrize("typed", ["", "zebra", "http://", "nokey:value", "project:zzz", 'say "pro', "a:b:c"])
def test_where_nothing_fits_nothing_is_offered(indexed: Engine, typed: str) -> None:
    assert offered(indexed, typed) == []


@given(st.text(st.sampled_from('pr:" ,-abc项源\n'), max_size=12), st.integers(-1, 14))
def test_nothing_typed_raises(indexed: Engine, typed: str, at: int) -> None:
    db = indexed.store.read()
    for each in complete(db, typed, at):
        assert 0 <= each.start <= each.stop
    db.close()


def test_an_index_without_sessions_offers_names_alone(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine")
    engine.path("a").write_bytes(line(turn("x")))
    engine.run()
    assert offered(engine, "branch:") == []
    assert offered(engine, "br") == ["branch:"]
