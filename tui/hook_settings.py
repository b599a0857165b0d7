"""The hooks of harkback in agents' settings: which there are, and a file with them in it, or without, and all else as
it was. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from ..adapters.environment import named_folder
from ..core.json_text import Node, parse, with_element, without_item

NEW = "{}\n"
"""A settings file that is not there yet."""
_OURS = re.compile(r"\bharkback\b.*\shook\s+\w+\s+--agent\s+[\w-]+\s*", re.DOTALL | re.ASCII)
_SECONDS = 5
"""That an agent waits for a hook, which ends by itself sooner."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that has hooks; formats as documented in 2026 by code.claude.com/docs/en/hooks,
    developers.openai.com/codex/hooks, and docs/ of google-gemini/gemini-cli and QwenLM/qwen-code."""

    name: str
    title: str
    variable: str
    """In the environment: another folder than the usual one."""
    folder: str
    """Below the home folder."""
    file: str
    events: tuple[str, ...]
    """Where a session begins, where a prompt is sent, where there is something new to read."""
    timeout: int = _SECONDS
    named: bool = False
    """Its hooks have names, by which people turn them off."""
    advice: str = ""
    """What is to be done besides."""

    def settings(self, home: Path, environ: Mapping[str, str]) -> Path:
        """The person's own settings file, for all projects."""
        if self.name == "gemini":
            return (named_folder(home, environ, self.variable) or home) / self.folder / self.file
        first = environ.get(self.variable, "").partition(",")[0]
        return (named_folder(home, {self.variable: first}, self.variable) or home / self.folder) / self.file

    def group(self, command: str) -> dict[str, Any]:
        """What stands in the settings for one event."""
        names = {"name": "harkback"} if self.named else {}
        return {"hooks": [{**names, "type": "command", "command": command, "timeout": self.timeout}]}


AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude", "Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "settings.json",
            ("SessionStart", "UserPromptSubmit", "SessionEnd"),
        ),
        Agent(
            "codex", "Codex", "CODEX_HOME", ".codex", "hooks.json", ("SessionStart", "UserPromptSubmit", "Stop"),
            advice="Codex runs no hook before you have trusted it: type /hooks there",
        ),
        Agent(
            "gemini", "Gemini CLI", "GEMINI_CLI_HOME", ".gemini", "settings.json",
            ("SessionStart", "BeforeAgent", "SessionEnd"), timeout=1_000 * _SECONDS, named=True,
        ),
        # Qwen Code has read this number as milliseconds, and still does from 1,000 on.
        Agent(
            "qwen", "Qwen Code", "QWEN_HOME", ".qwen", "settings.json",
            ("SessionStart", "UserPromptSubmit", "SessionEnd"), timeout=1_000 * _SECONDS, named=True,
        ),
    )
}  # fmt: skip

State = Literal["installed", "differs", "absent"]


def installed(text: str, agent: Agent, commands: Mapping[str, str]) -> str:
    """A settings file with our hooks in it: event → command. The same text if they are there. Raises NotJson."""
    text = text if text.strip() else NEW
    if state(text, agent, commands) == "installed":
        return text
    text = removed(text)
    for event in agent.events:
        text = with_element(text, ("hooks", event), agent.group(commands[event]))
    return text


def removed(text: str) -> str:
    """A settings file without our hooks, and without what would be empty without them. Raises NotJson."""
    while places := next(_places(parse(text)), None):
        level = len(places) - 1
        while level > 0 and len(places[level][0].items) == 1:
            level -= 1
        text = without_item(text, *places[level])
    return text


def state(text: str, agent: Agent, commands: Mapping[str, str]) -> State:
    """Whether our hooks are in a settings file, just as they would be written now. Raises NotJson."""
    root = parse(text if text.strip() else NEW)
    places = list(_places(root))
    wanted = {event: [agent.group(commands[event])] for event in agent.events}
    have: dict[str, list[Any]] = {}
    for _, (hooks, event), (groups, group), _ in places:
        have.setdefault(hooks.items[event].key or "", []).append(groups.items[group].value.data)
    return "installed" if have == wanted else "differs" if places else "absent"


def turned_off(text: str) -> bool:
    """Whether the settings turn off all hooks."""
    data = parse(text if text.strip() else NEW).data
    return isinstance(data, dict) and cast(dict[str, Any], data).get("disableAllHooks") is True


Place = tuple[Node, int]
"""A container and the number of one of its items."""


def _places(root: Node) -> Iterator[tuple[Place, Place, Place, Place]]:
    """The hooks that are ours, each by the way to it: the member `hooks`, the event, the group, the hook."""
    for at, member in enumerate(root.items):
        for number, event in enumerate(member.value.items if member.key == "hooks" else ()):
            for place, group in enumerate(event.value.items):
                listed = group.value.at("hooks")
                for index, hook in enumerate(listed.items if listed else ()):
                    if listed and _is_ours(hook.value.data):
                        yield (root, at), (member.value, number), (event.value, place), (listed, index)


def _is_ours(hook: object) -> bool:
    command = cast(dict[str, object], hook).get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None
