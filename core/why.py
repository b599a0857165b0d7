"""Why a file or a session is, or is not, wholly in the index: in words, with what can be done about it. Read-only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .database import Database, Row
from .deleting import DELETED
from .hiding import why_hidden
from .history import NotFound, find_session
from .reasons import Reason, reason
from .redact import redact_line
from .tombstones import Forgotten, hashes

MOST_NAMED = 50
"""So many sessions or files are named in one answer."""

STATES: Mapping[str, Reason] = MappingProxyType(
    {
        "indexed": Reason("it is in the index, whole", "nothing needs to be done"),
        "indexed-in-part": Reason("it is in the index, but not all of it", "see below for each part"),
        "indexed-before": Reason(
            "it can't be read now; what was indexed of it before stays", "see below; it is tried again every time"
        ),
        "unreadable": Reason("it can't be read, and nothing of it is in the index", "see below for the reason"),
        "empty": Reason("it was read, and there is no turn of a conversation in it", "nothing needs to be done"),
        "gone": Reason(
            "it is no longer there; its text is kept and can be searched", "harkback forget --session KEY removes it"
        ),
        "left-out": Reason("a limit left it out", "see below for the limit; a wider one reads it"),
        "excluded": Reason("it is never opened, or hidden by a rule of yours", "see below; harkback exclude list"),
        "deleted": Reason("you deleted it in its agent, so nothing of it is kept", "nothing needs to be done"),
        "forgotten": Reason("it was forgotten at your wish", "nothing brings it back; its file, if any, is untouched"),
        "unticked": Reason("its source is not ticked, so nothing of it is read", "harkback sources enable NAME"),
        "not-yet": Reason("it was not read yet", "harkback index reads it"),
        "no-session-file": Reason(
            "it lies where a source is read, but such a file holds no session", "nothing needs to be done"
        ),
        "symbolic-link": reason("symbolic-link"),
        "outside": Reason("no source is read there", "harkback sources add NAME PATH reads a source there too"),
        "absent": Reason("there is no such file, and none is known in the index", "check the spelling of the path"),
        "folder": Reason("a folder; what is known of the files in it is told here", "name a file for more"),
        "by-name": Reason(
            "other sessions name it as the one they come from; it was not found itself", "nothing needs to be done"
        ),
        "unknown": Reason(
            "no session and no file is known by this name",
            "harkback sources shows where is looked, harkback index looks",
        ),
    }
)
"""What state a thing as a whole is in."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is missing, or that is to be said of a part."""

    slug: str
    count: int
    example: str

    @property
    def words(self) -> Reason:
        return reason(self.slug)


@dataclass(frozen=True, slots=True)
class Answer:
    """Why something is or is not in the index."""

    about: str
    """The path, or the session's key."""
    state: str
    """One of STATES."""
    source: str | None = None
    turns: int = 0
    """How many turns of it can be searched or are kept on an abandoned branch."""
    parts: tuple[Part, ...] = ()
    related: tuple[str, ...] = ()
    """Sessions that are in the file, or files that the session is from."""

    @property
    def words(self) -> Reason:
        return STATES[self.state]


def why_session(db: Database, asked: str, sources: Mapping[str, bool]) -> Answer:
    """Answer for a session's key or id; `sources` says of each source whether it is ticked. Raises NotFound.

    NotFound is raised only where several sessions may be meant; what is not known at all is an answer too.
    """
    try:
        session = find_session(db, asked)
    except NotFound as error:
        if error.near:
            raise
        return _not_in_the_index(db, asked, sources)
    mine = "JOIN sessions s ON s.id = session WHERE s.source = ?1 AND s.native_id = ?2"
    files = list(
        db.rows(
            f"""SELECT id, path, state, reason FROM files
                WHERE id IN (SELECT file FROM turns {mine} UNION SELECT file FROM facts {mine})""",  # noqa: S608
            session.source, session.native_id,
        )
    )  # fmt: skip
    parts = [*skips_of(db, files), *_left_out(db, session.source, session.native_id)]
    whole = not any(part.slug != "summary" for part in parts)
    state = "gone" if session.gone_at_source else "indexed" if whole else "indexed-in-part"
    paths = tuple(shown(row[1]) for row in files[:MOST_NAMED])
    return Answer(session.key, state, session.source, session.turns, merged(parts), paths)


def _not_in_the_index(db: Database, asked: str, sources: Mapping[str, bool]) -> Answer:
    forgotten = hashes(db)
    for source, native_id in _readings(asked, sources):
        key = f"{source}:{native_id}"
        if Forgotten(source, forgotten).session(native_id):
            return Answer(key, "forgotten", source)
        if why := why_hidden(db, source, native_id):
            return Answer(key, "deleted" if why == DELETED else "excluded", source, parts=(Part(why, 1, ""),))
        if parts := _left_out(db, source, native_id):
            return Answer(key, "left-out", source, parts=merged(parts))
        if db.value("SELECT 1 FROM sessions WHERE source = ? AND native_id = ?", source, native_id):
            return Answer(key, "by-name", source)
    source = asked.partition(":")[0]
    if sources.get(source) is False:
        return Answer(asked, "unticked", source)
    return Answer(asked, "unknown")


def _readings(asked: str, sources: Iterable[str]) -> list[tuple[str, str]]:
    """(source, native id) as the words may be meant; native ids may hold colons too."""
    source, colon, native_id = asked.partition(":")
    named = [(source, native_id)] if colon and source in set(sources) else []
    return [*named, *((each, asked) for each in sources)]


def _left_out(db: Database, source: str, native_id: str) -> list[Part]:
    rows = db.rows("SELECT DISTINCT reason FROM left_out WHERE source = ? AND session = ?", source, native_id)
    return [Part(row[0], 1, "") for row in rows]


# ---- shared with files ----


def parts_of(db: Database, files: Iterable[Row]) -> list[Part]:
    """What is to be said of files, given as (id, path, state, reason): what was skipped and what limits left out."""
    known = list(files)
    limits: list[Part] = []
    for file, path, *_ in known:
        rows = db.rows("SELECT reason, count(*), min(session) FROM left_out WHERE file = ? GROUP BY reason", file)
        limits += [Part(slug, count, "" if first == shown(path) else first) for slug, count, first in rows]
    return [*skips_of(db, known), *limits]


def skips_of(db: Database, files: Iterable[Row]) -> list[Part]:
    """What was skipped in files, given as (id, path, state, reason), and why they are not read where they are not."""
    parts: list[Part] = []
    for _, path, state, why in files:
        skips = [Part(*row) for row in db.rows("SELECT reason, count, example FROM skips WHERE path = ?", path)]
        if why is not None and state in ("quarantined", "excluded") and why not in {part.slug for part in skips}:
            parts.append(Part(why, 1, ""))
        parts += skips
    return parts


def merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts of one reason as one, the most frequent first."""
    found: dict[str, Part] = {}
    for part in parts:
        old = found.get(part.slug)
        found[part.slug] = Part(part.slug, old.count + part.count, old.example or part.example) if old else part
    return tuple(sorted(found.values(), key=lambda part: (-part.count, part.slug)))


def shown(path: bytes) -> str:
    """A path for people."""
    return redact_line(path.decode("utf-8", "replace"), 4_096)
