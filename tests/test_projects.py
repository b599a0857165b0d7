"""Files that agents keep in the folders that people work in: found by the sessions held there, no folder walked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from engine import NOON, Engine, Lines, check, line, turn
from harkback.core import projects
from harkback.core.config import Config, SourceConfig
from harkback.core.model import Adapter, SkipRecord
from harkback.core.watch import Glance
from harkback.core.why_path import WhyPath


@dataclass(frozen=True)
class Notes(Lines):
    """Keeps a file NOTES.jsonl in every project."""

    name: str = "notes"

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        if root.is_file():
            yield root

    def project_roots(self, project: Path) -> list[Path]:
        return [project / "NOTES.jsonl"]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "engine", (Lines(), Notes()))
    yield engine
    check(engine)


def project(engine: Engine, name: str, *records: object) -> Path:
    folder = engine.place / name
    folder.mkdir(exist_ok=True)
    (folder / "NOTES.jsonl").write_bytes(b"".join(map(line, records)))
    return folder


def test_files_in_projects_are_found_in_the_pass_that_finds_the_sessions(engine: Engine) -> None:
    folder = project(engine, "web", turn("zebra"))
    project(engine, "never-worked-in", turn("okapi"))
    engine.write("a", ["facts", {"project": str(folder)}], turn("one"))
    engine.write("b", ["facts", {"project": "relative"}], turn("two"))
    engine.write("c", ["facts", {"project": str(folder / "gone")}], turn("three"))
    report = engine.run()
    assert (report.seen, report.read) == (4, 4)
    assert engine.places("zebra") == [("NOTES", 1)]
    assert engine.places("okapi") == []
    assert engine.run().unchanged == 4
    (folder / "NOTES.jsonl").write_bytes(line(turn("quokka")))
    engine.run()
    assert (engine.places("zebra"), engine.places("quokka")) == ([], [("NOTES", 1)])


def test_a_file_that_goes_from_its_project_is_gone_and_one_whose_project_goes_is_kept(engine: Engine) -> None:
    for name in ("web", "app"):
        folder = project(engine, name, ["turn", {"session": name, "text": f"zebra of {name}"}])
        engine.write(f"{name}-s", ["facts", {"project": str(folder)}], turn("one"))
    engine.run()
    (engine.place / "web" / "NOTES.jsonl").unlink()
    (engine.place / "app").rename(engine.place / "away")
    engine.run()
    assert {hit.session.native_id: hit.session.gone_at_source for hit in engine.search("zebra")} == {
        "web": True,
        "app": False,
    }


def test_only_the_last_used_projects_are_looked_into(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, "MOST", 2)
    for day, name in enumerate("abc"):
        folder = project(engine, f"p-{name}", ["turn", {"session": name, "text": f"zebra {name}"}])
        engine.write(name, ["facts", {"project": str(folder)}], turn("one", time=NOON + day * 86_400_000))
    engine.run()
    assert sorted(name for name, _ in engine.places("zebra")) == ["b", "c"]


def test_an_unticked_source_reads_none_and_why_tells_the_rest(engine: Engine) -> None:
    folder = project(engine, "web", turn("zebra"))
    engine.write("a", ["facts", {"project": str(folder)}], turn("one"))
    engine.ticked = ("lines",)
    engine.run()
    assert engine.places("zebra") == []
    path = str(folder / "NOTES.jsonl")

    def why() -> str:
        db = engine.store.read()
        try:
            return WhyPath(engine.adapters, engine.config, engine.home, {}).answer(db, path).state
        finally:
            db.close()

    assert why() == "outside"
    engine.ticked = ("lines", "notes")
    assert why() == "not-yet"
    engine.run()
    assert why() == "indexed"


def test_a_glance_sees_files_and_small_folders_change(tmp_path: Path) -> None:
    glance, file, folder = Glance(), tmp_path / "a", tmp_path / ".rules"
    assert glance.changes([file, folder]) == set()
    file.write_text("one")
    assert glance.changes([file, folder]) == {str(file)}
    assert glance.changes([file, folder]) == set()
    folder.mkdir()
    (folder / "b").touch()
    assert glance.changes([file, folder]) == {str(folder), str(folder / "b")}
    (folder / "b").write_text("more")
    assert glance.changes([file, folder]) == {str(folder / "b")}
    file.unlink()
    assert glance.changes([file, folder]) == {str(file)}


# ---- tool calls ----


@dataclass(frozen=True)
class Tools(Lines):
    """Reads turns of tools only where it is told to."""

    tools: bool = False

    def with_tools(self) -> Adapter:
        return replace(self, tools=True, version=self.version + 1_000)

    def read(self, path: Path, since: object) -> Iterator[object]:  # type: ignore[override]
        for record in super().read(path, since):  # type: ignore[arg-type]
            if self.tools or getattr(record, "role", "") != "tool":
                yield record


def test_tool_calls_are_read_where_that_is_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(tmp_path / "engine", (Tools(),))
    engine.write("a", turn("zebra"), turn("ls\n\nzebra.txt", role="tool"), turn("zebra", role="assistant"))
    engine.run()
    assert engine.texts("a") == ["zebra", "zebra"]
    plain = Engine.config
    monkeypatch.setattr(
        Engine, "config", property(lambda self: Config(sources={"lines": SourceConfig(True, (), True)}))
    )
    engine.run()
    assert engine.texts("a") == ["zebra", "ls\n\nzebra.txt", "zebra"]
    hits = engine.search("zebra")
    assert [hit.role for hit in hits][-1] == "tool"
    assert engine.places("zebra role:tool") == [("a", 2)]
    assert engine.run().read == 0
    monkeypatch.setattr(Engine, "config", plain)
    engine.run()
    assert engine.texts("a") == ["zebra", "zebra"]
    check(engine)
