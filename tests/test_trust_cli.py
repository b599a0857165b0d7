"""`forget`, `why` and `doctor` as a person and a program see them, over real session files."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from command_line import CommandLine
from harkback.core.lock import exclusive
from harkback.core.mounts import is_network, kind_of
from harkback.core.private import write_private
from harkback.core.reasons import REASONS
from harkback.core.why import STATES
from harkback.tui.surroundings import Surroundings

NOW = datetime.now(UTC)
TICKED = 'limits.preset = "everything"\nsources.claude.enabled = true\n'
FIRST, SECOND, FORK = (f"0a1b2c3d-0000-4000-8000-00000000000{n}" for n in "abc")


def record(text: str, name: str, number: int, when: datetime = NOW, cwd: str = "/home/mara/web") -> str:
    return json.dumps(
        {
            "type": "user",
            "uuid": f"{name}:{number}",
            "sessionId": name,
            "timestamp": f"{when:%Y-%m-%dT%H:%M:%S}.000Z",
            "cwd": cwd,
            "message": {"role": "user", "content": text},
        }
    )


def projects(home: Path) -> Path:
    return home / ".claude" / "projects" / "-home-mara-web"


def session(home: Path, name: str, *texts: str, **facts: Any) -> Path:
    """A session of Claude Code in which a person says `texts`."""
    path = projects(home) / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(record(text, name, n, **facts) + "\n" for n, text in enumerate(texts)), "utf-8")
    return path


@pytest.fixture
def place(harkback: CommandLine) -> CommandLine:
    """Two sessions of two projects, indexed."""
    write_private(harkback.folder / "config.toml", TICKED)
    session(harkback.home, FIRST, "the zebra crossing is painted anew", "okapi okapi okapi in the forest")
    session(harkback.home, SECOND, "a wombat digs under the fence", cwd="/home/mara/garden")
    index(harkback)
    return harkback


def index(harkback: CommandLine, **how: Any) -> None:
    Surroundings(harkback.folder, harkback.home, {}).reconcile(**how)


def configure(harkback: CommandLine, more: str) -> None:
    write_private(harkback.folder / "config.toml", TICKED + more)


def found(harkback: CommandLine, word: str) -> int:
    return len(harkback("search", word, "--no-refresh", "--json").json["hits"])


# ---- forget ----


def test_forget_says_what_it_removes_and_proves_it(place: CommandLine) -> None:
    path = projects(place.home) / f"{FIRST}.jsonl"
    before = path.read_bytes(), path.stat().st_mtime_ns
    ran = place("forget", "--session", f"claude:{FIRST}", "--yes")
    assert ran.code == 0
    assert "1 session with 2 turns" in ran.err
    assert "zebra" in ran.err
    assert ran.out.splitlines()[0] == "forgot 1 session with 2 turns"
    assert "none is left" in ran.out
    assert (found(place, "zebra"), found(place, "wombat")) == (0, 1)
    for file in place.folder.rglob("*"):
        assert not file.is_file() or b"okapi" not in file.read_bytes()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert place("index", "--rebuild").code == 0
    assert found(place, "zebra") == 0


def test_forget_without_a_terminal_and_without_yes_does_nothing(place: CommandLine) -> None:
    ran = place("forget", "--all")
    assert ran.code == 2
    assert "2 sessions with 3 turns" in ran.err
    assert "--yes" in ran.err
    assert found(place, "zebra") == 1


@pytest.mark.parametrize(("typed", "code", "left"), [("y\n", 0, 0), ("n\n", 1, 1), ("\n", 1, 1)])
def test_forget_asks_on_a_terminal(place: CommandLine, typed: str, code: int, left: int) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    ran = subprocess.run(
        [place.program, "forget", "--project", "/home/mara/web"],
        env=place.environ,
        stdin=theirs,
        capture_output=True,
        text=True,
    )
    os.close(ours)
    os.close(theirs)
    assert ran.returncode == code, ran.stderr
    assert "Forget them?" in ran.stderr
    assert (found(place, "zebra"), found(place, "wombat")) == (left, 1)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("--all", "--source", "claude"), 2),
        (("--source", "nobody"), 2),
        (("--session", "nobody"), 1),
        (("--project", "/nowhere"), 1),
        (("--source", "codex"), 1),
    ],
)
def test_forget_tells_a_wish_that_it_cannot_follow(place: CommandLine, words: tuple[str, ...], code: int) -> None:
    ran = place("forget", *words, "--yes")
    assert ran.code == code
    assert ran.out + ran.err
    assert found(place, "zebra") == 1


def test_forget_tells_what_it_has_forgotten_before(place: CommandLine) -> None:
    place("forget", "--session", FIRST, "--yes")
    ran = place("forget", "--session", FIRST, "--yes")
    assert (ran.code, ran.out) == (1, "it was forgotten already\n")


def test_forget_names_copies_and_takes_them_where_asked(place: CommandLine) -> None:
    lines = (projects(place.home) / f"{FIRST}.jsonl").read_text("utf-8").splitlines()
    copied = [json.dumps(json.loads(line) | {"sessionId": FORK}) for line in lines]
    own = record("an echidna of its own", FORK, 9)
    (projects(place.home) / f"{FORK}.jsonl").write_text("\n".join([*copied, own, ""]), "utf-8")
    index(place)
    ran = place("forget", "--session", FIRST)
    assert f"claude:{FORK}" in ran.err
    ran = place("forget", "--session", FIRST, "--yes")
    assert ran.code == 0
    assert f"claude:{FORK}" in ran.out
    assert found(place, "zebra") == 1
    ran = place("forget", "--session", FORK, "--copies", "--yes")
    assert "none is left" in ran.out
    assert (found(place, "zebra"), found(place, "echidna")) == (0, 0)


def test_forget_all_leaves_an_empty_index_that_stays_empty(place: CommandLine) -> None:
    assert place("forget", "--all", "--yes").code == 0
    assert place("index", "--json").json["sessions"] == 0
    assert place("status", "--json").json["skips"] == {"forgotten": 3}


def test_forget_waits_no_longer_than_it_says_and_changes_nothing(
    place: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harkback.core import forget
    from harkback.core.forget_plan import Request
    from harkback.core.store import Busy

    monkeypatch.setattr(forget, "PATIENCE", 0.2)
    store = Surroundings(place.folder, place.home, {}).store
    for request in (Request(session=FIRST), Request(everything=True)):
        with exclusive(store.lock_path), pytest.raises(Busy):
            forget.forget(store, request)
    assert found(place, "zebra") == 1


# ---- why ----


def why(harkback: CommandLine, what: str | Path, code: int = 0) -> Any:
    ran = harkback("why", os.fspath(what), "--json")
    assert ran.code == code, ran.err
    assert ran.json["schema"] == 1
    shown = harkback("why", os.fspath(what))
    assert shown.code == code
    assert ran.json["sentence"] in shown.out
    return ran.json


def reasons(answer: Any) -> dict[str, int]:
    assert all(part["sentence"] and part["remedy"] for part in answer["reasons"])
    return {part["reason"]: part["count"] for part in answer["reasons"]}


def test_why_tells_of_what_is_there(place: CommandLine) -> None:
    path = projects(place.home) / f"{FIRST}.jsonl"
    answer = why(place, path)
    assert (answer["state"], answer["turns"], answer["source"]) == ("indexed", 2, "claude")
    assert answer["related"] == [f"claude:{FIRST}"]
    assert "did you mean" in place("why", FIRST[:10]).err
    answer = why(place, FIRST)
    assert (answer["state"], answer["about"]) == ("indexed", f"claude:{FIRST}")
    assert answer["related"] == [str(path)]


def test_why_tells_what_was_skipped_and_where(place: CommandLine) -> None:
    path = projects(place.home) / f"{FIRST}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write("{broken\n{broken again\n")
    index(place)
    for what in (path, f"claude:{FIRST}"):
        answer = why(place, what)
        assert answer["state"] == "indexed-in-part"
        assert reasons(answer) == {"not-json": 2}
        assert answer["reasons"][0]["example"].startswith("byte ")


def test_why_tells_what_cannot_be_read(place: CommandLine) -> None:
    path = projects(place.home) / f"{FORK}.jsonl"
    path.write_bytes(b"\x00\x01\x02 no lines of json at all" * 4_000)
    index(place)
    answer = why(place, path)
    assert answer["state"] in ("unreadable", "empty")
    assert reasons(answer)


def test_why_tells_of_a_session_that_its_agent_deleted(place: CommandLine) -> None:
    (projects(place.home) / f"{FIRST}.jsonl").unlink()
    index(place)
    assert why(place, f"claude:{FIRST}")["state"] == "gone"
    assert why(place, projects(place.home) / f"{FIRST}.jsonl")["state"] == "gone"


def test_why_tells_of_limits(place: CommandLine) -> None:
    old = session(place.home, FORK, "an old echidna", when=NOW - timedelta(days=200))
    long_ago = (NOW - timedelta(days=200)).timestamp()
    os.utime(old, (long_ago, long_ago))
    write_private(place.folder / "config.toml", "sources.claude.enabled = true\n")
    index(place)
    answer = why(place, old)
    assert answer["state"] == "left-out"
    assert reasons(answer) == {"window": 1}
    assert "limits.window_days" in answer["reasons"][0]["remedy"]


def test_why_tells_of_a_session_that_was_left_out_by_its_id(place: CommandLine) -> None:
    session(place.home, FORK, "an old echidna", when=NOW - timedelta(days=200))
    write_private(place.folder / "config.toml", "sources.claude.enabled = true\n")
    index(place)
    answer = why(place, FORK)
    assert (answer["state"], reasons(answer)) == ("left-out", {"window": 1})


def test_why_tells_of_what_is_excluded(place: CommandLine) -> None:
    secret = projects(place.home) / "credentials.jsonl"
    secret.write_text(record("an echidna", FORK, 0) + "\n")
    configure(place, f"exclude.patterns = ['session:claude:{FIRST}', '**/{SECOND}*']\n")
    assert reasons(why(place, secret)) == {"secret-name": 1}
    index(place)
    answer = why(place, secret)
    assert (answer["state"], reasons(answer)) == ("excluded", {"secret-name": 1})
    answer = why(place, projects(place.home) / f"{SECOND}.jsonl")
    assert (answer["state"], reasons(answer)) == ("excluded", {"excluded": 1})
    assert why(place, f"claude:{FIRST}")["state"] == "excluded"


def test_why_tells_of_what_was_forgotten(place: CommandLine) -> None:
    place("forget", "--session", FIRST, "--yes")
    assert why(place, f"claude:{FIRST}")["state"] == "forgotten"
    assert why(place, FIRST)["state"] == "forgotten"
    answer = why(place, projects(place.home) / f"{FIRST}.jsonl")
    assert (answer["state"], reasons(answer)) == ("forgotten", {"forgotten": 2})


def test_why_tells_of_an_unticked_source(place: CommandLine) -> None:
    rollout = place.home / ".codex" / "sessions" / "2026" / "rollout-x.jsonl"
    rollout.parent.mkdir(parents=True)
    rollout.write_text("{}\n")
    assert why(place, rollout)["state"] == "unticked"
    assert why(place, rollout.parent)["state"] == "unticked"
    assert why(place, "codex:anything")["state"] == "unticked"
    write_private(place.folder / "config.toml", "")
    assert why(place, projects(place.home) / f"{FIRST}.jsonl")["state"] == "unticked"


def test_why_tells_of_files_that_were_not_read(place: CommandLine) -> None:
    new = session(place.home, FORK, "not seen yet")
    assert why(place, new)["state"] == "not-yet"
    notes = new.with_name("notes.txt")
    notes.write_text("no session")
    assert why(place, notes)["state"] == "no-session-file"
    outside = place.home / "elsewhere.jsonl"
    outside.write_text("{}\n")
    answer = why(place, outside)
    assert answer["state"] == "outside"
    assert "harkback sources add" in answer["remedy"]
    assert why(place, place.home / "no" / "such.jsonl", 1)["state"] == "absent"
    assert why(place, "nobody-knows-this", 1)["state"] == "unknown"


def test_why_takes_a_link_for_what_it_is(place: CommandLine) -> None:
    link = projects(place.home) / "link.jsonl"
    link.symlink_to(place.home / "elsewhere.jsonl")
    assert why(place, link)["state"] in ("symbolic-link", "excluded")
    through = place.home / "door"
    through.symlink_to(projects(place.home))
    assert why(place, through / f"{FIRST}.jsonl")["state"] == "indexed"


def test_why_sums_up_a_folder(place: CommandLine) -> None:
    (projects(place.home) / f"{FIRST}.jsonl").unlink()
    index(place)
    answer = why(place, place.home / ".claude")
    assert (answer["state"], answer["turns"]) == ("folder", 3)
    assert answer["related"] == ["1 no longer there", "1 read"]


def test_why_answers_before_anything_is_indexed(harkback: CommandLine) -> None:
    write_private(harkback.folder / "config.toml", TICKED)
    path = session(harkback.home, FIRST, "zebra")
    assert why(harkback, path)["state"] == "not-yet"
    assert harkback("why", FIRST).code == 1


def test_why_shows_nothing_that_a_terminal_would_obey(place: CommandLine) -> None:
    for what in ("\x1b]0;x\x07", "./\x1b[31m", "~/\u202e.jsonl"):
        ran = place("why", what)
        assert ran.code == 1
        assert not re.search("[\x1b\x07\u202e]", ran.out + ran.err)


def test_every_state_has_words() -> None:
    for words in STATES.values():
        assert words.sentence
        assert not words.sentence.endswith(".")
    assert "forgotten" in REASONS


# ---- doctor ----


def doctor(harkback: CommandLine, code: int = 0) -> dict[str, dict[str, str]]:
    """Its findings by name; every one that is not ok says what to do."""
    ran = harkback("doctor", "--json")
    assert ran.code == code, ran.out
    assert ran.json["ok"] is (code == 0)
    assert harkback("doctor").code == code
    for finding in ran.json["findings"]:
        assert finding["level"] in ("ok", "warning", "problem")
        assert bool(finding["advice"]) is (finding["level"] != "ok"), finding
    return {finding["name"]: finding for finding in ran.json["findings"]}


def change(harkback: CommandLine, *statements: str) -> None:
    with contextlib.closing(apsw.Connection(str(harkback.folder / "index.db"))) as db:
        for statement in statements:
            db.execute(statement)


def test_doctor_finds_nothing_wrong_where_nothing_is(place: CommandLine) -> None:
    before = {path: path.read_bytes() for path in place.folder.iterdir() if path.suffix != ".lock"}
    findings = doctor(place)
    assert {finding["level"] for name, finding in findings.items() if name != "disk"} == {"ok"}
    assert {"harkback", "sqlite", "access", "configuration", "source claude", "journal", "integrity"} <= set(findings)
    assert {path: path.read_bytes() for path in before} == before


def test_doctor_runs_before_anything_is_there(harkback: CommandLine) -> None:
    findings = doctor(harkback)
    assert findings["sources"]["level"] == "warning"
    assert not harkback.folder.exists()


def test_doctor_finds_a_configuration_that_cannot_be_read(place: CommandLine) -> None:
    write_private(place.folder / "config.toml", "limits.preset = 7\n")
    findings = doctor(place, 3)
    assert findings["configuration"]["level"] == "problem"
    assert "limits.preset" in findings["configuration"]["found"]
    assert findings["integrity"]["level"] == "ok"


def test_doctor_finds_files_that_others_may_read(place: CommandLine) -> None:
    (place.folder / "index.db").chmod(0o644)
    finding = doctor(place, 3)["access"]
    assert "index.db (0644)" in finding["found"]
    assert finding["advice"].startswith("chmod ")


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("DELETE FROM words WHERE rowid = (SELECT min(id) FROM chunks)", "full text"),
        ("DELETE FROM chunks WHERE id = (SELECT min(id) FROM chunks)", "full text"),
        ("UPDATE chunks SET turn = 4711", "integrity"),
        ("PRAGMA user_version=99", "index"),
        ("PRAGMA journal_mode=DELETE", "journal"),
    ],
)
def test_doctor_finds_what_is_wrong_with_the_index(place: CommandLine, statement: str, name: str) -> None:
    change(place, statement)
    assert doctor(place, 3)[name]["level"] == "problem"


def test_doctor_finds_a_damaged_index(place: CommandLine) -> None:
    path = place.folder / "index.db"
    content = bytearray(path.read_bytes())
    content[4_096:20_000] = b"\xa5" * (20_000 - 4_096)
    path.write_bytes(content)
    findings = doctor(place, 3)
    assert "problem" in {findings[name]["level"] for name in ("index", "integrity") if name in findings}


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("UPDATE meta SET value = 0 WHERE key = 'tokenizer'", "rules"),
        ("UPDATE files SET adapter_version = -1", "pending"),
        ("REPLACE INTO meta VALUES ('rewrite', 1)", "rewrite"),
        ("UPDATE files SET state = 'quarantined'", "files"),
        ("UPDATE runs SET error = 'OSError'", "source claude"),
    ],
)
def test_doctor_warns_of_what_is_to_be_done(place: CommandLine, statement: str, name: str) -> None:
    change(place, statement)
    assert doctor(place)[name]["level"] == "warning"


def test_doctor_warns_of_a_source_without_a_place(place: CommandLine) -> None:
    configure(place, "sources.codex.enabled = true\n")
    assert doctor(place)["source codex"]["level"] == "warning"


def test_doctor_warns_of_a_damaged_index_that_is_kept(place: CommandLine) -> None:
    aside = place.folder / "index.db.damaged-20260102T030405"
    write_private(aside, "")
    assert "2026-01-02" in doctor(place)["damage"]["found"]
    place("forget", "--session", FIRST, "--yes")
    assert not aside.exists()
    assert "damage" not in doctor(place)


def test_doctor_tells_of_another_who_is_writing(place: CommandLine) -> None:
    with exclusive(place.folder / "index.lock"):
        assert "another harkback" in doctor(place)["lock"]["found"]


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 22 0:40 / /home rw - nfs4 server:/home rw
32 31 8:2 / /home/mara/local rw - xfs /dev/sdb1 rw
33 22 0:41 / /mnt/with\\040blank rw - fuse.sshfs me@there: rw
34 22 0:42 / /mnt/c rw - 9p drvfs rw
a line that is none
"""


@pytest.mark.parametrize(
    ("folder", "kind", "network"),
    [
        ("/var/lib/harkback", "ext4", False),
        ("/home", "nfs4", True),
        ("/home/mara/.local/share/harkback", "nfs4", True),
        ("/home/mara/local/x", "xfs", False),
        ("/homestead", "ext4", False),
        ("/mnt/with blank/x", "fuse.sshfs", True),
        ("/mnt/c/Users", "9p", True),
    ],
)
def test_a_network_drive_is_known_by_its_mount(folder: str, kind: str, network: bool) -> None:
    assert kind_of(Path(folder), MOUNTS) == kind
    assert is_network(kind) is network


def test_where_mounts_are_not_told_the_kind_is_unknown() -> None:
    assert kind_of(Path("/anywhere"), "") is None
    assert not is_network("fuse.ntfs")
    assert not is_network("fuseblk")
