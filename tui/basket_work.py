"""What is done with the basket away from the screen: changes one after the other, and what is in it afterwards."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise

from ..core.basket import Basket, BasketFile, Collected, collected
from ..core.config import BasketConfig, ConfigError
from ..core.database import Database, Error
from ..core.pack import Packed, estimated_tokens, pack
from ..core.private import Unwritten
from ..core.store import NoIndex, StoreError
from .prompt_files import drop_old_prompts
from .surroundings import Surroundings

Change = Callable[[Database, Basket], Basket]
"""Makes another basket of one, with the index at hand."""
MadeOf = tuple[Basket, tuple[bool, ...]]
"""A basket, and which of its marks the index still has."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The basket with all that is known of it."""

    serial: int
    """Grows with every look."""
    basket: Basket
    items: tuple[Collected, ...]
    packed: Packed
    """The prompt of what is not gone."""
    budget: int
    """Tokens."""
    trouble: str = ""
    """Why it could not be changed, or not be looked up; empty when all is well."""

    @property
    def made_of(self) -> MadeOf:
        """What its prompt is made of, but for turns that come to a round."""
        return self.basket, tuple(each.piece is not None for each in self.items)

    @property
    def ids(self) -> frozenset[int]:
        """The index's rows of every turn that is in it."""
        return frozenset[int]().union(*(each.ids for each in self.items))

    @property
    def turns(self) -> int:
        """How many turns that are."""
        return sum(len(each.turns) for each in self.items)

    def by_session(self) -> Counter[str]:
        """How many turns of each session, by its key."""
        return Counter(each.session.key for each in self.items if each.session for _ in each.turns)

    @property
    def starts(self) -> list[int | None]:
        """For each item, where in the prompt it begins; None for one that is gone."""
        places = iter(self.packed.starts)
        return [next(places) if each.piece else None for each in self.items]

    def costs(self) -> list[int]:
        """Tokens of each item in its style; 0 for one that is gone."""
        starts = [*self.packed.starts, len(self.packed.text)]
        lengths = iter(pairwise(starts))
        return [estimated_tokens(self.packed.text[slice(*next(lengths))]) if each.piece else 0 for each in self.items]


class BasketWork:
    """Takes wishes from the screen and fulfils them, in their order, in whatever thread calls `run`."""

    def __init__(self, place: Surroundings) -> None:
        self._place = place
        self._file = BasketFile(place.folder)
        self._wishes: deque[Change] = deque()
        self._turn = threading.Lock()
        self._serial = 0
        self.edits: dict[MadeOf, str] = {}
        """What the person has made of prompts, so long as the app is open; the screen's."""

    def wish(self, change: Change) -> None:
        """Have the basket changed by the next `run`."""
        self._wishes.append(change)

    def run(self) -> Contents:
        """Fulfil all wishes; never raises. Blocks on the disk."""
        with self._turn:
            if self._serial == 0:
                drop_old_prompts(self._place.folder)
            try:
                with closing(self._place.store.read()) as db:
                    return self._run(db)
            except NoIndex:
                self._wishes.clear()
                basket = self._file.read()
                return self._contents(basket, tuple(collected(None, basket)))
            except (StoreError, Error, UnicodeDecodeError) as error:
                self._wishes.clear()
                return self._contents(self._file.read(), (), f"The index can't be asked: {error}; the basket is kept.")

    def _run(self, db: Database) -> Contents:
        trouble = ""
        basket = self._file.read()
        while self._wishes:
            change = self._wishes.popleft()
            try:
                basket = self._file.change(lambda before, change=change: change(db, before))
            except Unwritten as error:
                trouble = str(error)
        return self._contents(basket, tuple(collected(db, basket)), trouble)

    def _contents(self, basket: Basket, items: tuple[Collected, ...], trouble: str = "") -> Contents:
        pieces = [piece for each in items if (piece := each.piece)]
        packed = pack(pieces, basket.style, self._place.titles)
        self._serial += 1
        return Contents(self._serial, basket, items, packed, self._budget(), trouble)

    def _budget(self) -> int:
        try:
            return self._place.config().basket.budget
        except ConfigError:
            return BasketConfig().budget
