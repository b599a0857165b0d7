"""How well the right turn is found: recall and rank on labelled questions, one table.

    python tests/bench/quality.py [DATA] [--model FOLDER]

DATA holds `locomo_dev.json` and `cmrc2018_dev.json` (neither is ours to ship); without it only our own questions in
`tests/corpus/relevance/` are asked. With a model folder, meaning is searched as well as words.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harkback.core import config
from harkback.core.embedder import open_embedder
from harkback.core.embedding import Embedding
from harkback.core.meaning import Meaning
from harkback.core.query import parse
from harkback.core.search import Search
from harkback.tui.surroundings import Surroundings

OWN = Path(__file__).parents[1] / "corpus" / "relevance"


@dataclass(frozen=True)
class Question:
    """What is asked, and the turns that answer it."""

    kind: str
    text: str
    gold: frozenset[tuple[str, int]]
    """(session, turn)"""
    now: datetime


@dataclass(frozen=True)
class Set:
    """Sessions that are searched together, and what is asked of them."""

    name: str
    sessions: dict[str, list[tuple[str, str, datetime]]]
    """By name: (role, text, time) of each turn."""
    questions: list[Question]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", nargs="?", type=Path)
    options.add_argument("--model", type=Path)
    options.add_argument("--every", type=int, default=1, help="ask only one of so many questions of each set")
    options.add_argument("--only", default="", help="only sets whose name begins so")
    options.add_argument("--misses", type=int, default=0, help="show so many questions whose answer was not found")
    given = options.parse_args()
    sets = [*own(OWN)]
    if given.data:
        sets += [*locomo(given.data / "locomo_dev.json"), *cmrc(given.data / "cmrc2018_dev.json")]
    results: dict[str, list[Result]] = defaultdict(list)
    for each in sets:
        if not each.name.startswith(given.only):
            continue
        each = replace(each, questions=each.questions[:: given.every])
        with tempfile.TemporaryDirectory(prefix="harkback-bench-") as folder:
            for question, found in ask(each, Path(folder), given.model):
                results[each.name].append(found)
                results[f"{each.name}: {question.kind}"].append(found)
                if not 0 < found.first <= 10 and given.misses > 0:
                    given.misses -= 1
                    print(f"  missed [{question.kind}] {question.text}  gold {sorted(question.gold)}", file=sys.stderr)
    print(f"{'':34}{'asked':>6}{'R@1':>7}{'R@5':>7}{'R@10':>7}{'MRR':>7}{'sess@5':>8}{'ms p50':>8}{'p95':>6}")
    for name, found in results.items():
        times = sorted(each.ms for each in found)
        shares = [100 * mean(each.recall(k) for each in found) for k in (1, 5, 10)]
        rank = mean(1 / each.first if each.first else 0 for each in found)
        session = 100 * mean(each.session_in_five for each in found)
        print(
            f"{name:34}{len(found):>6}{shares[0]:>7.1f}{shares[1]:>7.1f}{shares[2]:>7.1f}{rank:>7.3f}{session:>8.1f}"
            f"{times[len(times) // 2]:>8.1f}{times[len(times) * 95 // 100]:>6.0f}"
        )


@dataclass(frozen=True)
class Result:
    """Where the answers of one question were found."""

    places: tuple[int, ...]
    """The rank of each turn of the answer, from 1; 0: not found."""
    session_in_five: bool
    ms: float

    @property
    def first(self) -> int:
        return min((place for place in self.places if place), default=0)

    def recall(self, k: int) -> float:
        return sum(0 < place <= k for place in self.places) / len(self.places)


def ask(of: Set, folder: Path, model: Path | None) -> Iterator[tuple[Question, Result]]:
    home = folder / "home"
    write(of.sessions, home / ".claude" / "projects" / "-bench")
    place = Surroundings(folder=folder / "index", home=home, environ={})
    config.change(place.folder, {"sources.claude.enabled": True, "limits.preset": "everything"})
    place.reconcile()
    meaning = embed(place, model) if model else None
    with closing(place.store.read()) as db:
        search = Search(db, meaning)
        for question in of.questions:
            began = time.perf_counter()
            query = parse(question.text, question.now)
            found = search.best(query)
            if meaning and meaning.trouble:
                sys.exit(f"--model: {meaning.trouble}")
            hits = search.hits(found.query, found.ranked[:50])
            ms = 1000 * (time.perf_counter() - began)
            order = [(hit.session.native_id, hit.number or 0) for hit in hits]
            sessions = list(dict.fromkeys(session for session, _ in order))[:5]
            places = tuple(order.index(gold) + 1 if gold in order else 0 for gold in sorted(question.gold))
            yield question, Result(places, any(session in sessions for session, _ in question.gold), ms)


def embed(place: Surroundings, model: Path) -> Meaning:
    """Give every chunk its vector, as indexing does when meaning is on."""
    semantic = config.Semantic(enabled=True, model_path=str(model.absolute()))
    embedder = open_embedder(semantic, place.folder)
    work = Embedding(place.store, embedder)
    began = time.perf_counter()
    total = work.begin().total
    while work.step():
        pass
    print(f"  {total:,} chunks embedded in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return Meaning(semantic, place.folder, lambda *_: embedder)


def write(sessions: dict[str, list[tuple[str, str, datetime]]], folder: Path) -> None:
    """The sessions as a store of Claude Code."""
    folder.mkdir(parents=True)
    for name, turns in sessions.items():
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            parent = None
            for number, (role, text, when) in enumerate(turns, 1):
                content = text if role == "user" else [{"type": "text", "text": text}]
                row = {
                    "type": role, "uuid": f"{name}-{number}", "parentUuid": parent, "sessionId": name,
                    "timestamp": when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"), "cwd": "/bench",
                    "message": {"role": role, "content": content, "id": f"m-{name}-{number}"},
                }  # fmt: skip
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                parent = row["uuid"]


def locomo(path: Path) -> Iterator[Set]:
    """One set a conversation; questions of categories 1 to 4."""
    kinds = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
    for one in json.loads(path.read_text("utf-8")):
        talk: dict[str, Any] = one["conversation"]
        sessions: dict[str, list[tuple[str, str, datetime]]] = {}
        last = datetime(2020, 1, 1, tzinfo=UTC)
        places: dict[str, tuple[str, int]] = {}
        for number in range(1, 100):
            turns = talk.get(f"session_{number}")
            if not turns:
                continue
            when = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            name = f"s{number}"
            sessions[name] = []
            for at, turn in enumerate(turns):
                role = "user" if turn["speaker"] == talk["speaker_a"] else "assistant"
                sessions[name].append((role, f"{turn['speaker']}: {turn['text']}", when + timedelta(seconds=at)))
                places[turn["dia_id"]] = name, at + 1
            last = max(last, when)
        questions = [
            Question(kinds[each["category"]], each["question"], gold, last)
            for each in one["qa"]
            if each["category"] in kinds
            and (gold := frozenset(places[p] for p in re.findall(r"D\d+:\d+", str(each["evidence"])) if p in places))
        ]
        yield Set("locomo", sessions, questions)


def cmrc(path: Path) -> Iterator[Set]:
    """Every passage a session of one turn."""
    sessions: dict[str, list[tuple[str, str, datetime]]] = {}
    questions: list[Question] = []
    when = datetime(2026, 1, 1, tzinfo=UTC)
    for number, (passage, asked) in enumerate(_passages(json.loads(path.read_text("utf-8")))):
        name = f"p{number}"
        sessions[name] = [("user", passage, when)]
        questions += [Question("passage", text, frozenset({(name, 1)}), when) for text in asked]
    yield Set("cmrc", sessions, questions)


def _passages(data: Any) -> Iterator[tuple[str, list[str]]]:
    for article in data["data"] if isinstance(data, dict) else data:
        for paragraph in article.get("paragraphs", [article]):
            yield paragraph.get("context") or paragraph["context_text"], [qa["question"] for qa in paragraph["qas"]]


def own(folder: Path) -> Iterator[Set]:
    """Our own sessions and questions: `sessions.json` and `questions.json` say what they hold."""
    if not folder.is_dir():
        return
    sessions = {
        name: [(role, text, datetime.fromisoformat(when)) for role, text, when in turns]
        for name, turns in json.loads((folder / "sessions.json").read_text("utf-8")).items()
    }
    asked = json.loads((folder / "questions.json").read_text("utf-8"))
    now = datetime.fromisoformat(asked["now"])
    questions = [
        Question(kind, text, frozenset((session, turn) for session, turn in gold), now)
        for kind, each in asked["questions"].items()
        for text, gold in each
    ]
    yield Set("own", sessions, questions)


def mean(values: Iterable[float]) -> float:
    numbers: Sequence[float] = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


if __name__ == "__main__":
    main()
