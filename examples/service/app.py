"""The service: FastAPI with partwire's pydantic models.

A question is a Message; its answer streams as deltas, and is kept as the message that they make.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException
from fastapi.responses import StreamingResponse

from partwire import MessageAssembler, dump, to_wire, validate
from partwire.model import Model
from partwire.models import Message
from partwire.types import MessageDelta

__all__ = ["create_app", "sse"]


def sse(delta: MessageDelta) -> bytes:
    """Return a delta as server-sent event; its number is the event's id."""
    return b"id: %d\nevent: delta\ndata: %b\n\n" % (delta.seq, dump(delta))


def checked(question: Message) -> Message:
    """Refuse what types let through: rules that compare one member with another."""
    findings = [each.to_wire() for each in validate(question, "message.Message")]
    if findings:
        raise HTTPException(422, findings)
    return question


Question = Annotated[Message, Depends(checked)]


def create_app(model: Model) -> FastAPI:
    """Return the service over a model: a provider's, or a replay."""
    app = FastAPI(title="Answers")
    answers: dict[str, bytes] = {}

    @app.post("/answers", response_class=StreamingResponse)
    async def ask(question: Question) -> StreamingResponse:
        """Answer the question of a new run: deltas as events, the last one is done or error."""
        if question.run_id in answers:
            raise HTTPException(409, f"Run {question.run_id} has its answer")
        return StreamingResponse(
            deltas(question),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def deltas(question: Message) -> AsyncIterator[bytes]:
        run = {"runId": question.run_id, "sessionId": "example", "traceId": question.run_id}
        assembler = MessageAssembler(question.run_id)
        try:
            async with model.stream([to_wire(question)], request_metadata=run) as stream:
                async for delta in stream:
                    assembler.consume(delta)
                    yield sse(delta)
        finally:  # also where the reader has gone away
            if assembler.status == "done":
                answers[question.run_id] = dump(assembler.build_final_message())
            elif assembler.status != "idle":
                answers[question.run_id] = dump(assembler.build_partial())

    @app.get("/answers/{run_id}")
    async def answer(run_id: str) -> Message:
        """Return what came of a run; what is not a whole answer says so in meta.incomplete."""
        if run_id not in answers:
            raise HTTPException(404, f"Run {run_id} has no answer")
        return Message.model_validate_json(answers[run_id])

    return app
