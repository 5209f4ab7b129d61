"""``partwire serve``: the contract service over HTTP."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

import click

from ...contract.clock import now
from ...service import require_extra
from ...service.limits import Limits
from ..report.render import EXIT_FINDINGS

__all__ = ["serve"]

_PREFIX: Final = "PARTWIRE_SERVE_"
_COLLECT_AFTER: Final = (700, 10, 10)
"""Python's own figures. Other commands end before it matters; a service keeps what each connection
leaves, which is cycles, until they are looked for.
"""
_HELP: Final = {
    "body_bytes": "A body that is one document.",
    "stream_bytes": "A body that is read as it comes.",
    "line_bytes": "A line, or an event of a provider's stream.",
    "depth": "Nesting of a document.",
    "held_bytes": "Bodies in memory, of all requests together.",
    "head_bytes": "Request line and headers.",
    "streams": "Requests that are worked on at the same time.",
    "connections": "Connections at the same time.",
    "client_share": "Part of streams, connections and memory that one address may have.",
    "findings": "Findings in one answer.",
    "snapshot_bytes": "Snapshots in one answer.",
    "workers": "Processes for each kind of longer work.",
    "worker_bytes": "Address space of such a process.",
    "request_seconds": "One request, until its answer has ended.",
    "body_rate": "Bytes per second that a body brings on average.",
    "idle_seconds": "Between two pieces of a body or an answer.",
    "head_seconds": "For the head of a request.",
    "job_seconds": "One job of a worker.",
    "drain_seconds": "For running requests, at the end.",
    "ping_seconds": "Silence in an event stream before a comment.",
}


def _limit_options(command: Any) -> Any:
    for field in reversed(fields(Limits)):
        kind: Any = click.INT if field.type == "int" else click.FLOAT
        command = click.option(
            f"--{field.name.replace('_', '-')}",
            field.name,
            type=kind,
            default=field.default,
            show_default=True,
            metavar="N",
            envvar=_PREFIX + field.name.upper(),
            help=_HELP[field.name],
        )(command)
    return command


@click.command(short_help="Serve the contract over HTTP.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    envvar=_PREFIX + "HOST",
    help="Address to listen at; by default only this machine reaches it.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8750,
    show_default=True,
    envvar=_PREFIX + "PORT",
    help="Port; 0 takes any free one.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    envvar=_PREFIX + "ALLOW_HOST",
    help="Name under which the service is asked, beside localhost and the address that it is "
    "reached at; * is any. May be given several times, or in the variable with spaces between.",
)
@click.option(
    "--access-log",
    is_flag=True,
    envvar=_PREFIX + "ACCESS_LOG",
    help="One JSON line per request on stderr.",
)
@_limit_options
@click.pass_context
def serve(
    ctx: click.Context,
    /,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    access_log: bool,
    **limits: Any,
) -> None:
    """Serve validate, assemble, convert and compat over HTTP.

    Every option is also an environment variable: PARTWIRE_SERVE_ and its name, as in
    PARTWIRE_SERVE_PORT. SIGTERM and SIGINT let running requests finish, a second one ends at
    once. Exit status: 0 ended as told, 1 requests had to be cut off, 2 usage.

    \b
    Examples:
      partwire serve --port 8750
      partwire serve --port 0 --access-log --streams 100
    """
    require_extra()
    from ...service.heads import known_hosts  # noqa: PLC0415
    from ...service.server import is_loopback, listen, run  # noqa: PLC0415

    gc.set_threshold(*_COLLECT_AFTER)
    bounds = Limits(**limits)
    record = _recorder()
    listener, address = listen(host, port)
    if not is_loopback(host):
        record({"event": "warning", "message": f"{host} is reached from other machines"})
    cut = run(
        listener,
        bounds,
        record=record,
        access=access_log,
        hosts=known_hosts((host, *hosts)),
        ready=lambda: _say(f"partwire serve: listening on {address.url}"),
    )
    record({"event": "ended", "cut": cut})
    ctx.exit(EXIT_FINDINGS if cut else 0)


def _say(text: str) -> None:
    """Write a line of the log; one that nobody takes any more stops nothing that is served."""
    with contextlib.suppress(OSError):
        try:
            click.echo(text, err=True)
        except BrokenPipeError:
            # What is still buffered would fail once more at the end, and be the exit status.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _recorder() -> Callable[[dict[str, Any]], None]:
    def record(entry: dict[str, Any]) -> None:
        _say(json.dumps({"time": now(), **entry}, ensure_ascii=True))

    return record
