"""A chat service: answers as server-sent events, sessions in SQLite, a tool loop over any model."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Annotated, Any

from fastapi import Body, FastAPI
from fastapi.responses import StreamingResponse

from partwire import MessageAssembler, dump, to_wire, tool, tool_result, user
from partwire.convert import load, store
from partwire.model import Model
from partwire.types import Message, ToolCallPart, ToolResultPart, ToolSpec


async def weather(city: str) -> str:
    """Tell the weather of a city."""
    return {"Oslo": "rain, 4 °C", "Rome": "sun, 18 °C"}.get(city, "fog")


TOOLS = {"weather": weather}
SPECS = [ToolSpec.from_function(each) for each in TOOLS.values()]


class Sessions:
    """Messages of sessions, as stored records: older versions of them are migrated on reading."""

    def __init__(self, path: str) -> None:
        self._path = path
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE IF NOT EXISTS messages (session TEXT, record BLOB)")

    def messages(self, session: str) -> list[Message]:
        """Return what has been said, the oldest first."""
        query = "SELECT record FROM messages WHERE session = ? ORDER BY rowid"
        with closing(sqlite3.connect(self._path)) as db:
            return [load(record) for (record,) in db.execute(query, (session,))]

    def add(self, session: str, messages: list[Message]) -> None:
        """Append messages, all or none: no call is stored without its result."""
        rows = [(session, store(message)) for message in messages]
        with closing(sqlite3.connect(self._path)) as db, db:
            db.executemany("INSERT INTO messages VALUES (?, ?)", rows)


async def run(call: ToolCallPart) -> ToolResultPart:
    """Return the result of a call; what goes wrong is for the model to know: an error result."""
    try:
        async with asyncio.timeout(10):
            return tool_result(call, await TOOLS[call.payload.tool_name](**call.payload.arguments))
    except Exception as error:  # noqa: BLE001 - tools raise what they like
        return tool_result(call, f"{type(error).__name__}: {error}", is_error=True)


def create_app(model: Model, path: str) -> FastAPI:
    """Return the service over a model, with its sessions in a database file."""
    app, sessions = FastAPI(title="Chat"), Sessions(path)

    @app.post("/sessions/{session}", response_class=StreamingResponse)
    async def ask(session: str, text: Annotated[str, Body(embed=True)]) -> StreamingResponse:
        """Answer: events "delta" as they come, and "message" for what has been stored."""
        sessions.add(session, [user(text)])
        return StreamingResponse(answers(session), media_type="text/event-stream")

    async def answers(session: str) -> AsyncIterator[bytes]:
        for _ in range(16):  # as often as the model calls tools, but not for ever
            assembler = MessageAssembler()
            async with model.stream(sessions.messages(session), SPECS) as stream:
                async for delta in stream:
                    assembler.consume(delta)
                    yield b"event: delta\ndata: %b\n\n" % dump(delta)
            if assembler.status != "done":  # failed or cut, as the last delta says
                return
            answer = assembler.build_final_message()
            calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
            results = await asyncio.gather(*map(run, calls))
            step = [answer, tool(results, run_id=answer.run_id)] if calls else [answer]
            sessions.add(session, step)
            yield b"".join(b"event: message\ndata: %b\n\n" % dump(message) for message in step)
            if not calls:
                return

    @app.get("/sessions/{session}")
    async def history(session: str) -> list[dict[str, Any]]:
        """Return the messages of a session."""
        return [to_wire(message) for message in sessions.messages(session)]

    return app
