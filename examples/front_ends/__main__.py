"""The service from the command line: ``python -m examples.use_chat --help``."""

from __future__ import annotations

import argparse
import sys

import uvicorn

from partwire import PartwireError
from partwire.model import open_model

from .app import create_app


def main() -> None:
    """Serve a model and the pages."""
    parser = argparse.ArgumentParser(prog="python -m examples.use_chat", description=__doc__)
    parser.add_argument("model", help="anthropic:MODEL, openai-chat:MODEL, replay:FILE,FILE…, …")
    parser.add_argument("--port", type=int, default=8030)
    options = parser.parse_args()
    try:
        app = create_app(open_model(options.model))
    except PartwireError as error:
        sys.exit(str(error))
    uvicorn.run(app, host="127.0.0.1", port=options.port)


if __name__ == "__main__":
    main()
