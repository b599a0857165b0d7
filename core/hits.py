"""What to show of matches: excerpt, session, copies. Matches that were dropped since they were found are noticed."""

from __future__ import annotations

from collections.abc import Sequence

from . import candidates
from .copies import Copies
from .database import Database
from .excerpt import excerpt
from .history import SESSION_COLUMNS, SESSION_WIDTH, session_from
from .packing import unpack
from .query import Query
from .rank import Ranked
from .results import Excerpt, Hit


class Hits:
    """The hits of one query, for some of its matches: `Ranked` ones or chunk ids."""

    def __init__(self, db: Database, copies: Copies, query: Query, matches: Sequence[Ranked | int]) -> None:
        self._db, self._copies, self._query, self._matches = db, copies, query, matches
        self._needles, self._loose = query.needles(), query.needles(loose=True)
        self._fully: set[int] | None = None
        self._partly: set[int] | None = None

    def all(self) -> list[Hit | None]:
        """In the order of the matches, None for one that was dropped."""
        return [self._hit(match) for match in self._matches]

    def _hit(self, match: Ranked | int) -> Hit | None:
        chunk = match.chunk if isinstance(match, Ranked) else match
        row = self._db.row(
            f"""SELECT {SESSION_COLUMNS}, turns.id, turns.number, turns.role, turns.time, turns.text,
                  turns.native_id, turns.hash, turns.session, turns.cite, chunks.start, chunks.stop
                FROM chunks JOIN turns ON turns.id = chunks.turn JOIN sessions ON sessions.id = turns.session
                WHERE chunks.id = ?""",  # noqa: S608
            chunk,
        )
        if row is None:
            return None
        turn, number, role, time, text, native_id, text_hash, session, cite, start, stop = row[SESSION_WIDTH:]
        shown = excerpt(unpack(text)[start:stop], self._needles, self._loose)
        if isinstance(match, Ranked):
            is_other = turn != match.turn or not (match.is_wordless or self._shows(chunk, shown))
            score, partial = match.score, match.coverage < 1 and not match.is_wordless
        else:
            is_other = not self._shows(chunk, shown)
            score, partial = 0.0, not (self._query.is_empty() or self._has_all(chunk))
        if is_other:
            return None  # another chunk has got the number of one that was dropped
        return Hit(
            session=session_from(row),
            turn_id=turn,
            number=number,
            role=role,
            time=time,
            excerpt=shown,
            score=score,
            arms=_arms(match) if isinstance(match, Ranked) else ("lexical",),
            also_in=self._copies.others(turn, session, native_id, text_hash),
            partial=partial and not self._query.sentence,
            cite=cite,
        )

    def _shows(self, chunk: int, shown: Excerpt) -> bool:
        """Whether a chunk is one that matches."""
        return bool(shown.spans) or self._query.is_empty() or self._has_some(chunk)

    # Both are asked of the index once for all chunks, and only if anybody asks.

    def _has_all(self, chunk: int) -> bool:
        if self._fully is None:
            self._fully = self._matching(self._query.all_of_it())
        return chunk in self._fully

    def _has_some(self, chunk: int) -> bool:
        if self._partly is None:
            self._partly = self._matching(self._query.any_of_it())
        return chunk in self._partly

    def _matching(self, expression: str) -> set[int]:
        chunks = [match.chunk if isinstance(match, Ranked) else match for match in self._matches]
        return candidates.matching(self._db, expression, chunks)


def _arms(match: Ranked) -> tuple[str, ...]:
    words = () if match.is_wordless else ("lexical",)
    return (*words, *(("semantic",) if match.is_meant else ())) or ("nearby",)
