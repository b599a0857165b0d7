"""What worker threads post; the handlers own every change of state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.message import Message

from ..core.results import Conversation, Session
from ..core.worker import Event, Working
from .asked import Answer, Item
from .asking import Asking
from .basket_work import Contents


@dataclass
class Answered(Message):
    """A search has results, first the best ones, then all."""

    asking: Asking
    answer: Answer


@dataclass
class AskingFailed(Message):
    """A search could not be done; what was shown before stays."""

    asking: Asking
    reason: str


@dataclass
class Fetched(Message):
    """Details of rows that the list asked for."""

    answer: Answer
    first: int
    items: Sequence[Item]


@dataclass
class Opened(Message):
    """The stretch of a conversation that was asked for."""

    ticket: int
    conversation: Conversation
    agents: Sequence[Session] = ()
    """The sessions that it started."""


@dataclass
class Collected(Message):
    """What is in the basket now."""

    contents: Contents


@dataclass
class Indexing(Message):
    """News from the process that brings the index up to date."""

    event: Event

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Indexing) and isinstance(message.event, Working)


@dataclass
class IndexingEnded(Message):
    """That process is gone."""
