"""Holding a conversation: turn by turn, one event loop for all of it."""

from __future__ import annotations

import asyncio
from contextlib import closing, nullcontext
from typing import NamedTuple

from ...contract.current.message import Message, RequestMetadata
from ...contract.ids import uuid7
from ...errors import PartwireError, ReadError, UsageError
from ...message import MessageAssembler
from ...model import Model, ModelStream, RecordingModel
from .history import ChatHistory, read_messages
from .turns import Turns, open_turns
from .view import ChatView, chat_view

__all__ = ["hold_conversation"]


def hold_conversation(
    model: Model,
    *,
    system: str | None = None,
    record: str | None = None,
    save: str | None = None,
    continued: str | None = None,
) -> bool:
    """Hold a conversation to its end; return whether an answer failed and nobody was typing."""
    messages = [] if continued is None else read_messages(continued)
    view = chat_view()
    recording = nullcontext(model) if record is None else RecordingModel(model, record)
    with recording as asked, closing(ChatHistory(save, continued, messages)) as history:
        turns = open_turns(model, view)
        failed = _converse(asked, history, turns, view, system)
    return failed and turns.leaves_errors


def _converse(
    model: Model, history: ChatHistory, turns: Turns, view: ChatView, system: str | None
) -> bool:
    """Take turns to the end; return whether an answer failed."""
    session_id = uuid7()
    failed = False
    with asyncio.Runner() as runner:
        while turns.take(history):
            run_id = history.messages[-1].run_id if history.messages else uuid7()
            metadata = RequestMetadata(session_id=session_id, run_id=run_id, trace_id=uuid7())
            try:
                stream = model.stream(history.messages, (), system, request_metadata=metadata)
            except (ReadError, UsageError) as error:
                if error.rule in ("usage/replay-ended", "usage/unwritable-output"):
                    raise
                view.finding(error.findings[0])
                failed = True
                continue
            answer = runner.run(_answer(stream, view))
            failed |= answer.failed
            if answer.message is not None:
                history.add(answer.message)
            if answer.failed:
                history.settle()
    return failed


class _Answer(NamedTuple):
    message: Message | None
    """None where nothing has arrived."""
    failed: bool


async def _answer(stream: ModelStream, view: ChatView) -> _Answer:
    """Show a stream as it comes; return its message, a partial one where it was cut."""
    assembler = MessageAssembler()
    cut = False
    try:
        async with stream:
            async for delta in stream:
                assembler.consume(delta)
                view.delta(delta)
        assembler.close()
    except asyncio.CancelledError:  # Ctrl-C: this answer ends, the conversation goes on
        view.say("note", "Cancelled; what has arrived is kept.")
    except UsageError:
        raise
    except PartwireError as error:
        view.finding(error.findings[0])
        cut = True
    view.end()
    if assembler.status == "done":
        return _Answer(assembler.build_final_message(), failed=False)
    if assembler.status == "idle":
        return _Answer(None, failed=True)
    partial = assembler.build_partial("truncated" if cut else None)
    return _Answer(partial if partial.parts else None, failed=True)
