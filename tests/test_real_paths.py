"""Paths with their links followed, as the standard library follows them."""

from __future__ import annotations

import os
from pathlib import Path

from harkback.core.real_paths import RealPaths


def test_links_are_followed_as_the_standard_library_does(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    (tmp_path / "to-a").symlink_to("a")
    (tmp_path / "a" / "to-file").symlink_to(deep / "file")
    (tmp_path / "a" / "loop").symlink_to("loop")
    (deep / "up").symlink_to("..")
    (tmp_path / "a" / "dangling").symlink_to("nowhere/at/all")
    real = RealPaths()
    for names in (
        "a/b/file", "to-a/b/file", "to-a/to-file", "to-a/b/up/b/up/to-file", "a/loop", "a/loop/x", "a/dangling",
        "to-a/dangling/x", "none/such", "to-a/none", "a/b/../b/file", "to-a/../to-a/b", "",
    ):  # fmt: skip
        path = tmp_path / names
        assert real.of(path) == os.path.realpath(path), names
    for path in (Path("/"), Path("relative/x"), Path("/etc")):
        assert real.of(path) == os.path.realpath(path)


def test_a_folder_is_there_or_not(tmp_path: Path) -> None:
    real = RealPaths()
    assert real.has_folder(tmp_path / "x")
    assert not real.has_folder(tmp_path / "x" / "y")
    (tmp_path / "x").mkdir()
    assert not real.has_folder(tmp_path / "x" / "y"), "it is looked for once"
