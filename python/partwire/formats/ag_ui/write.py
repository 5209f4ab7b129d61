"""Messages as messages of AG-UI.

Reasoning comes before the message that it is part of, each result is a message. What the format
does not say is not guessed: what was written is read back, and what differs is reported, or kept
in ``metadata.partwire`` of the first message that ours became.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.ids import Ids, given_ids
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .content import result_content, written_parts
from .read import error_text, read_back
from .state import OWN, Kept, derived_id, kept_of

__all__ = ["Made", "arguments_of", "error_of", "made_of", "thought_id", "value_of", "write"]

_TYPELESS: Final = "1.0"
"""The version without types of encrypted values."""


class Made:
    """Messages of the protocol that one of ours became, and the parts that have no place."""

    def __init__(self) -> None:
        self.documents: list[Json] = []
        self.left_out: set[int] = set()


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return the messages of a history, and what they do not say of it."""
    losses = Losses()
    document: list[Json] = []
    ids = Ids(given_ids(messages))
    for number, message in enumerate(messages):
        made = made_of(message, ids, version)
        following = messages[number + 1]["role"] if number + 1 < len(messages) else ""
        if (
            made.documents
            and made.documents[-1]["role"] == "reasoning"
            and following == "assistant"
        ):
            # Or else the next message would be taken for the answer of this reasoning.
            made.documents.append({"id": ids.of(message), "role": "assistant", "content": ""})
        back = read_back(made.documents)
        if extensions:
            _keep(message, back, made.documents, ids)
        else:
            left_out = {(0, at) for at in made.left_out}
            compare({number: message}, back, losses, own=OWN, left_out=left_out)
        document += made.documents
    return Written(document, in_order(losses.found))


def _keep(message: Json, back: list[Json], documents: list[Json], ids: Ids) -> None:
    """Keep a message of ours in the first message that it became; in one of no role without any."""
    if not documents:
        own = {"id": ids.of(message), "role": "activity", "activityType": PARTWIRE, "content": {}}
        documents.append(own)
    kept = {**changes([message], back), "ids": [each["id"] for each in documents]}
    documents[0]["metadata"] = {**documents[0].get("metadata", {}), PARTWIRE: kept}


# --- one message ----------------------------------------------------------------------------------


def made_of(message: Json, ids: Ids, version: str) -> Made:
    """Return the messages that one of ours becomes."""
    made = Made()
    role = message["role"]
    if role == "tool":
        _results(message, made, ids, version)
    elif role == "assistant":
        _answer(message, made, ids, version)
    else:
        _said(role, message, made, ids, version)
    return made


def _said(role: str, message: Json, made: Made, ids: Ids, version: str) -> None:
    kinds = ("text", "image", "media", "file_ref") if role == "user" else ("text",)
    parts = _kept_parts(message, made, kinds)
    own = kept_by(message, OWN)
    if role == "system":
        role = "developer" if own.get("role") == "developer" else "system"
        content: Any = "".join(part["payload"]["text"] for part in parts)
    else:
        content = written_parts(parts)
    document = {"id": ids.of(message), "role": role, "content": content}
    made.documents.append({**document, **_beside(message, own, version)})


def _kept_parts(message: Json, made: Made, kinds: tuple[str, ...]) -> list[Json]:
    made.left_out |= {at for at, part in enumerate(message["parts"]) if part["kind"] not in kinds}
    return [part for part in message["parts"] if part["kind"] in kinds]


def _answer(message: Json, made: Made, ids: Ids, version: str) -> None:
    parts = _kept_parts(message, made, ("text", "thinking", "tool_call"))
    thoughts = [part["payload"] for part in parts if part["kind"] == "thinking"]
    texts = [part["payload"] for part in parts if part["kind"] == "text"]
    calls = [part["payload"] for part in parts if part["kind"] == "tool_call"]
    own = kept_by(message, OWN)
    is_answer = bool(texts or calls or not thoughts or _beside(message, own, version))
    stem = message.get("messageId") or ""
    answer_id = kept_of(thoughts[-1].get("opaque")).own.get("messageId") if thoughts else None
    if is_answer and isinstance(answer_id, str) and answer_id:
        answer_id = ids.made(answer_id, answer_id)
    elif is_answer or not stem:
        answer_id = stem = ids.of(message)
    for number, payload in enumerate(thoughts, 1):
        kept = kept_of(payload.get("opaque"))
        reasoning_id = thought_id(payload.get("opaque"), stem or str(answer_id), number)
        document = {
            "id": ids.made(reasoning_id, reasoning_id),
            "role": "reasoning",
            "content": payload["text"],
        }
        made.documents.append({**document, **value_of(kept, version), **_members(kept.own)})
    if not is_answer:
        return
    document = {"id": answer_id, "role": "assistant"}
    if texts or not calls:
        document["content"] = "".join(payload["text"] for payload in texts)
    if calls:
        document["toolCalls"] = [_call(payload, version) for payload in calls]
    opaque = texts[-1].get("opaque") if texts else None
    document |= value_of(kept_of(opaque), version) | _beside(message, own, version)
    made.documents.append(document)


def thought_id(opaque: Any, message_id: str, number: int) -> str:
    """Return the id of reasoning: the one that it came with, else that of its place."""
    said = kept_of(opaque).own.get("id")
    return said if isinstance(said, str) and said else derived_id(message_id, number)


def _call(payload: Json, version: str) -> Json:
    function = {"name": payload["toolName"], "arguments": arguments_of(payload)}
    kept = kept_of(payload.get("opaque"))
    call = {"id": payload["toolCallId"], "type": "function", "function": function}
    members = {name: value for name, value in _members(kept.own).items() if name == "metadata"}
    return {**call, **value_of(kept, version), **members}


def arguments_of(payload: Json) -> str:
    """Return the arguments of a call as text."""
    raw = payload.get("rawArgsText")
    return raw if isinstance(raw, str) else json_text(payload["arguments"])


def _results(message: Json, made: Made, ids: Ids, version: str) -> None:
    own = kept_by(message, OWN)
    stem = message.get("messageId") or "message"
    for part in _kept_parts(message, made, ("tool_result",)):
        payload = part["payload"]
        message_id = ids.made("", stem) if made.documents else ids.of(message)
        document = {
            "id": message_id,
            "role": "tool",
            "toolCallId": payload["toolCallId"],
            "content": result_content(payload),
        }
        if payload["isError"]:
            document["error"] = error_of(payload, own)
        made.documents.append({**document, **_beside(message, own, version)})


def error_of(payload: Json, own: Json) -> str:
    """Return what a failed call says."""
    said = own.get("error")
    return said if isinstance(said, str) else error_text(result_content(payload))


# --- members of every message ---------------------------------------------------------------------


def _members(own: Json) -> Json:
    """Return the members of the protocol that were kept, as far as they have their form."""
    kinds: tuple[tuple[str, type], ...] = (("subagentRunId", str), ("metadata", dict))
    return {name: own[name] for name, kind in kinds if isinstance(own.get(name), kind)}


def _beside(message: Json, own: Json, version: str) -> Json:
    made = _members(own)
    name = message.get("author", {}).get("name")
    if name and message["role"] != "tool":
        made["name"] = name
    value, kind = own.get("encryptedValue"), own.get("encryptedValueType")
    if isinstance(value, str):
        made |= value_of(Kept(value, kind if isinstance(kind, str) else None), version)
    return made


def value_of(kept: Kept, version: str) -> Json:
    """Return the members that say a value of state."""
    if kept.value is None:
        return {}
    made = {"encryptedValue": kept.value}
    if kept.type is not None and version != _TYPELESS:
        made["encryptedValueType"] = kept.type
    return made
