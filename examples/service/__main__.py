"""Try it: ``python -m examples.service serve`` in one terminal, ``… ask`` in another."""

from __future__ import annotations

import argparse
import socket
import sys
import time
from pathlib import Path

from partwire import user
from partwire.model import ReplayModel

ADDRESS = ("127.0.0.1", 8010)
PATIENCE = 15.0
"""Seconds that ``ask`` waits for a service that has just been started."""


def serve() -> None:
    """Serve recorded answers, one after the other, for ever: no key and no network are needed."""
    import uvicorn  # noqa: PLC0415 - who asks does not need it

    from examples.service.app import create_app  # noqa: PLC0415

    recorded = Path(__file__).parent.parent / "streams" / "long-answer.sse"
    host, port = ADDRESS
    uvicorn.run(create_app(ReplayModel(recorded, loop=True)), host=host, port=port)


def _wait_for_service() -> None:
    """Return once something listens; leave with a word where nothing does."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(ADDRESS, timeout=1).close()
        except OSError as error:
            if time.monotonic() >= end:
                host, port = ADDRESS
                sys.exit(f"{host}:{port}: {error}; start it: python -m examples.service serve")
            time.sleep(0.1)
        else:
            return


def ask(text: str) -> None:
    """Ask the service and show its answer as it comes."""
    from examples.service import consumer  # noqa: PLC0415

    _wait_for_service()
    question = user(text)
    host, port = ADDRESS
    message = consumer.ask(f"http://{host}:{port}", question, sys.stdout.write)
    print(f"\n\n{len(message.parts)} parts; GET /answers/{message.run_id} has them too")


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m examples.service")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="the service, with recorded answers")
    asking = commands.add_parser("ask", help="ask it something")
    asking.add_argument("text", nargs="?", default="Bike or train?")
    args = parser.parse_args()
    if args.command == "serve":
        serve()
    else:
        ask(args.text)


if __name__ == "__main__":
    main()
