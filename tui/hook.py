"""Answers an agent's hook: with past sessions of its project, or not at all; it never fails and never takes long.

All these agents give a JSON object on standard input, with `session_id`, `cwd`, and `source` or `prompt`, and take
`{"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": TEXT}}` for an aside to the model. Whatever ends
otherwise than with 0 they show to the person, and some block the prompt: code.claude.com/docs/en/hooks,
developers.openai.com/codex/hooks, docs/hooks of google-gemini/gemini-cli, docs/users/features/hooks.md of Qwen Code.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from ..core.config import ConfigError
from ..core.database import Database, Interrupted
from ..core.hook_log import log
from ..core.injected import block
from ..core.recall import Asking, about, hit_line, in_sight, last_sessions, session_line
from ..core.store import NoIndex, StoreError
from .cli import describe
from .refresh import go_on_in_background
from .surroundings import Surroundings

BEGINNING, PROMPT, NEWS = ("SessionStart",), ("UserPromptSubmit", "BeforeAgent"), ("SessionEnd", "Stop", "AfterAgent")
"""The events that are answered with the last sessions and with what the prompt is about; those after which there is
something new to read, as there may be at the beginning."""
DEADLINE, PATIENCE = 3.0, 1.0
"""Seconds until the process ends whatever it is doing, and that the search may take."""
LONGEST_INPUT = 16 << 20
"""Bytes; more is read to its end, as agents wait for that, and not understood."""
BUDGET = 500
"""Tokens, about, of one answer."""
LAST = {"project": "The last sessions in this project.", "everywhere": "The last sessions with coding agents."}
ABOUT = "From past sessions, perhaps about the prompt."


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent says as it calls a hook."""

    event: str
    asking: Asking
    prompt: str = ""
    source: str = ""
    """How the session began: `startup`, `resume`, `clear` or `compact`."""


def run(event: str, agent: str, folder: str | None, start: Callable[[Surroundings], object] | None = None) -> None:
    """Answer the call on standard input; raises nothing, and ends the process after `DEADLINE` seconds with 0."""
    watchdog = threading.Timer(DEADLINE, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()
    with contextlib.suppress(Exception):
        call = read(event, agent, sys.stdin.buffer)
        here = Surroundings.here(folder)
        with _logged(here, event):
            if text := told(here, call):
                out = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
                sys.stdout.buffer.write(json.dumps(out, ensure_ascii=True).encode() + b"\n")
                sys.stdout.buffer.flush()
        with _logged(here, event):
            if event in BEGINNING + NEWS:
                capture(here, agent, start or go_on_in_background)
    watchdog.cancel()


def read(event: str, agent: str, given: BinaryIO) -> Call:
    """The call that an agent makes; whatever is not as expected counts as not said."""
    data = given.read(LONGEST_INPUT)
    while len(data) == LONGEST_INPUT and given.read(1 << 20):
        pass
    facts: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        facts = json.loads(data.decode("utf-8", "replace"))

    def text(name: str) -> str:
        value = cast(dict[str, object], facts).get(name) if isinstance(facts, dict) else None
        return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""

    asking = Asking(text("session_id"), agent, text("cwd"))
    return Call(event, asking, text("prompt"), text("source"))


def told(here: Surroundings, call: Call) -> str:
    """What the agent is told; mostly nothing. Raises ConfigError, StoreError, Interrupted."""
    if call.event not in BEGINNING + PROMPT or (call.event in BEGINNING and call.source == "resume"):
        return ""
    config = here.config()
    try:
        db = here.store.read()
    except NoIndex:
        return ""
    with closing(db), _patience(db), db.snapshot():
        scope = in_sight(db, config, here.home, call.asking)
        if call.event in BEGINNING:
            lines = [session_line(each, here.titles) for each in last_sessions(db, scope)]
            return block(LAST[config.hook.scope], lines, BUDGET)
        hits = about(db, call.prompt, scope, here.now(), call.asking)
        return block(ABOUT, [hit_line(hit, here.titles) for hit in hits], BUDGET)


def capture(here: Surroundings, agent: str, start: Callable[[Surroundings], object]) -> None:
    """Have the index brought up to date by another process, if the agent's sessions are read at all."""
    config = here.config()
    ticked = config.source(agent).enabled if agent in here.titles else bool(config.ticked(here.titles))
    if ticked and not here.store.being_written():
        start(here)


@contextlib.contextmanager
def _logged(here: Surroundings, event: str) -> Generator[None]:
    """What goes wrong in the block is noted in the log and costs nothing else."""
    try:
        yield
    except (ConfigError, StoreError) as error:
        log(here.folder, f"{event}: {error}", here.now())
    except Interrupted:
        log(here.folder, f"{event}: this takes too long", here.now())
    except Exception as error:
        log(here.folder, f"{event}: {describe(error)}", here.now())


@contextlib.contextmanager
def _patience(db: Database) -> Generator[None]:
    """Interrupt what takes longer than an agent should wait; then there is nothing to tell."""
    timer = threading.Timer(PATIENCE, db.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # an interrupted connection must not have been closed
