"""Hooks of ours in agents' settings: put in, found again, taken out, and everything else as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.core.json_text import NotJson, parse
from harkback.tui.hook_settings import AGENTS, Agent, installed, removed, state, turned_off
from hypothesis import given
from hypothesis import strategies as st

CLAUDE, GEMINI = AGENTS["claude"], AGENTS["gemini"]


def commands(of: Agent, program: str = "/opt/bin/harkback") -> dict[str, str]:
    return {event: f"{program} hook {event} --agent {of.name}" for event in of.events}


FOREIGN = st.sampled_from(
    [
        {"hooks": [{"type": "command", "command": "say done"}]},
        {"matcher": "startup", "hooks": [{"type": "command", "command": "harkback search x", "timeout": 5}]},
        {"matcher": "Bash", "hooks": []},
        {"hooks": [{"type": "http", "url": "http://localhost/hook"}, 7, None]},
        {},
        "odd",
    ]
)
HOOKS = st.dictionaries(
    st.sampled_from(["SessionStart", "Stop", "PreToolUse", "SessionEnd"]), st.lists(FOREIGN, min_size=1, max_size=3)
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={"model": st.text(), "env": st.dictionaries(st.text(), st.text()), "hooks": HOOKS, "enabled": st.none()},
)


@given(SETTINGS, st.sampled_from(list(AGENTS.values())), st.sampled_from([2, 4, None]))
def test_hooks_are_put_in_once_and_taken_out_with_nothing_else(settings: Any, of: Agent, indent: int | None) -> None:
    text = json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"
    full = installed(text, of, commands(of))
    assert state(full, of, commands(of)) == "installed"
    assert installed(full, of, commands(of)) == full, "a second time changes nothing"
    data = parse(full).data
    for event in of.events:
        before = settings.get("hooks", {}).get(event, [])
        assert data["hooks"][event] == [*before, of.group(commands(of)[event])]
    assert {key: value for key, value in data.items() if key != "hooks"} == {
        key: value for key, value in settings.items() if key != "hooks"
    }
    bare = removed(full)
    assert state(bare, of, commands(of)) == "absent"
    expected = {key: value for key, value in settings.items() if key != "hooks" or value}
    assert {key: value for key, value in parse(bare).data.items() if value or key != "hooks"} == expected
    if indent:
        assert bare == text or settings.get("hooks") == {}, "to the byte"


@given(SETTINGS)
def test_hooks_of_another_place_or_time_make_way(settings: Any) -> None:
    text = json.dumps(settings, indent=2)
    old = installed(text, CLAUDE, commands(CLAUDE, "'/home/me/my env/bin/harkback' --home '/x y'"))
    assert state(old, CLAUDE, commands(CLAUDE)) == "differs"
    assert parse(installed(old, CLAUDE, commands(CLAUDE))).data == parse(installed(text, CLAUDE, commands(CLAUDE))).data


def test_a_file_that_is_not_there_or_empty_is_begun() -> None:
    for text in ("", " \n"):
        full = installed(text, CLAUDE, commands(CLAUDE))
        assert full.endswith("}\n")
        assert list(json.loads(full)) == ["hooks"]
        assert removed(full) == "{}\n"


def test_comments_order_and_odd_layout_stay() -> None:
    text = (
        '{\n\t// my model\n\t"model": "opus", /* fast */\n\t"hooks": {\n\t\t"disabled": ["a"], // by hand\n'
        '\t\t"SessionStart": [\n\t\t\t{"hooks": [{"command": "x", "type": "command"}]}, // mine\n\t\t],\n\t},\n}\n'
    )
    full = installed(text, GEMINI, commands(GEMINI))
    for part in ("\t// my model\n", "/* fast */", "// by hand\n", "// mine\n", '{"command": "x", "type": "command"}'):
        assert part in full
    assert full.index('"model"') < full.index('"hooks"') < full.index('"disabled"') < full.index("BeforeAgent")
    assert parse(removed(full)).data == parse(text).data
    assert "// mine" in removed(full)


def test_our_hook_leaves_a_group_that_it_was_moved_into_and_takes_an_emptied_one_along() -> None:
    ours = {"type": "command", "command": commands(CLAUDE)["SessionEnd"]}
    other = {"type": "command", "command": "say bye"}
    moved = {"hooks": {"SessionEnd": [{"matcher": "exit", "hooks": [other, ours]}, {"matcher": "x", "hooks": [ours]}]}}
    left = parse(removed(json.dumps(moved, indent=2))).data
    assert left == {"hooks": {"SessionEnd": [{"matcher": "exit", "hooks": [other]}]}}


def test_a_line_end_of_windows_stays_one() -> None:
    text = '{\r\n    "model": "x"\r\n}\r\n'
    full = installed(text, CLAUDE, commands(CLAUDE))
    assert full.count("\n") == full.count("\r\n")
    assert removed(full) == text


@pytest.mark.parametrize("text", ['{"hooks": {"SessionStart": "x"}}', '{"hooks": []}', "[]", "{", '{"a": 1, "a": 2}'])
def test_settings_that_are_not_what_they_should_be_are_not_touched(text: str) -> None:
    with pytest.raises(NotJson):
        installed(text, CLAUDE, commands(CLAUDE))


def test_settings_are_where_the_agent_has_them() -> None:
    home = Path("/home/me")
    assert [of.settings(home, {}) for of in AGENTS.values()] == [
        home / ".claude/settings.json",
        home / ".codex/hooks.json",
        home / ".gemini/settings.json",
        home / ".qwen/settings.json",
    ]
    environ = {"CLAUDE_CONFIG_DIR": "/a, /b", "CODEX_HOME": "~/c", "GEMINI_CLI_HOME": "/g", "QWEN_HOME": "/q"}
    assert [of.settings(home, environ) for of in AGENTS.values()] == [
        Path("/a/settings.json"),
        home / "c/hooks.json",
        Path("/g/.gemini/settings.json"),
        Path("/q/settings.json"),
    ]


def test_it_is_seen_that_all_hooks_are_off() -> None:
    assert turned_off('{"disableAllHooks": true}')
    assert not turned_off("")
    assert not turned_off('{"disableAllHooks": "true"}')
