"""The chat service as a process of its own, whose model takes its time: DATABASE PORT FILE…"""

from __future__ import annotations

import asyncio
import sys

import uvicorn

from examples.chat_service.app import create_app
from partwire.model import ReplayModel

if __name__ == "__main__":
    database, port, *files = sys.argv[1:]
    model = ReplayModel(files, sleep=lambda _seconds: asyncio.sleep(0.05))
    uvicorn.run(create_app(model, database), port=int(port), log_level="error")
