"""A tool loop over any model: it answers, its calls are run, it answers again, until it calls none.

async with aclosing(tool_loop(model, history, [Tool(weather)])) as items:
    async for item in items:
        if isinstance(item, list):  # the messages of a step; all else is a delta
            history += item
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import validate_call

from partwire import MessageAssembler, tool, tool_result
from partwire.model import Model
from partwire.types import Message, MessageDelta, ToolCallPart, ToolResultPart, ToolSpec

__all__ = ["Approve", "Tool", "tool_loop"]

Approve = Callable[[ToolCallPart], Awaitable[bool]]
"""Asks a person; it is called for several calls at once."""


@dataclass(frozen=True)
class Tool:
    """What the model may call: a function, whose result is text or a JSON object."""

    function: Callable[..., Awaitable[str | dict[str, Any]]]
    timeout_s: float = 30.0
    needs_approval: bool = False


async def nobody(_call: ToolCallPart) -> bool:
    """Refuse, where no person can be asked."""
    return False


async def tool_loop(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    *,
    approve: Approve = nobody,
    system_prompt: str | None = None,
    max_answers: int = 16,
) -> AsyncGenerator[MessageDelta | list[Message], None]:
    """Yield the deltas of each answer as they come, and behind them the step that they make.

    A step is what to append to the history: the answer and, where it calls tools, their results.
    Raises StreamFailed for an answer that fails or is cut, of which there is no step. Where it is
    cancelled or closed, it leaves neither tasks nor connections behind.
    """
    specs = [ToolSpec.from_function(each.function) for each in tools]
    by_name = {spec.name: each for spec, each in zip(specs, tools, strict=True)}
    history = list(messages)
    for _ in range(max_answers):
        assembler = MessageAssembler()
        async with model.stream(history, specs, system_prompt) as stream:
            async for delta in stream:
                assembler.consume(delta)
                yield delta
        answer = assembler.build_final_message()
        calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
        if not calls:
            yield [answer]
            return
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_run(each, by_name, approve)) for each in calls]
        step = [answer, tool([task.result() for task in tasks], run_id=answer.run_id)]
        history += step
        yield step
    raise RuntimeError(f"The model still calls tools in answer {max_answers}")


async def _run(call: ToolCallPart, tools: dict[str, Tool], approve: Approve) -> ToolResultPart:
    """Return the result of a call. What goes wrong is for the model to know: an error result."""
    name, arguments = call.payload.tool_name, call.payload.arguments
    known = tools.get(name)
    if known is None:
        return tool_result(call, f"There is no tool {name}", is_error=True)
    if call.payload.raw_args_text and not arguments:  # the text is kept where it is not an object
        return tool_result(call, "The arguments are not a JSON object", is_error=True)
    if known.needs_approval and not await approve(call):
        return tool_result(call, "A person has refused this call", outcome="denied")
    try:
        async with asyncio.timeout(known.timeout_s):
            return tool_result(call, await validate_call(known.function)(**arguments))
    except TimeoutError:
        return tool_result(call, f"No result within {known.timeout_s} s", outcome="timeout")
    except Exception as error:  # noqa: BLE001 - tools raise what they like
        return tool_result(call, f"{type(error).__name__}: {error}", is_error=True)
