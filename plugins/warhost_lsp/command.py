"""`warhost lsp`: the language server."""

from __future__ import annotations

from importlib.util import find_spec

import click

from warhost.cli.arguments import common
from warhost.cli.help_examples import WithExamples


@click.command(cls=WithExamples, examples=("warhost lsp --help",))
@click.option("--port", type=click.IntRange(1, 65535), metavar="PORT",
              help="Listen on this port of this machine instead of standard input.")  # fmt: skip
@common
def lsp(port: int | None) -> None:
    """Serve an editor by the Language Server Protocol.

    Your editor starts this by itself and talks to it on standard input and output; docs/editors.md says how to tell
    it. It shows mistakes as you type, says what names mean, finds where they are defined and used, completes, renames
    and lays out rules, in .rules files and in the YAML files of rulesets.
    """
    from warhost.errors import UsageError

    if find_spec("pygls") is None:
        raise UsageError("the language server needs pygls, which is not installed: pip install 'warhost[lsp]'")
    from warhost_lsp.server import serve

    serve(port)
