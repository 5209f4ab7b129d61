"""The service from the command line: ``python -m examples.front_ends --help``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import uvicorn

from partwire import PartwireError, read
from partwire.model import open_model
from partwire.types import Message

from .app import create_app


def main() -> None:
    """Serve a model and the pages."""
    parser = argparse.ArgumentParser(prog="python -m examples.front_ends", description=main.__doc__)
    parser.add_argument("model", help="anthropic:MODEL, openai-chat:MODEL, replay:FILE,FILE…, …")
    parser.add_argument("--history", type=Path, help="messages that the pages show, a line each")
    parser.add_argument("--port", type=int, default=8030)
    options = parser.parse_args()
    try:
        lines = options.history.read_bytes().splitlines() if options.history else []
        app = create_app(open_model(options.model), stored=[read(line, Message) for line in lines])
    except (OSError, PartwireError) as error:
        sys.exit(str(error))
    uvicorn.run(app, host="127.0.0.1", port=options.port)


if __name__ == "__main__":
    main()
