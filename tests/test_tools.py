"""What agents may see: the view that is theirs, what of the configuration the index has not followed yet, and limits
that count only what is seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from engine import Engine, Lines, turn
from harkback.core import tool_requests as ask
from harkback.core.config import Config, Exclude, SourceConfig, Tools
from harkback.core.history import find_session
from harkback.core.renewal import redact_all_again
from harkback.core.scope import Visibility, allowed_now, seen_by
from harkback.core.tool_answers import Unavailable, bounded, size
from harkback.core.tools import Found, Wanted
from harkback.core.tools import Tools as Answers
from harkback.tui.answers import Wish, reply
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 1, 10, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A session that spawned one that spawned one, another of the same agent, one of another agent."""
    engine = Engine(tmp_path, adapters=(Lines(name="claude"),))
    engine.root = engine.home / ".claude"
    engine.root.mkdir(parents=True, exist_ok=True)
    for name, parent, agent in (
        ("top", None, "one"),
        ("child", "top", "one"),
        ("grandchild", "child", "one"),
        ("other", None, "one"),
        ("stranger", None, "two"),
    ):
        facts = {"parent": parent, "agent": agent, "project": f"/src/{name}", "title": f"the {name}", "title_rank": 4}
        engine.write(name, ["facts", facts], *(turn(f"zebra {name} {number}") for number in range(12)))
    engine.run()
    return engine


@contextmanager
def asked(engine: Engine, config: Config | None = None, asking: str | None = None) -> Iterator[Answers]:
    def search(db: Any, wanted: Wanted) -> Found:
        wish = Wish(wanted.most, recent=wanted.recent, only_memory=wanted.only_memory, within=wanted.filters)
        found = reply(db, wanted.query, lambda: NOW.replace(tzinfo=None), wish)
        return Found(found.hits, found.found.total, found.found.total_exact, found.notes)

    with closing(engine.store.read()) as db:
        config = config or engine.config
        yield Answers(db, config, engine.home, engine.home, lambda: NOW, {}, search, asking)


def narrowed(engine: Engine, visibility: Visibility) -> Config:
    return Config(sources=engine.config.sources, tools=Tools(visibility))


@pytest.mark.parametrize(
    ("visibility", "seen"),
    [
        ("self", {"child"}),
        ("tree", {"child", "grandchild"}),
        ("agent", {"top", "child", "grandchild", "other"}),
        ("all", {"top", "child", "grandchild", "other", "stranger"}),
    ],
)
def test_each_view_shows_its_sessions_and_counts_no_others(
    engine: Engine, visibility: Visibility, seen: set[str]
) -> None:
    with asked(engine, narrowed(engine, visibility), "claude:child") as tools:
        found = tools.answer(ask.SessionsSearch("zebra", limit=25))
        assert found["total"] == 12 * len(seen)
        assert {hit["session"].partition(":")[2] for hit in found["hits"]} <= seen
        assert len(found["hits"]) == min(25, found["total"]), "the limit is of what is seen"
        assert found["warning"] is None
        listed = tools.answer(ask.SessionsList(kind="any"))
        assert {row["session"].partition(":")[2] for row in listed["sessions"]} == seen
        assert listed["total"] == len(seen)
        for name in ("top", "child", "grandchild", "other", "stranger"):
            for request in (ask.SessionsHistory(name), ask.Timeline(session=name), ask.SessionsSearch("x", name)):
                if name in seen:
                    tools.answer(request)
                else:
                    with pytest.raises(Unavailable):
                        tools.answer(request)
        packed = tools.answer(ask.Context("zebra", 6_000))
        assert packed["total"] == 12 * len(seen)


def test_while_nobody_knows_who_asks_a_narrow_view_shows_nothing(engine: Engine) -> None:
    for asking in (None, "claude:unknown", "nonsense", ""):
        with asked(engine, narrowed(engine, "agent"), asking) as tools:
            found = tools.answer(ask.SessionsSearch("zebra"))
            assert (found["hits"], found["total"]) == ([], 0)
            assert "which session asks" in found["warning"]
            assert tools.answer(ask.SessionsList())["sessions"] == []


@pytest.mark.parametrize(
    "rule", ["project:/src/top", "title:the top", "session:claude:top", "source:claude", "**/top.jsonl"]
)
def test_a_rule_counts_before_the_index_has_followed_it(engine: Engine, rule: str) -> None:
    config = Config(sources=engine.config.sources, exclude=Exclude((rule,)))
    with asked(engine, config) as tools:
        found = tools.answer(ask.SessionsSearch("zebra top", limit=25))
        assert not {hit["session"] for hit in found["hits"]} & {"claude:top"}
        with pytest.raises(Unavailable):
            tools.answer(ask.SessionsHistory("top"))
    with closing(engine.store.read()) as db:
        assert find_session(db, "claude:top"), "it is still there"


def test_an_unticked_source_is_not_seen_though_it_is_indexed(engine: Engine) -> None:
    with asked(engine, Config(sources={"codex": SourceConfig(True)})) as tools:
        assert tools.answer(ask.SessionsSearch("zebra"))["total"] == 0
        assert tools.answer(ask.SessionsList(kind="any"))["total"] == 0
        with pytest.raises(Unavailable):
            tools.answer(ask.SessionsHistory("claude:top"))


def test_nothing_is_looked_up_where_the_index_is_in_line(engine: Engine) -> None:
    with closing(engine.store.read()) as db:
        scope = allowed_now(db, engine.config, engine.home)
        assert (scope.allowed, scope.hidden, scope.filters()) == (None, frozenset(), ())
        assert seen_by(db, scope, "all", None) is scope


def test_a_beginning_that_only_hidden_sessions_share_is_no_longer_ambiguous(engine: Engine) -> None:
    engine.write("stranger-two", ["facts", {"agent": "one"}], turn("okapi"))
    engine.run()
    with asked(engine) as tools, pytest.raises(ask.BadRequest, match="several sessions"):
        tools.answer(ask.SessionsHistory("strange"))
    with asked(engine, narrowed(engine, "agent"), "claude:top") as tools:
        assert tools.answer(ask.SessionsHistory("strange"))["session"]["session"] == "claude:stranger-two"


def test_a_search_says_what_is_hidden_until_newer_rules_have_been_over_it(engine: Engine) -> None:
    with asked(engine) as tools:
        assert tools.answer(ask.SessionsSearch("zebra"))["warning"] is None
    with engine.store.write() as db, db.transaction():
        redact_all_again(db)
    with asked(engine) as tools:
        found = tools.answer(ask.SessionsSearch("zebra"))
        assert found["total"] == 0
        assert "5 files hidden until newer rules" in found["warning"]
    engine.run()
    with asked(engine) as tools:
        assert tools.answer(ask.SessionsSearch("zebra"))["warning"] is None


@given(
    rows=st.lists(st.text(max_size=300) | st.dictionaries(st.text(max_size=9), st.text(max_size=90)), max_size=40),
    most=st.integers(4_500, 9_000),
    from_start=st.booleans(),
)
def test_an_answer_holds_as_many_rows_as_fit(rows: list[Any], most: int, from_start: bool) -> None:
    answer = bounded({"rows": rows, "truncated": False}, "rows", most, from_start=from_start)
    assert size(answer) <= most
    kept = answer["rows"]
    assert kept == (rows[len(rows) - len(kept) :] if from_start else rows[: len(kept)])
    assert answer["truncated"] == (len(kept) < len(rows))
    assert answer.get("dropped", 0) == len(rows) - len(kept)


def test_a_request_is_a_value_that_reading_brings_within_its_limits() -> None:
    request = ask.read("sessions_search", {"query": "zebra", "limit": 10**6, "offset": -1})
    assert request == ask.SessionsSearch("zebra", limit=ask.MOST_HITS, offset=0)
