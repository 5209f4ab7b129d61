"""Provider state of standard content blocks: their ``id`` and ``extras``, and ``opaque`` as our
adapters write it. What no adapter would write stays as state of ``langchain``.
"""

from __future__ import annotations

from typing import Any, Final

from ..core.reading import Json, Members, Reading
from .envelopes import OWN

__all__ = ["EMPTY", "own_data", "own_state", "state_of"]

EMPTY: Final[Json] = {}


def own_state(members: Json) -> Json:
    """Return state of ours, which only this format reads."""
    return {"provider": OWN, "data": members}


def own_data(payload: Json) -> Json:
    """Return what the state of a part says that only this format reads."""
    opaque = payload.get("opaque")
    if not isinstance(opaque, dict) or opaque.get("provider") != OWN:
        return EMPTY
    data = opaque.get("data")
    return data if isinstance(data, dict) else EMPTY


def state_of(kind: str, block: Members, text: str, dialect: str, reading: Reading) -> Json | None:
    """Take the state of a block that is read as a part of ours of ``kind``.

    It is that of the dialect where its adapter would write it so, else LangChain's.
    """
    extras = block.peek("extras")
    inner = dict(extras) if type(extras) is dict else {}
    items = _ITEMS[dialect](kind, block, inner, text) if dialect else []
    if not items:
        left = {name: value for name, value in block.whole().items() if value is not None}
        for name in left:
            block.value(name)
        return own_state(left) if left else None
    block.value("extras")
    Members(inner, block.at("extras"), reading).close()
    return {"provider": dialect, "data": {"items": items}}


def _item(kind: str, data: Any, text: str | None) -> Json:
    return {"kind": kind, "data": data} | ({} if text is None else {"start": 0, "end": len(text)})


def _text_in(members: Json, name: str) -> str | None:
    value = members.get(name)
    return members.pop(name) if isinstance(value, str) and value else None


def _signed(kind: str, block: Members, extras: Json, text: str) -> list[Json]:
    signature = _text_in(extras, "signature") or block.text("signature")
    if kind != "thinking" or not signature:
        return []
    return [_item("signature", signature, text)]


def _anthropic(kind: str, block: Members, extras: Json, text: str) -> list[Json]:
    caller = extras.get("caller")
    if kind == "tool_call" and isinstance(caller, dict):
        del extras["caller"]
        return [_item("call", {"caller": caller}, None)]
    return _signed(kind, block, extras, text)


def _gemini(kind: str, block: Members, extras: Json, text: str) -> list[Json]:
    if kind not in ("text", "thinking", "tool_call"):
        return []
    signature = _text_in(extras, "signature") or block.text("signature")
    whole = None if kind == "tool_call" else text
    return [_item("thoughtSignature", signature, whole)] if signature else []


def _responses(kind: str, block: Members, extras: Json, text: str) -> list[Json]:
    if kind == "thinking" and (item_id := block.text("id")):
        summary = [{"type": "summary_text", "text": text}] if text else []
        data: Json = {"type": "reasoning", "id": item_id, "summary": summary}
        if (sealed := _text_in(extras, "encrypted_content")) is not None:
            data["encrypted_content"] = sealed
        return [_item("reasoning", data, text)]
    if kind == "text" and str(block.peek("id")).startswith("msg_"):
        head: Json = {"type": "message", "id": block.text("id"), "role": "assistant"}
        head["status"] = "completed"
        if (phase := _text_in(extras, "phase")) is not None:
            head["phase"] = phase
        return [_item("message", head, text)]
    if kind == "tool_call" and (item_id := _text_in(extras, "item_id")):
        data = {"type": "function_call", "id": item_id, "status": "completed"}
        return [_item("function_call", data, None)]
    return []


_ITEMS: Final = {
    "anthropic-messages": _anthropic,
    "bedrock-converse": _signed,
    "gemini": _gemini,
    "openai-responses": _responses,
}
