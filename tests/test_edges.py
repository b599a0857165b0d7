"""Hostile text in every field of every record comes out harmless at every edge: printed, as JSON, over MCP, copied,
written to files, and on a terminal."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import shlex
import subprocess
from contextlib import closing
from dataclasses import fields
from typing import Any

import apsw
import pytest
from command_line import CommandLine, Ran
from engine import Engine, Lines
from harkback.core import model, pack
from harkback.core.clean import clean
from harkback.core.history import recent_rows, session_at, whole
from harkback.core.lock import exclusive
from harkback.core.private import write_private
from harkback.core.store import Store
from harkback.core.tool_answers import as_json
from harkback.tui.output import note, print_json, say
from harkback.tui.resume import Resume
from hostile import OWN, assert_harmless, vectors, without_styles
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_agent import serving

CONFIG = 'limits.preset = "everything"\nsources.claude = {enabled = true, tools = true}\n'
FEW_WORDS = {"role", "kind", "quality", "reason"}
"""Fields that hold one of a few words."""
TEXTS = st.one_of(
    st.lists(st.sampled_from([*OWN, *"\x1b[]();0m\x07\u202e\u200b é密\n"]), max_size=6).map("".join),
    st.text(max_size=50),
)


def planted(session: str, hostile: str) -> list[list[Any]]:
    """Each kind of record with hostile text in each of its fields, ids among them."""

    def filled(kind: str, record: type, **given: Any) -> list[Any]:
        texts = {
            each.name: f"zebra{session.split()[0]}{given.get('role', '')} zebra {each.name} {hostile} end"
            for each in fields(record)
            if "str" in str(each.type) and each.name not in FEW_WORDS | given.keys()
        }
        return [kind, texts | given]

    return [
        filled("facts", model.SessionRecord, session=session, title_rank=3, leaf=None, parent=None),
        *(
            filled("turn", model.TurnRecord, session=session, role=role, order=order, parent_id=None)
            for order, role in enumerate(("user", "assistant", "tool"))
        ),
        filled("title", model.TitleRecord, title_rank=4),
        filled("skip", model.SkipRecord, reason="not-json"),
    ]


def store_of(home: CommandLine) -> Engine:
    """An engine whose store of lines stands where Claude Code's does, and whose index is the command line's."""
    engine = Engine(home.home.parent / "engine", adapters=(Lines(name="claude"),))
    engine.home = home.home
    engine.root = home.home / ".claude"
    engine.root.mkdir(parents=True, exist_ok=True)
    engine.store = Store(home.folder)
    write_private(home.folder / "config.toml", CONFIG)
    return engine


def file_name(text: str) -> str:
    """As much of a text as a file can be named."""
    cut = text.replace("/", "|").replace("\0", "|").encode("utf-8", "replace")[:120]
    return cut.decode("utf-8", "ignore")


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A home whose index holds every vector in every field, and in names of files."""
    home = CommandLine(tmp_path_factory.mktemp("edges") / "home")
    engine = store_of(home)
    for number, vector in enumerate(vectors()):
        text = vector.encode("utf-8", "replace").decode()
        engine.write(f"{number} {file_name(text)}", *planted(f"{number} {text}", text))
        engine.write(f"broken {number} {file_name(text)}", ["fail", text])
    engine.run()
    return home


def keys(home: CommandLine, most: int) -> list[str]:
    with closing(Store(home.folder).read()) as db:
        found = [session_at(db, row) for row in recent_rows(db)]
    return [session.key for session in found if session][:most]


def assert_edges_hold(ran: Ran, words: object) -> None:
    assert_harmless(ran.out, words)
    assert_harmless(ran.err, words)


def test_every_vector_is_in_every_field_of_the_index(edges: CommandLine) -> None:
    assert len(keys(edges, 1_000)) == len(vectors())
    found = edges("search", "zebra", "--no-refresh", "--limit", "1000", "--json").json
    assert found["total"] == 3 * len(vectors())
    for field in ("title", "project", "branch", "model"):
        assert sum("zebra" in (hit[field] or "") for hit in found["hits"]) == found["total"], field
    assert {hit["role"] for hit in found["hits"]} == {"user", "assistant", "tool"}


@pytest.mark.parametrize(
    "words",
    [
        ["search", "zebra", "--no-refresh", "--limit", "1000"],
        ["search", "zebra", "--no-refresh", "--limit", "1000", "--group", "session", "--explain"],
        ["search", "zebra", "--no-refresh", "--limit", "1000", "--json", "--explain"],
        ["context", "zebra", "--no-refresh", "--budget", "100000"],
        ["context", "zebra", "--no-refresh", "--budget", "100000", "--layer", "timeline"],
        ["context", "zebra", "--no-refresh", "--budget", "100000", "--layer", "index"],
        ["context", "zebra", "--no-refresh", "--budget", "100000", "--format", "json"],
        ["memory", "search", "zebra", "--no-refresh", "--json"],
        ["status"],
        ["status", "--json"],
        ["sources"],
        ["sources", "--json"],
        ["doctor"],
        ["doctor", "--json"],
        ["exclude", "test", "title:zebra"],
        ["forget", "--source", "claude"],
        ["why", "~/.claude"],
        ["config", "get"],
    ],
    ids=lambda words: " ".join(words),
)
def test_what_commands_print_is_harmless(edges: CommandLine, words: list[str]) -> None:
    ran = edges(*words)
    assert ran.out or ran.err
    assert_edges_hold(ran, words)
    if "--json" in words:
        assert ran.out.isascii()


def test_sessions_and_files_of_hostile_names_are_shown_and_explained_harmlessly(edges: CommandLine) -> None:
    for key in keys(edges, 500)[::60]:
        if "\0" in key:
            continue
        for words in (["show", key], ["show", key, "--json"], ["why", key], ["resume", key, "--print"]):
            assert_edges_hold(edges(*words), words)
    for path in sorted((edges.home / ".claude").iterdir())[::90]:
        assert_edges_hold(edges("why", str(path)), path)
        assert_edges_hold(edges("why", str(path), "--json"), path)


def test_what_is_typed_is_given_back_harmlessly(edges: CommandLine) -> None:
    everything = "x" + "".join(each for each in OWN if "\0" not in each and "\ud800" not in each)
    for words in (
        ["search", everything, "--no-refresh"],
        ["search", everything, "--no-refresh", "--json"],
        ["search", "--limit", everything],
        ["show", everything],
        ["memory", "get", everything],
        ["config", "get", everything],
        ["config", "set", "interface.theme", everything],
        ["sources", "enable", everything],
        ["exclude", "add", f"title:({everything}"],
        ["why", f"/{everything}"],
        [everything],
        [f"--{everything}"],
    ):
        ran = edges(*words)
        assert ran.out or ran.err
        assert_edges_hold(ran, words)


def test_on_a_terminal_only_our_own_styles_are_added(edges: CommandLine) -> None:
    for words in (["search", "zebra", "--no-refresh", "--limit", "1000"], ["show", keys(edges, 5)[-1]], ["status"]):
        master, slave = pty.openpty()
        child = subprocess.Popen(
            [edges.program, *words], env=edges.environ | {"TERM": "xterm"}, stdin=slave, stdout=slave, stderr=slave
        )
        os.close(slave)
        shown = read_all(master)
        assert child.wait() == 0
        assert "zebra" in shown or words == ["status"]
        assert_harmless(without_styles(shown.replace("\r\n", "\n")), words)


def read_all(master: int) -> str:
    """All that a terminal is sent until its program ends."""
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:
            part = b""
        if not part:
            os.close(master)
            return b"".join(parts).decode("utf-8", "surrogateescape")
        parts.append(part)


def test_agents_are_sent_nothing_but_ascii_and_read_nothing_hostile(edges: CommandLine) -> None:
    write_private(edges.folder / "config.toml", CONFIG)
    with serving(edges) as agent, exclusive(edges.folder / "index.lock"):  # so that the index stays as it is
        for tool, arguments in {
            "sessions_search": {"query": "zebra", "limit": 25},
            "sessions_list": {"limit": 200, "messages": 2},
            "timeline": {"query": "zebra"},
            "context": {"query": "zebra", "budget": 6_000},
            "memory_search": {"query": "zebra"},
        }.items():
            for offset in range(0, 500, 100) if "limit" in arguments else [None]:
                given = arguments if offset is None else arguments | {"offset": offset}
                text, is_error = agent.text(tool, given)
                assert not is_error, text
                assert_harmless(text, tool)
        for key in keys(edges, 500)[::12]:
            text, is_error = agent.text("sessions_history", {"session": key})
            assert not is_error, text
            assert_harmless(text, key)
            for turn in json.loads(text)["turns"]:
                assert_harmless(turn["text"], key)
        for hostile in OWN[::3]:
            text, is_error = agent.text("sessions_history", {"session": f"x{hostile}"})
            assert is_error
            assert_harmless(text, hostile)
    for line in agent.lines:
        assert line.isascii()
        assert_harmless(line)


def test_prompts_are_harmless_in_every_style(edges: CommandLine) -> None:
    titles = {"claude": "Claude Code"}
    with closing(Store(edges.folder).read()) as db:
        sessions = [session for row in recent_rows(db) if (session := session_at(db, row))]
        pieces = [pack.Piece(session, whole(db, session.key).turns) for session in sessions]
    for style in pack.STYLES:
        shown = pack.pack(pieces, style, titles).text
        # What is copied and written is cleaned as a whole: ids are kept as they are until then.
        assert_harmless(clean(shown), style)
        if style == "json":
            json.loads(clean(shown))


def poison(home: CommandLine) -> None:
    """Have hostile text in an index as it is, as if something had got past the way in."""
    engine = store_of(home)
    engine.write("s", *planted("s", "text"))
    engine.run()
    hostile = "zebra " + "".join(each for each in OWN if "\ud800" not in each and "\0" not in each)
    with apsw.Connection(str(engine.store.path)) as db:
        for table, column in (
            *((table, name) for table in ("sessions", "facts") for name in ("title", "project", "branch", "model")),
            ("sessions", "agent"),
            ("sessions", "about"),
            ("sessions", "native_id"),
            ("turns", "text"),
            ("turns", "cite"),
            ("skips", "reason"),
            ("skips", "example"),
        ):
            db.execute(f"UPDATE {table} SET {column} = ?", (hostile,))  # noqa: S608
        db.execute("UPDATE chunks SET start = 0, stop = ?", (len(hostile),))
        db.execute("INSERT OR REPLACE INTO runs VALUES ('claude', 1, ?)", (hostile,))


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A home with such an index."""
    home = CommandLine(tmp_path_factory.mktemp("poisoned") / "home")
    poison(home)
    return home


@pytest.mark.parametrize(
    "words",
    [
        ["search", "zebra", "--no-refresh", "--explain"],
        ["search", "zebra", "--no-refresh", "--json"],
        ["context", "zebra", "--no-refresh", "--budget", "100000"],
        ["context", "zebra", "--no-refresh", "--budget", "100000", "--layer", "timeline"],
        ["context", "zebra", "--no-refresh", "--budget", "100000", "--layer", "index"],
        ["context", "zebra", "--no-refresh", "--budget", "100000", "--format", "json"],
        ["show", "z"],
        ["show", "claude:zebra", "--json"],
        ["why", "claude:zebra"],
        ["why", "claude:zebra", "--json"],
        ["resume", "claude:zebra", "--print"],
        ["status"],
        ["status", "--json"],
        ["sources"],
        ["sources", "--json"],
        ["forget", "--source", "claude"],
    ],
    ids=lambda words: " ".join(words),
)
def test_even_what_got_into_the_index_as_it_is_does_not_get_out(poisoned: CommandLine, words: list[str]) -> None:
    ran = poisoned(*words)
    assert "zebra" in ran.out + ran.err or words[0] in ("status", "forget"), ran
    assert_edges_hold(ran, words)


def test_nor_to_agents(poisoned: CommandLine) -> None:
    with serving(poisoned) as agent, exclusive(poisoned.folder / "index.lock"):
        for tool, arguments in {
            "sessions_search": {"query": "zebra"},
            "sessions_list": {"messages": 2},
            "sessions_history": {"session": "zebra"},
            "timeline": {"query": "zebra"},
            "context": {"query": "zebra"},
        }.items():
            text, is_error = agent.text(tool, arguments)
            assert not is_error, text
            assert_harmless(text, tool)
            assert "zebra" in text
            for said in texts_in(json.loads(text)):
                assert_harmless(said, tool)


def texts_in(answer: Any) -> list[str]:
    """What of an answer is said or named, ids apart, which are given as they are."""
    if isinstance(answer, list):
        return [text for each in answer for text in texts_in(each)]
    if isinstance(answer, dict):
        given = {key: each for key, each in answer.items() if key not in ("session", "about") or isinstance(each, dict)}
        return [text for each in given.values() for text in texts_in(each)]
    return [answer] if isinstance(answer, str) else []


# ---- any text ----


@settings(max_examples=100)
@given(text=TEXTS)
def test_what_is_said_noted_or_given_as_json_is_harmless(text: str) -> None:
    for print_it in (say, note, lambda each: print_json({"x": each, each: 1})):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            print_it(text)
        assert_harmless(shown.getvalue())
    assert_harmless(as_json({"x": text, text: [text]}))
    assert json.loads(as_json({"x": text})) == {"x": text}


@settings(max_examples=100)
@given(parts=st.lists(TEXTS.filter(lambda text: "\0" not in text), min_size=1, max_size=4), folder=TEXTS)
def test_a_command_for_a_shell_is_the_same_words_again(parts: list[str], folder: str) -> None:
    folder = folder.replace("\0", "").replace("\n", "")
    line = Resume(tuple(parts), folder or None).shell()
    words = shlex.split(line)
    assert words == [*(["cd", folder, "&&"] if folder else []), *parts]


@settings(max_examples=15)
@given(text=TEXTS)
def test_whatever_is_in_a_field_the_index_gives_it_back_harmless(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    home = CommandLine(tmp_path_factory.mktemp("any") / "home")
    engine = store_of(home)
    engine.write("s", *planted("s", text.encode("utf-8", "replace").decode()))
    engine.run()
    for hit in engine.search("zebra"):
        for shown in (hit.excerpt.text, hit.session.title, hit.session.project, hit.session.branch, hit.session.model):
            assert_harmless(shown or "")
    with closing(engine.store.read()) as db:
        for turn in whole(db, "claude:s").turns:
            assert_harmless(turn.text)
            assert_harmless(turn.cite or "")
        for (example,) in db.rows("SELECT example FROM skips"):
            assert_harmless(example)
