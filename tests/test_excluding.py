"""Exclusions in the index: what a rule keeps out is not opened or not kept, and comes back when the rule goes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from engine import NOON, Engine, Lines, check, turn
from harkback.core import keeping_out, model
from harkback.core.config import Config, Exclude, Limits
from harkback.core.discover import Source
from harkback.core.exclude_preview import Preview, Trials, preview
from harkback.core.reasons import REASONS
from hypothesis import given, settings
from hypothesis import strategies as st


@dataclass(frozen=True)
class Watched(Lines):
    """Remembers which files were read; follows nothing, but lists links as some stores' listings do."""

    opened: tuple[list[str]] = ([],)

    def read(self, path: Path, since: model.Checkpoint | None) -> Iterator[model.Record]:
        self.opened[0].append(path.name)
        return super().read(path, since)


@dataclass
class Excluding(Engine):
    """An engine with rules."""

    rules: tuple[str, ...] = ()

    @property
    def config(self) -> Config:
        return msgspec.structs.replace(super().config, exclude=Exclude(self.rules))

    def preview(self, rule: str) -> Preview:
        db = self.store.read() if self.store.exists() else None
        try:
            return preview(db, self.adapters, self.config, self.home, {}, rule)
        finally:
            if db:
                db.close()

    def states(self) -> dict[str, tuple[str, str | None]]:
        rows = self.rows("SELECT path, state, reason FROM files")
        return {Path(os.fsdecode(path)).name: (state, reason) for path, state, reason in rows}

    def count(self, *tables: str) -> list[int]:
        return [self.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables]  # noqa: S608


def fill(engine: Engine) -> None:
    pay = {"title": "My Salary", "project": "/home/ann/pay", "title_rank": 3}
    zebra = turn("zebra", time=NOON, native_id="a1")
    engine.write("zoo/a", ["facts", {"title": "Stripes", "project": "/home/ann/zoo", "title_rank": 3}], zebra)
    engine.append("zoo/a", turn("okapi", role="assistant", time=NOON + 1))
    engine.write("zoo/b", ["facts", pay], turn("wombat"))
    engine.write("c", ["facts", {"project": "/home/ann/zoo/deep"}], turn("Salary of an ibex"))


@pytest.fixture
def engine(tmp_path: Path) -> Excluding:
    engine = Excluding(tmp_path / "engine", (Watched(opened=([],)),))
    fill(engine)
    return engine


def opened(engine: Engine) -> list[str]:
    return engine.adapters[0].opened[0]  # type: ignore[attr-defined]


EVERY_KIND = {
    "{root}/zoo/**": {"zebra", "wombat"},
    "**/zoo": {"zebra", "wombat"},
    "*/c.jsonl": {"ibex"},
    "project:/home/ann/zoo": {"zebra", "ibex"},
    "project:/home/*/pay/**": {"wombat"},
    "title:salary": {"wombat", "ibex"},
    "title:^my": {"wombat"},
    "session:lines:a": {"zebra"},
    "source:lines": {"zebra", "wombat", "ibex"},
    "session:other:a": set(),
    "~/nowhere": set(),
}
"""Rule → a word of each session that it hides."""
WORDS = {"zebra", "wombat", "ibex"}


def found(engine: Engine) -> set[str]:
    return {word for word in WORDS if engine.search(word)}


@pytest.mark.parametrize("rule", EVERY_KIND)
def test_a_rule_purges_what_it_hides_and_taking_it_back_reads_it_again(engine: Excluding, rule: str) -> None:
    hidden = EVERY_KIND[rule]
    rule = rule.format(root=engine.root)
    engine.run()
    before = engine.contents()
    engine.rules = (rule,)
    engine.run(only=[])  # as the command does
    assert found(engine) == WORDS - hidden
    check(engine)
    left = len(WORDS - hidden)
    assert engine.count("sessions") == [left]
    turns = 1 if left == 1 and "zebra" in hidden else left + ("zebra" not in hidden)
    assert engine.count("turns", "chunks", "words_docsize") == [turns] * 3
    after = engine.contents()
    report = engine.run()
    assert engine.contents() == after
    assert report.seen == report.unchanged + report.read + report.excluded == 3
    check(engine)
    assert engine.fresh().contents() == after

    engine.rules = ()
    engine.run()
    assert engine.contents() == before
    assert engine.count("hidden") == [0]
    assert engine.rows("SELECT * FROM skips") == []
    assert set(engine.states().values()) == {("ok", None)}
    check(engine)


@pytest.mark.parametrize("rule", EVERY_KIND)
def test_a_preview_says_what_then_happens_and_changes_nothing(engine: Excluding, rule: str) -> None:
    rule = rule.format(root=engine.root)
    by_name = not rule.startswith(("project:", "title:", "session:"))
    on_disk = engine.preview(rule)
    assert (on_disk.sessions, on_disk.titles) == (0, ())
    before = engine.run()
    listing, contents = engine.listing(), engine.contents()
    said = engine.preview(rule)
    assert (engine.listing(), engine.contents()) == (listing, contents)
    if by_name:
        assert said.files == on_disk.files
    engine.rules = (rule,)
    after = engine.run()
    kept_out = after.excluded if by_name else len(engine.rows("SELECT DISTINCT file FROM hidden"))
    assert (said.sessions, said.files) == (before.sessions - after.sessions, kept_out)
    assert len(said.titles) == min(5, said.sessions)
    assert engine.preview(rule).sessions == engine.preview(rule).files == 0


def test_a_preview_names_the_newest_titles_and_no_more_than_five(engine: Excluding) -> None:
    for day in range(7):
        engine.write(f"d{day}", ["facts", {"title": f"Pay {day}", "title_rank": 3}], turn("x", time=NOON + day))
    engine.run()
    assert engine.preview("title:^pay") == Preview(7, 7, ("Pay 6", "Pay 5", "Pay 4", "Pay 3", "Pay 2"))


def test_rules_that_are_tried_one_after_the_other_look_through_the_disk_once_and_only_for_paths(
    engine: Excluding, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    look = Source.look

    def counted(self: Source, *given: Any, **named: Any) -> None:
        nonlocal looks
        looks += 1
        look(self, *given, **named)

    engine.run()
    monkeypatch.setattr(Source, "look", counted)
    trials = Trials(engine.adapters, engine.config, engine.home, {})
    with closing(engine.store.read()) as db:
        for rule in ("title:^pay", "project:**", "session:lines:a"):
            trials.preview(db, rule)
        assert looks == 0
        found = [trials.preview(db, rule) for rule in ("**", "**/nowhere/**", "**")]
    assert looks == len(engine.adapters)
    assert [each.sessions for each in found] == [3, 0, 3]


# ---- files ----


def test_an_excluded_file_is_never_opened(engine: Excluding) -> None:
    engine.rules = ("**/zoo",)
    report = engine.run()
    assert (report.seen, report.read, report.excluded) == (3, 1, 2)
    assert opened(engine) == ["c.jsonl"]
    assert engine.states()["a.jsonl"] == ("excluded", "excluded")
    again = engine.run()
    assert (again.read, again.unchanged, again.excluded, again.bytes_read) == (0, 1, 2, 0)
    assert engine.states()["a.jsonl"] == ("excluded", "excluded")
    assert again.gone == 0
    assert opened(engine) == ["c.jsonl"]


def test_an_excluded_file_that_vanishes_is_no_longer_counted(engine: Excluding) -> None:
    engine.rules = ("*/c.jsonl",)
    engine.run()
    engine.path("c").unlink()
    assert engine.run().excluded == 0
    assert "c.jsonl" not in engine.states()
    check(engine)


def test_the_kept_text_of_a_file_that_is_gone_is_excluded_too(engine: Excluding) -> None:
    engine.run()
    engine.path("zoo/a").unlink()
    engine.run()
    assert engine.search("zebra")
    engine.rules = ("**/zoo",)
    engine.run()
    assert found(engine) == {"ibex"}
    assert "a.jsonl" not in engine.states()
    check(engine)


@pytest.mark.parametrize("name", ["id_rsa", "my-credentials", ".env.x", ".ssh/x", "Keychains/deep/x"])
def test_files_of_keys_and_passwords_are_never_opened(engine: Excluding, name: str) -> None:
    engine.write(name, turn("quagga"))
    report = engine.run()
    assert (report.read, report.excluded) == (3, 1)
    assert engine.search("quagga") == []
    assert engine.path(name).name not in opened(engine)
    assert engine.states()[engine.path(name).name] == ("excluded", "secret-name")


def test_what_older_rules_let_in_goes_when_the_list_grows(engine: Excluding, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.write("zoo/id_x", turn("quagga"))
    monkeypatch.setattr("harkback.core.gate.is_secret", lambda path: False)
    engine.run()
    assert engine.search("quagga")
    monkeypatch.undo()
    monkeypatch.setattr(keeping_out, "LIST_VERSION", 0)
    engine.run(only=[])
    assert engine.search("quagga") == []
    check(engine)


# ---- links ----


def link(engine: Engine, name: str, target: Path | str) -> Path:
    engine.path(name).symlink_to(target)
    return engine.path(name)


def test_a_link_to_an_excluded_file_is_excluded_itself(engine: Excluding, tmp_path: Path) -> None:
    key = engine.home / ".ssh" / "id_rsa"
    key.parent.mkdir()
    key.write_bytes(b'["turn", {"text": "quagga"}]\n')
    link(engine, "innocent", key)
    engine.rules = ("**/zoo",)
    link(engine, "also", engine.path("zoo/a"))
    report = engine.run()
    assert report.excluded == 4
    assert opened(engine) == ["c.jsonl"]
    assert engine.states()["innocent.jsonl"] == ("excluded", "secret-name")
    assert engine.states()["also.jsonl"] == ("excluded", "excluded")
    assert engine.search("quagga") == engine.search("zebra") == []


def test_a_link_that_leads_out_of_the_source_is_not_followed_but_counted(engine: Excluding, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(b'["turn", {"text": "quagga"}]\n')
    link(engine, "x", outside)
    report = engine.run()
    assert report.skips == {"outside-root": 1}
    assert report.seen == 3
    assert "x.jsonl" not in opened(engine)
    assert "x.jsonl" not in engine.states()


def test_a_file_that_becomes_a_link_outside_keeps_what_was_indexed_of_it(engine: Excluding, tmp_path: Path) -> None:
    engine.run()
    engine.path("c").rename(tmp_path / "c.jsonl")
    link(engine, "c", tmp_path / "c.jsonl")
    engine.run()
    assert found(engine) == WORDS
    assert engine.states()["c.jsonl"] == ("ok", None)


def test_a_loop_of_links_costs_only_itself(engine: Excluding) -> None:
    link(engine, "p", engine.path("q"))
    link(engine, "q", engine.path("p"))
    assert engine.run().read == 3
    assert found(engine) == WORDS


def test_a_root_below_a_folder_of_keys_stays_closed(engine: Excluding) -> None:
    place = engine.home / ".aws" / "sessions"
    place.mkdir(parents=True)
    (place / "k.jsonl").write_bytes(b'["turn", {"text": "quagga"}]\n')
    (engine.home / "alias").symlink_to(place)
    engine.roots = (str(engine.home / "alias"),)
    report = engine.run()
    assert (report.read, report.excluded) == (3, 1)
    assert "k.jsonl" not in opened(engine)


def test_a_hard_link_to_a_key_gives_nothing_to_find(engine: Excluding) -> None:
    """Its name says nothing; what is in it is no session, and keys are masked in those."""
    key = engine.home / "server.key"
    body = "".join(("-----BEGIN", " PRIVATE KEY-----\n", "quagga" * 20, "\n-----END", " PRIVATE KEY-----\n"))
    key.write_text(body)
    os.link(key, engine.path("session"))
    engine.write("d", turn(body))
    engine.run()
    assert engine.search("quagga*") == []
    assert b"quaggaquagga" not in engine.store.path.read_bytes()


# ---- sources within each other ----


def test_a_store_inside_a_ticked_one_is_not_read_through_it(tmp_path: Path) -> None:
    """The inner source reads the same kind of file, so that only its tick decides."""
    inner = replace(Watched(opened=([],)), name="lines/inner", title="Inner")
    outer = Watched(opened=([],))
    engine = Excluding(tmp_path / "engine", (outer, inner), ticked=("lines",))
    engine.write("a", turn("zebra"))
    engine.write("inner/b", turn("wombat"))
    report = engine.run()
    assert (report.read, report.excluded) == (1, 1)
    assert (outer.opened[0], inner.opened[0]) == (["a.jsonl"], [])
    assert engine.states()["b.jsonl"] == ("excluded", "other-source")

    engine.ticked = ("lines", "lines/inner")
    engine.run()
    assert engine.search("wombat")
    engine.ticked = ("lines",)
    engine.run()
    assert engine.search("wombat") == []
    engine.ticked = ("lines/inner",)
    engine.run()
    assert found(engine) == {"wombat"}
    check(engine)


def test_a_place_that_two_sources_share_is_read_by_the_one_that_is_ticked(tmp_path: Path) -> None:
    other = replace(Watched(opened=([],)), name="lines/", title="Other")
    engine = Excluding(tmp_path / "engine", (Watched(opened=([],)), other), ticked=("lines",))
    engine.write("a", turn("zebra"))
    assert engine.run().excluded == 0
    assert found(engine) == {"zebra"}


def test_an_unticked_store_around_a_ticked_one_takes_nothing_from_it(tmp_path: Path) -> None:
    inner = replace(Watched(opened=([],)), name="lines/inner", title="Inner")
    engine = Excluding(tmp_path / "engine", (Watched(opened=([],)), inner), ticked=("lines/inner",))
    engine.write("a", turn("zebra"))
    engine.write("inner/b", turn("wombat"))
    assert engine.run().read == 1
    assert found(engine) == {"wombat"}


# ---- sessions ----


def test_a_hidden_session_is_counted_and_nothing_is_left_of_it(engine: Excluding) -> None:
    engine.rules = ("project:**/zoo",)
    report = engine.run()
    assert report.skips == {"excluded": 2}
    assert (report.read, report.excluded) == (3, 0)
    assert report.left_out == {"window": 0, "per_source": 0, "total": 0, "per_file": 0}
    assert engine.rows("SELECT session FROM hidden ORDER BY 1") == [("a",), ("c",)]
    text = engine.store.path.read_bytes()
    for word in (b"zebra", b"Stripes", b"/home/ann/zoo"):
        assert word not in text
    assert "excluded" in REASONS


def test_what_is_added_to_a_hidden_session_stays_out(engine: Excluding) -> None:
    """Its title came from its first words, which are not kept: only its id says that it is hidden."""
    engine.rules = ("title:salary",)
    engine.run()
    engine.append("c", turn("quagga"), ["facts", {"title": "Harmless", "title_rank": 4}])
    report = engine.run()
    assert report.read == 1
    assert engine.search("quagga") == []
    assert report.skips == {"excluded": 2}
    check(engine)


def test_a_session_is_hidden_when_its_title_turns_out_to_be_of_the_kind(engine: Excluding) -> None:
    engine.rules = ("title:stripes and",)
    engine.run()
    assert engine.search("zebra")
    engine.append("zoo/a", ["title", {"turn_id": "a1", "title": "Stripes and pay", "title_rank": 4}])
    engine.run()
    assert engine.search("zebra") == []
    assert engine.count("titles") == [0]
    check(engine)


def test_a_long_file_is_hidden_in_all_its_batches(engine: Excluding) -> None:
    engine.rules = ("project:**/long",)
    engine.write("long", *(turn(f"quagga {n}") for n in range(20)), ["facts", {"project": "/home/ann/long"}])
    engine.append("long", *(turn(f"quagga {n}") for n in range(20)))
    engine.run()
    assert engine.search("quagga") == []
    check(engine)


def test_a_session_in_two_files_is_hidden_in_both(engine: Excluding) -> None:
    engine.write("e.1", ["facts", {"project": "/home/ann/pay"}], turn("quagga", native_id="q"))
    engine.write("e.2", turn("quagga", native_id="q"), turn("more quagga", native_id="r"))
    engine.run()
    said = engine.preview("project:**/pay")
    assert (said.sessions, said.files) == (2, 3)
    engine.rules = ("project:**/pay",)
    engine.run()
    assert engine.search("quagga") == []
    engine.write("e.3", turn("new quagga", native_id="s"))
    engine.run()
    assert engine.search("quagga") == []
    check(engine)
    engine.rules = ()
    engine.run()
    assert len(engine.search("quagga")) == 3
    assert engine.contents() == engine.fresh().contents()


def test_one_file_of_a_session_may_be_excluded_and_the_other_stays(engine: Excluding) -> None:
    engine.write("e.1", turn("quagga"))
    engine.write("zoo/e.2", turn("more quagga", time=NOON))
    engine.run()
    assert engine.preview("**/zoo").sessions == 2
    engine.rules = ("**/zoo",)
    engine.run()
    assert engine.texts("e") == ["quagga"]
    check(engine)


def test_a_parent_that_only_an_excluded_file_named_is_forgotten(engine: Excluding) -> None:
    engine.write("e.1", turn("quagga"))
    engine.write("zoo/e.2", ["facts", {"parent": "nobody"}], turn("more quagga", time=NOON))
    engine.run()
    engine.rules = ("**/zoo",)
    engine.run()
    assert engine.rows("SELECT native_id FROM sessions ORDER BY 1") == [("c",), ("e",)]
    check(engine)


@pytest.mark.parametrize("names", [("p", "q", "r"), ("r", "q", "p"), ("q", "r", "p"), ("q", "p", "r")])
def test_forks_go_with_their_session_in_whatever_order_they_came(engine: Excluding, names: tuple[str, ...]) -> None:
    parents = {"p": None, "q": "p", "r": "q"}
    for name in names:
        engine.write(name, ["facts", {"parent": parents[name]}], turn("quagga"))
        engine.run()
    engine.rules = ("session:lines:p",)
    assert engine.preview("session:lines:p").sessions == 3
    engine.run(only=[])
    assert engine.search("quagga") == []
    assert found(engine) == WORDS
    check(engine)


@pytest.mark.parametrize("kind", ["subagent", "main"])
def test_forks_and_sub_agents_go_with_their_session(engine: Excluding, kind: str) -> None:
    engine.write("child", ["facts", {"parent": "a", "kind": kind}], turn("quagga"))
    engine.write("grandchild", ["facts", {"parent": "child", "kind": kind}], turn("quagga too"))
    engine.run()
    assert engine.preview("session:lines:a").sessions == 3
    engine.rules = ("session:lines:a",)
    engine.run()
    assert found(engine) == {"wombat", "ibex"}
    assert engine.search("quagga") == []
    engine.write("late", ["facts", {"parent": "grandchild"}], turn("late quagga"))
    engine.run()
    assert engine.search("quagga") == []
    check(engine)


def test_a_hidden_session_whose_file_vanishes_leaves_no_trace(engine: Excluding) -> None:
    engine.rules = ("session:lines:a",)
    engine.run()
    engine.path("zoo/a").unlink()
    engine.run()
    assert engine.count("hidden", "skips") == [0, 0]
    check(engine)


def test_the_kept_text_of_a_session_that_is_gone_can_be_hidden(engine: Excluding) -> None:
    engine.run()
    engine.path("zoo/a").unlink()
    engine.run()
    assert engine.preview("project:**/zoo") == Preview(1, 2, ("Stripes", "Salary of an ibex"))
    engine.rules = ("project:**/zoo",)
    engine.run()
    assert engine.search("zebra") == []
    assert "a.jsonl" not in engine.states()
    check(engine)


def test_a_rule_more_reads_nothing_again(engine: Excluding) -> None:
    engine.rules = ("session:lines:a",)
    engine.run()
    engine.rules = ("session:lines:a", "title:^my")
    report = engine.run()
    assert report.bytes_read == 0
    assert found(engine) == {"ibex"}


def test_a_hidden_session_stays_out_when_limits_close_and_open(engine: Excluding) -> None:
    """Its file is left out for its age, grows, and is read on once the window is wide again."""
    engine.rules = ("title:salary",)
    engine.run()
    os.utime(engine.path("c"), ns=(10**18, 10**18))
    engine.limits = Limits("recent")
    engine.run()
    with engine.path("c").open("ab") as file:
        file.write(b'["turn", {"text": "quagga"}]\n')
    os.utime(engine.path("c"), ns=(10**18, 10**18))
    engine.run()
    engine.limits = Limits("everything")
    engine.run()
    assert engine.search("quagga") == []
    check(engine)


# ---- all or nothing ----


def test_excluding_is_one_transaction(engine: Excluding, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails in its midst leaves the index as it was, and the next run does it all."""
    engine.run()
    before = engine.contents()
    engine.rules = ("**/zoo", "title:salary")

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(keeping_out, "hide", fail)
    with pytest.raises(KeyboardInterrupt):
        engine.run()
    assert engine.contents() == before
    assert set(engine.states().values()) == {("ok", None)}
    monkeypatch.undo()
    engine.run(only=[])
    assert found(engine) == set()
    check(engine)


RULE_SETS = st.lists(st.sets(st.sampled_from(sorted(EVERY_KIND))), min_size=1, max_size=4)


@settings(max_examples=20)
@given(RULE_SETS)
def test_however_rules_come_and_go_the_index_is_that_of_the_last(
    tmp_path_factory: pytest.TempPathFactory, sets: list[set[str]]
) -> None:
    engine = Excluding(tmp_path_factory.mktemp("engine"))
    fill(engine)
    for rules in sets:
        engine.rules = tuple(rule.format(root=engine.root) for rule in sorted(rules))
        engine.run()
        check(engine)
        assert found(engine) == WORDS.difference(*(EVERY_KIND[rule] for rule in rules))
    assert engine.contents() == engine.fresh().contents()
