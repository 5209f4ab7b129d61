"""A session's messages as ``message.Message``.

A session holds a call and its result in one part; messages hold the call in the assistant's
message and the result in the tool's message behind it. What a session says and a message does not
stands in ``meta.session``, and is taken from there on the way back
(:mod:`partwire.bridges.to_session`).
"""

from __future__ import annotations

from typing import Any, Final, Unpack

from partwire.v0_2.structs import message

from .context import Context
from .session_parts import call_part, call_result, message_file, with_opaque
from .session_record import record_of, spoken_parts
from .work import BridgeResult, Json, Work

__all__ = ["COUNTS", "MAX_COUNT", "session_to_messages", "spoken_messages"]

MAX_COUNT: Final = 2**53 - 1
COUNTS: Final = ("reasoningTokens", "cacheReadTokens", "cacheWriteTokens")
"""The counts of a usage that a provider may leave out, and a session may not."""


def session_to_messages(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[message.Message]]:
    """Return ``session.WithParts`` (one or a list) as ``message.Message``.

    An assistant's message whose calls have ended becomes two: the message and the tool's. A user's
    system prompt becomes a message before it. Raises ReadError and UsageError.
    """
    work = Work(values, "session.WithParts", context)
    made: list[Json] = []
    for index, source in enumerate(work.source):
        made += spoken_messages(source, f"/{index}", work)
    return work.finish(made, "message.Message")


def spoken_messages(source: Json, place: str, work: Work) -> list[Json]:
    """Return what one message of a session is as messages, the spoken one with its record."""
    info, parts = source["info"], source["parts"]
    role, time = info["role"], info["time"]
    fallback = parts[0]["sessionID"] if parts else info["id"]
    run_id = work.given("run_id", f"{place}/runId", "run-id-invented", fallback)
    created = work.text(time["created"], f"{place}/info/time/created")
    meta: Json = {"session": record_of(source)}
    if "completed" in time:
        meta["completedAt"] = work.text(time["completed"], f"{place}/info/time/completed")
    if role == "assistant":
        meta["usage"] = _usage(info)
    own, results, ends = [], [], []
    for index, (part, spoken) in enumerate(zip(parts, spoken_parts(source), strict=True)):
        at = f"{place}/parts/{index}"
        if not spoken:
            work.note("kept-in-meta", at)
            continue
        own.append(_message_part(part))
        if part["type"] == "tool" and (result := call_result(part)) is not None:
            results.append({"kind": "tool_result", "payload": result})
            ends.append((part["state"]["time"]["end"], f"{at}/state/time/end"))
    head = {"runId": run_id, "timestamp": created}
    made: list[Json] = []
    if "system" in info:
        system = [{"kind": "text", "payload": {"text": info["system"]}}]
        made.append({**head, "role": "system", "parts": system})
    made.append({**head, "messageId": info["id"], "role": role, "parts": own, "meta": meta})
    if results:
        ended = work.text(*max(ends))
        made.append({"runId": run_id, "role": "tool", "parts": results, "timestamp": ended})
    return made


def _usage(info: Json) -> Json:
    tokens = info["tokens"]
    total = min(tokens["input"] + tokens["output"], MAX_COUNT)
    return {
        "inputTokens": tokens["input"],
        "outputTokens": tokens["output"],
        "totalTokens": total,
        "reasoningTokens": tokens["reasoning"],
        "cacheReadTokens": tokens["cache"]["read"],
        "cacheWriteTokens": tokens["cache"]["write"],
        "cost": info["cost"],
    }


def _message_part(part: Json) -> Json:
    """Return what a message says of a session's part."""
    kind = part["type"]
    if kind == "file":
        return message_file(part)
    if kind == "tool":
        return with_opaque(call_part(part), part)
    said = {"kind": "text" if kind == "text" else "thinking", "payload": {"text": part["text"]}}
    return with_opaque(said, part)
