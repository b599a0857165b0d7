"""A home with the stores of all agents in it, and a broken store of each kind beside: all others are read whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from engine import check
from harkback.adapters import ADAPTERS
from harkback.core.model import ToolReading
from samples import NAMES, SQLITE, Everything, Sample, environ_of

GARBAGE = {".jsonl": b"\xff\0{{{ no line of JSON\n" * 60, ".json": b'{"cut": ["sh', "": b"\x1f\x8b\x08 packed\n" * 9}
"""What a file of each kind is overwritten with."""
TOOL_TURNS = "FROM turns JOIN sessions ON sessions.id = turns.session WHERE role = 'tool'"


def expected_of(samples: list[Sample]) -> dict[str, dict[str, Any]]:
    return {
        f"{sample.name}:{native_id}": session
        for sample in samples
        for native_id, session in sample.sessions.items()
        if session["turns"]
    }


def compare(have: dict[str, dict[str, Any]], want: dict[str, dict[str, Any]]) -> None:
    assert set(have) == set(want)
    for key, session in want.items():
        assert have[key]["texts"] == [text for _, text in session["turns"]], key
        for fact in ("title", "project", "branch", "model", "kind", "parent"):
            if fact in session:
                assert have[key][fact] == session[fact], (key, fact)


def broken(folder: Path) -> list[Sample]:
    """All samples once more, every file of them damaged beyond reading."""
    samples = [Sample(name, folder / name) for name in NAMES]
    for sample in samples:
        for path in sample.files:
            if path.read_bytes().startswith(SQLITE):
                sample.put(path, SQLITE + b"\xff" * 8_000)
            else:
                sample.put(path, GARBAGE.get(path.suffix, GARBAGE[""]))
    return samples


def test_all_stores_of_one_home_are_read_as_if_each_were_alone(tmp_path: Path) -> None:
    home = Everything(tmp_path)
    before = home.listing()
    report = home.run()
    compare(home.sessions(), expected_of(home.samples))
    check(home)
    assert home.listing() == before
    assert report.quarantined == 0
    assert report.errors == {}
    again = home.run()
    assert (again.read, again.bytes_read) == (0, 0)
    assert home.listing() == before


def test_a_broken_store_of_each_kind_costs_nothing_but_itself(tmp_path: Path) -> None:
    home = Everything(tmp_path)
    damaged = broken(tmp_path / "broken")
    home.also = {
        sample.name: tuple(str(root) for root in sample.adapter.roots(sample.home, sample.environ) if root.exists())
        for sample in damaged
    }
    assert all(home.also.values())
    home.run()
    compare(home.sessions(), expected_of(home.samples))
    check(home)
    lost = {row[0] for row in home.rows("SELECT source FROM files WHERE state = 'quarantined'")}
    lost |= {row[0] for row in home.rows("SELECT source FROM skips WHERE source IS NOT NULL")}
    assert set(NAMES) - lost == set(), "every broken store is counted"


def test_tools_of_every_source_are_read_where_they_are_wanted_and_go_again(tmp_path: Path) -> None:
    home = Everything(tmp_path)
    home.tools = True
    home.run()
    check(home)
    with_tools = {row[0] for row in home.rows(f"SELECT DISTINCT source {TOOL_TURNS}")}
    assert with_tools == {adapter.name for adapter in ADAPTERS if isinstance(adapter, ToolReading)} & set(NAMES)
    home.tools = False
    home.run()
    compare(home.sessions(), expected_of(home.samples))
    assert home.rows(f"SELECT source {TOOL_TURNS}") == []
    check(home)


@pytest.mark.parametrize("name", ["aider", "claude", "codex", "pi", "droid"])
def test_the_engine_reads_a_cut_store_on_to_the_same_end(name: str, tmp_path: Path) -> None:
    home = Everything(tmp_path)
    (sample,) = [sample for sample in home.samples if sample.name == name]
    home.adapters = (sample.adapter,)
    whole = {path: path.read_bytes() for path in sample.files}
    for part in (1, 2, 3, 4):
        for number, (path, content) in enumerate(whole.items()):
            sample.put(path, content[: len(content) * part // 4 + number])
        home.run()
    for path, content in whole.items():
        path.write_bytes(content)
    home.run()
    compare(home.sessions(), expected_of([sample]))
    check(home)


def test_the_command_line_reads_them_all(
    harkback: CommandLine, write_config: Callable[[str], None], tmp_path: Path
) -> None:
    samples = [Sample(name, harkback.home) for name in NAMES]
    config = '[limits]\npreset = "everything"\n'
    for sample in broken(tmp_path / "broken"):
        roots = [str(root) for root in sample.adapter.roots(sample.home, sample.environ) if root.exists()]
        config += f'[sources."{sample.name}"]\nenabled = true\nroots = {json.dumps(roots)}\n'
    write_config(config)
    want = expected_of(samples)
    done = harkback("index", "--json", **environ_of(samples))
    assert done.code == 0
    assert done.json["sessions"] == len(want)
    assert done.json["turns"] == sum(len(session["turns"]) for session in want.values())
    assert done.json["files"]["quarantined"] > len(NAMES) / 2
    assert done.json["errors"] == {}
    rows = {row["name"]: row for row in harkback("sources", "--json", **environ_of(samples)).json["sources"]}
    assert list(rows) == [adapter.name for adapter in ADAPTERS]
    for name in NAMES:
        assert rows[name]["found"]
        assert rows[name]["sessions"] == sum(key.startswith(f"{name}:") for key in want), name
        assert rows[name]["last_error"] is None


@pytest.fixture
def write_config(harkback: CommandLine) -> Callable[[str], None]:
    def write(text: str) -> None:
        harkback.folder.mkdir(parents=True)
        (harkback.folder / "config.toml").write_text(text, "utf-8")

    return write
