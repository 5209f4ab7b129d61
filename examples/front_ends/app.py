"""A service for AI SDK's ``useChat``: UI messages in, a UI message stream out, over any model."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse
from fastapi.staticfiles import StaticFiles

from examples.tool_loop.loop import Tool, tool_loop
from partwire import PartwireError, StreamFailed, formats, repair_history
from partwire.formats.ai_sdk.chunks import HEADERS, sse, sse_end
from partwire.model import Model
from partwire.types import Message, MessageDelta

PAGES = Path(__file__).with_name("client")


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    return {"Oslo": "rain, 4 °C", "Rome": "sun, 18 °C"}.get(city, "fog")


async def run(model: Model, history: list[Message]) -> AsyncGenerator[MessageDelta | Message, None]:
    """Yield what a run says: the deltas of each answer, and behind it the results of its calls."""
    try:
        async with aclosing(tool_loop(model, history, [Tool(weather)])) as items:
            async for item in items:
                for each in item[1:] if isinstance(item, list) else [item]:
                    yield each  # a step begins with its answer, whose deltas have come
    except StreamFailed:
        return  # its last delta says so


def create_app(model: Model, pages: Path = PAGES) -> FastAPI:
    """Return the service over a model, with the pages of a folder."""
    app = FastAPI(title="Chat")

    @app.post("/api/ai-sdk", response_class=StreamingResponse)
    async def ai_sdk(body: dict[str, Any]) -> StreamingResponse:
        """Answer what ``DefaultChatTransport`` sends: the conversation so far."""
        try:
            read = formats.read("ai-sdk", body.get("messages"), run_id=body.get("id"))
            history, _ = repair_history(read.messages)  # a run that was cut may lack results
        except PartwireError as error:
            raise HTTPException(400, str(error)) from None
        return StreamingResponse(events(history), headers=HEADERS)

    async def events(history: list[Message]) -> AsyncGenerator[str, None]:
        writer = formats.writer("ai-sdk")
        async with aclosing(run(model, history)) as items:
            async for item in items:
                for chunk in writer.feed(item):
                    yield sse(chunk)
        for chunk in writer.finish():
            yield sse(chunk)
        yield sse_end()

    app.mount("/", StaticFiles(directory=pages, html=True))
    return app
