"""Under newer rules for secrets nothing that older ones let through is shown, and all of it is read or renewed."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest
from engine import Engine, turn
from harkback.core import store as stores
from harkback.core.config import Config, ConfigError, Redaction, parse
from harkback.core.doctor import examine
from harkback.core.history import NotFound, find_session, recent_rows, whole
from harkback.core.query import parse as query_of
from harkback.core.reconcile import Reconciler
from harkback.core.redact_own import BadPattern, own
from harkback.core.renewal import waiting
from harkback.core.results import Progress
from harkback.core.search import Search
from harkback.tui.asked import Answer, Request
from harkback.tui.asking import Asking
from harkback.tui.empty_state import empty_text
from harkback.tui.status_bar import Status, status_line
from harkback.tui.surroundings import Surroundings
from hypothesis import given
from hypothesis import strategies as st

FACTS = ("title", "project", "branch", "model", "agent", "about", "handle")
TABLES = ("turns", "facts", "sessions", "titles", "skips", "files")


def secret(seed: int = 1) -> str:
    rng = random.Random(seed)
    return "ghp_" + "".join(rng.choice("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNP23456789") for _ in range(36))


def code(seed: int = 1) -> str:
    """What only a rule of the person's own knows for a secret."""
    return "acme:" + "-".join(random.Random(seed).choices(("otter", "velvet", "marble", "copper"), k=4))


@dataclass
class Personal(Engine):
    """An engine with a person's own rules."""

    redaction: Redaction = field(default_factory=Redaction)

    @property
    def config(self) -> Config:
        return msgspec.structs.replace(super().config, redaction=self.redaction)


@pytest.fixture
def engine(tmp_path: Path) -> Personal:
    return Personal(tmp_path / "engine")


def let_in(engine: Engine) -> None:
    """Put a secret into every text of the index, as rules would have that did not know it."""
    with closing(apsw.Connection(str(engine.store.path))) as db:
        db.execute("UPDATE turns SET text = text || ' ' || ?1, size = size + 41, cite = ?1", (secret(),))
        for column in FACTS:
            db.execute(f"UPDATE facts SET {column} = ?", (secret(),))  # noqa: S608
            db.execute(f"UPDATE sessions SET {column} = ?", (secret(),))  # noqa: S608
        db.execute("UPDATE titles SET title = ?", (secret(),))
        db.execute("UPDATE skips SET example = ?", (secret(),))


def newer_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stores.VERSIONS, "redaction", 99)


def shown(engine: Engine) -> list[tuple[Any, ...]]:
    """Everything that a reader can read of sessions, turns and skips."""
    tables = ("SELECT * FROM sessions WHERE turns > 0", "SELECT * FROM turns", "SELECT * FROM skips")
    return [row for table in tables for row in engine.rows(table)]


def test_a_reader_sees_nothing_of_older_rules_even_before_anybody_writes(
    engine: Personal, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write(
        "a", ["facts", {"title": "about it", "title_rank": 4}], turn("zebra"), ["skip", {"reason": "x", "example": "y"}]
    )
    engine.run()
    let_in(engine)
    assert secret() in str(shown(engine))
    newer_rules(monkeypatch)
    assert shown(engine) == []
    assert engine.places("zebra") == []
    with closing(engine.store.read()) as db:
        assert waiting(db) == 1
        assert recent_rows(db) == []
        for look in (lambda: find_session(db, "a"), lambda: whole(db, "lines:a")):
            with pytest.raises(NotFound):
                look()


def test_each_file_shows_again_as_soon_as_it_was_read_again(engine: Personal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        engine.write(name, turn(f"zebra in {name}"), turn("two"), turn("three"))
    engine.run()
    let_in(engine)
    newer_rules(monkeypatch)
    assert engine.run(batches=0).read == 0
    assert shown(engine) == []
    engine.run(batches=2)
    some = engine.places("zebra")
    assert 0 < len(some) < 3
    assert secret() not in str(shown(engine))
    with closing(engine.store.read()) as db:
        assert waiting(db) == 3 - len(some)
    engine.run()
    assert len(engine.places("zebra")) == 3
    assert secret() not in str(shown(engine))
    assert engine.contents() == engine.fresh().contents()


def test_an_examination_tells_what_is_hidden(engine: Personal, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    newer_rules(monkeypatch)
    engine.run(batches=0)
    findings = {each.name: each for each in examine(engine.store, engine.adapters, engine.home, {})}
    assert findings["redaction"].found.startswith("1 files are not shown")
    engine.run()
    assert "redaction" not in {each.name for each in examine(engine.store, engine.adapters, engine.home, {})}


def test_a_reader_that_stays_open_sees_a_file_once_it_was_read_again(
    engine: Personal, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    newer_rules(monkeypatch)
    engine.run(batches=0)
    with closing(engine.store.read()) as db:
        assert list(db.rows("SELECT 1 FROM turns")) == []
        engine.run()
        assert list(db.rows("SELECT 1 FROM turns JOIN sessions ON sessions.id = turns.session")) == [(1,)]


@pytest.mark.parametrize("how", ["gone", "unreadable"])
def test_what_cannot_be_read_again_is_renewed_in_every_column(
    engine: Personal, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    facts = dict.fromkeys(FACTS, "fact") | {"title_rank": 4}
    engine.write(
        "a", ["facts", facts], turn("zebra", native_id="t"), ["title", {"turn_id": "t", "title": "x", "title_rank": 1}]
    )
    engine.write("b", turn("other"))
    engine.run()
    if how == "gone":
        engine.path("a").unlink()
        engine.run()
    else:
        engine.write("a", ["fail", "broken"])
    let_in(engine)
    newer_rules(monkeypatch)
    engine.run(batches=0)
    assert shown(engine) == []
    engine.run()
    assert engine.places("zebra") == [("a", 1)]
    (session,) = engine.rows(f"SELECT {', '.join(FACTS)} FROM sessions WHERE native_id = 'a'")  # noqa: S608
    assert set(session) == {"[redacted:github-token]"}
    assert secret()[4:12] not in str([engine.rows(f"SELECT * FROM {table}") for table in TABLES])  # noqa: S608


def test_rules_for_words_alone_hide_nothing(engine: Personal, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    monkeypatch.setitem(stores.VERSIONS, "tokenizer", 99)
    engine.run(batches=0)
    assert engine.places("zebra") == [("a", 1)]


# ---- a person's own rules ----


def test_a_new_pattern_masks_what_is_indexed_already(engine: Personal) -> None:
    engine.write("a", turn(f"zebra {code()}"), turn(f"fresh {code(2)}"))
    engine.write("b", turn(f"gone zebra {code(3)}"))
    engine.run()
    engine.path("b").unlink()
    engine.run()
    assert code() in engine.texts("a")[0]
    engine.redaction = Redaction(patterns=("acme:[a-z-]{10,60}",))
    engine.run(batches=0)
    assert engine.places("zebra") == []
    engine.run()
    assert engine.texts("a") == ["zebra [redacted:own]", "fresh [redacted:own]"]
    assert engine.texts("b") == ["gone zebra [redacted:own]"]
    assert engine.run().read == 0


def test_a_value_that_is_allowed_stays(engine: Personal) -> None:
    engine.write("a", turn(f"zebra {secret()} and {secret(2)}"))
    engine.run()
    assert secret() not in engine.texts("a")[0]
    engine.redaction = Redaction(allow=(secret(),))
    engine.run()
    assert engine.texts("a") == [f"zebra {secret()} and [redacted:github-token]"]
    engine.redaction = Redaction()
    engine.run()
    assert engine.texts("a") == ["zebra [redacted:github-token] and [redacted:github-token]"]


@pytest.mark.parametrize(
    "pattern",
    ["", "ab", "[a-z]{20}", "(a+)+$", "acme.*x", "acme_[a-z]{2000}", "acme_[a-z]{3,}x", "acme_[a-z]+", "acme_[z-a]",
     "acme_a|b", "acme_[a-z]{5,3}"],
)  # fmt: skip
def test_a_pattern_that_could_take_long_is_refused_with_its_reason(pattern: str) -> None:
    with pytest.raises(BadPattern, match=r"must begin|allowed is|does not repeat|only the last|bad character"):
        own((pattern,), ())
    with pytest.raises(ConfigError, match=r"config\.toml: redaction\.patterns: "):
        parse(f"[redaction]\npatterns = ['{pattern}']\n", Path("config.toml"))


@given(st.text(max_size=30))
def test_no_pattern_makes_the_rules_fail(pattern: str) -> None:
    try:
        rules = own((pattern,), ())
    except BadPattern:
        return
    assert rules.rules[0].anchor


def test_the_app_says_what_is_hidden_for_now_instead_of_what_a_first_run_says(
    engine: Personal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        engine.write(name, turn(f"zebra in {name}"), turn("two"), turn("three"))
    engine.run()
    newer_rules(monkeypatch)
    answers: list[Answer] = []
    Asking(Surroundings(engine.store.home, engine.home, {}), Request("")).run(answers.append)
    told = empty_text(answers[-1], ["Lines"], indexing=True).plain
    assert told.startswith("3 files hidden until secrets in them are masked by newer rules.")
    engine.run(batches=1)
    Asking(Surroundings(engine.store.home, engine.home, {}), Request("zebra")).run(answers.append)
    assert answers[-1].total == 1
    assert "2 files hidden until masked anew" in status_line(Status(answers[-1]), 120).plain
    engine.run()
    Asking(Surroundings(engine.store.home, engine.home, {}), Request("zebra")).run(answers.append)
    assert "hidden" not in status_line(Status(answers[-1]), 120).plain


def test_what_is_read_again_is_ahead_in_whole(engine: Personal, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.write("a", turn("zebra"), turn("two"))
    engine.run()
    newer_rules(monkeypatch)
    seen: list[Progress] = []
    Reconciler(engine.store, engine.adapters, engine.config, engine.home, {}, on_progress=seen.append).run()
    assert {each.bytes_total for each in seen if each.files_total} == {engine.root.joinpath("a.jsonl").stat().st_size}


def test_what_is_hidden_costs_a_search_little(engine: Personal, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        engine.write(f"s{number}", turn(f"zebra {number}"))
    engine.run()
    before = steps_of_a_search(engine)
    newer_rules(monkeypatch)
    engine.run(batches=200)
    with closing(engine.store.read()) as db:
        assert 50 < waiting(db) < 250
    assert steps_of_a_search(engine) < 3 * before


def steps_of_a_search(engine: Engine) -> int:
    """How many hundreds of its instructions SQLite carries out for one."""
    counted = [0]

    def count() -> bool:
        counted[0] += 1
        return False

    with closing(engine.store.read()) as db:
        db._connection.set_progress_handler(count, 100)  # pyright: ignore[reportPrivateUsage]
        search, query = Search(db), query_of("zebra", datetime(2026, 1, 10))  # noqa: DTZ001
        assert search.hits(query, search.best(query).ranked)
    return counted[0]
