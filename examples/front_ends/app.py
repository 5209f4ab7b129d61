"""A service for two front ends, AI SDK's ``useChat`` and AG-UI's client, over any model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse
from fastapi.staticfiles import StaticFiles

from examples.tool_loop.loop import Tool, tool_loop
from partwire import PartwireError, StreamFailed, formats, repair_history
from partwire.formats import StreamWriter
from partwire.formats.ag_ui import events as ag_ui_events
from partwire.formats.ai_sdk import chunks as ai_sdk_chunks
from partwire.formats.ai_sdk.chunks import sse
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


def history_of(name: str, document: Any, run_id: Any = None) -> list[Message]:
    """Return the conversation so far, as a client sends it; refuse what is not one."""
    try:
        read = formats.read(name, document, run_id=run_id)
        history, _ = repair_history(read.messages)  # a run that was cut may lack results
    except PartwireError as error:
        raise HTTPException(400, str(error)) from None
    return history


def create_app(model: Model, pages: Path = PAGES, stored: Sequence[Message] = ()) -> FastAPI:
    """Return the service over a model, with the pages of a folder, which show what is stored."""
    app = FastAPI(title="Chat")

    @app.get("/api/{name}")
    async def begin(name: Literal["ai-sdk", "ag-ui"]) -> list[Any]:
        """Return the messages that a page begins with."""
        document: list[Any] = formats.write(name, stored).document
        return document

    @app.post("/api/ai-sdk", response_class=StreamingResponse)
    async def ai_sdk(body: dict[str, Any]) -> StreamingResponse:
        """Answer what ``DefaultChatTransport`` sends."""
        history = history_of("ai-sdk", body.get("messages"), body.get("id"))
        stream = events(history, formats.writer("ai-sdk"), end=ai_sdk_chunks.sse_end())
        return StreamingResponse(stream, headers=ai_sdk_chunks.HEADERS)

    @app.post("/api/ag-ui", response_class=StreamingResponse)
    async def ag_ui(body: dict[str, Any]) -> StreamingResponse:
        """Answer what ``HttpAgent`` sends: the input of a run."""
        history = history_of("ag-ui", body)
        writer = formats.writer("ag-ui")
        thread = body.get("threadId")
        writer.thread_id = thread if isinstance(thread, str) else None
        return StreamingResponse(events(history, writer), headers=ag_ui_events.HEADERS)

    async def events(
        history: list[Message], writer: StreamWriter, end: str = ""
    ) -> AsyncGenerator[str, None]:
        async with aclosing(run(model, history)) as items:
            async for item in items:
                for event in writer.feed(item):
                    yield sse(event)
        for event in writer.finish():
            yield sse(event)
        if end:
            yield end

    app.mount("/", StaticFiles(directory=pages, html=True))
    return app
