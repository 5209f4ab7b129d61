"""``partwire inspect``: files in the inspector's page, in a browser or as one file."""

from __future__ import annotations

import os
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, Final

import click

from ...errors import FramingError, PartwireError, ReadError
from ...files.inputs import STDIN, Source, expand
from ...files.unreadable import unreadable
from ...formats import FORMATS
from ...inspector.live import LiveServer, Stream
from ...inspector.page import read_page, with_exhibits
from ...tables.event_dialects import ALIASES
from ..files.format_streams import STREAM_FORMATS
from ..files.inspected import HELD, exhibits_of, followed
from ..files.remote import is_url
from ..files.signals import ending_cleanly
from ..files.streams import DELTAS, PROVIDER_DIALECTS
from ..report.output import FileOutput
from ..report.render import EXIT_FINDINGS, EXIT_USAGE
from ..terminal.results import Results

__all__ = ["inspect"]


class _Held(click.Choice[str]):
    """What a file holds, by its name or an alias."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(ALIASES.get(value, value), param, ctx)


_HELD: Final = _Held(tuple(dict.fromkeys((*HELD, *FORMATS))))
_PLAYED: Final = frozenset((DELTAS, *PROVIDER_DIALECTS, *STREAM_FORMATS))
"""What has to be said of a stream that --terminal plays."""


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--from",
    "kind",
    type=_HELD,
    metavar="FORMAT",
    help="What the FILEs hold, where they do not show it: deltas, message, history, session, "
    "report or json; the stream of a provider; or a format (partwire formats).",
)
@click.option("--output", metavar="PAGE.html|-", help="Write the page to a file, or to stdout.")
@click.option(
    "--follow",
    is_flag=True,
    help="Show FILE as it grows, or what a service sends at a URL, as it comes.",
)
@click.option("--no-browser", is_flag=True, help="Print the address of the page, and no more.")
@click.option("--terminal", is_flag=True, help="Show one FILE here, without a page.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    help="What is wrong, on stderr: for people, or a line of JSON for each.  "
    "[default: text on a terminal, else json]",
)
@click.pass_context
def inspect(
    ctx: click.Context,
    files: tuple[str, ...],
    kind: str | None,
    output: str | None,
    follow: bool,
    no_browser: bool,
    terminal: bool,
    output_format: str | None,
) -> None:
    """Show FILEs in the inspector, a page in the browser: streams, deltas, messages, histories.

    FILEs may be globs, or - for stdin, and compressed by gzip or zstd; their first bytes show what
    they hold. What only Python reads, such as a session of an agent, is converted to messages, and
    the page says what they lose. Without FILE the page is empty, and takes files that are dropped
    on it. With --follow a FILE may also be an http(s):// address.

    The page is served to this machine alone, until Ctrl-C, and loads nothing from elsewhere.
    --output writes it as one file, which needs no server. --terminal plays a stream, or prints
    messages, in the terminal.

    Exit status: 0 the page was served until Ctrl-C, or it is written, or FILE is shown, 1 a FILE
    is empty or damaged, or is not of the format that --from says, 2 usage or unreadable input,
    130 left by Ctrl-C before the page is there, or in --terminal.

    \b
    Examples:
      partwire inspect recording.sse
      partwire inspect --from openai-chat chat.json
      partwire inspect --follow session.jsonl
      partwire inspect --follow http://127.0.0.1:8000/stream
      partwire inspect --output page.html before.json after.json
      partwire inspect --terminal recording.sse
    """
    if terminal:
        if len(files) != 1 or output is not None or follow or no_browser:
            words = "--terminal is for one FILE, and goes with --from and --format alone."
            raise click.UsageError(words)
        from ..terminal import inspect as terminal_room  # noqa: PLC0415 - a page needs none of it

        if kind is not None and kind not in (*_PLAYED, *terminal_room.MESSAGES):
            raise click.UsageError(f"--terminal shows streams and messages: {kind} has a page.")
        results = Results(output_format, shows=True)
        with ending_cleanly():
            ctx.exit(terminal_room.inspect_terminal(_only(files[0]), kind, results=results))
    results = Results(output_format)

    def warn(error: PartwireError) -> None:
        for finding in error.findings:
            results.finding(finding._replace(severity="warning"))

    _check(files, output, follow=follow, no_browser=no_browser)
    page = read_page()
    with ending_cleanly(), ExitStack() as stack:
        if follow:
            live = [
                followed(source, kind, number, stack)
                for number, source in enumerate(_sources(files))
            ]
            exhibits, streams = [each.exhibit for each in live], [each.stream for each in live]
        else:
            try:
                exhibits, streams = exhibits_of(_sources(files), kind, warn), []
            except (FramingError, ReadError) as error:
                if ctx.find_root().params.get("debug"):
                    raise
                results.error(error)
                ctx.exit(EXIT_FINDINGS if isinstance(error, ReadError) else EXIT_USAGE)
        page = with_exhibits(page, exhibits)
        if output is not None:
            _write(page, output)
        else:
            _serve(page, streams, warn, no_browser=no_browser)


def _only(name: str) -> Source:
    """Return the one file that is meant; raises UsageError for anything else."""
    if is_url(name):
        raise click.UsageError("--terminal is for a FILE: an address is for --follow, in the page.")
    _refuse_folder(name)
    sources = expand((name,))
    if len(sources) > 1:
        words = f"--terminal is for one FILE, and {len(sources):,} files fit the glob {name}."
        raise click.UsageError(words)
    return sources[0]


def _check(files: tuple[str, ...], output: str | None, *, follow: bool, no_browser: bool) -> None:
    """Refuse what does not go together, and what is not a file."""
    if output not in (None, STDIN) and os.path.realpath(output) in map(os.path.realpath, files):
        raise click.UsageError("--output is one of the FILEs: the page would take its place.")
    if output is not None and (follow or no_browser):
        option = "--follow" if follow else "--no-browser"
        raise click.UsageError(f"--output takes no {option}: nothing is served.")
    if follow and not files:
        raise click.UsageError("--follow is for a FILE, or for an address.")
    if files.count(STDIN) > 1:
        raise click.UsageError("stdin (-) can be read once.")
    for name in files:
        if is_url(name) and not follow:
            raise click.UsageError("An address is for --follow.")
        _refuse_folder(name)


def _refuse_folder(name: str) -> None:
    if os.path.isdir(name):  # noqa: PTH112 - pathlib raises
        raise unreadable(name, "it is a folder", "a file, or several")


def _sources(files: tuple[str, ...]) -> list[Source]:
    found = []
    for name in files:
        found += [Source(name)] if is_url(name) else expand((name,))
    return found


def _write(page: str, output: str) -> None:
    if output == STDIN:
        click.echo(page.encode(), nl=False)
        return
    file = FileOutput(output)
    try:
        file.begin()
        file.write(page)
        file.finish()
    except BaseException:
        file.discard()
        raise


def _serve(
    page: str, streams: list[Stream], warn: Callable[[PartwireError], None], *, no_browser: bool
) -> None:
    """Serve the page until Ctrl-C, which is how it is meant to end."""
    with LiveServer(page, streams, warn) as server:
        if no_browser:
            click.echo(server.address)
        else:
            click.echo(f"partwire inspect: {server.address} until Ctrl-C", err=True)
            # Some browsers return when they are closed.
            name, args = "partwire-browser", (server.address,)
            threading.Thread(target=_open, name=name, args=args, daemon=True).start()
        with suppress(KeyboardInterrupt):
            server.serve()


def _open(address: str) -> None:
    try:
        browser = webbrowser.get()
        # Of those that Python finds by itself, these are the ones of the terminal, without scripts.
        is_text = type(browser) is webbrowser.GenericBrowser and "BROWSER" not in os.environ
        is_open = not is_text and browser.open(address)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        click.echo("No browser could be opened: open the address in one.", err=True)
