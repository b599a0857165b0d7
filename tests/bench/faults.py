"""What becomes of the index when things go wrong: processes killed, calls that fail, disks that fill, many at once.

    python tests/bench/faults.py [--kills N] [--faults M] [--seconds S] [--seed X] ...

After each fault the index is looked at as it lies there, work is taken up again, and what comes of that is compared
with what comes of undisturbed work. One table; the exit code is 1 if anything was violated. A run with the same seed
meets the same faults, but for kills by the clock. This file compiles `faults.c`, which makes calls fail, and starts
`../faults_program.py` with it loaded, and where that is allowed with mounts of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ALONE = ["unshare", "--user", "--map-root-user", "--mount"]


def main() -> int:
    program = os.fspath(Path(__file__).parents[1] / "faults_program.py")
    with tempfile.TemporaryDirectory(prefix="harkback-faults-") as folder:
        library, can_mount = compiled(Path(folder)), mounts(folder)
        environ = {**os.environ, "FAULTS_LIBRARY": library, "LD_PRELOAD": library, "FAULTS_ALONE": str(int(can_mount))}
        command = [*(ALONE if can_mount else []), sys.executable, program, *sys.argv[1:]]
        return subprocess.run(command, env=environ, check=False).returncode


def compiled(folder: Path) -> str:
    """The library that makes calls fail; nothing where there is no compiler."""
    compiler, library = shutil.which("cc") or shutil.which("gcc"), os.fspath(folder / "faults.so")
    if compiler is None or not sys.platform.startswith("linux"):
        return ""
    source = os.fspath(Path(__file__).with_suffix(".c"))
    done = subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=False)
    return library if done.returncode == 0 else ""


def mounts(folder: str) -> bool:
    """Whether small disks can be mounted here without anyone else seeing them."""
    command = [*ALONE, "mount", "-t", "tmpfs", "none", folder]
    return bool(shutil.which(ALONE[0])) and subprocess.run(command, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
