"""A program that is ready for whatever code is its word: what such code imports is there already."""

from __future__ import annotations

import sys

import engine  # noqa: F401


def main() -> None:
    exec(sys.argv[1], {"__name__": "__main__"})  # noqa: S102, the code is a test's own
