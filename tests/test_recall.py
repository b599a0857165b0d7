"""What an agent is told unasked: of its own project, what it may see, what its prompt is about, and not much."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from engine import NOON, Engine, Lines, turn
from harkback.core.config import Config, Exclude, HookConfig, Tools
from harkback.core.database import Database, Row
from harkback.core.rank import CANDIDATES
from harkback.core.recall import BEST_TURNS, LAST_SESSIONS, Asking, about, as_words, in_sight, last_sessions
from harkback.core.results import Hit
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 1, 10)  # noqa: DTZ001, a naive time is local
PROMPT = "The clipboard stays empty over ssh, what was it again?"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A repository with a folder in it, another project, and the home folder itself."""
    engine = Engine(tmp_path, adapters=(Lines(), Lines(name="claude")))
    (engine.home / ".claude").mkdir()
    for place in ("src/web/.git", "src/web/docs", "src/shop/.git", "src/website", ".git"):
        (engine.home / place).mkdir(parents=True)
    return engine


def held(engine: Engine, name: str, place: str, *texts: str, day: int = 0, **facts: Any) -> None:
    """A session in a folder of the home; the person and the agent speak in turn."""
    speakers = ("user", "assistant")
    turns = [
        turn(text, role=speakers[number % 2], time=NOON + 86_400_000 * day + number)
        for number, text in enumerate(texts)
    ]
    engine.write(name, ["facts", {"project": str(engine.home / place)} | facts], *turns)


def asking(engine: Engine, place: str, session: str = "now") -> Asking:
    return Asking(session, "lines", str(engine.home / place))


def told(engine: Engine, place: str, prompt: str = PROMPT, config: Config | None = None, session: str = "now") -> Any:
    """(the last sessions, those that a prompt is told of), by name."""
    engine.run()
    who = asking(engine, place, session)
    with closing(engine.store.read()) as db:
        scope = in_sight(db, config or engine.config, engine.home, who)
        last = [session.native_id for session in last_sessions(db, scope)]
        return last, [hit.session.native_id for hit in about(db, prompt, scope, NOW, who)]


def with_settings(engine: Engine, **settings: Any) -> Config:
    return msgspec.structs.replace(engine.config, **settings)


ANSWER = "The clipboard stays empty over ssh because tmux swallows the sequence."


def test_a_project_is_its_repository_and_no_other_folder(engine: Engine) -> None:
    held(engine, "root", "src/web", ANSWER, day=1)
    held(engine, "below", "src/web/docs", ANSWER, day=2)
    held(engine, "other", "src/shop", ANSWER, day=3)
    held(engine, "alike", "src/website", ANSWER, day=4)
    held(engine, "home", ".", ANSWER, day=5)
    for place in ("src/web", "src/web/docs", "src/web/."):
        last, about_it = told(engine, place)
        assert last == ["below", "root"]
        assert set(about_it) <= {"root", "below"}
        assert about_it
    assert told(engine, "src/website")[0] == ["alike"]
    assert told(engine, ".")[0] == ["home"], "the home folder is no project, even under version control"
    everywhere = with_settings(engine, hook=HookConfig("everywhere"))
    assert told(engine, "src/web", config=everywhere)[0] == ["home", "alike", "other", "below", "root"]


def test_a_link_to_a_project_is_that_project(engine: Engine) -> None:
    held(engine, "real", "src/web", ANSWER)
    (engine.home / "here").symlink_to(engine.home / "src/web")
    assert told(engine, "here") == (["real"], ["real"])


@pytest.mark.parametrize("folder", ["", "src/web", "/nowhere", "/", "\0", "/a\0b", "~", "\ud800"])
def test_a_folder_that_is_none_has_no_sessions(engine: Engine, folder: str) -> None:
    held(engine, "real", "src/web", ANSWER)
    engine.run()
    with closing(engine.store.read()) as db:
        scope = in_sight(
            db, engine.config, engine.home, Asking("now", "lines", folder.encode("utf-8", "replace").decode())
        )
        assert last_sessions(db, scope) == about(db, PROMPT, scope, NOW, Asking()) == []


def test_the_asking_session_is_not_told_of_itself_nor_of_its_copy(engine: Engine) -> None:
    held(engine, "now", "src/web", ANSWER)
    assert told(engine, "src/web") == ([], [])
    held(engine, "fork", "src/web", ANSWER, parent="now")
    assert told(engine, "src/web") == (["fork"], []), "the session has this turn in its own context"
    assert told(engine, "src/web", session="other") == (["fork", "now"], ["now"]), "another has not"


@pytest.mark.parametrize("kind", ["subagent", "automated", "memory"])
def test_only_the_persons_own_sessions_are_told_of(engine: Engine, kind: str) -> None:
    held(engine, "other", "src/web", ANSWER, kind=kind)
    assert told(engine, "src/web") == ([], [])


def test_what_tools_said_is_not_told(engine: Engine) -> None:
    engine.write("one", ["facts", {"project": str(engine.home / "src/web")}], turn(ANSWER, role="tool", time=NOON))
    assert told(engine, "src/web") == (["one"], [])


@pytest.mark.parametrize(("visibility", "seen"), [("all", True), ("agent", True), ("tree", False), ("self", False)])
def test_an_agent_is_told_of_nothing_that_its_tools_would_not_show(engine: Engine, visibility: Any, seen: bool) -> None:
    held(engine, "one", "src/web", ANSWER)
    narrowed = with_settings(engine, tools=Tools(visibility))
    assert told(engine, "src/web", config=narrowed) == (["one"] * seen, ["one"] * seen)
    with closing(engine.store.read()) as db:
        other = replace(asking(engine, "src/web"), source="claude")
        assert bool(last_sessions(db, in_sight(db, narrowed, engine.home, other))) == (visibility == "all")


def test_what_was_excluded_or_unticked_is_gone_at_once(engine: Engine) -> None:
    held(engine, "one", "src/web", ANSWER, title="salary", title_rank=4)
    assert told(engine, "src/web")[0] == ["one"]
    for config in (
        with_settings(engine, exclude=Exclude(("title:salary",))),
        with_settings(engine, sources={}),
    ):
        with closing(engine.store.read()) as db:
            scope = in_sight(db, config, engine.home, asking(engine, "src/web"))
            assert last_sessions(db, scope) == about(db, PROMPT, scope, NOW, Asking()) == []


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("the clipboard is empty over ssh again", True),
        ("why does the flaky checkout test fail", False),
        ("run the tests again", False),
        ("clipboard", False),
        ("the empty clipboard", False),
        ('-clipboard source:codex kind:memory "empty" ssh* over:', True),
        ("clipboard OR empty OR ssh", True),
        ("empty the kiln, paint the zebra, then copy the clipboard over to the museum by ssh and feed the fish", False),
        ("", False),
        ("\x1b]52;c;x\x07 \ud800 \0".encode("utf-8", "replace").decode(), False),
    ],
)
def test_a_prompt_is_told_of_turns_that_have_half_of_its_words_and_three_of_them(
    engine: Engine, prompt: str, found: bool
) -> None:
    held(engine, "one", "src/web", ANSWER)
    assert told(engine, "src/web", prompt)[1] == ["one"] * found


@given(st.text() | st.text(alphabet=' "-:*OR“source:AND()^{}\\'))
def test_a_prompt_is_only_words(prompt: str) -> None:
    query = as_words(prompt, NOW)
    assert query.filters == query.unwanted == ()
    assert not any(term.quoted or term.prefix for group in query.wanted for term in group)
    assert all(len(group) == 1 for group in query.wanted)


def test_no_more_is_told_than_a_few_sessions_and_turns(engine: Engine) -> None:
    for number in range(9):
        held(engine, f"s{number}", "src/web", f"{ANSWER} Variant {number} of {number * 7} others.", day=number)
    last, found = told(engine, "src/web")
    assert last == [f"s{number}" for number in range(8, 8 - LAST_SESSIONS, -1)]
    assert len(found) == BEST_TURNS


class Counting(Database):
    """Counts the rows that are read."""

    read = 0

    def rows(self, sql: str, *values: object) -> Iterator[Row]:
        for row in super().rows(sql, *values):
            self.read += 1
            yield row

    def row(self, sql: str, *values: object) -> Row | None:
        self.read += 1
        return super().row(sql, *values)


def test_however_much_there_is_only_the_best_are_looked_at(engine: Engine) -> None:
    counts: list[int] = []
    for size in (400, 1_600):
        texts = (f"{ANSWER} Number {number} of them, {number * 31 % 97}." for number in range(size))
        held(engine, "long", "src/web", *texts)
        engine.run()
        with closing(Counting(engine.store.path, read_only=True)) as db:
            who = asking(engine, "src/web")
            scope = in_sight(db, engine.config, engine.home, who)
            hits: list[Hit] = about(db, PROMPT, scope, NOW, who)
            assert len(hits) == BEST_TURNS
            counts.append(db.read)
    assert counts[1] <= counts[0] + 10
    assert counts[1] < 4 * CANDIDATES
