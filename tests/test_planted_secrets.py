"""A secret in every text that a source can report is in no byte of the index, of what lies beside it, or of what is
printed: not in eight characters of it."""

from __future__ import annotations

import json
import random
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from engine import Engine, Lines, turn
from harkback.core import config, model
from harkback.core.store import Store

IDS = {"session", "native_id", "parent_id", "parent", "leaf", "turn_id"}
"""By these a store's records refer to each other: they stay as they are."""


class Secrets:
    """Makes a new one each time, of a kind that says what it is, and remembers them."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}
        self._rng = random.Random(5)

    def new(self, where: str) -> str:
        letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
        made = self._rng.choice(("ghp_", "glpat-", "sk-ant-api03-", "hf_")) + "".join(self._rng.choices(letters, k=36))
        self.made[where] = made
        return made

    def found_in(self, content: bytes) -> dict[str, str]:
        """Where the secrets were that are there in eight characters or more, with those."""
        windows = {}
        for where, secret in self.made.items():
            rest = secret[secret.index("-" if "-" in secret else "_") + 1 :]
            for at in range(len(rest) - 7):
                window = rest[at : at + 8]
                if not window.startswith("api03-") and window.encode() in content:
                    windows[where] = window
        return windows


def planted(secrets: Secrets) -> list[list[Any]]:
    """Each kind of record with a secret in each of its texts."""

    def filled(kind: str, record: type, **given: Any) -> list[Any]:
        role = given.get("role", "")
        texts = {
            each.name: f"zebra {secrets.new(f'{kind} {role} {each.name}')} end"
            for each in fields(record)
            if "str" in str(each.type) and each.name not in IDS | given.keys() | {"role", "kind", "quality"}
        }
        return [kind, texts | given]

    return [
        filled("facts", model.SessionRecord, title_rank=4),
        *(
            filled("turn", model.TurnRecord, role=role, native_id=f"t{place}", order=place)
            for place, role in enumerate(("user", "assistant", "tool", "memory"))
        ),
        [
            "turn",
            {"role": "user", "text": f"the password is {secrets.new('more')[:-20]}", "native_id": "m", "order": 8},
        ],
        ["turn", {"role": "user", "text": "and more of it", "native_id": "m", "order": 9, "more": True}],
        filled("title", model.TitleRecord, turn_id="t0", title_rank=9),
        filled("skip", model.SkipRecord),
    ]


@pytest.fixture
def secrets() -> Secrets:
    return Secrets()


@pytest.fixture
def run(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


def test_every_text_of_every_record_is_planted(secrets: Secrets) -> None:
    planted(secrets)
    texts = {
        f"{kind} {each.name}"
        for kind, record in (
            ("facts", model.SessionRecord),
            ("turn", model.TurnRecord),
            ("title", model.TitleRecord),
            ("skip", model.SkipRecord),
        )
        for each in fields(record)
        if "str" in str(each.type) and each.name not in IDS | {"role", "kind", "quality"}
    }
    assert {f"{where.split()[0]} {where.split()[-1]}" for where in secrets.made} - {"more more"} == texts


def test_no_eight_characters_of_a_secret_are_in_the_index_or_in_what_is_printed(
    secrets: Secrets, run: CommandLine, tmp_path: Path
) -> None:
    engine = Engine(tmp_path / "engine", adapters=(Lines(name="claude"),))
    engine.root = engine.home / ".claude"
    engine.root.mkdir(parents=True)
    engine.store = Store(run.folder)
    engine.write("s", *planted(secrets))
    engine.write(f"named {secrets.new('file name')}", ["skip", {"reason": "not-json", "example": "line 1"}])
    engine.run()
    engine.append("s", turn(f"later zebra {secrets.new('later')}"))
    engine.run()
    config.change(run.folder, {"sources.claude.enabled": True})

    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert any(path.name == "index.db" for path in files)
    for path in files:
        found = secrets.found_in(path.read_bytes())
        found.pop("file name", None)  # a file is found again by its name
        assert found == {}, path.name

    shown = ""
    for words in (
        ["search", "zebra", "--no-refresh", "--json"],
        ["search", "zebra", "--no-refresh", "--limit", "50"],
        ["search", secrets.made["later"], "--no-refresh", "--json"],
        ["show", "claude:s", "--json"],
        ["show", "claude:s"],
        ["status", "--json"],
        ["status"],
        ["why", "claude:s"],
        ["why", str(engine.path("s"))],
        ["why", str(engine.root)],
        ["doctor", "--json"],
        ["sources", "--json"],
    ):
        ran = run(*words)
        printed = ran.out + ran.err
        asked = secrets.made["later"] if words[1:2] == [secrets.made["later"]] else ""
        assert secrets.found_in(printed.replace(asked or "\0", "").encode()) == {}, words
        shown += printed
    assert "[redacted:" in shown
    masked = json.loads(run("status", "--json").out)["redacted"]
    assert sum(masked.values()) >= len(secrets.made) - 1


def test_a_secret_is_found_where_there_is_one(secrets: Secrets) -> None:
    made = secrets.new("here")
    assert list(secrets.found_in(f"x {made[-8:]} y".encode())) == ["here"]
    assert secrets.found_in(b"nothing") == {}
