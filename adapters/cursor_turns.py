"""Turns of Cursor, named by what they say: one conversation may lie in three stores, and no id is in all of them."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from ..core.model import Role
from .content import label
from .line_pass import restored
from .tags import inside, stripped

INJECTED = tuple(
    """user_info git_status project_layout rules agent_skills agent_transcripts mcp_file_system
    open_and_recently_viewed_files attached_files additional_data external_links system_reminder timestamp""".split()
)
UNNAMED = ("New Agent", "New Chat", "Untitled")
KEPT = 1_000
"""So many texts are remembered between two passes over a transcript."""


class TurnNames:
    """Gives a turn the same name in every store that holds it: its session, a hash of its text, and which of equals.

    Raises `Reread` if `state` is of no use.
    """

    def __init__(self, session: str, state: bytes = b"") -> None:
        self._session, self._times = session, restored(state, dict[int, int])

    @property
    def state(self) -> bytes:
        """What another `TurnNames` needs to go on from here; nothing where that would be too much."""
        return msgspec.msgpack.encode(self._times if len(self._times) <= KEPT else None)

    def name(self, role: Role, text: str) -> str:
        digest = blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=7, person=role.encode())
        number = int.from_bytes(digest.digest())
        times = self._times[number] = self._times.get(number, 0) + 1
        return f"{self._session}:{number:014x}" + (f":{times}" if times > 1 else "")


def prompt(text: str) -> str:
    """What the person typed of a user's message: inside its tag, else all but what was put before and after it."""
    query = inside(text, "user_query")
    return stripped(text, *INJECTED) if query is None else query


def model_of(value: object) -> str | None:
    """The name of a model; what stands for whichever it is by default is none."""
    return value if isinstance(value, str) and 0 < len(value) < 200 and value not in ("default", "auto") else None


def title_of(*names: object) -> str | None:
    """The first name of a chat, unless it is the one that every new chat has."""
    given = (name for name in names if isinstance(name, str) and name.strip() and name not in UNNAMED)
    return label(next(given, None))
