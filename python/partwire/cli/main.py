"""The entry point: the group of commands, and the one place where errors leave the program."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import Any, Final, NoReturn

import click

from ..errors import PartwireError
from ..files.limits import DEFAULT_DOCUMENT_BYTES, set_document_bytes
from ..version import __version__
from .lazy import COMPLETION_VARIABLE, CommandTable, LazyGroup, Row
from .report.render import (
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    colour_choice,
    emit_problems,
    keep_problem,
    prepare_streams,
    report_of,
    safe_words,
    unwritable,
    want_json,
    wants_json,
)
from .report.usage import asks_for_json, usage_error

__all__ = ["COMMANDS", "main"]


COMMANDS: Final = {
    "validate": Row("validate", "Validate files against the contract."),
    "assemble": Row("assemble", "Assemble a stream into one Message."),
    "deltas": Row("deltas", "Print the deltas of a provider's stream."),
    "chat": Row("chat", "Talk to a model, or play what was recorded of one."),
    "history": Row("history", "Check or repair tool calls and results over whole histories."),
    "convert": Row("convert", "Convert documents to another family or format."),
    "formats": Row("formats", "List the formats of others that are read and written."),
    "inspect": Row("inspect", "Show files, and what grows, in a page in the browser."),
    "archive": Row("archive", "Assemble, validate and change any amount of files."),
    "schema": Row("schema", "List, show and bundle the schemas of the contract."),
    "compat": Row("compat", "Tell whether a change of schemas breaks anyone."),
    "migrate": Row("migrate", "Take files to another version of the contract."),
    "negotiate": Row("negotiate", "Choose the best version that two peers know."),
    "conformance": Row("conformance", "Run the fixtures against any implementation."),
    "config": Row("config", "Check and show the configuration."),
    "serve": Row("serve", "Serve the contract over HTTP."),
    "publish": Row("publish", "Publish the schemas to a schema registry."),
    "completion": Row("completion", "Print the script that completes commands in a shell."),
    "rules": Row("rules", "List the rules, by severity and what they say."),
    "explain": Row("explain", "Explain a rule or a loss by its id."),
}
"""Every command; what it does is said here once, for ``partwire --help`` and for completion."""

_COLLECT_AFTER: Final = 20_000
"""New objects; Python's own 700 have a program of half a second look dozens of times."""


class _Group(LazyGroup):
    """A group that turns partwire's errors into findings on stderr and exit status 2.

    With ``--format json`` these are one line of JSON, and so is what click says of wrong usage.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run as a program. What is imported lives until its end: no collection looks for cycles
        in it, neither on the way nor when all is given back to the system anyway.
        """
        gc.freeze()
        gc.set_threshold(_COLLECT_AFTER)
        atexit.register(gc.freeze)
        return super().__call__(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.color = colour_choice()
        if not ctx.resilient_parsing and asks_for_json(args, self, ctx):
            want_json(ctx)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            self._refuse(ctx, error)

    def invoke(self, ctx: click.Context) -> Any:
        prepare_streams()
        try:
            return self._invoke(ctx)
        except click.exceptions.Exit as end:
            if end.exit_code == EXIT_USAGE:
                with suppress(OSError):  # stderr may be what is full
                    emit_problems(ctx)
            raise

    def _invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            self._refuse(ctx, error)
        except PartwireError as error:
            if ctx.params.get("debug"):
                raise
            keep_problem(error)
            ctx.exit(EXIT_USAGE)
        except BrokenPipeError:
            # The reader of our output has gone (`partwire … | head`): that is not an error, but
            # what was found until then is.
            _forget_stdout()
            report = report_of(ctx)
            ctx.exit(0 if report is None else report.status)
        except OSError as error:
            # Whatever cannot be read is a UsageError already.
            if ctx.params.get("debug"):
                raise
            with suppress(OSError):  # stderr may be what is full
                keep_problem(unwritable(error))
            _forget_stdout()
            ctx.exit(EXIT_USAGE)
        except KeyboardInterrupt:
            with suppress(OSError):
                click.echo("Aborted!", err=True)
            ctx.exit(EXIT_INTERRUPTED)

    def _refuse(self, ctx: click.Context, error: click.UsageError) -> NoReturn:
        """Leave click's own words to people; programs get them as a finding."""
        if not wants_json(ctx):
            error.message = safe_words(error.message)  # type: ignore[misc]  # click shows it
            raise error
        keep_problem(usage_error(error))
        emit_problems(ctx)
        ctx.exit(EXIT_USAGE)


def _forget_stdout() -> None:
    """Let what is still buffered go nowhere, so that it does not fail at interpreter exit."""
    with suppress(OSError):  # a stdout without descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    from ..native_core import native  # noqa: PLC0415  # nobody else waits for it

    core = "with" if native else "without"
    click.echo(f"partwire, version {__version__} ({core} its native core)")
    ctx.exit()


@click.group(
    cls=_Group,
    commands=CommandTable(COMMANDS),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version, and whether the native core is used.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--max-document-bytes",
    type=click.IntRange(min=1),
    default=DEFAULT_DOCUMENT_BYTES,
    show_default=True,
    envvar="PARTWIRE_MAX_DOCUMENT_BYTES",
    expose_value=False,
    callback=lambda _ctx, _option, most: set_document_bytes(most),
    help="How large a line, an item of an array or a document may be without compression, before "
    "it is refused.",
)
def main(debug: bool) -> None:
    """Validate and assemble messages of language models by the partwire contract.

    \b
    Examples:
      partwire validate --type message.Message message.json
      partwire assemble recording.sse
      partwire convert --from openai-chat --to message chat.json
    """


if COMPLETION_VARIABLE in os.environ:  # a shell asks, and one of them is to be understood first
    from .commands import completion as _completion  # noqa: F401
