"""`harkback hook install`: what it shows is what it writes, what was there is kept, and the hooks then work."""

from __future__ import annotations

import json
import stat
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from harkback.core.lock import exclusive
from harkback.core.private import write_private
from harkback.tui.hook_files import Refused, read_settings, replace_settings
from harkback.tui.hook_settings import AGENTS
from test_hook import ANSWER, PROMPT, TICKED, place, said
from test_planted_secrets import Secrets

SETTINGS = '{\n    // my own\n    "model": "opus",\n    "hooks": {\n        "Stop": [],\n    },\n}\n'


@pytest.fixture
def settings(harkback: CommandLine) -> Path:
    path = harkback.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS, "utf-8")
    path.chmod(0o640)
    return path


def backups(harkback: CommandLine) -> list[Path]:
    return sorted((harkback.folder / "backups").iterdir())


def test_hooks_are_shown_then_written_once_and_taken_out_to_the_byte(harkback: CommandLine, settings: Path) -> None:
    ran = harkback("hook", "install", "claude", "--yes")
    assert ran.code == 0
    written = settings.read_text("utf-8")
    added = [line for line in written.splitlines() if line not in SETTINGS.splitlines()]
    assert added
    assert all(f"+{line}" in ran.out.splitlines() for line in added)
    assert str(settings) in ran.out
    assert "// my own" in written
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    (backup,) = backups(harkback)
    assert backup.read_text("utf-8") == SETTINGS
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert str(backup) in ran.err

    again = harkback("hook", "install", "claude", "--yes")
    assert (again.code, again.out) == (0, "")
    assert settings.read_text("utf-8") == written

    assert harkback("hook", "install", "claude", "--remove", "--yes").code == 0
    assert settings.read_text("utf-8") == SETTINGS
    assert harkback("hook", "install", "claude", "--remove", "--yes").code == 1
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_what_is_written_works_in_a_shell(harkback: CommandLine, settings: Path) -> None:
    said(harkback.home, "one", "Why is the clipboard empty over ssh?", ANSWER)
    write_private(harkback.folder / "config.toml", TICKED)
    place(harkback).reconcile()
    settings.unlink()
    assert harkback.anew("hook", "install", "claude", "--yes").code == 0
    hooks = json.loads(settings.read_text("utf-8"))["hooks"]
    assert list(hooks) == ["SessionStart", "UserPromptSubmit", "SessionEnd"]
    ((group,),) = [hooks["UserPromptSubmit"]]
    (hook,) = group["hooks"]
    assert hook["type"] == "command"
    given = json.dumps({"session_id": "x", "cwd": str(harkback.home / "src/web"), "prompt": PROMPT}).encode()
    environ = {name: value for name, value in harkback.environ.items() if name not in ("HARKBACK_HOME", "PATH")}
    with exclusive(harkback.folder / "index.lock"):
        done = subprocess.run(
            ["/bin/sh", "-c", hook["command"]], env=environ, input=given, capture_output=True, cwd=harkback.home
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert ANSWER in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


def test_nothing_is_written_without_a_yes(harkback: CommandLine, settings: Path) -> None:
    ran = harkback("hook", "install", "claude")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert settings.read_text("utf-8") == SETTINGS
    assert not (harkback.folder / "backups").exists()


@pytest.mark.parametrize("content", [b"{", b'{"hooks": []}', b"\xff{}", b'{"hooks": {}, "hooks": {}}'])
def test_a_file_that_is_not_understood_is_left_alone(harkback: CommandLine, settings: Path, content: bytes) -> None:
    settings.write_bytes(content)
    for words in ((), ("--remove",)):
        ran = harkback("hook", "install", "claude", "--yes", *words)
        if content == b'{"hooks": []}' and words:
            assert ran.code == 1, "there is nothing to take out"
        else:
            assert ran.code == 3
            assert str(settings) in ran.err
        assert settings.read_bytes() == content
    assert harkback("hook", "status").code == 0


def test_an_agent_that_is_not_there_gets_no_settings(harkback: CommandLine) -> None:
    ran = harkback("hook", "install", "codex", "--yes")
    assert ran.code == 3
    assert not (harkback.home / ".codex").exists()


def test_no_key_of_the_settings_is_shown(harkback: CommandLine, settings: Path) -> None:
    secrets = Secrets()
    token = secrets.new("settings")
    settings.write_text(json.dumps({"env": {"TOKEN": "x"}, "apiKeyHelper": token}, indent=1))
    ran = harkback("hook", "install", "claude", "--yes")
    assert ran.code == 0
    assert "[redacted:" in ran.out, "the line that holds it gets a comma"
    assert not secrets.found_in((ran.out + ran.err).encode())
    assert token in settings.read_text("utf-8")


def test_a_link_to_the_settings_stays_one_and_so_does_a_byte_order_mark(harkback: CommandLine, settings: Path) -> None:
    real = harkback.home / "dotfiles.json"
    real.write_bytes(b"\xef\xbb\xbf" + SETTINGS.encode())
    settings.unlink()
    settings.symlink_to(real)
    assert harkback("hook", "install", "claude", "--yes").code == 0
    assert settings.is_symlink()
    assert real.read_bytes().startswith(b"\xef\xbb\xbf{")
    assert harkback("hook", "install", "claude", "--remove", "--yes").code == 0
    assert real.read_bytes() == b"\xef\xbb\xbf" + SETTINGS.encode()


def test_settings_that_the_agent_changes_meanwhile_are_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    old = read_settings(path)
    path.write_text('{"changed": 1}')
    with pytest.raises(Refused, match="changed meanwhile"):
        replace_settings(old, "{}", tmp_path / "backups", datetime(2026, 1, 1))  # noqa: DTZ001, a naive time is local
    assert path.read_text() == '{"changed": 1}'
    assert {each.name for each in tmp_path.iterdir()} == {"backups", "home", "settings.json"}


def test_every_agent_can_have_hooks_and_status_tells_which_have(harkback: CommandLine) -> None:
    for of in AGENTS.values():
        of.settings(harkback.home, {}).parent.mkdir()
        assert harkback("hook", "install", of.name, "--yes").code == 0
        data = json.loads(of.settings(harkback.home, {}).read_text("utf-8"))
        assert list(data) == ["hooks"]
        assert list(data["hooks"]) == list(of.events)
    gemini = AGENTS["gemini"].settings(harkback.home, {})
    gemini.write_text(gemini.read_text("utf-8").replace(" hook ", " --home /else hook "), "utf-8")
    AGENTS["qwen"].settings(harkback.home, {}).unlink()
    rows: list[dict[str, Any]] = harkback("hook", "status", "--json").json["agents"]
    assert {row["agent"]: row["state"] for row in rows} == {
        "claude": "installed",
        "codex": "installed",
        "gemini": "differs",
        "qwen": "absent",
    }
    shown = harkback("hook", "status").out
    assert "claude  Claude Code  installed" in shown
    assert "~/.codex/hooks.json" in shown
