"""Antigravity's command line, `agy`: one append-only log of steps a conversation below `brain/` of its folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Record, Role, SessionRecord, SkipRecord, TurnRecord
from .base import files_below, parse_time, printable
from .content import as_list, field, tool_text
from .environment import named_folder
from .line_pass import Taker, line_records
from .tags import stripped

TRANSCRIPT = "transcript.jsonl"
INJECTED = ("USER_SETTINGS_CHANGE", "ADDITIONAL_METADATA", "EPHEMERAL_MESSAGE", "SYSTEM_MESSAGE")
MODEL = re.compile(r"`Model Selection` from [^\n]{1,100} to ([^\n]{1,100}?)\.?\s*\n")


class _Step(msgspec.Struct):
    source: object = None
    type: object = None
    created_at: object = None
    content: object = None
    tool_calls: object = None
    truncated_fields: object = None


STEPS = msgspec.json.Decoder(_Step)


@dataclass(frozen=True, slots=True)
class Antigravity:
    """The conversations of Antigravity; what its IDE keeps is encrypted, save for a log of the same form."""

    name: str = "antigravity"
    title: str = "Antigravity"
    version: int = 1
    tools: bool = False

    def with_tools(self) -> Antigravity:
        return replace(self, tools=True, version=self.version + 1000)

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        base = (named_folder(home, environ, "GEMINI_CLI_HOME") or home) / ".gemini"
        return [base / product / "brain" for product in ("antigravity-cli", "antigravity")]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_below(root, lambda name: name == TRANSCRIPT)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        yield from line_records(path, since, STEPS, _Steps(_session_of(path), tools=self.tools))

    def resume(self, native_id: str) -> list[str] | None:
        return None


class _Steps(Taker[_Step]):
    """Makes turns of a conversation's steps, each of which says all that there is to know of it."""

    def __init__(self, session: str, *, tools: bool) -> None:
        super().__init__()
        self._session, self._tools = session, tools

    @property
    def state(self) -> bytes:
        return b""

    def take(self, at: int, step: _Step) -> Iterator[Record]:
        content = step.content if isinstance(step.content, str) else ""
        turns: list[tuple[Role, str]] = []
        match step.source, step.type:
            case "USER_EXPLICIT", "USER_INPUT":
                if model := MODEL.search(content):
                    yield SessionRecord(self._session, model=model[1])
                turns.append(("user", _prompt(content)))
            case "MODEL", "PLANNER_RESPONSE":
                turns.append(("assistant", content))
                for call in as_list(step.tool_calls) if self._tools else []:
                    turns.append(("tool", tool_text(field(call, "name"), field(call, "args"))))
            case "MODEL", str(kind):
                if self._tools and content:
                    turns.append(("tool", tool_text(kind, content)))
            case "SYSTEM", _:
                return
            case "USER_EXPLICIT" | "MODEL", _:
                self.unknown.count(step.type, f"byte {at}")
            case _:
                self.unknown.count(step.source or step.type, f"byte {at}")
        time = parse_time(step.created_at)
        for number, (role, text) in enumerate(turns):
            if text.strip():
                yield TurnRecord(self._session, role, text, time, at + number, quality="exact" if time else "none")
        if "content" in as_list(step.truncated_fields) and any(role != "tool" for role, _ in turns):
            yield SkipRecord("cut-at-source", f"byte {at}")


def _session_of(path: Path) -> str:
    """The folder that holds `.system_generated`, else the file's own name."""
    folders = path.parts
    name = folders[folders.index(".system_generated") - 1] if ".system_generated" in folders[1:] else path.stem
    return printable(name)


def _prompt(content: str) -> str:
    """The person's own words; without the tag that should be round them, what is left of the rest."""
    _, opened, rest = content.partition("<USER_REQUEST>")
    before, closed, _ = rest.rpartition("</USER_REQUEST>")
    return (before if closed else rest).strip() if opened else stripped(content, *INJECTED)
