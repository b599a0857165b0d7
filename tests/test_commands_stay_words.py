"""What reopens a session is a list of words for any id and any folder: it runs the agent, and never anything else."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from command_line import CommandLine
from harkback.adapters import ADAPTERS
from harkback.core.model import Adapter
from harkback.core.private import write_private
from harkback.core.results import Session
from harkback.tui.resume import resume_of
from hostile import OWN
from hypothesis import example, given
from hypothesis import strategies as st

IDS = st.one_of(
    st.text(max_size=30),
    st.text("abc019._-:/@ $`;|&'\"\\\n\x00\x1b", min_size=1, max_size=20),
    st.sampled_from(OWN),
    st.from_regex(r"[A-Za-z0-9._:-]{1,140}", fullmatch=True),
    st.uuids().map(str),
)
PLAIN = re.compile(r"(?!-)[\w.:@+/ -]+", re.ASCII)


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
@given(native_id=IDS)
@example("--help")
@example("-rf")
@example("")
@example("a\n")
@example("019b0009-5a11-7c0d-9e0a-3f00d5c00009\n")
@example("x" * 5_000)
def test_an_id_is_one_plain_word_of_the_command_or_there_is_none(adapter: Adapter, native_id: str) -> None:
    command = adapter.resume(native_id)
    if command is None:
        return
    assert all(word.isprintable() and word for word in command)
    assert command[-1] in native_id, "the id is the last word, and stands alone"
    assert PLAIN.fullmatch(command[-1])
    assert len(command[-1]) <= 1_024


@given(project=st.none() | IDS | IDS.map(lambda text: "/" + text))
def test_the_folder_is_one_absolute_path_for_a_shell_or_there_is_none(project: str | None) -> None:
    session = Session("claude:a", "claude", "a", "", project, None, None, None, None, None, "main", 1, False)
    claude = next(adapter for adapter in ADAPTERS if adapter.name == "claude")
    resume = resume_of(session, claude)
    assert resume is not None
    words = shlex.split(resume.shell())
    assert words[-3:] == ["claude", "--resume", "a"]
    assert words[:-3] in ([], ["cd", project, "&&"])
    assert resume.folder is None or (resume.folder.startswith("/") and resume.folder.isprintable())


def test_a_shell_that_runs_what_is_printed_runs_the_agent_and_nothing_else(
    harkback: CommandLine, tmp_path: Path
) -> None:
    agent = tmp_path / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text('#!/bin/sh\npwd\nfor each in "$@"; do printf "%s\\n" "$each"; done\n')
    agent.chmod(0o755)
    names = [each.replace("/", "|")[:100] for each in OWN if each.isprintable()]
    for number, name in enumerate(names):
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True, exist_ok=True)
        record = {
            "type": "user",
            "uuid": f"u{number}",
            "sessionId": f"s{number}",
            "cwd": str(folder),
            "timestamp": "2026-11-03T08:00:00Z",
            "message": {"role": "user", "content": f"zebra {number}"},
        }
        path = harkback.home / ".claude" / "projects" / f"-src-{number}" / f"s{number}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(record) + "\n", "utf-8")
    write_private(harkback.folder / "config.toml", 'limits.preset = "everything"\nsources.claude.enabled = true\n')
    assert harkback("index").code == 0
    before = sorted(tmp_path.rglob("*planted*"))
    for number in range(0, len(names), 3):
        line = harkback("resume", f"claude:s{number}", "--print").out
        assert line.count("\n") == 1
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            env={"PATH": f"{agent.parent}:/usr/bin:/bin", "HOME": str(harkback.home)},
            cwd=harkback.home,
            capture_output=True,
            text=True,
        )
        folder, *words = done.stdout.splitlines()
        assert words == ["--resume", f"s{number}"], (line, done.stderr)
        assert Path(folder) in (tmp_path / "src" / names[number], tmp_path / "src")
    assert sorted(tmp_path.rglob("*planted*")) == before
