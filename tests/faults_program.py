"""Disturbs whatever harkback does with its index, and prints one table; `bench/faults.py` starts it and says how."""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import apsw
from engine import Engine, Lines
from faults_crowd import crowd, foreign, live_sessions
from faults_home import SECRET, Home
from faults_process import CALLS, KILL, OPEN, READ, SYNC, WRITE, Fault, arm, can_fail, in_child, told
from faults_stages import NOT_REMEMBERED, Stage, answers, copied, forget_all, look_at, look_at_finished, stages
from harkback.adapters.claude import Claude
from harkback.core import lots
from harkback.core.config import Limits
from harkback.core.store import NoIndex, Store
from test_migrate import age

ALONE = "FAULTS_ALONE"
"""The environment's name for whether disks can be mounted that nobody else sees."""
DISK = 32 << 20
"""Bytes of the disks that are filled."""


class Program:
    """Runs faults, and notes what came of them."""

    def __init__(self, place: Path, seed: int, sessions: int) -> None:
        self.place, self.rng = place, random.Random(seed)
        self.runs: Counter[str] = Counter()
        self.struck: Counter[str] = Counter()
        self.notes: dict[str, str] = {}
        self.violations: list[tuple[str, str]] = []
        self.searches = 0
        self.engine = Engine(place / "work", adapters=(Claude(), Lines()), limits=Limits("everything"))  # type: ignore[arg-type]
        home = Home(self.engine, random.Random(seed))
        home.make(sessions)
        self.engine.run()
        before = self.kept("before")
        home.change(sessions)
        self.engine.run()
        self.size = self.engine.store.path.stat().st_size
        after = self.kept("after")
        copied(before, self.engine.store.home)
        age(self.engine, 1)
        self.stages = stages(before, after, old=self.kept("old"))
        sources = [path.read_bytes() for path in self.engine.home.rglob("*.jsonl")]
        self.listing = self.engine.listing()
        self.sources = f"{len(sources)} files, {sum(map(len, sources)) / 1e6:.1f} MB"
        assert any(map(SECRET.search, sources))
        for stage in self.stages:
            self.undisturbed(stage)
        if can_fail() and not all(self.stages[0].calls[kind] for kind in (OPEN, READ, WRITE, SYNC)):
            self.violations.append(("undisturbed", "not every call is caught that SQLite makes"))

    def kept(self, name: str) -> Path:
        return self.engine.store.home.rename(self.place / name)

    def undisturbed(self, stage: Stage) -> None:
        """What comes of a stage when nothing goes wrong, how long it takes and what it calls."""
        copied(stage.start, self.engine.store.home)
        began = time.monotonic()
        waiting = functools.partial(arm, self.engine.store.home, Fault())
        try:
            ended = in_child(lambda: stage.act(self.engine), waiting, lambda: self.search(stage), None)
        except Exception as error:
            self.violations.append(("undisturbed", f"{stage.name}: a search meanwhile: {told(error)}"))
        else:
            stage.seconds, stage.calls = time.monotonic() - began, ended.calls
            if ended.outcome != "done":
                self.violations.append(("undisturbed", f"{stage.name}: {ended.outcome}"))
        (stage.again or stage.act)(self.engine)
        stage.expected = self.engine.contents()
        self.look("undisturbed", stage.name, stage, done=True)

    def arm(self, fault: Fault) -> None:
        lots.FLUSH_TURNS = self.rng.choice((5, 40, 1_000))
        arm(self.engine.store.home, fault)

    # ---- what must hold ----

    def search(self, stage: Stage) -> None:
        """The index answers, whoever is at it and whatever happened to them."""
        self.searches += 1
        try:
            found = answers(self.engine)
        except NoIndex:
            if stage.answers and not self.engine.store.path.with_name("index.db.new").exists():
                raise
        else:
            assert found or not stage.answers, f"the search found nothing, {stage.name}"

    def look(self, row: str, name: str, stage: Stage, *, done: bool) -> None:
        """At finished work, or at a copy of what a fault left, so that looking changes nothing about it."""
        try:
            assert self.engine.listing() == self.listing, "a source was changed"
            self.search(stage)
            if done:
                look_at(self.engine)
                look_at_finished(self.engine, stage)
            else:
                copied(self.engine.store.home, self.place / "aside")
                aside = replace(self.engine)
                aside.store = Store(self.place / "aside")
                look_at(aside)
        except Exception as error:
            self.violations.append((row, f"{name}: {told(error)}"))

    # ---- one fault ----

    def strike(
        self,
        row: str,
        name: str,
        stage: Stage,
        arm: Callable[[], object],
        *,
        kill_after: float | None = None,
        mend: Callable[[], object] | None = None,
    ) -> str:
        """Do a stage with a fault in it, look, take it up again, look again; gives how the disturbed process ended.

        `arm` is called in that process; `mend` takes away here what it brought about.
        """
        copied(stage.start, self.engine.store.home)
        name = f"{stage.name}, {name}"
        self.runs[row] += 1
        try:
            ended = in_child(lambda: stage.act(self.engine), arm, lambda: self.search(stage), kill_after)
        except Exception as error:
            self.violations.append((row, f"{name}: a search meanwhile: {told(error)}"))
            return ""
        refused = ended.outcome.startswith("refused")
        struck = ended.struck or (mend is not None and refused)
        self.struck[row] += struck
        if not (ended.killed or ended.outcome == "done" or (struck and refused)):
            self.violations.append((row, f"{name}: {ended.outcome}"))
        self.look(row, f"{name}: as it was left ({ended.outcome})", stage, done=False)
        if mend:
            mend()
        if NOT_REMEMBERED in ended.outcome:
            stage = replace(stage, gone=b"", expected=self.stages[0].expected)
        try:
            (stage.again or stage.act)(self.engine)
        except Exception as error:
            self.violations.append((row, f"{name}: taken up again ({ended.outcome}): {told(error)}"))
        else:
            self.look(row, f"{name}: taken up again ({ended.outcome})", stage, done=True)
        return ended.outcome

    def kill(self, number: int) -> None:
        """By the clock or at a call."""
        stage = self.stages[number // 3 % 2 if number % 3 == 0 else number % len(self.stages)]
        row, total = f"kill -9: {stage.name}", sum(stage.calls)
        if total and self.rng.random() < 0.6:
            nth = self.rng.randint(1, total)
            self.strike(row, f"at call {nth} of {total}", stage, lambda: self.arm(Fault(how=KILL, nth=nth)))
        else:
            after = self.rng.uniform(0, 0.8 * stage.seconds)
            self.strike(row, f"after {after:.3f} s", stage, lambda: self.arm(Fault()), kill_after=after)

    def fail(self, number: int) -> None:
        """A call, or that and all later ones."""
        row = list(CALLS)[number % len(CALLS)]
        (kind,) = CALLS[row].kinds
        stage = self.rng.choice([stage for stage in self.stages if stage.calls[kind]])
        nth = self.rng.randint(1, stage.calls[kind])
        fault = replace(CALLS[row], nth=nth, lasting=self.rng.random() < 0.5)
        name = f"call {nth} of {stage.calls[kind]}{' and all later' if fault.lasting else ''}"
        self.strike(row, name, stage, lambda: self.arm(fault))

    def limit(self, number: int) -> None:
        """No file may grow beyond a size."""
        stage = self.stages[number % len(self.stages)]
        most = self.rng.randint(1, 2 * self.size)
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
        self.strike("RLIMIT_FSIZE", f"{most} bytes", stage, limit, mend=lambda: None)

    def fill(self, number: int) -> None:
        """The disk of the index is full but for some bytes, and then has room again."""
        stage = self.stages[number % len(self.stages)]
        room = self.rng.choice((0, self.rng.randint(0, self.size // 4), self.rng.randint(0, 2 * self.size)))
        with self.disk() as folder:
            filler = folder / "filler"

            def fill() -> None:
                with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
                    while (free := _free(folder)) > room:
                        file.write(bytes(min(1 << 20, free - room)))

            ended = self.strike("disk full", f"{room} bytes left", stage, fill, mend=filler.unlink)
        if stage.act is forget_all and ended != "done":
            self.violations.append(("disk full", f"everything not forgotten with {room} bytes left: {ended}"))

    @contextlib.contextmanager
    def disk(self) -> Generator[Path]:
        """A small disk for the index."""
        folder, before = self.place / "disk", self.engine.store
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", folder], check=True)
        self.engine.store = Store(folder / "index")
        try:
            yield folder
        finally:
            self.engine.store = before
            subprocess.run(["umount", folder], check=True)

    # ---- many at once ----

    def many(self, row: str, do: Callable[..., str], rounds: int) -> None:
        self.notes[row] = do(self.place / row, self.rng, rounds, lambda text: self.violations.append((row, text)))
        self.runs[row] = self.struck[row] = rounds


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("faults.py")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--faults", type=int, default=350, help="calls that fail")
    parser.add_argument("--disks", type=int, default=28, help="full disks, and as many limits to the size of files")
    parser.add_argument("--rounds", type=int, default=40, help="of many at once, half as many of foreign data")
    parser.add_argument("--sessions", type=int, default=120, help="half as many as the home has")
    parser.add_argument("--seconds", type=float, default=3_600.0, help="no further fault is begun after so long")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> int:
    options, began = arguments(), time.monotonic()
    can_mount = os.environ.get(ALONE) == "1"
    with tempfile.TemporaryDirectory(prefix="harkback-faults-") as folder:
        program = Program(Path(folder), options.seed, options.sessions)
        if options.rounds:
            program.many("4 indexers, 2 searchers", crowd, options.rounds)
            program.many("foreign database", foreign, options.rounds // 2)
            program.many("sessions in a live database", live_sessions, options.rounds // 2)
        work = [(program.kill, n) for n in range(options.kills)]
        work += [(program.limit, n) for n in range(options.disks)]
        work += [(program.fail, n) for n in range(options.faults) if can_fail()]
        work += [(program.fill, n) for n in range(options.disks) if can_mount]
        program.rng.shuffle(work)
        done = 0
        for do, number in work:
            if time.monotonic() - began > options.seconds:
                break
            do(number)
            done += 1
    print(
        f"seed {options.seed}; {program.sources}; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, ", end=""
    )
    print(f"Python {sys.version.split()[0]}, SQLite {apsw.sqlite_lib_version()}\n")
    violated = Counter(row for row, _ in program.violations)
    print_row("", "runs", "struck", "violations")
    for row in sorted({*program.runs, *violated}):
        print_row(row, program.runs[row], program.struck[row], violated[row], program.notes.get(row, ""))
    print_row("together", program.runs.total(), program.struck.total(), violated.total())
    print(f"\n{program.searches:,} searches from another process meanwhile; {time.monotonic() - began:.0f} s")
    if not can_fail():
        print("without a C compiler no call is made to fail")
    if not can_mount:
        print("no disk of its own may be mounted here, so none was filled")
    if done < len(work):
        print(f"{len(work) - done} of {len(work)} faults were left out: {options.seconds:g} s were over")
    for row, text in program.violations:
        print(f"VIOLATED {row}: {text}")
    return int(bool(program.violations))


def print_row(*cells: object) -> None:
    name, runs, struck, violations, *note = (str(cell) for cell in cells)
    print(f"{name:<32}{runs:>8}{struck:>8}{violations:>12}  {''.join(note)}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
