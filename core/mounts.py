"""Which kind of file system a folder is on, as Linux tells it; elsewhere nobody is asked."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "ncpfs", "9p", "afs", "ceph", "glusterfs", "lustre", "gpfs")
)
"""Kinds whose locks and shared memory SQLite can't rely on; FUSE kinds are judged by their own name."""
_NETWORK_FUSE = frozenset(("sshfs", "s3fs", "gcsfuse", "rclone", "davfs", "glusterfs", "cephfs", "blobfuse"))
_MOUNTS = Path("/proc/self/mountinfo")


def kind_of(folder: Path, mountinfo: str | None = None) -> str | None:
    """The file system's kind, such as `ext4` or `nfs4`; None where that can't be known.

    `mountinfo` is text in the form of Linux' /proc/self/mountinfo.
    """
    if mountinfo is None:
        mountinfo = ""
        with suppress(OSError):
            mountinfo = _MOUNTS.read_text("utf-8", "surrogateescape")
    place = os.path.realpath(folder)
    best: tuple[int, str] | None = None
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        if len(fields := before.split(" ")) > 4 and after:
            point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
            inside = place == point or place.startswith(point.rstrip("/") + "/")
            if inside and (best is None or len(point) >= best[0]):  # the later mount covers the earlier
                best = len(point), after.split(" ")[0]
    return best[1] if best else None


def is_network(kind: str) -> bool:
    """Whether a kind of file system is one over a network."""
    name, _, fuse = kind.partition(".")
    return name in NETWORK or (name.startswith("fuse") and fuse in _NETWORK_FUSE)
