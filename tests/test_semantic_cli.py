"""Search by meaning as a person and an agent have it: turned on, indexed, asked, broken, turned off."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Ran
from harkback.core import config as configuration
from harkback.core.fetch_model import is_installed
from harkback.core.lock import Busy
from harkback.core.worker import ASK, TYPING, Done, Event, Learning, Worker
from harkback.tui.asked import Answer, Request
from harkback.tui.asking import Asking, Cancelled
from harkback.tui.demo import write_home
from harkback.tui.embed import SpareEmbedding, embed_all
from harkback.tui.status_bar import Status, status_line
from semantic_program import Surroundings, open_hashed_words

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PROGRAM = Path(__file__).with_name("semantic_program.py")
PATIENCE = 60


class Meaningful(CommandLine):
    """harkback with the tests' own model."""

    program = Path(sys.executable)
    ready_from = "semantic_program"

    def anew(self, *words: str | bytes, typed: str = "", **environ: str) -> Ran:
        return super().anew(os.fspath(PROGRAM), *words, typed=typed, **environ)


@pytest.fixture
def samples(tmp_path: Path) -> Meaningful:
    """The sample sessions, indexed; meaning is on and what there is is embedded."""
    line = Meaningful(tmp_path / "home")
    write_home(line.home, NOW)
    for name in ("sources.claude", "sources.codex", "semantic"):
        configuration.change(line.folder, {f"{name}.enabled": True})
    assert line("index").code == 0
    return line


def test_index_embeds_what_there_is_and_says_so(samples: Meaningful) -> None:
    again = samples("index")
    assert again.code == 0
    state = samples("status", "--json").json["semantic"]
    assert state["enabled"] is True
    assert "meaning: " in again.err
    assert "chunks embedded" in again.err


def test_json_says_how_each_hit_was_found(samples: Meaningful) -> None:
    found = samples("search", "clipboard tmux", "--json", "--explain").json
    assert (found["schema"], found["mode"]) == (1, "hybrid")
    arms = {tuple(hit["arms"]) for hit in found["hits"]}
    assert ("lexical", "semantic") in arms
    first = found["hits"][0]["explain"]
    assert 0 < first["cosine"] <= 1
    assert first["words"] + first["meaning"] == pytest.approx(found["hits"][0]["score"], abs=0.01)
    for hit in found["hits"]:
        if hit["arms"] == ["semantic"]:
            assert hit["spans"] == []


def test_the_mode_can_be_chosen(samples: Meaningful) -> None:
    wanted = ("lexical", "hybrid", "semantic")
    modes = {mode: samples("search", "clipboard", "--mode", mode, "--json").json for mode in wanted}
    assert {mode: found["mode"] for mode, found in modes.items()} == {mode: mode for mode in modes}
    assert all(hit["arms"] == ["lexical"] for hit in modes["lexical"]["hits"])
    assert all("semantic" in hit["arms"] for hit in modes["semantic"]["hits"])
    assert samples("search", '"clipboard"', "--json").json["mode"] == "lexical"
    assert samples("search", '"clipboard"', "--mode", "hybrid", "--json").json["mode"] == "hybrid"
    assert samples("search", "clipboard", "--sort", "recent", "--json").json["mode"] == "lexical"


def test_people_are_told_what_was_found_by_meaning_and_why(samples: Meaningful) -> None:
    shown = samples("search", "clipboard", "--explain")
    assert "by words +" in shown.out
    assert "cosine" in shown.out


def test_a_model_that_does_not_work_leaves_words_and_a_sentence(samples: Meaningful) -> None:
    configuration.change(samples.folder, {"semantic.model_path": "broken"})
    found = samples("search", "clipboard", "--json")
    assert found.code == 0
    assert found.json["mode"] == "lexical"
    assert found.json["notes"] == ["by words alone: broken can't be loaded: it is no model"]
    ran = samples("index")
    assert ran.code == 0
    assert "nothing was embedded: broken can't be loaded" in ran.err


def test_another_model_waits_until_everything_is_made_anew(samples: Meaningful) -> None:
    configuration.change(samples.folder, {"semantic.model_path": "2"})
    found = samples("search", "clipboard", "--json").json
    assert found["mode"] == "lexical"
    assert "another model" in found["notes"][0]
    samples("index")
    assert samples("search", "clipboard", "--json").json["mode"] == "hybrid"


def test_status_names_what_is_wrong(samples: Meaningful) -> None:
    said = samples("status")
    assert "meaning     words alone are searched: " in said.out
    assert "its files are not here yet" in said.out
    configuration.change(samples.folder, {"semantic.enabled": False})
    assert "meaning     off" in samples("status").out
    assert samples("status", "--json").json["semantic"]["enabled"] is False


# ---- turning it on ----


def test_turning_it_on_asks_before_anything_is_fetched(harkback: CommandLine) -> None:
    ran = harkback("config", "set", "semantic.enabled", "true")
    assert ran.code in (2, 3)
    if is_installed():
        assert "24 MB from huggingface.co" in ran.err
        assert "--yes" in ran.err
    else:
        assert "pip install 'harkback[semantic]'" in ran.err
    assert harkback("config", "get", "semantic.enabled").out == "false\n"


def test_a_folder_that_is_no_model_is_refused(harkback: CommandLine, tmp_path: Path) -> None:
    if not is_installed():
        pytest.skip("nothing is looked at before the extra is there")
    configuration.change(harkback.folder, {"semantic.model_path": str(tmp_path)})
    ran = harkback("config", "set", "semantic.enabled", "true")
    assert ran.code == 3
    assert "lacks config.json" in ran.err
    assert harkback("config", "get", "semantic.enabled").out == "false\n"


def test_a_model_that_can_not_be_fetched_changes_nothing(harkback: CommandLine) -> None:
    if not is_installed():
        pytest.skip("nothing is fetched before the extra is there")
    offline = {"HF_ENDPOINT": "http://127.0.0.1:9"}
    ran = harkback("config", "set", "semantic.enabled", "true", "--yes", **offline)
    assert ran.code == 3
    assert "could not be fetched" in ran.err
    assert harkback("config", "get", "semantic.enabled").out == "false\n"
    assert not list(harkback.folder.glob("models/*"))


def test_words_that_are_no_setting_of_it_are_refused_as_ever(harkback: CommandLine) -> None:
    assert harkback("config", "set", "semantic.model", "huge").code == 2
    assert harkback("config", "set", "semantic.enabled", "perhaps").code == 2


HEAVY = ("numpy", "fastembed", "onnxruntime", "tokenizers", "huggingface_hub")


@pytest.mark.parametrize("command", [("search", "clipboard"), ("index",), ("status",), ("config", "get")])
def test_while_it_is_off_nothing_of_it_is_loaded(tmp_path: Path, command: tuple[str, ...]) -> None:
    line = CommandLine(tmp_path / "home")
    write_home(line.home, NOW)
    configuration.change(line.folder, {"sources.claude.enabled": True})
    code = f"""
import sys
from harkback.tui.cli import main
sys.argv = ["harkback", *{command!r}]
try:
    main()
finally:
    print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)
"""
    environ = line.environ | {"PYTHONPATH": ""}
    ran = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=60)
    assert ran.stderr.endswith("[]\n"), ran.stderr


# ---- the app's child ----


class Child:
    """A live child with the tests' own model, and what it says."""

    def __init__(self, place: Surroundings) -> None:
        self._said: queue.Queue[Event] = queue.Queue()
        self.ended = threading.Event()
        environ = place.worker_environ()
        self.worker = Worker(place.worker_command(live=True), self._said.put, environ, self.ended.set)

    def next(self, kind: type[Any]) -> Any:
        while not isinstance(event := self._said.get(timeout=PATIENCE), kind):
            pass
        return event

    def close(self) -> None:
        self.worker.cancel()
        assert self.ended.wait(PATIENCE)


@pytest.fixture
def place(tmp_path: Path) -> Surroundings:
    home = tmp_path / "person"
    write_home(home, NOW)
    folder = home / ".harkback"
    configuration.change(folder, {"sources.claude.enabled": True, "semantic.enabled": True})
    return Surroundings(folder, home, {}, open_embedder=open_hashed_words)


def test_the_child_embeds_after_its_pass_and_tells_how_far_it_is(place: Surroundings) -> None:
    child = Child(place)
    assert child.next(Done).report.turns > 0
    events = [child.next(Learning)]
    while not events[-1].is_last:
        events.append(child.next(Learning))
    assert events[-1].done == events[-1].total > 0
    assert [each.done for each in events] == sorted(each.done for each in events)
    child.close()


def test_a_child_without_a_model_says_why_and_goes_on_reading(place: Surroundings) -> None:
    configuration.change(place.folder, {"semantic.model_path": "broken"})
    child = Child(place)
    child.next(Done)
    assert child.next(Learning).trouble == "broken can't be loaded: it is no model"
    child.worker.ask()
    child.next(Done)
    child.close()


LISTENING = """
from harkback.core.worker import _watch_input
said = []
_watch_input(lambda: said.append("stop"), lambda: said.append("ask"), lambda: said.append("typing"))
print(*said)
"""


@pytest.mark.parametrize(
    ("written", "heard"), [(b"", "stop"), (ASK, "ask stop"), (TYPING, "typing stop"), (TYPING + ASK, "typing ask stop")]
)
def test_asking_typing_and_leaving_are_told_apart(written: bytes, heard: str) -> None:
    ran = subprocess.run([sys.executable, "-c", LISTENING], input=written, capture_output=True, timeout=60)
    assert ran.stdout.decode().strip() == heard


def test_told_to_wait_it_embeds_nothing_and_then_goes_on(place: Surroundings) -> None:
    place.reconcile()
    spare = SpareEmbedding(place)
    waiting = spare(lambda: True)
    assert waiting
    assert (waiting.done, waiting.is_last) == (0, False)
    with pytest.raises(Busy):  # nobody else does the same work meanwhile
        embed_all(place, lambda _: None)
    told = spare(lambda: False)
    while told and not told.is_last:
        told = spare(lambda: False)
    assert told
    assert told.done == waiting.total
    assert spare(lambda: False) is None
    assert embed_all(place, lambda _: None)


# ---- the app ----


def asked(place: Surroundings, text: str, **options: Any) -> list[Answer]:
    answers: list[Answer] = []
    Asking(place, Request(text, **options)).run(answers.append)
    return answers


def test_the_app_answers_by_words_first_and_asks_for_meaning_when_nobody_types_on(place: Surroundings) -> None:
    place.reconcile()
    assert [answer.how for answer in asked(place, "clipboard")] == ["words", "words"]
    assert embed_all(place, lambda _: None)
    answers = asked(place, "clipboard")
    assert [answer.how for answer in answers] == ["words", "words + meaning"]
    assert answers[1].note == ""
    assert [answer.how for answer in asked(place, "clipboard", mode="lexical")] == ["words"]
    assert [answer.how for answer in asked(place, "clipboard", mode="semantic")] == ["meaning"]
    given: list[Answer] = []
    asking = Asking(place, Request("clipboard"))

    def types_on(answer: Answer) -> None:
        given.append(answer)
        asking.cancel()

    with pytest.raises(Cancelled):
        asking.run(types_on)
    assert [answer.how for answer in given] == ["words"]


def test_the_status_line_says_why_there_is_no_meaning_and_how_far_embedding_is(place: Surroundings) -> None:
    configuration.change(place.folder, {"semantic.model_path": "broken"})
    place.reconcile()
    answer = asked(place, "clipboard")[-1]
    assert answer.items
    assert "no search by meaning: broken can't be loaded: it is no model" in status_line(Status(answer), 200).plain
    assert status_line(Status(answer, meaning="meaning: 12 of 80"), 200).plain.endswith("meaning: 12 of 80 ")
