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
from .session_approvals import approval_parts, decided_at
from .session_parts import call_part, call_result, message_file, with_opaque
from .session_record import is_ignored, record_of, said_approvals, spoken_parts
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
    own: list[Json] = []
    told = _Told(time["created"], f"{place}/info/time/created")
    approvals = said_approvals(source, spoken_parts(source, keep_ignored=keep))
    spoken_ones = spoken_parts(source, keep_ignored=keep)
    for index, (part, spoken) in enumerate(zip(parts, spoken_ones, strict=True)):
        at = f"{place}/parts/{index}"
        if not spoken:
            work.note("ignored-text" if is_ignored(part) else "kept-in-meta", at)
            continue
        own.append(_message_part(part))
        if part["type"] != "tool":
            continue
        answer = None
        if approvals[index]:
            request, answer = approval_parts(part, at, work)
            own.append(request)
        told.add(part, answer, call_result(part), at)
    head = {"runId": run_id, "timestamp": created}
    made: list[Json] = []
    if "system" in info:
        system = [{"kind": "text", "payload": {"text": info["system"]}}]
        made.append({**head, "role": "system", "parts": system})
    made.append({**head, "messageId": info["id"], "role": role, "parts": own, "meta": meta})
    if told.parts:
        ended = work.text(*told.time())
        made.append({"runId": run_id, "role": "tool", "parts": told.parts, "timestamp": ended})
    return made


class _Told:
    """The tool's message behind the one with the calls: answers and results, call by call."""

    def __init__(self, created: int, place: str) -> None:
        self.parts: list[Json] = []
        self._created = (created, place)
        self._answered: list[tuple[int, str]] = []
        self._ended: list[tuple[int, str]] = []

    def add(self, part: Json, answer: Json | None, result: Json | None, place: str) -> None:
        """Take what a tool part says beside its call."""
        state, at = part["state"], f"{place}/state"
        if answer is not None:
            self.parts.append(answer)
            self._answered.append(self._decided(state, at))
        if result is not None:
            self.parts.append({"kind": "tool_result", "payload": result})
            is_denied = state["status"] == "denied"
            end = (
                self._decided(state, at) if is_denied else (state["time"]["end"], f"{at}/time/end")
            )
            self._ended.append(end)

    def _decided(self, state: Json, place: str) -> tuple[int, str]:
        time = decided_at(state["approval"])
        return self._created if time is None else (time[0], f"{place}/approval/time/{time[1]}")

    def time(self) -> tuple[int, str]:
        """Return when the message was made, and the place that says so."""
        return max(self._ended or self._answered)


def _message_part(part: Json) -> Json:
    """Return what a message says of a session's part."""
    kind = part["type"]
    if kind == "file":
        return message_file(part)
    if kind == "tool":
        return with_opaque(call_part(part), part)
    said = {"kind": "text" if kind == "text" else "thinking", "payload": {"text": part["text"]}}
    return with_opaque(said, part)
