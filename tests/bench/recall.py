"""How often a hook tells an agent something with a prompt, and how often that is right: one table.

    python tests/bench/recall.py [DATA]

Questions about sessions of several projects are asked in the project that answers them and in others, where nothing
should be told; so are prompts that are about nothing in particular. DATA holds `locomo_dev.json`, each of whose chats
counts as a project; without it only our own questions in `tests/corpus/relevance/` are asked.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from harkback.core import config
from harkback.core.recall import Asking, about
from harkback.core.scope import Scope
from harkback.tui.surroundings import Surroundings
from quality import OWN, Question, Set, locomo, own, write

OTHERS = 2
"""Projects besides its own that a question is asked in."""
ANY = """
    run the tests again | commit this | yes go ahead | fix the lint errors | continue | why did that fail?
    can you explain what you changed | please push and open a PR | looks good, thanks | no, revert the last change
    add a test for it | try again with the other approach | what is the next step | update the readme and commit
    clean up the code and remove the comments | that does not work, same error as before | 继续 | 运行测试并提交
    can you check the logs and tell me what is wrong | write a summary of what we did today | テストを実行してください
    rename the variable to something better | please look at the file and fix the bug | 请修复这个错误 | 続けて
    run the build and fix whatever breaks | does this handle errors correctly? | go on with the next item on the list
    show me the diff before you commit | use the existing helper instead of a new function | 테스트를 다시 실행해줘
    I think this is still broken, please have another look | split this function into smaller ones and add type hints
    great, now do the same for the other module | please add docstrings and run ruff | deploy it to staging
    stop, that is the wrong file | which tests are failing now and why | let's move this into its own module
""".replace("\n", " | ").split(" | ")


@dataclass
class Count:
    asked: int = 0
    told: int = 0
    right: int = 0

    def line(self, name: str) -> str:
        told, right = 100 * self.told / self.asked, 100 * self.right / self.asked
        return f"{name:34}{self.asked:>7}{told:>8.1f}{right:>8.1f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", nargs="?", type=Path)
    given = options.parse_args()
    print(f"{'':34}{'asked':>7}{'told %':>8}{'right %':>8}")
    for name, of in [("own", project_sets()), *([("locomo", chats(given.data))] if given.data else [])]:
        for kind, count in asked(of).items():
            print(count.line(f"{name}: {kind}"))


def project_sets() -> Set:
    (of,) = own(OWN)
    return of


def chats(data: Path) -> Set:
    """All chats in one set, each a project."""
    sessions, questions = {}, list[Question]()
    for number, of in enumerate(locomo(data / "locomo_dev.json")):
        sessions |= {f"c{number}-{name}": turns for name, turns in of.sessions.items()}
        for each in of.questions:
            gold = frozenset((f"c{number}-{session}", turn) for session, turn in each.gold)
            questions.append(replace(each, gold=gold))
    return Set("locomo", sessions, questions)


def asked(of: Set) -> dict[str, Count]:
    counts = {"in its own project": Count(), "in another project": Count(), "about nothing": Count()}
    names = sorted({project(name) for name in of.sessions})
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="harkback-bench-") as folder:
        home = Path(folder) / "home"
        write(of.sessions, home / ".claude" / "projects" / "-bench")
        place = Surroundings(folder=Path(folder) / "index", home=home, environ={})
        config.change(place.folder, {"sources.claude.enabled": True, "limits.preset": "everything"})
        place.reconcile()
        with closing(place.store.read()) as db:
            rows = {name: frozenset[int]() for name in names}
            for row, native in db.rows("SELECT id, native_id FROM sessions"):
                rows[project(native)] |= {row}
            for kind, name, each in prompts(of, names, rng):
                hits = about(db, each.text, Scope(rows[name]), each.now, Asking())
                counts[kind].asked += 1
                counts[kind].told += bool(hits)
                counts[kind].right += any((hit.session.native_id, hit.number) in each.gold for hit in hits)
    return counts


def prompts(of: Set, names: list[str], rng: random.Random) -> Iterator[tuple[str, str, Question]]:
    for each in of.questions:
        if not each.gold:
            continue
        mine = project(min(each.gold)[0])
        yield "in its own project", mine, each
        for other in rng.sample([name for name in names if name != mine], OTHERS):
            yield "in another project", other, each
    for text in filter(None, map(str.strip, ANY)):
        for name in names:
            yield "about nothing", name, Question("any", text, frozenset(), datetime(2026, 1, 1, tzinfo=UTC))


def project(session: str) -> str:
    return session.partition("-")[0]


if __name__ == "__main__":
    main()
