"""Whatever a command or an agent names, no file is opened for it but harkback's own: text comes from the index."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from harkback.core.config import change
from harkback.core.private import write_private
from harkback.tui.surroundings import Surroundings
from mcp_agent import Agent, serving

TICKED = 'limits.preset = "everything"\nsources.claude.enabled = true\nsources.memory.enabled = true\n'
NOTES = ".claude/projects/-src/memory/MEMORY.md"
CANARY = "canary" + "outside"
WATCHED = """
import json, os, sys
from importlib import import_module
from harkback.adapters import ADAPTERS
from harkback.tui import cli, mcp, mcp_tools, refresh
list(ADAPTERS)
for name in cli.COMMANDS:
    import_module(f"harkback.tui.{name}")
import harkback.core.salvage, importlib.metadata, tomlkit, encodings.idna
importlib.metadata.version("harkback")
opened, own = set(), sys.argv.pop(1)

def look(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and not isinstance(arguments[0], int):
        opened.add(os.path.abspath(os.fsdecode(arguments[0])))

sys.addaudithook(look)
commands = json.loads(sys.argv.pop(1))
for words in commands:
    sys.argv = ["harkback", *words]
    try:
        cli.main()
    except SystemExit:
        pass
allowed = (own, *sys.path[1:], sys.prefix, sys.base_prefix, "/dev/null", "/usr", "/etc/localtime")
sys.stderr.write("OPENED " + json.dumps(sorted(each for each in opened if not each.startswith(allowed))))
"""


def names(home: Path) -> list[str]:
    """What an attacker may name in place of a session, a memory file or a path of a store."""
    target = home / "private" / "notes.md"
    return [
        "../private/notes.md",
        "../../../../../../../../etc/passwd",
        ".claude/../private/notes.md",
        str(target),
        "~/private/notes.md",
        f"~{os.environ.get('USER', 'root')}/.bashrc",
        f"file://{target}",
        f"memory:{target}",
        f"claude:{target}",
        "claude:../../private/notes",
        "..\\..\\private\\notes.md",
        "%2e%2e/%2e%2e/private/notes.md",
        f"{target}#L1-L3",
        f"{target} ",
        f"{target}.",
        f"{home}/.claude/link.md",
        f"{home}/.claude/linked/notes.md",
        f"{home}/.claude/projects/-src/memory/linked.md",
        f"{home}/.claude/CLAUDE.md/../../private/notes.md",
        f"{home}/.claude/CLAUDE.md/",
        "/proc/self/environ",
        "/proc/self/fd/0",
        "/dev/stdin",
        "/dev/tty",
        "CON",
        "NUL",
        "-",
        "*",
        "?",
        "~",
        "",
        "a" * 5_000,
        "\u202e/etc/passwd",
    ]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def said(home: CommandLine, session: str, text: str, project: str = "/src") -> Path:
    record = {
        "type": "user",
        "uuid": session,
        "sessionId": session,
        "cwd": project,
        "timestamp": "2026-11-03T08:00:00Z",
        "message": {"role": "user", "content": text},
    }
    return write(home.home / ".claude" / "projects" / "-src" / f"{session}.jsonl", json.dumps(record) + "\n")


@pytest.fixture
def home(harkback: CommandLine) -> CommandLine:
    """A home with a session, a memory file, and a file outside that links in the store lead to."""
    said(harkback, "a", "a zebra")
    write(harkback.home / ".claude" / "CLAUDE.md", "# Rules\n\nFeed the zebra.\n")
    write(harkback.home / NOTES, "a zebra of notes")
    write(harkback.home / "private" / "notes.md", CANARY)
    (harkback.home / ".claude" / "link.md").symlink_to(harkback.home / "private" / "notes.md")
    (harkback.home / ".claude" / "linked").symlink_to(harkback.home / "private")
    (harkback.home / NOTES).with_name("linked.md").symlink_to(harkback.home / "private" / "notes.md")
    (harkback.home / ".claude" / "projects" / "-src" / "b.jsonl").symlink_to(harkback.home / "private" / "notes.md")
    write_private(harkback.folder / "config.toml", TICKED)
    index(harkback)
    return harkback


def index(home: CommandLine) -> None:
    Surroundings(home.folder, home.home, {}, working_folder=home.home).reconcile()


def watched(home: CommandLine, commands: list[list[str]], typed: bytes = b"") -> tuple[list[str], str]:
    """What is opened or listed besides harkback's own folder while commands run, and all they print."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", WATCHED, str(home.folder), json.dumps(commands)],
        env=home.environ,
        cwd=home.home,
        input=typed,
        capture_output=True,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    err, _, opened = err.rpartition("OPENED ")
    return json.loads(opened), out + err


def test_the_watch_sees_what_is_opened(home: CommandLine) -> None:
    opened, _ = watched(home, [["index"]])
    assert f"{home.home}/.claude/projects" in opened


def test_memory_get_and_show_open_nothing(home: CommandLine) -> None:
    commands = [
        [*command, *option, "--", name]
        for name in names(home.home)
        for command in (["memory", "get"], ["show"])
        for option in ([], ["--json"])
    ]
    opened, printed = watched(home, commands)
    assert opened == []
    assert CANARY not in printed
    assert "root:" not in printed
    assert "zebra" not in printed


def test_what_is_there_is_given_without_opening_it(home: CommandLine) -> None:
    commands = [["memory", "get", "~/.claude/CLAUDE.md"], ["show", "claude:a"], ["resume", "a", "--print"]]
    opened, printed = watched(home, commands)
    assert opened == []
    assert "Feed the zebra." in printed
    assert "a zebra" in printed


def test_why_opens_and_lists_what_it_does_for_any_name(home: CommandLine) -> None:
    """It looks up where sources are read, whatever it is asked, and lists places of sources alone."""
    usual, _ = watched(
        home, [["why", "nothing"], ["why", f"{home.home}/.claude/x"], ["why", f"{home.home}/.claude/link.md"]]
    )
    opened, printed = watched(
        home, [["why", *option, "--", name] for name in names(home.home) for option in ([], ["--json"])]
    )
    assert set(opened) - set(usual) == set()
    assert not [path for path in opened if "private" in path]
    assert CANARY not in printed


def test_agents_are_given_nothing_else_and_nothing_is_opened_for_them(home: CommandLine) -> None:
    """Whatever is read is read by bringing the index up to date: the same as for a question that names nothing."""

    def asked(named: list[str]) -> bytes:
        calls = [
            {"id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {argument: name}}}
            for name in named
            for tool, argument in (("memory_get", "path"), ("sessions_history", "session"), ("timeline", "session"))
        ]
        return b"".join(json.dumps(call).encode() + b"\n" for call in calls)

    usual, _ = watched(home, [["mcp"]], asked(["nothing of this name"]))
    opened, printed = watched(home, [["mcp"]], asked([*names(home.home), "x\0/etc/passwd", "\ud800", "a\nb"]))
    assert set(opened) - set(usual) == set()
    assert CANARY not in printed
    assert "root:" not in printed
    answers = [json.loads(line)["result"] for line in printed.splitlines() if line.startswith("{")]
    assert len(answers) == 3 * (len(names(home.home)) + 3)
    assert all(answer["isError"] for answer in answers)
    said_of_it = {answer["content"][0]["text"] for answer in answers}
    assert len([text for text in said_of_it if "not available" in text]) == 1


def test_a_file_that_was_swapped_for_a_link_is_given_as_it_was_or_not_at_all(home: CommandLine) -> None:
    for path, command in (
        (home.home / NOTES, ["memory", "get", f"~/{NOTES}"]),
        (home.home / ".claude" / "projects" / "-src" / "a.jsonl", ["show", "claude:a"]),
    ):
        path.unlink()
        path.symlink_to(home.home / "private" / "notes.md")
        assert "zebra" in home(*command).out
        index(home)
        assert CANARY not in home(*command).out
    assert CANARY.encode() not in b"".join(path.read_bytes() for path in home.folder.iterdir() if path.is_file())


def test_what_changed_since_is_given_as_it_was_indexed(home: CommandLine) -> None:
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write(home.home / ".claude" / "CLAUDE.md", f"# Rules\n\nNow {secret}\n")
    assert home("memory", "get", "~/.claude/CLAUDE.md").out == "# Rules\n\nFeed the zebra.\n"
    index(home)
    assert home("memory", "get", "~/.claude/CLAUDE.md").out == "# Rules\n\nNow [redacted:github-token]\n"
    with serving(home) as agent:
        assert "[redacted:" in agent.call("memory_get", path="~/.claude/CLAUDE.md")["text"]


def test_show_says_the_same_of_what_was_forgotten_excluded_unticked_or_never_there(home: CommandLine) -> None:
    said(home, "gone", "a gnu")
    said(home, "hidden", "an emu", "/secret")
    index(home)
    assert home("show", "claude:gone").code == home("show", "claude:hidden").code == 0
    assert home("forget", "--session", "claude:gone", "--yes").code == 0
    change(home.folder, {"exclude.patterns": ["project:/secret"]})  # the index has not followed yet

    def refusal(key: str) -> tuple[int, str]:
        ran = home("show", key)
        assert ran.out == ""
        return ran.code, re.sub(r"'.*'", "KEY", ran.err)

    said_of = {refusal(key) for key in ("claude:gone", "claude:hidden", "claude:never", "codex:x", "gone", "hidden")}
    change(home.folder, {"sources.claude.enabled": False})
    said_of.add(refusal("claude:a"))
    assert said_of == {(1, "harkback: there is no session KEY in the index\n")}


def test_lines_and_lengths_out_of_range_are_brought_within(home: CommandLine) -> None:
    with serving(home) as agent:
        assert lines(agent, first=-5, lines=10**30) == (1, 3)
        assert lines(agent, first=10**30) == (3, 3)
        assert lines(agent, first=2, lines=-1) == (2, 2)
        assert lines(agent, first=0, lines=0) == (1, 1)


def lines(agent: Agent, **given: Any) -> tuple[int, int]:
    got = agent.call("memory_get", path="~/.claude/CLAUDE.md", **given)
    return got["first"], got["last"]
