"""What the app asks of the index, and what it is answered: a request, an answer, and what there is to show in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..core.query import Query
from ..core.rank import Ranked
from ..core.results import Hit, Session

MODES = ("auto", "lexical", "semantic")
"""By words and by meaning as far as there is such; by words alone; by meaning alone."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A row whose turn or session left the index after it was found."""


Item = Hit | Session | Dropped
Match = Ranked | int


@dataclass(frozen=True, slots=True)
class Request:
    """What the person asks for."""

    text: str
    project: str | None = None
    """Only sessions whose project path holds this."""
    recent: bool = False
    """Newest first instead of best first."""
    by_session: bool = False
    """One row a session instead of one a turn."""
    mode: str = "auto"
    """How to look, of MODES."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What there is to show: `matches` are turns, or session rows when nothing was asked for."""

    request: Request
    query: Query
    matches: Sequence[Match]
    items: Sequence[Item | None]
    """Details of the first rows, None for the rest."""
    total: int
    exact: bool
    elapsed_ms: float
    sessions: int
    """In the whole index."""
    turns: int
    """The same; told only where nothing was found."""
    left_out: int
    """Sessions of which limits left something out."""
    hidden: int = 0
    """Files that nobody is shown until today's rules of redaction have been over them."""
    skipped: bool = False
    """Whether anything at all was left out, skipped or not readable."""
    suggestion: str | None = None
    """The query as it may have been meant."""
    in_sessions: int | None = None
    """In how many sessions there are hits; None while that is not known."""
    hits_in: Mapping[int, int] = field(default_factory=dict[int, int])
    """With one row a session: the turn of a row → how many hits its session has."""
    window_days: int = 0
    """Older sessions are left out; 0: none. This and the next are told only where nothing was found."""
    unticked: Sequence[str] = ()
    """Titles of sources that are on this machine but not read."""
    how: str = "words"
    """By what it was found."""
    note: str = ""
    """Why it was not also by meaning, where the person wants that."""

    @property
    def lists_sessions(self) -> bool:
        """Whether the rows are sessions: nothing was typed."""
        return self.query.is_empty() and not any(each.stop for each in self.query.filters)  # one that was typed
