"""Build messages and adapt streams, with times and ids by default.

    history = [user("What is the weather in Oslo?")]
    answer = await model.stream(history, tools).message()
    results = [tool_result(call, run(call.payload)) for call in answer.parts if ...]
    history += [answer, tool(results, run_id=answer.run_id)]

A builder of messages has the name of a role, a builder of parts the name of a kind. What the
contract asks for and nobody gives (run, time, the id of a call) is made here; what it leaves open
(ids of message and turn, ``meta``) is absent unless it is given. Whatever comes out is valid:
anything else raises UsageError, with the contract's own findings. Source: semantics, building
messages.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .given import PartModel as PartModel
    from .messages import assistant as assistant
    from .messages import new_id as new_id
    from .messages import now as now
    from .messages import system as system
    from .messages import tool as tool
    from .messages import user as user
    from .parts import approval_request as approval_request
    from .parts import approval_response as approval_response
    from .parts import media as media
    from .parts import server_tool_call as server_tool_call
    from .parts import server_tool_result as server_tool_result
    from .parts import text as text
    from .parts import tool_call as tool_call
    from .parts import tool_result as tool_result
    from .streams import adapt as adapt
    from .streams import adapt_async as adapt_async

_HOMES = {
    "given": ("PartModel",),
    "messages": (
        "assistant",
        "new_id",
        "now",
        "system",
        "tool",
        "user",
    ),
    "parts": (
        "approval_request",
        "approval_response",
        "media",
        "server_tool_call",
        "server_tool_result",
        "text",
        "tool_call",
        "tool_result",
    ),
    "streams": (
        "adapt",
        "adapt_async",
    ),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
