"""That there is no embedding model; apart from what knows the models, so that it can be told where none is loaded."""

from __future__ import annotations


class NoModel(Exception):
    """There is no embedding model to use; the message says why and what to do."""
