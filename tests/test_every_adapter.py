"""The contract that every adapter keeps, over its sample store, whole and damaged in every way."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from copy import deepcopy
from pathlib import Path, PurePath
from typing import Any

import apsw
import pytest
import zstandard
from harkback.adapters import ADAPTERS
from harkback.core.model import Adapter, Checkpoint, SkipRecord, ToolReading, TurnRecord
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import NAMES, SQLITE, STORES, Sample, Told, adapter_of, path_of

DISPLAY_ORDER = """claude codex openclaw dsh workbuddy codebuddy zcode kimi memory claude-mem gemini antigravity
    opencode copilot copilot-vscode cursor qwen cline roo aider goose amp crush droid vibe pi continue""".split()
HOSTILE_IDS = (
    "",
    "-x",
    "--help",
    "a;b",
    "../x",
    "a/b",
    "a b",
    "x" * 200,
    "a\nb",
    "id\n",
    "$(id)",
    "`id`",
    "a'b",
    "ü",
    "x\0",
)
SWAPS = (
    None,
    True,
    7,
    -1.5,
    10**30,
    "",
    "x",
    "\ud800",
    " \t",
    [],
    {},
    [[]],
    [None],
    [{}],
    {"type": "text"},
    {"": None},
)
"""What may stand in the place of any value of a record."""
SECRET_NAMES = ("auth.json", ".env", "oauth_creds.json", "credentials.json", "cookies.db", "id_ed25519", "secrets.json")
"""Files that lie in agents' folders and are nobody's business."""
LONGEST_STATE = 16_384
FOR_ALL_USERS = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
"""Places of the whole machine, in no home."""

fuzzed = settings(max_examples=10, suppress_health_check=list(HealthCheck))
every_sample = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def sample(name: str, tmp_path: Path) -> Sample:
    return Sample(name, tmp_path / "home")


# ---- the registry ----


def test_an_adapter_is_called_what_the_registry_says_before_it_is_loaded() -> None:
    assert {adapter.name: adapter.title for adapter in ADAPTERS} == ADAPTERS.titles
    assert ADAPTERS.named("codex") is ADAPTERS[1]
    assert ADAPTERS.named("nothing") is None


def test_the_names_of_sources_cost_no_import_of_their_adapters() -> None:
    code = "import sys, harkback.adapters as a; a.ADAPTERS.titles; a.ADAPTERS.named('pi'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "harkback.adapters.pi" in loaded
    assert "harkback.adapters.claude" not in loaded


def test_the_registry_has_the_sources_of_the_design_in_its_order() -> None:
    assert [adapter.name for adapter in ADAPTERS] == DISPLAY_ORDER


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_every_adapter_has_a_sample_of_a_few_small_files(name: str) -> None:
    assert name in NAMES
    sizes = [path.stat().st_size for path in (STORES / name / "home").rglob("*") if path.is_file()]
    assert 1 <= len(sizes) <= 12
    assert sum(sizes) < 40_000
    sessions = json.loads((STORES / name / "expected.json").read_text("utf-8"))["sessions"]
    assert any(len(session["turns"]) >= 2 for session in sessions.values())


# ---- whole ----


@every_sample
def test_what_is_expected_is_read_and_nothing_else(sample: Sample) -> None:
    told = sample.told()
    assert told.unreadable == []
    have = told.sessions()
    assert set(have) == set(sample.sessions)
    for native_id, expected in sample.sessions.items():
        found = have[native_id]
        found["resume"] = sample.adapter.resume(found["handle"] or native_id)
        assert {key: found[key] for key in expected} == expected, native_id


@every_sample
def test_turns_are_what_the_contract_says(sample: Sample) -> None:
    for records in sample.told().files.values():
        turns = [record for record in records if isinstance(record, TurnRecord)]
        orders = Counter((turn.session, turn.order) for turn in turns if not turn.more)
        assert max(orders.values(), default=1) == 1, "a place in the session is unique in its file"
        for turn in turns:
            assert turn.role in ("user", "assistant", "memory")
            assert turn.text.strip()
            assert (turn.time is None) == (turn.quality == "none")
            assert turn.time is None or 1.2e12 < turn.time < 2e12, "milliseconds since 1970"


@every_sample
def test_what_a_person_deleted_or_an_agent_injected_is_not_there(sample: Sample) -> None:
    said = "\n".join(turn.text for turn in sample.told().turns)
    for marker in ("</system-reminder>", "</environment_context>", "base64,", "encrypted_content", "iVBORw0KGgo"):
        assert marker not in said


@every_sample
def test_reading_twice_gives_the_same(sample: Sample) -> None:
    assert sample.told().files == sample.told().files
    assert sample.told().files == Sample.told(sample, adapter_of(sample.name)).files


class Asked(dict[str, str]):
    """Environment variables that remember which of them were asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:  # type: ignore[override]
        self.names.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self.names.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.names.add(str(key))
        return super().__contains__(key)


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_roots_are_absolute_and_below_home_or_what_the_environment_says(name: str, tmp_path: Path) -> None:
    adapter, home, elsewhere = adapter_of(name), tmp_path / "home", tmp_path / "elsewhere"
    asked = Asked({})
    by_default = [root for root in adapter.roots(home, asked) if root not in FOR_ALL_USERS]
    assert all(root.is_absolute() and home in root.parents for root in by_default), by_default
    assert adapter.roots(home, dict.fromkeys(asked.names, "")) == adapter.roots(home, {}), "an empty variable is none"
    for variable in asked.names:
        for value in (str(elsewhere), "some/folder", "~/some/folder", "a\0b", "x" * 5_000, "ü \t"):
            roots = adapter.roots(home, {variable: value})
            assert all(root.is_absolute() for root in roots), (variable, value, roots)
            if value == str(elsewhere):
                own = [root for root in roots if root not in FOR_ALL_USERS]
                assert all(home in root.parents or elsewhere in (root, *root.parents) for root in own)


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_an_empty_home_holds_nothing(name: str, tmp_path: Path) -> None:
    adapter = adapter_of(name)
    for root in adapter.roots(tmp_path, {}):
        if root not in FOR_ALL_USERS:
            root.mkdir(parents=True, exist_ok=True)
            assert list(adapter.find(root)) == []


@every_sample
def test_finding_follows_no_link(sample: Sample) -> None:
    before = sample.paths()
    for path in {path for path in sample.files if path in before}:
        real = path.with_name(f"real-{path.name}.bak")
        path.rename(real)
        path.symlink_to(real)
    assert [path for path in sample.paths() if path.is_symlink()] == []


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
@pytest.mark.parametrize("native_id", HOSTILE_IDS, ids=repr)
def test_an_id_that_could_be_taken_for_something_else_is_not_resumed(name: str, native_id: str) -> None:
    assert adapter_of(name).resume(native_id) is None


# ---- only looking ----

_opened: list[str] | None = None


def _note_opening(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str | bytes | PurePath):
        _opened.append(os.fsdecode(arguments[0]))


sys.addaudithook(_note_opening)


@contextmanager
def opened() -> Iterator[list[str]]:
    """The paths that are opened in the block."""
    global _opened
    _opened = []
    try:
        yield _opened
    finally:
        _opened = None


def _listing(home: Path) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for path in (home, *sorted(home.rglob("*"))):
        status = path.lstat()
        entries[str(path)] = (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return entries


@every_sample
def test_reading_changes_nothing_in_the_store(sample: Sample) -> None:
    before, contents = _listing(sample.home), {path: path.read_bytes() for path in sample.files}
    sample.told()
    if isinstance(sample.adapter, ToolReading):
        sample.told(sample.adapter.with_tools())
    assert _listing(sample.home) == before
    assert {path: path.read_bytes() for path in sample.files} == contents


@every_sample
def test_nothing_is_opened_but_the_agents_own_files_and_never_a_secret(sample: Sample) -> None:
    folders = {folder for path in sample.files for folder in path.parents if sample.home in folder.parents}
    decoys = [folder / secret for folder in sorted(folders) for secret in SECRET_NAMES]
    for decoy in decoys:
        if not decoy.exists():
            decoy.write_text('{"token": "nobody reads this"}\n')
    own = {sample.home / path.relative_to(sample.home).parts[0] for path in sample.files}
    with opened() as paths:
        found = sample.paths()
        sample.told()
    assert not {path for path in found if path.name in SECRET_NAMES}
    inside = [Path(path) for path in paths if Path(path).is_relative_to(sample.home)]
    assert not set(inside) & set(decoys)
    assert all(any(path.is_relative_to(folder) for folder in own) for path in inside)


# ---- tools ----

WITH_TOOLS = [name for name in NAMES if isinstance(adapter_of(name), ToolReading)]


@pytest.mark.parametrize("name", WITH_TOOLS)
def test_reading_tools_adds_turns_of_tools_and_changes_no_other(sample: Sample) -> None:
    reading = sample.adapter.with_tools()
    assert (reading.name, reading.title) == (sample.adapter.name, sample.adapter.title)
    assert reading.version != sample.adapter.version
    told, plain = sample.told(reading), sample.told()
    assert told.unreadable == []

    def said(told: Told) -> dict[str, Any]:
        sessions = {key: [turn for turn in each["turns"] if turn[0] != "tool"] for key, each in told.sessions().items()}
        return {key: turns for key, turns in sessions.items() if turns}

    assert said(told) == said(plain)
    tools = [turn for turn in told.turns if turn.role == "tool"]
    assert tools, "the sample has a tool call"
    assert all(turn.text.strip() and len(turn.text) < 3_000 for turn in tools)


# ---- damaged ----


def _never_fails(sample: Sample, path: Path, content: bytes, adapter: Adapter | None = None) -> Told:
    """Read everything with one file changed; nothing but OSError and `Unreadable` may come of it."""
    whole = path.read_bytes()
    try:
        sample.put(path, content)
        return sample.told(adapter or _readings(sample)[-1])
    finally:
        sample.put(path, whole)


def _readings(sample: Sample) -> list[Adapter]:
    """The adapter, and where it knows tools also as it reads those."""
    adapter = sample.adapter
    return [adapter, adapter.with_tools()] if isinstance(adapter, ToolReading) else [adapter]


def _plain_files(sample: Sample) -> list[Path]:
    return [path for path in sample.files if not path.read_bytes().startswith(SQLITE)]


def _any_file(sample: Sample, data: st.DataObject) -> tuple[Path, bytes]:
    path = data.draw(st.sampled_from(sample.files))
    return path, path.read_bytes()


@every_sample
@fuzzed
@given(data=st.data())
def test_flipped_bytes_cost_no_more_than_a_count(sample: Sample, data: st.DataObject) -> None:
    path, whole = _any_file(sample, data)
    content = bytearray(whole)
    for place in data.draw(st.lists(st.integers(0, max(0, len(whole) - 1)), min_size=1, max_size=8)):
        if content:
            content[place] ^= data.draw(st.integers(1, 255))
    _never_fails(sample, path, bytes(content))


@every_sample
@fuzzed
@given(data=st.data())
def test_random_bytes_in_place_of_anything_are_survived(sample: Sample, data: st.DataObject) -> None:
    path, whole = _any_file(sample, data)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    junk = data.draw(st.binary(max_size=64) | st.sampled_from([b"\0" * 64, b"\xff\xfe{\0", b"\n\n", b"[" * 500, b"{}"]))
    _never_fails(sample, path, whole[:start] + junk + whole[end:])


@every_sample
def test_a_file_without_anything_in_it_is_survived(sample: Sample) -> None:
    for path in sample.files:
        for content in (b"", b"\0" * 4096, b"{", b"[]", b"{}\n", b"null\n", b"\x1f\x8b\x08"):
            _never_fails(sample, path, content)


@every_sample
@fuzzed
@given(data=st.data())
def test_lines_glued_doubled_or_in_another_order_are_survived(sample: Sample, data: st.DataObject) -> None:
    files = _plain_files(sample)
    if not files:
        return
    path = data.draw(st.sampled_from(files))
    lines = path.read_bytes().splitlines(keepends=True)
    shuffled = data.draw(st.lists(st.sampled_from(lines), max_size=len(lines) + 3)) if lines else []
    glued = [line.rstrip(b"\n") if data.draw(st.integers(0, 3)) == 0 else line for line in shuffled]
    _never_fails(sample, path, b"".join(glued))


@every_sample
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_value_of_any_type_at_any_place_is_survived(sample: Sample, data: st.DataObject) -> None:
    documents = [(path, index) for path in _plain_files(sample) for index in range(len(_documents(path)))]
    if not documents:
        return
    path, index = data.draw(st.sampled_from(documents))
    pieces = _documents(path)
    value = json.loads(pieces[index])
    for place in data.draw(st.lists(st.sampled_from(sorted(_places(value), key=str)), min_size=1, max_size=2)):
        with suppress(LookupError, TypeError, ValueError):  # an earlier swap took it away
            value = _swapped(value, place, deepcopy(data.draw(st.sampled_from(SWAPS))))
    pieces[index] = json.dumps(value).encode() + b"\n"
    _never_fails(sample, path, b"".join(pieces))


def _documents(path: Path) -> list[bytes]:
    """A file as its JSON documents: lines, or the one it is; none if it is something else."""
    whole = path.read_bytes()
    for pieces in ([whole], whole.splitlines(keepends=True)):
        with suppress(ValueError):
            return [piece for piece in pieces if piece.strip() and json.loads(piece) is not ...]
    return []


def _places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield here
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _places(each, (*here, key))
    with suppress(ValueError):  # JSON in a string
        if isinstance(value, str) and value[:1] in "{[" and value:
            yield from ((*here, "", *place) for place in _places(json.loads(value)))


def _swapped(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    key, *rest = place
    if isinstance(value, str) and key == "":
        return json.dumps(_swapped(json.loads(value), tuple(rest), new))
    value[key] = _swapped(value[key], tuple(rest), new)
    return value


@every_sample
def test_a_line_that_becomes_garbage_is_counted_and_costs_itself_alone(sample: Sample) -> None:
    whole = Counter(turn.text for turn in sample.told().turns)
    found = set(sample.paths())
    for path in _plain_files(sample):
        if path not in found or path.suffix not in (".jsonl", ".ndjson"):
            continue
        lines = path.read_bytes().splitlines(keepends=True)
        for index in range(1, len(lines)):
            damaged = b"".join([*lines[:index], b'{"type": \x01\xff oops\n', *lines[index + 1 :]])
            told = _never_fails(sample, path, damaged, sample.adapter)
            assert told.is_counted, f"line {index + 1} of {path.name}"
            there = Counter(turn.text for turn in told.turns)
            assert sum((whole - there).values()) <= max(1, len(whole) // 2)


@every_sample
def test_what_is_cut_off_in_the_middle_of_a_record_is_counted(sample: Sample) -> None:
    told = sample.told()
    speaking = [path for path, records in told.files.items() if any(isinstance(each, TurnRecord) for each in records)]
    for path in _plain_files(sample):
        whole = path.read_bytes()
        if path in speaking and path.suffix in (".jsonl", ".json") and _documents(path):
            last = len(whole.rstrip()) - 3
            assert _never_fails(sample, path, whole[:last], sample.adapter).is_counted, path.name


@every_sample
def test_a_record_of_a_type_from_the_future_is_counted(sample: Sample) -> None:
    found = set(sample.paths())
    for path in _plain_files(sample):
        if path not in found or path.suffix != ".jsonl":
            continue
        whole = path.read_bytes()
        types = {json.loads(line).get("type") for line in whole.splitlines() if line.strip()[:1] == b"{"}
        if not all(isinstance(each, str) for each in types):
            continue  # these records have no type
        told = _never_fails(
            sample, path, whole + b'{"type": "from-the-future", "id": "f1", "payload": {"text": "x"}}\n'
        )
        reasons = [skip.reason for skip in told.skips]
        assert "unknown-type" in reasons, (path.name, reasons)


# ---- cut short, and read on ----


def _ends(content: bytes) -> list[int]:
    return sorted({0, *(found.end() for found in re.finditer(rb"\n", content)), len(content)})


def _grown(sample: Sample, path: Path, cuts: list[int], adapter: Adapter | None = None) -> Told:
    """What is known of a file that was read whenever it had grown to one of these sizes."""
    whole, told, mark = path.read_bytes(), Told(), None
    try:
        for size in (*cuts, len(whole)):
            sample.put(path, whole[:size])
            mark = told.read(adapter or sample.adapter, path, mark)
    finally:
        sample.put(path, whole)
    return told


def _outcome(told: Told) -> Any:
    """What must not depend on how often a file was read."""
    return told.sessions()


def _growing(sample: Sample) -> list[Path]:
    found = set(sample.paths())
    return [path for path in _plain_files(sample) if path in found]


@every_sample
def test_a_file_cut_after_any_line_and_then_completed_is_read_as_a_whole(sample: Sample) -> None:
    for path in _growing(sample):
        whole = _outcome(_grown(sample, path, []))
        for end in _ends(path.read_bytes())[:60]:
            assert _outcome(_grown(sample, path, [end])) == whole, f"{path.name} cut at {end}"


@every_sample
@fuzzed
@given(data=st.data())
def test_a_file_cut_anywhere_and_then_completed_is_read_as_a_whole(sample: Sample, data: st.DataObject) -> None:
    if not (files := _growing(sample)):
        return
    path = data.draw(st.sampled_from(files))
    size = path.stat().st_size
    cuts = sorted(data.draw(st.lists(st.integers(0, size), min_size=1, max_size=4)))
    for adapter in _readings(sample):
        assert _outcome(_grown(sample, path, cuts, adapter)) == _outcome(_grown(sample, path, [], adapter))


@every_sample
def test_what_an_adapter_remembers_is_small_and_no_conversation(sample: Sample) -> None:
    told = sample.told()
    facts = " ".join(
        str(value) for session in told.sessions().values() for key, value in session.items() if key != "turns"
    )
    facts += " ".join(str(path) for path in sample.files)
    words = {word for turn in told.turns for word in re.findall(r"[^\W\d_]{6,}", turn.text) if word not in facts}
    states = [record.state for record in told.records() if isinstance(record, Checkpoint)]
    for path in _growing(sample):
        ends = _ends(path.read_bytes())[:40]
        states += [mark.state for end in ends if (mark := _mark_at(sample, path, end))]
    for state in states:
        assert len(state) <= LONGEST_STATE
        clear = zstandard.decompress(state) if state.startswith(b"\x28\xb5\x2f\xfd") else state
        kept = clear.decode("utf-8", "replace")
        assert not {word for word in words if word in kept}


def _mark_at(sample: Sample, path: Path, size: int) -> Checkpoint | None:
    whole = path.read_bytes()
    try:
        sample.put(path, whole[:size])
        return Told().read(sample.adapter, path)
    finally:
        sample.put(path, whole)


# ---- damaged databases ----

CELLS: Mapping[str, str] = {
    "null": "NULL",
    "a number": "7",
    "a blob": "x'00ff7b22'",
    "text": "'{\"type\": 7}'",
    "no UTF-8": "CAST(x'c328a0' AS TEXT)",
    "huge": "replace(hex(zeroblob(300000)), '0', 'x')",
}


def _databases(sample: Sample) -> list[Path]:
    return [path for path in sample.files if path.read_bytes().startswith(SQLITE)]


def _altered(sample: Sample, path: Path, sql: str) -> None:
    """Read everything after a change of a database; one that the database refuses is none."""
    whole = path.read_bytes()
    try:
        with closing(apsw.Connection(str(path))) as db:
            db.execute("PRAGMA synchronous = off; PRAGMA ignore_check_constraints = on; PRAGMA foreign_keys = off")
            with suppress(apsw.Error):
                db.execute(sql)
        _never_fails(sample, path, path.read_bytes())
    finally:
        sample.put(path, whole)


def _columns(path: Path) -> list[tuple[str, str]]:
    """(table, column), both quoted."""
    with closing(apsw.Connection(str(path))) as db:
        return list(
            db.execute(
                """SELECT format('"%w"', m.name), format('"%w"', c.name)
                   FROM sqlite_schema m, pragma_table_xinfo(m.name) c
                   WHERE m.type = 'table' AND m.name NOT GLOB 'sqlite_*'"""
            )
        )


@every_sample
@pytest.mark.parametrize("cell", CELLS)
def test_any_cell_may_hold_anything(sample: Sample, cell: str) -> None:
    for path in _databases(sample):
        for table, column in _columns(path):
            _altered(sample, path, f"UPDATE {table} SET {column} = {CELLS[cell]}")  # noqa: S608


@every_sample
def test_any_table_or_column_may_be_gone_or_have_another_name(sample: Sample) -> None:
    for path in _databases(sample):
        for table, column in _columns(path):
            _altered(sample, path, f"ALTER TABLE {table} RENAME COLUMN {column} TO new")
            _altered(sample, path, f"ALTER TABLE {table} DROP COLUMN {column}")
        for table in {table for table, _ in _columns(path)}:
            _altered(sample, path, f"DROP TABLE {table}")
            _altered(sample, path, f"DELETE FROM {table}")  # noqa: S608
            _altered(sample, path, f"ALTER TABLE {table} RENAME TO new")


# ---- all at once ----


@every_sample
def test_a_skip_says_what_and_where_without_a_word_of_the_conversation(sample: Sample) -> None:
    for skip in sample.told().skips:
        assert re.fullmatch(r"[a-z][a-z-]*", skip.reason)
        assert skip.count >= 1
        assert skip.example
    assert all(isinstance(skip, SkipRecord) for skip in sample.told().skips)
    assert all(path_of(item) for item in sample.items() if not isinstance(item, SkipRecord))
