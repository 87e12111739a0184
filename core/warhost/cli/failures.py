"""What becomes of errors: a message and an exit code.

1 the content is wrong, 2 wrong usage, 3 a defect in Warhost itself, 130 interrupted, 141 nobody reads on.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from warhost.errors import ContentError, UsageError, WarhostError
from warhost.output_safety import harmless

WRONG_CONTENT = 1
WRONG_USAGE = 2
DEFECT = 3
INTERRUPTED = 130
NOT_READ = 141
"""As a shell counts a program that a broken pipe has ended."""

REPORT_TO = "https://warhost.invalid/issues"

#: What a message calls what a ruleset does not have.
_MISSED = re.compile(r'(?: has no (?:\w+ )?\w+|^nothing in \S+ is called) "([^"]+)"')


@contextmanager
def failing(ctx: click.Context) -> Iterator[None]:
    """Ends the program in an orderly way when something inside fails."""
    from warhost.cli import output

    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = harmless(error.message)
        raise
    except (click.exceptions.Exit, click.Abort, SystemExit):
        raise
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        _stop_writing()
        raise SystemExit(NOT_READ) from None
    except UsageError as error:
        raise click.UsageError(harmless(_with_house_rule(str(error), ctx))) from error
    except ContentError as error:
        output.problems_and_exit(ctx, error)
    except WarhostError as error:
        output.refuse(ctx, str(error))
        raise SystemExit(WRONG_CONTENT) from error
    except OSError as error:
        about = f" ({error.filename})" if error.filename else ""
        output.refuse(ctx, f"the system refused: {error.strerror or error}{about}")
        if error.filename is None:  # what could not be written would be tried again at the end
            _stop_writing()
        raise SystemExit(WRONG_USAGE) from error
    except Exception as error:
        _strangers_defect(ctx, error)
        _defect(ctx, error)


def _with_house_rule(message: str, ctx: click.Context) -> str:
    """What is said of a name that the ruleset does not have, with the house rule that may have it."""
    from warhost.cli.installed_names import house_rule_with

    missed = _MISSED.search(message)
    hint = house_rule_with(missed[1], ctx.meta.get("warhost.house", ())) if missed else None
    return f"{message}; {hint}" if hint else message


def _stop_writing() -> None:
    """Nobody reads standard output any more: what is left goes nowhere, without complaint at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return


def _strangers_defect(ctx: click.Context, error: Exception) -> None:
    """What went wrong in somebody's plugin or tool is told as theirs."""
    from warhost.cli import output
    from warhost.plugins import stranger_at_fault

    if (sentence := stranger_at_fault(error)) is None:
        return
    _show_traceback(ctx, error)
    output.refuse(ctx, sentence + ("" if ctx.meta.get("warhost.debug") else "; --debug shows all of it"))
    raise SystemExit(WRONG_CONTENT) from error


def _show_traceback(ctx: click.Context, error: Exception) -> None:
    if ctx.meta.get("warhost.debug"):
        import traceback

        click.echo(harmless("".join(traceback.format_exception(error))), err=True)


def _defect(ctx: click.Context, error: Exception) -> None:
    _show_traceback(ctx, error)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    click.echo(f"This is a defect in Warhost itself, not in what you wrote: {harmless(what[:300])}", err=True)
    more = "" if ctx.meta.get("warhost.debug") else ", with what the same command says with --debug"
    click.echo(f"Please report it{more}: {REPORT_TO}", err=True)
    raise SystemExit(DEFECT) from error
