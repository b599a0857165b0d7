"""The right-hand side: whose conversation it is, and its turns around the selected one, growing on demand."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from ..core.database import Error
from ..core.history import NotFound, around
from ..core.off_branch import spawned_by, with_abandoned
from ..core.query import Query
from ..core.results import Hit, Session
from ..core.store import StoreError
from ..core.tokens import find
from .asked import Dropped, Item
from .find_box import FindBox
from .folding import ALL, Folding
from .messages import Opened
from .page import Needles
from .session_heading import heading
from .steady import Steady
from .surroundings import Surroundings
from .transcript import Transcript

GROW_BY = 6
"""Turns that one step of growing opens on each side."""
SETTLED = 0.12
"""Seconds; of what is selected within so long of something else the conversation waits until nothing more is."""
OUTLINE = 100
"""Turns beyond those that are there folded to one line, on each side."""


class ReadingPane(Vertical):
    """A heading and a transcript; turns are read in a worker thread."""

    transcript = getters.query_one("#transcript", Transcript)
    _head = getters.query_one("#heading", Steady)
    _find = getters.query_one(FindBox)

    def __init__(self, place: Surroundings, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._place = place
        self.session: Session | None = None
        self._hit: Hit | None = None
        self._start_at: int | None = None
        """Number of the turn to begin at, of a session that is shown for no hit."""
        self._query: Query | None = None
        self._folding = Folding()
        self._branches = False
        self._key: str | None = None
        """Of the session that is wanted, shown or not yet."""
        self._is_new = False
        """It is to be shown from its hit or its start, not as the same with more."""
        self._came_from: list[tuple[Session, Hit | None]] = []
        self._ticket = 0
        self._opened_at = 0.0
        self._later: Timer | None = None
        """Runs while what was selected in a hurry waits to be read."""
        self._waits = False
        """What is wanted is not being read yet."""

    def compose(self) -> ComposeResult:
        yield Steady(id="heading", markup=False)
        yield Transcript(id="transcript")
        yield FindBox(lambda: self.screen.set_focus(self.transcript), id="find")

    # ---- opening ----

    def open(self, item: Item | None, query: Query | None, *, fresh: bool, start: int | None = None) -> None:
        """Show an item's conversation; with `fresh` False it is the one on the screen, perhaps with new turns.

        A session is shown from its turn number `start` on, or from its first.
        """
        if item is None or isinstance(item, Dropped):
            self._want_nothing()
            self._key = self.session = None
            self.add_class("-none")
            return
        self._query = query
        if fresh:
            self._came_from.clear()
        elif self._came_from:
            return  # what is read meanwhile stays
        self._start_at = start
        self._start(item.session if isinstance(item, Hit) else item, item if isinstance(item, Hit) else None, fresh)

    def _start(self, session: Session, hit: Hit | None, fresh: bool) -> None:
        self._hit = hit
        if fresh:
            self._folding, self._branches = Folding(), hit is not None and hit.number is None
            self.stop_finding()
        now = time.monotonic()
        hurries, self._opened_at = now - self._opened_at < SETTLED, now
        self._key, self._is_new = session.key, self._is_new or fresh
        self._read(hurries=hurries)

    def grow(self, direction: int) -> None:
        """Open more (1) or fewer (-1) turns on both sides."""
        step = GROW_BY * direction
        self._fold_by(self._folding.grown(step, step))

    def show_whole(self) -> None:
        """All turns of the session."""
        self._fold_by(replace(self._folding, before=ALL, after=ALL))

    def show_tools(self) -> None:
        """The output of tools too, or one line for each again."""
        self._fold_by(replace(self._folding, tools=not self._folding.tools, toggled={}))

    def show_branches(self) -> None:
        """Turns of abandoned branches where they were said, or the active branch alone."""
        self._branches = not self._branches
        self._fold_by(self._folding)

    @on(Transcript.Grow)
    def _grow_one_side(self, message: Transcript.Grow) -> None:
        message.stop()
        self._fold_by(self._folding.grown(*((GROW_BY, 0) if message.direction < 0 else (0, GROW_BY))))

    @on(Transcript.Fold)
    def _fold_one(self, message: Transcript.Fold) -> None:
        message.stop()
        self._fold_by(self._folding.with_turn(message.turn.id, open=message.open))

    def _fold_by(self, folding: Folding) -> None:
        self._folding = folding
        if self._key:
            self._read()

    def _read(self, *, hurries: bool = False) -> None:
        self._want_nothing()
        # Whoever types or moves on sees the row first, and often wants no more of it.
        later = partial(self._read_unless_late, self._ticket)
        self._waits = True
        if hurries:
            self._later = self.set_timer(SETTLED, later)
        else:
            self.call_after_refresh(later)

    def _want_nothing(self) -> None:
        """What was to be read is of no interest any more, begun or not."""
        self._ticket += 1
        self._waits = False
        if self._later:
            self._later.stop()
            self._later = None

    def _read_unless_late(self, ticket: int) -> None:
        if ticket == self._ticket and self._key:
            self._later, self._waits = None, False
            self._read_in_thread(ticket, self._key)

    @work(thread=True, group="opening", exclusive=True, exit_on_error=False)
    def _read_in_thread(self, ticket: int, key: str) -> None:
        folding, hit = self._folding, self._hit
        number = hit.number if hit else self._start_at
        beyond = ALL if self.is_finding else OUTLINE
        try:
            with self._place.readers.reading() as db:
                if self._branches:
                    conversation = with_abandoned(db, key)
                elif number is None:
                    conversation = around(db, key, 1, 0, min(ALL, folding.before + folding.after + beyond))
                else:
                    before, after = min(ALL, folding.before + beyond), min(ALL, folding.after + beyond)
                    conversation = around(db, key, number, before, after)
                agents = spawned_by(db, key)
        except (StoreError, NotFound):
            return
        except (Error, UnicodeDecodeError) as error:
            self.notify(str(self._place.store.trouble(error)), markup=False)
            return
        self.post_message(Opened(ticket, conversation, agents))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        message.stop()
        if message.ticket != self._ticket:
            return
        if self._branches and all(turn.number is not None for turn in message.conversation.turns):
            self._branches = False
            self.notify("This session has no abandoned branch.")
        self.remove_class("-none")
        conversation, transcript = message.conversation, self.transcript
        self.session = conversation.session
        self._refresh_heading()
        transcript.agents = message.agents
        hit, start = self._hit, self._start_at
        first = next((turn.id for turn in conversation.turns if start and turn.number == start), None)
        transcript.folded = self._folding.folded(conversation.turns, hit.turn_id if hit else first)
        is_new, self._is_new = self._is_new, False
        if is_new:
            transcript.show(
                conversation, self._needles(), hit.number if hit else None, hit.turn_id if hit else None, start
            )
        else:
            transcript.extend(conversation)

    def _needles(self) -> Needles | None:
        needles = self._query.needles() if self._query else []
        return (lambda text: find(text, needles)) if needles else None

    # ---- sub-agents ----

    def follow_agent(self) -> None:
        """Show the sub-agent that was started by the current turn, or the next one."""
        page = self.transcript.page
        if page is None or not page.agents:
            self.notify("No sub-agent was started here.")
            return
        lines = [piece for piece in page.pieces if piece.what == "agent"]
        ahead = [piece.agent for piece in lines if piece.turn >= self.transcript.current]
        self._go_to(page.agents[ahead[0] if ahead else 0])

    @on(Transcript.Follow)
    def _follow(self, message: Transcript.Follow) -> None:
        message.stop()
        self._go_to(message.agent)

    def _go_to(self, session: Session) -> None:
        if self.session:
            self._came_from.append((self.session, self._hit))
        self._start_at = None
        self._start(session, None, True)

    def go_back(self) -> None:
        """Show the session again that a sub-agent's was reached from, or that started it."""
        if self._came_from:
            session, hit = self._came_from.pop()
            self._start(session, hit, True)
        elif self.session and self.session.parent:
            self._hit, self._start_at, self._folding = None, None, Folding()
            self._key, self._is_new = self.session.parent, True
            self._read()
        else:
            self.notify("This session came from no other.")

    # ---- finding ----

    @property
    def is_finding(self) -> bool:
        """Whether something else than the query is looked for."""
        return self._find.has_class("-shown")

    def find_in_it(self) -> None:
        """Ask what to look for in this conversation."""
        if self.session:
            self._find.open()
            self._fold_by(self._folding)

    def stop_finding(self) -> None:
        """Look for what the query looks for, as before."""
        if self.is_finding:
            self._find.close()
            self.transcript.look_for(self._needles())
            self.transcript.focus()

    @on(FindBox.Wanted)
    def _find_wanted(self, message: FindBox.Wanted) -> None:
        message.stop()
        self.transcript.look_for(message.needles)

    # ---- what to copy ----

    def turn_text(self) -> str | None:
        """The turn that the cursor is on."""
        turn = self.transcript.current_turn
        return turn.text if turn else None

    def round_text(self) -> str | None:
        """The question that the current turn belongs to, and the answers to it, as far as they are shown."""
        page, turn = self.transcript.page, self.transcript.current_turn
        if page is None or turn is None:
            return None
        turns = list(page.turns)
        first = last = turns.index(turn)
        while first > 0 and turns[first].role != "user":
            first -= 1
        while last + 1 < len(turns) and turns[last + 1].role != "user":
            last += 1
        return "\n\n".join(each.text for each in turns[first : last + 1])

    # ---- the heading ----

    def on_resize(self) -> None:
        self._refresh_heading()

    def _refresh_heading(self) -> None:
        if self.session:
            width = max(1, self.size.width - 2)
            # It is as high as it is, so the screen need not be laid out anew for every row that the cursor passes.
            self._head.update(heading(self.session, self._place.titles, str(self._place.home), width), layout=False)
