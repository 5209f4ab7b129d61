"""A value of a pydantic class as answer: it grows while it streams, and is valid at the end.

async with aclosing(structured(model, [user("Bread?")], Recipe)) as values:
    async for value in values:
        ...  # objects that grow, then one Recipe
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from partwire import MessageAssembler, tool, tool_result, user
from partwire.model import Model
from partwire.types import Message, TextPart, ToolCallArgsDelta, ToolCallPart, ToolSpec

__all__ = ["structured"]

Value = TypeVar("Value", bound=BaseModel)


async def structured(
    model: Model, messages: Sequence[Message], kind: type[Value], *, retries: int = 1
) -> AsyncGenerator[Mapping[str, Any] | Value, None]:
    """Yield what is certain of the value so far, each time that it grows, and at last the value.

    The model is made to call a tool whose arguments are a ``kind``. What is wrong with them is its
    tool's result, and it may try again, ``retries`` times: then the value grows anew. Raises
    pydantic's ValidationError for the last answer, StreamFailed for one that fails or is cut.
    """
    spec = ToolSpec(
        name=kind.__name__,
        description=kind.__doc__ or f"Gives the {kind.__name__}.",
        parameter_schema=kind.model_json_schema(),
    )
    history = list(messages)
    while True:
        assembler = MessageAssembler()
        known: Mapping[str, Any] = {}
        async with model.stream(history, [spec], tool_choice={"toolName": spec.name}) as stream:
            async for delta in stream:
                assembler.consume(delta)
                if isinstance(delta, ToolCallArgsDelta):
                    partial = assembler.progress().open_calls[0].partial_arguments
                    if partial != known:
                        yield (known := partial)
        answer = assembler.build_final_message()
        try:
            value = kind.model_validate_json(_json_of(answer))
        except ValidationError as error:
            if not retries:
                raise
            retries -= 1
            history += [answer, _findings(answer, error)]
        else:
            yield value
            return


def _json_of(answer: Message) -> str:
    """Return the arguments of the first call, or the text of an answer that calls nothing."""
    for part in answer.parts:
        if isinstance(part, ToolCallPart):
            return part.payload.raw_args_text or json.dumps(part.payload.arguments)
    return "".join(part.payload.text for part in answer.parts if isinstance(part, TextPart))


def _findings(answer: Message, error: ValidationError) -> Message:
    """Return what is wrong, a line each: the result of every call, or else the user speaks."""
    lines = [f"/{'/'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
    text = "\n".join(["This is not valid; call the tool again.", *lines])
    calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
    if not calls:
        return user(text, run_id=answer.run_id)
    results = [tool_result(call, text, is_error=True) for call in calls]
    return tool(results, run_id=answer.run_id)
