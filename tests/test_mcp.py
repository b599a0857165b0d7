"""`harkback mcp` as an agent meets it: a child process that speaks JSON-RPC over pipes."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from harkback.core.clean import clean
from harkback.core.config import change
from harkback.core.lock import exclusive
from harkback.core.private import write_private
from harkback.core.tool_answers import MOST_BYTES, MOST_BYTES_OF_HISTORY, SNIPPET
from harkback.core.tool_requests import MOST_HITS, TOOLS
from harkback.tui.surroundings import Surroundings
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_agent import Agent, serving

TICKED = 'limits.preset = "everything"\nsources.claude.enabled = true\nsources.memory.enabled = true\n'
PROJECT = "/src/web"


def said(harkback: CommandLine, session: str, *texts: str, project: str = PROJECT) -> Path:
    """Add to a session of Claude Code: turns of the person and of the agent in turn."""
    path = harkback.home / ".claude" / "projects" / "-src" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text("utf-8").count("\n") if path.exists() else 0
    with path.open("a", encoding="utf-8") as file:
        for number, text in enumerate(texts, before):
            role = ("user", "assistant")[number % 2]
            record = {
                "type": role,
                "uuid": f"{session}-{number}",
                "parentUuid": f"{session}-{number - 1}" if number else None,
                "sessionId": session,
                "cwd": project,
                "timestamp": f"2026-11-03T08:{number // 60:02}:{number % 60:02}Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
            file.write(json.dumps(record) + "\n")
    return path


def written(harkback: CommandLine) -> CommandLine:
    said(harkback, "a", "Why does the zebra test fail?", "Its clock is mocked.", "And the kiln?", "The kiln is cold.")
    said(harkback, "b", "Paint the zebra", "It has stripes now, zebra zebra.", project="/src/other")
    notes = harkback.home / ".claude" / "CLAUDE.md"
    notes.write_text("# Rules\n\nFeed the zebra.\n\n## Kiln\n\nNever open it hot.\n", "utf-8")
    write_private(harkback.folder / "config.toml", TICKED)
    Surroundings(harkback.folder, harkback.home, {}, working_folder=harkback.home).reconcile()
    return harkback


@pytest.fixture
def home(harkback: CommandLine) -> CommandLine:
    return written(harkback)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """A server that lives through all tests that only ask."""
    with serving(written(CommandLine(tmp_path_factory.mktemp("mcp") / "home"))) as agent:
        yield agent


# ---- the protocol ----


def test_an_agent_shakes_hands_and_is_told_of_the_tools(agent: Agent) -> None:
    hello = agent.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}})
    assert hello["protocolVersion"] == "2025-06-18"
    assert hello["capabilities"] == {"tools": {}}
    assert hello["serverInfo"]["name"] == "harkback"
    agent.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    assert agent.ask("ping") == {}
    tools = agent.ask("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == list(TOOLS)
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        assert tool["description"]
        assert "$ref" not in json.dumps(tool)
    newer = agent.ask("initialize", {"protocolVersion": "2030-01-01"})
    assert newer["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b'{"id":' + b"9" * 5_000 + b',"method":"ping"}', -32700),
        (b'{"id":NaN,"method":"ping"}', -32700),
        (b"7", -32600),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"id":null,"method":"ping"}', -32600),
        (b'{"id":true,"method":"ping"}', -32600),
        (b'{"id":1,"method":7}', -32600),
        (b'{"id":"' + b"x" * 300 + b'","method":"ping"}', -32600),
        (b'{"id":1,"method":"server/discover"}', -32601),
        (b'{"id":1,"method":"ping","params":[]}', -32602),
        (b'{"id":1,"method":"tools/call","params":{}}', -32602),
        (b'{"id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
        (b'{"id":1,"method":"tools/call","params":{"name":["ping"]}}', -32602),
        (b'{"id":1,"method":"ping","params":{"a":"' + b"x" * (1 << 20) + b'"}}', -32600),
    ],
)
def test_what_is_no_request_is_refused_and_the_next_one_answered(agent: Agent, line: bytes, code: int) -> None:
    agent.send(line)
    assert agent.receive()["error"]["code"] == code
    assert agent.ask("ping") == {}


def test_notifications_answers_and_blank_lines_are_not_answered(agent: Agent) -> None:
    agent.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    agent.send(b'{"jsonrpc":"2.0","id":5,"result":{}}')
    agent.send(b"  ")
    assert agent.ask("ping") == {}


def test_several_requests_in_one_line_are_answered_in_one(agent: Agent) -> None:
    agent.send(b'[{"id":"x","method":"ping"},{"method":"hint"},{"id":2,"method":"nothing"}]')
    answers = agent.receive()
    assert [answer["id"] for answer in answers] == ["x", 2]
    assert answers[0]["result"] == {}


def test_it_ends_with_its_input_and_leaves_nothing_on_stderr(home: CommandLine) -> None:
    with serving(home, anew=True) as agent:
        assert agent.call("sessions_search", query="zebra")["total"] == 3
        assert agent.end() == (0, b"")


def test_it_ends_quietly_when_nobody_reads_the_answers(home: CommandLine) -> None:
    with serving(home, anew=True) as agent:
        agent.ask("ping")
        assert agent.process.stdout
        assert agent.process.stderr
        agent.process.stdout.close()
        agent.send(b'{"id":1,"method":"ping"}')
        assert agent.process.wait() == 141
        assert agent.process.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_ends_it_in_a_sentence(home: CommandLine) -> None:
    with serving(home, anew=True) as agent:
        agent.ask("ping")
        agent.process.send_signal(signal.SIGINT)
        assert agent.process.wait() == 130
        assert agent.process.stderr
        assert b"Traceback" not in agent.process.stderr.read()


# ---- the tools ----


def test_sessions_search_finds_turns_and_history_reads_around_one(agent: Agent) -> None:
    found = agent.call("sessions_search", query="mocked clock")
    (hit, *_) = found["hits"]
    assert (hit["session"], hit["turn"], hit["role"], hit["project"]) == ("claude:a", 2, "assistant", PROJECT)
    assert hit["snippet"] == "Its clock is mocked."
    assert (found["indexing"], found["truncated"], found["warning"]) == (False, False, None)
    around = agent.call("sessions_history", session=hit["session"], turn=hit["turn"], beside=1)
    assert [(turn["turn"], turn["text"]) for turn in around["turns"]] == [
        (1, "Why does the zebra test fail?"),
        (2, "Its clock is mocked."),
        (3, "And the kiln?"),
    ]
    assert (around["before"], around["after"], around["total"]) == (0, 1, 4)


def test_history_pages_from_the_newest_turn_back(agent: Agent) -> None:
    newest = agent.call("sessions_history", session="claude:a", limit=3)
    assert [turn["turn"] for turn in newest["turns"]] == [2, 3, 4]
    assert (newest["has_more"], newest["next_offset"]) == (True, 3)
    last = agent.call("sessions_history", session="a", limit=3, offset=newest["next_offset"])
    assert [turn["turn"] for turn in last["turns"]] == [1]
    assert (last["has_more"], "next_offset" in last) == (False, False)
    assert "has 4 turns" in agent.refused("sessions_history", session="claude:a", turn=5)


def test_sessions_are_listed_newest_first_and_by_project(agent: Agent) -> None:
    listed = agent.call("sessions_list", messages=1)
    assert [row["session"] for row in listed["sessions"]] == ["claude:a", "claude:b"]
    assert listed["sessions"][0]["messages"][0]["text"] == "The kiln is cold."
    one = agent.call("sessions_list", limit=1)
    assert (one["total"], one["next_offset"]) == (2, 1)
    assert [row["session"] for row in agent.call("sessions_list", limit=1, offset=1)["sessions"]] == ["claude:b"]
    assert [row["session"] for row in agent.call("sessions_list", project="other")["sessions"]] == ["claude:b"]
    assert agent.call("sessions_list", source="codex")["sessions"] == []
    assert agent.call("sessions_list", active_minutes=1)["sessions"] == []
    assert [row["source"] for row in agent.call("sessions_list", kind="memory")["sessions"]] == ["memory"]


def test_memory_is_searched_apart_and_read_by_what_it_cites(agent: Agent) -> None:
    assert {hit["session"].split(":")[0] for hit in agent.call("sessions_search", query="zebra")["hits"]} == {"claude"}
    found = agent.call("memory_search", query="zebra")
    (hit,) = found["hits"]
    assert hit["cite"].endswith("/.claude/CLAUDE.md#L1-L3")
    got = agent.call("memory_get", path=hit["cite"])
    assert (got["text"], got["first"], got["last"]) == ("# Rules\n\nFeed the zebra.", 1, 3)
    some = agent.call("memory_get", path="~/.claude/CLAUDE.md", first=5, lines=1)
    assert (some["text"], some["truncated"]) == ("## Kiln", False)


def test_a_timeline_shows_what_came_before_and_after(agent: Agent) -> None:
    shown = agent.call("timeline", session="claude:a", turn=2)["turns"]
    assert [(row["turn"], row.get("anchor")) for row in shown] == [(1, None), (2, True), (3, None)]
    assert [row["turn"] for row in agent.call("timeline", query="mocked clock", before=0)["turns"]] == [2, 3]
    nothing = agent.call("timeline", query="okapi")
    assert nothing["turns"] == []
    assert "nothing was found" in nothing["warning"]
    assert "which moment" in agent.refused("timeline")


def test_context_packs_what_fits_the_budget(agent: Agent) -> None:
    packed = agent.call("context", query="kiln", budget=400)
    assert "The kiln is cold." in packed["text"]
    assert packed["tokens"] <= 400
    assert "not instructions" in packed["note"]
    small = agent.call("context", query="zebra", budget=40, layer="index")
    assert small["tokens"] <= 40
    assert small["truncated"]


# ---- arguments ----


def test_what_no_tool_can_take_is_refused_in_a_sentence(agent: Agent) -> None:
    assert "`query`" in agent.refused("sessions_search")
    assert "unknown field `sql`" in agent.refused("sessions_search", query="x", sql="1")
    assert "Expected `str`" in agent.refused("sessions_search", query=5)
    assert "the query is empty" in agent.refused("sessions_search", query=" \u200b ")
    assert "length <= 4096" in agent.refused("sessions_search", query="x" * 4097)
    text, is_error = agent.text("sessions_search", ["query"])
    assert is_error
    assert "Expected `object`" in text


def test_numbers_are_brought_within_their_limits(agent: Agent) -> None:
    assert len(agent.call("sessions_search", query="zebra", limit=0)["hits"]) == 1
    assert len(agent.call("sessions_search", query="zebra", limit=10**18)["hits"]) == 3
    assert agent.call("sessions_search", query="zebra", offset=10**18)["hits"] == []
    assert agent.call("sessions_search", query="zebra", offset=-5)["total"] == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted({field for request in TOOLS.values() for field in request.__struct_fields__})
ODD = st.text(st.characters() | st.sampled_from('\x00\x1b\u202e"*:^()-/\\.'), max_size=60)
ARGUMENTS = st.dictionaries(st.sampled_from(FIELDS), ODD | st.integers() | JSON, max_size=4) | JSON


@settings(max_examples=60)
@given(tool=st.sampled_from(sorted(TOOLS)), arguments=ARGUMENTS, query=ODD)
def test_whatever_it_is_asked_it_answers_in_bounds_and_clean(
    agent: Agent, tool: str, arguments: Any, query: str
) -> None:
    if isinstance(arguments, dict) and "query" in TOOLS[tool].__struct_fields__:
        arguments = {"query": query} | arguments
    text, is_error = agent.text(tool, arguments)
    most = MOST_BYTES_OF_HISTORY if tool == "sessions_history" else MOST_BYTES
    assert len(text.encode()) <= most
    if is_error:
        assert clean(text) == text
        assert "something went wrong inside" not in text
    else:
        assert all(character.isprintable() for character in text)
        json.loads(text)


@settings(max_examples=50)
@given(line=st.binary(max_size=80).filter(lambda line: b"\n" not in line and line.strip()))
def test_whatever_comes_in_a_line_is_answered_or_ignored(agent: Agent, line: bytes) -> None:
    agent.send(line)
    agent.send(b'{"id":"after","method":"ping"}')
    while agent.receive() != {"jsonrpc": "2.0", "id": "after", "result": {}}:
        pass


# ---- bounds ----


def test_answers_are_bounded_whatever_is_in_the_index(harkback: CommandLine) -> None:
    long = [f"zebra {number} " + '长颈鹿 "quoted" \\ ' * 900 for number in range(90)]
    said(harkback, "long", *long, project="/src/" + "deep/" * 300)
    notes = harkback.home / ".claude" / "CLAUDE.md"
    notes.write_text(
        "# Kiln\n" + "zebra " * 40_000 + "\n" + "\n".join(f"line {n} zebra" for n in range(9_000)), "utf-8"
    )
    write_private(harkback.folder / "config.toml", TICKED)
    with serving(harkback) as agent:
        hits = agent.call("sessions_search", query="zebra", limit=MOST_HITS)
        while hits["indexing"]:
            hits = agent.call("sessions_search", query="zebra", limit=MOST_HITS)
        assert 0 < len(hits["hits"]) <= MOST_HITS
        assert all(len(hit["snippet"]) <= SNIPPET for hit in hits["hits"])
        assert hits["total"] == 90
        assert hits["truncated"] == (hits.get("dropped", 0) > 0)
        second = agent.call("sessions_search", query="zebra", limit=MOST_HITS, offset=hits["next_offset"])
        assert not {hit["turn"] for hit in hits["hits"]} & {hit["turn"] for hit in second["hits"]}

        seen: list[int] = []
        page = agent.call("sessions_history", session="claude:long", limit=200)
        assert page["truncated"]
        assert page["dropped"] == 90 - len(page["turns"])
        assert all(len(turn["text"]) == 4_000 and turn["content_truncated"] for turn in page["turns"])
        while True:
            seen += [turn["turn"] for turn in reversed(page["turns"])]
            if not page["has_more"]:
                break
            page = agent.call("sessions_history", session="claude:long", limit=200, offset=page["next_offset"])
        assert seen == list(range(90, 0, -1)), "by paging every turn is had, once"

        around = agent.call("sessions_history", session="claude:long", turn=50, beside=20)
        numbers = [turn["turn"] for turn in around["turns"]]
        assert 50 in numbers
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
        whole = ""
        while len(whole) < len(long[49].strip()):
            part = agent.call("sessions_history", session="claude:long", turn=50, beside=0, text_from=len(whole))
            whole += part["turns"][0]["text"]
        assert whole == long[49].strip()

        for tool, arguments in {
            "sessions_list": {"messages": 20, "limit": 200},
            "timeline": {"query": "zebra", "before": 20, "after": 20},
            "context": {"query": "zebra", "budget": 10**9},
            "memory_search": {"query": "zebra", "limit": 25},
            "memory_get": {"path": "~/.claude/CLAUDE.md", "first": 3},
        }.items():
            answer = agent.call(tool, **arguments)
            assert len(agent.lines[-1]) > 1_000
            assert answer["warning"] is None
        got = agent.call("memory_get", path="~/.claude/CLAUDE.md", first=3)
        assert got["truncated"]
        assert agent.call("memory_get", path="~/.claude/CLAUDE.md", first=got["next_line"])["first"] == got["last"] + 1
        for line in agent.lines:
            (content,) = json.loads(line)["result"]["content"]
            assert len(content["text"].encode()) <= MOST_BYTES_OF_HISTORY
            assert (
                '"has_more"' in content["text"]
                or '"before"' in content["text"]
                or len(content["text"].encode()) <= MOST_BYTES
            )


# ---- the index ----


def test_what_was_said_a_moment_ago_is_found_by_a_running_server(home: CommandLine) -> None:
    with serving(home) as agent:
        assert agent.call("sessions_search", query="okapi")["total"] == 0
        said(home, "a", "now an okapi")
        assert agent.call("sessions_search", query="okapi")["total"] == 1


def test_it_answers_while_another_process_indexes(home: CommandLine) -> None:
    with serving(home) as agent, exclusive(home.folder / "index.lock"):
        found = agent.call("sessions_search", query="zebra")
        assert (found["total"], found["indexing"]) == (3, True)
        assert "another harkback is indexing" in found["warning"]
        assert agent.call("memory_get", path="~/.claude/CLAUDE.md")["indexing"] is True


def test_two_servers_and_a_rebuild_answer_side_by_side(home: CommandLine) -> None:
    with serving(home) as one, serving(home) as other:
        for number in range(6):
            said(home, "a", f"giraffe {number}")
            if number == 3:
                assert home("index", "--rebuild").code == 0
            totals = [each.call("sessions_search", query="zebra", limit=5)["total"] for each in (one, other)]
            assert totals == [3, 3]
        for each in (one, other):
            assert each.call("sessions_search", query="giraffe")["total"] == 6


def test_without_an_index_or_a_ticked_source_it_says_so(harkback: CommandLine) -> None:
    with serving(harkback) as agent:
        found = agent.call("sessions_search", query="zebra")
        assert found["hits"] == []
        assert "nothing is indexed yet" in found["warning"]
        assert "nothing is indexed yet" in agent.call("sessions_list")["warning"]
        unknown = agent.refused("sessions_history", session="claude:a")
        assert unknown == agent.refused("memory_get", path="~/x.md")
        assert unknown == agent.refused("timeline", session="claude:a")


def test_a_broken_configuration_is_named_until_it_is_mended(home: CommandLine) -> None:
    with serving(home) as agent:
        (home.folder / "config.toml").write_text("sources = 5\n")
        assert "config.toml" in agent.refused("sessions_search", query="zebra")
        write_private(home.folder / "config.toml", TICKED)
        assert agent.call("sessions_search", query="zebra")["total"] == 3


# ---- what is not seen ----


def test_forgotten_excluded_unticked_and_unknown_are_one_answer(home: CommandLine) -> None:
    said(home, "c", "a gnu")
    said(home, "d", "an emu", project="/src/secret")
    with serving(home) as agent:
        assert agent.call("sessions_search", query="gnu OR emu")["total"] == 2
        assert home("forget", "--session", "claude:c", "--yes").code == 0
        change(home.folder, {"exclude.patterns": ["project:/src/secret"]})
        asked = [
            agent.refused("sessions_history", session=session)
            for session in ("claude:c", "claude:d", "claude:nowhere", "codex:x", "c", "d")
        ]
        assert len(set(asked)) == 1
        assert agent.call("sessions_search", query="gnu OR emu")["total"] == 0
        change(home.folder, {"sources.claude.enabled": False})
        with exclusive(home.folder / "index.lock"):  # nobody can bring the index in line with it
            assert agent.refused("sessions_history", session="claude:a") == asked[0]
            assert agent.refused("timeline", session="claude:a") == asked[0]
            assert agent.refused("sessions_search", query="zebra", session="claude:a") == asked[0]
            assert agent.call("sessions_search", query="zebra")["total"] == 0
            assert agent.call("sessions_list")["total"] == 0
            assert agent.call("context", query="zebra")["total"] == 1, "that of the memory file"
        change(home.folder, {"sources.memory.enabled": False})
        with exclusive(home.folder / "index.lock"):
            assert agent.refused("memory_get", path="~/.claude/CLAUDE.md") == asked[0]
            assert agent.call("memory_search", query="zebra")["total"] == 0


def test_a_narrower_view_holds_for_every_tool(home: CommandLine) -> None:
    change(home.folder, {"tools.visibility": "self"})
    with serving(home, "--session", "claude:b") as agent:
        assert {hit["session"] for hit in agent.call("sessions_search", query="zebra")["hits"]} == {"claude:b"}
        assert agent.call("sessions_list")["total"] == 1
        agent.refused("sessions_history", session="claude:a")
        assert agent.call("memory_search", query="zebra")["total"] == 1
    with serving(home) as agent:
        found = agent.call("sessions_search", query="zebra")
        assert found["total"] == 0
        assert "which session asks" in found["warning"]


def test_no_query_is_written_down(home: CommandLine) -> None:
    word = "quagga" + "xylophone"
    with serving(home) as agent:
        for tool in ("sessions_search", "memory_search", "context", "timeline"):
            agent.call(tool, query=word)
    home("search", word)
    for path in home.home.rglob("*"):
        if path.is_file():
            assert word.encode() not in path.read_bytes(), path
