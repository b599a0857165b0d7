"""The command that serves agents over MCP."""

from __future__ import annotations

import sys

import click

from .cli import as_typed, cli, home_option, place


@cli.command(short_help="Serve agents: an MCP server on standard input and output.")
@click.option("--session", metavar="KEY", help="The session that asks, where tools.visibility is not `all`.")
@home_option
def mcp(session: str | None) -> None:
    """Serve agents over the Model Context Protocol, on standard input and output, until the input ends.

    tools.visibility in config.toml says what they see: `all` sessions, those of the same `agent`, the `tree` of those
    that the asking session started, or that `self` alone.
    """
    from .mcp import serve  # no other command needs what they bring along
    from .mcp_tools import server

    serve(server(place(), as_typed(session) if session else None), sys.stdin.buffer, sys.stdout.buffer)
