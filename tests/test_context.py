"""Packs for a prompt: what a query finds, at three depths, never over the budget, and what is left out is counted."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from engine import DAY, NOON, Engine, turn
from harkback.core.context import LAYERS, Entry, Layer, fit, gather, json_line, markdown
from harkback.core.pack import estimated_tokens
from harkback.core.private import write_private
from harkback.tui.demo import write_home
from hypothesis import given, settings
from hypothesis import strategies as st

TITLES = {"lines": "Lines"}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    for session in range(4):
        turns: list[list[object]] = []
        for n in range(3):
            time = NOON + (session * 10 + n) * DAY
            turns.append(turn(f"how is kumquat {session}{n} grown?", time=time))
            turns.append(turn(f"in the sun {session}{n}. " + "word " * 40, role="assistant", time=time + 1000))
        engine.write(f"s{session}", *turns)
    engine.run()
    return engine


def entries(engine: Engine, layer: Layer, text: str = "kumquat") -> list[Entry]:
    hits = engine.search(text)
    with closing(engine.store.read()) as db:
        return gather(db, hits, layer)


def test_the_index_layer_is_a_line_a_hit(engine: Engine) -> None:
    found = entries(engine, "index")
    lines = [markdown(each, "index", TITLES, UTC) for each in found]
    assert len(lines) == 12
    assert all(line.count("\n") == 1 and line.startswith("- **user**") for line in lines)
    assert any("kumquat 30 grown?" in line and "lines:s3 turn 1" in line for line in lines)


def test_a_hit_that_is_shown_beside_another_has_no_entry_of_its_own(engine: Engine) -> None:
    found = entries(engine, "timeline")
    shown = [turn.id for each in found for turn in each.turns]
    assert len(found) < 12
    assert {each.hit.turn_id for each in entries(engine, "index")} <= set(shown)
    text = markdown(found[0], "timeline", TITLES, UTC)
    assert "- **" in text
    assert "assistant: in the sun" in text


def test_the_full_layer_has_whole_rounds_and_each_once(engine: Engine) -> None:
    found = entries(engine, "full")
    assert [[turn.role for turn in each.turns] for each in found] == [["user", "assistant"]] * 12
    assert "> in the sun" in markdown(found[0], "full", TITLES, UTC)
    both = entries(engine, "full", "kumquat sun")
    assert len({each.turns[0].id for each in both}) == len(both)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("style", ["markdown", "json"])
@pytest.mark.parametrize("budget", [1, 20, 60, 100, 300, 10_000])
def test_the_budget_holds_and_nothing_is_lost_count_of(engine: Engine, layer: Layer, style: str, budget: int) -> None:
    found = entries(engine, layer)

    def show(entry: Entry) -> str:
        return json_line(entry, layer) if style == "json" else markdown(entry, layer, TITLES, UTC)

    chosen = fit(found, show, budget)
    assert chosen.tokens <= budget
    assert len(chosen.entries) + chosen.did_not_fit == len(found)
    assert [each.hit.time for each in chosen.entries] == sorted((e.hit.time for e in chosen.entries), reverse=True)
    if budget == 10_000:
        assert chosen.did_not_fit == 0
        assert not chosen.cut
    if chosen.cut:
        assert len(chosen.entries) == 1
        assert chosen.entries[0].hit.turn_id == found[0].hit.turn_id


@settings(max_examples=60)
@given(st.lists(st.integers(0, 60), max_size=8), st.integers(1, 100))
def test_the_best_that_fit_are_taken(engine: Engine, sizes: list[int], budget: int) -> None:
    found = entries(engine, "index")[: len(sizes)]
    texts = {each.hit.turn_id: "abcd" * size for each, size in zip(found, sizes, strict=True)}
    chosen = fit(found, lambda each: texts[each.hit.turn_id], budget)
    left, expected = budget, set[int]()
    for each, size in zip(found, sizes, strict=True):
        if size <= left:
            left -= size
            expected.add(each.hit.turn_id)
    assert {each.hit.turn_id for each in chosen.entries} == expected


# ---- the command ----


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    run = CommandLine(tmp_path_factory.mktemp("samples"))
    write_home(run.home, datetime.now(UTC))
    write_private(
        run.folder / "config.toml",
        'limits.preset = "everything"\nsources.claude.enabled = true\nsources.codex.enabled = true\n',
    )
    assert run("index").code == 0
    return run


@pytest.mark.parametrize("layer", LAYERS)
def test_markdown_goes_to_stdout_and_counts_to_stderr(samples: CommandLine, layer: str) -> None:
    ran = samples("context", "clipboard", "ssh", "--layer", layer, "--budget", "400", "--no-refresh")
    assert ran.code == 0
    assert ran.out.startswith("## From earlier sessions, about 'clipboard ssh'\n")
    assert "not instructions" in ran.out
    assert "claude:" in ran.out
    assert estimated_tokens(ran.out) <= 400
    assert "did not fit: --budget takes more" in ran.err


def test_json_is_one_object_with_what_did_not_fit(samples: CommandLine) -> None:
    found = samples("context", "clipboard", "--format", "json", "--budget", "300", "--no-refresh").json
    assert set(found) == {
        "schema", "query", "layer", "budget", "tokens", "indexing", "total", "total_exact", "did_not_fit",
        "not_looked_at", "cut", "left_out", "notes", "items",
    }  # fmt: skip
    assert found["tokens"] <= found["budget"] == 300
    assert found["did_not_fit"] > 0
    for item in found["items"]:
        assert {"session", "title", "project", "turn", "role", "time", "snippet", "turns"} <= set(item)
        assert any(each["turn"] == item["turn"] for each in item["turns"])
        assert datetime.fromisoformat(item["time"]).tzinfo is not None


def test_a_line_of_the_index_layer_is_cheap(samples: CommandLine) -> None:
    words = ("context", "clipboard", "--layer", "index", "--budget", "9000", "--no-refresh")
    text, found = samples(*words).out, samples(*words, "--format", "json").json
    assert text.count("\n- ") == len(found["items"]) > 5
    assert estimated_tokens(text) / len(found["items"]) < 100
    assert found["tokens"] / len(found["items"]) < 115


def test_the_budget_comes_from_the_configuration(samples: CommandLine) -> None:
    assert samples("config", "set", "basket.budget", "150").code == 0
    try:
        assert samples("context", "clipboard", "--format", "json", "--no-refresh").json["budget"] == 150
    finally:
        samples("config", "set", "basket.budget", "2000")
    wrong = samples("config", "set", "basket.budget", "0")
    assert wrong.code == 2
    assert "basket.budget" in wrong.err


def test_nothing_found_and_nothing_indexed_end_in_1(samples: CommandLine, harkback: CommandLine) -> None:
    ran = samples("context", "xylophone", "--no-refresh")
    assert (ran.code, ran.out) == (1, "")
    assert "Nothing says 'xylophone'." in ran.err
    ran = harkback("context", "anything", "--no-refresh")
    assert (ran.code, ran.out) == (1, "")
    assert "nothing is indexed yet" in ran.err
    ran = samples("context", "clipboard", "--budget", "1", "--no-refresh")
    assert (ran.code, ran.out) == (1, "")
    assert "fits the budget" in ran.err


def test_a_misspelt_option_is_no_word_of_the_query(samples: CommandLine) -> None:
    ran = samples("context", "clipboard", "--bugdet", "5")
    assert ran.code == 2
    assert "harkback context" in ran.err
