"""A session's messages as ``message.Message``.

A session holds a call and its result in one part; messages hold the call in the assistant's
message and the result in the tool's message behind it. What a session says and a message does not
stands in ``meta.session``, and is taken from there on the way back
(:mod:`partwire.convert.families.to_session`).
"""

from __future__ import annotations

from typing import Any, Unpack

from partwire.contract.current import message

from .context import Context
from .conversion import BridgeResult, Json, Work
from .session_parts import call_part, call_result, message_file, with_opaque
from .session_record import is_ignored, record_of, spoken_parts
from .session_tokens import usage_of

__all__ = ["session_to_messages", "spoken_messages"]


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
    keep = work.context.get("keep_ignored", False)
    meta: Json = {"session": record_of(source, keep_ignored=keep)}
    if "completed" in time:
        meta["completedAt"] = work.text(time["completed"], f"{place}/info/time/completed")
    if role == "assistant":
        meta["usage"] = usage_of(info, f"{place}/info/tokens", work)
    own, results, ends = [], [], []
    spoken_ones = spoken_parts(source, keep_ignored=keep)
    for index, (part, spoken) in enumerate(zip(parts, spoken_ones, strict=True)):
        at = f"{place}/parts/{index}"
        if not spoken:
            work.note("ignored-text" if is_ignored(part) else "kept-in-meta", at)
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


def _message_part(part: Json) -> Json:
    """Return what a message says of a session's part."""
    kind = part["type"]
    if kind == "file":
        return message_file(part)
    if kind == "tool":
        return with_opaque(call_part(part), part)
    said = {"kind": "text" if kind == "text" else "thinking", "payload": {"text": part["text"]}}
    return with_opaque(said, part)
