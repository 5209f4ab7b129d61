"""Provider state: ``providerMetadata`` of a part, and ``opaque`` as our adapters write it.

One table per provider. What no adapter would write stays whole, as state of ``ai-sdk``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..core.extension import PARTWIRE
from ..core.reading import Json, Members, Reading

__all__ = ["OWN", "metadata_of", "opaque_of", "own_state", "pieces_of"]

OWN: Final = "ai-sdk"

_DIALECTS: Final = {
    "anthropic": "anthropic-messages",
    "openai": "openai-responses",
    "azure": "openai-responses",
    "google": "gemini",
    "vertex": "gemini",
    "googleVertex": "gemini",
    "bedrock": "bedrock-converse",
    "amazonBedrock": "bedrock-converse",
}
_NAMES: Final = {
    "anthropic-messages": "anthropic",
    "openai-responses": "openai",
    "gemini": "google",
    "bedrock-converse": "bedrock",
}


class Piece(NamedTuple):
    """A stretch of a text with the state that belongs to it, as one part of a UI message.

    ``goes_on``: it is read back as one part with the piece before it.
    """

    text: str
    metadata: Json
    goes_on: bool = False


def own_state(members: Json) -> Json:
    """Return state of ours, which only this format reads."""
    return {"provider": OWN, "data": members}


# --- to opaque ------------------------------------------------------------------------------------


def opaque_of(kind: str, metadata: Json, text: str, place: str, reading: Reading) -> Json | None:
    """Return the state that ``metadata`` at ``place`` says of a part; ``kind`` is our part's.

    Of several providers the first counts that an adapter of ours knows; the others are reported.
    """
    whole = Members(metadata, place, reading)
    own = metadata.get(PARTWIRE)
    if isinstance(own, dict) and _is_opaque(own.get("opaque")):
        for other in metadata:
            if other != PARTWIRE:
                reading.note("duplicate-text", whole.at(other))
        opaque: Json = own["opaque"]
        return opaque
    if PARTWIRE in metadata and (not isinstance(own, dict) or "opaque" in own):
        reading.note("extension-unread", whole.at(PARTWIRE))
    for name, value in metadata.items():
        dialect = _DIALECTS.get(name)
        if dialect is None or type(value) is not dict:
            continue
        mine = Members(value, whole.at(name), reading)
        items = _ITEMS[dialect](kind, mine, text)
        if not items:
            continue
        if _NAMES[dialect] != name:
            reading.note("state-form", place)
        mine.close()
        for other in metadata:
            if other != name:
                reading.note("foreign-member", whole.at(other))
        return {"provider": dialect, "data": {"items": items}}
    left = {name: value for name, value in metadata.items() if name != PARTWIRE}
    return own_state({"providerMetadata": left}) if left else None


def _is_opaque(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return False
    return isinstance(value.get("provider"), str) and bool(value["provider"])


def _item(kind: str, data: Any, text: str | None, *, point: bool = False) -> Json:
    if text is None:
        return {"kind": kind, "data": data}
    return {"kind": kind, "data": data, "start": 0, "end": 0 if point else len(text)}


def _anthropic(kind: str, mine: Members, text: str) -> list[Json]:
    if kind == "thinking":
        if signature := mine.text("signature"):
            return [_item("signature", signature, text)]
        if text == "" and (redacted := mine.text("redactedData")):
            data = {"type": "redacted_thinking", "data": redacted}
            return [_item("redacted_thinking", data, text, point=True)]
    if kind == "tool_call" and (caller := mine.object("caller")):
        return [_item("call", {"caller": _renamed(caller, "toolId", "tool_id")}, None)]
    return []


def _bedrock(kind: str, mine: Members, text: str) -> list[Json]:
    if kind == "thinking":
        if signature := mine.text("signature"):
            return [_item("signature", signature, text)]
        if text == "" and (redacted := mine.text("redactedData")):
            data = {"reasoningContent": {"redactedContent": redacted}}
            return [_item("redactedContent", data, text, point=True)]
    return []


def _google(kind: str, mine: Members, text: str) -> list[Json]:
    if kind not in ("thinking", "text", "tool_call", "media"):
        return []
    whole = None if kind in ("tool_call", "media") else text
    signature = mine.text("thoughtSignature")
    return [_item("thoughtSignature", signature, whole)] if signature else []


def _openai(kind: str, mine: Members, text: str) -> list[Json]:
    item_id = mine.text("itemId")
    if not item_id:
        return []
    if kind == "thinking":
        data: Json = {"type": "reasoning", "id": item_id}
        data["summary"] = [{"type": "summary_text", "text": text}] if text else []
        if (sealed := mine.text("reasoningEncryptedContent")) is not None:
            data["encrypted_content"] = sealed
        return [_item("reasoning", data, text)]
    if kind == "text":
        head: Json = {"type": "message", "id": item_id, "role": "assistant", "status": "completed"}
        if (phase := mine.text("phase")) is not None:
            head["phase"] = phase
        items = [_item("message", head, text)]
        if annotations := mine.list("annotations"):
            part = {"type": "output_text", "annotations": annotations}
            items.append(_item("content_part", part, text))
        return items
    if kind == "tool_call":
        data = {"type": "function_call", "id": item_id, "status": "completed"}
        return [_item("function_call", data, None)]
    return []


_ITEMS: Final = {
    "anthropic-messages": _anthropic,
    "bedrock-converse": _bedrock,
    "gemini": _google,
    "openai-responses": _openai,
}


def _renamed(value: Json, old: str, new: str) -> Json:
    return {new if name == old else name: each for name, each in value.items()}


# --- from opaque ----------------------------------------------------------------------------------


def metadata_of(kind: str, opaque: Any) -> Json:
    """Return the metadata of a part that is not text; {} where the state has no place there."""
    provider, items = _items_of(opaque)
    if provider == OWN:
        return _own_metadata(opaque)
    for item in items:
        said = _said(kind, item)
        if said:
            return {_NAMES[provider]: said}
    return {}


def pieces_of(kind: str, text: str, opaque: Any) -> list[Piece]:
    """Return a part of text as parts of a UI message: cut where pieces of state begin and end."""
    provider, items = _items_of(opaque)
    if provider == OWN:
        return [Piece(text, _own_metadata(opaque))]
    pieces: list[Piece] = []
    at = 0
    for start, end, said in _spans(kind, text, items):
        if start > at:
            pieces.append(Piece(text[at:start], {}))
        pieces += _summaries(text[start:end], {_NAMES[provider]: said})
        at = end
    if at < len(text) or not pieces:
        pieces.append(Piece(text[at:], {}))
    return pieces


def _items_of(opaque: Any) -> tuple[str, list[Json]]:
    if not isinstance(opaque, dict):
        return "", []
    provider, data = opaque.get("provider"), opaque.get("data")
    if provider == OWN:
        return OWN, []
    items = data.get("items") if isinstance(data, dict) else None
    if provider not in _NAMES or not isinstance(items, list):
        return "", []
    return str(provider), [item for item in items if isinstance(item, dict)]


def _own_metadata(opaque: Json) -> Json:
    found = opaque["data"].get("providerMetadata") if isinstance(opaque["data"], dict) else None
    return found if isinstance(found, dict) else {}


def _spans(kind: str, text: str, items: list[Json]) -> list[tuple[int, int, Json]]:
    """Return the stretches of a text with state, in order; the first of those that overlap."""
    found: list[tuple[int, int, Json]] = []
    for item in items:
        said, start, end = _said(kind, item), item.get("start", 0), item.get("end", len(text))
        if not said or type(start) is not int or type(end) is not int or item.get("partOffset"):
            continue
        if 0 <= start <= end <= len(text):
            found.append((start, end, said))
    found.sort(key=lambda span: span[:2])
    kept: list[tuple[int, int, Json]] = []
    for span in found:
        if kept and span[:2] == kept[-1][:2]:
            kept[-1] = (*span[:2], {**span[2], **kept[-1][2]})
        elif not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _said(kind: str, item: Json) -> Json:
    """Return what the SDK's provider says for an item of an adapter; {} where it has no word."""
    form, data = item.get("kind"), item.get("data")
    if form in ("signature", "thoughtSignature"):
        is_right = isinstance(data, str) and (form != "signature" or kind == "thinking")
        return {form: data} if is_right else {}
    if not isinstance(data, dict):
        return {}
    said: Json = {}
    if form == "redacted_thinking" and kind == "thinking":
        said = {"redactedData": data.get("data")}
    elif form == "redactedContent" and kind == "thinking":
        inner = data.get("reasoningContent")
        said = {"redactedData": inner.get("redactedContent") if isinstance(inner, dict) else None}
    elif form == "call" and kind == "tool_call" and isinstance(data.get("caller"), dict):
        return {"caller": _renamed(data["caller"], "tool_id", "toolId")}
    elif form == "reasoning" and kind == "thinking":
        sealed = data.get("encrypted_content")
        said = {"itemId": data.get("id")}
        said |= {"reasoningEncryptedContent": sealed} if isinstance(sealed, str) else {}
        summary = data.get("summary")
        if isinstance(summary, list) and len(summary) > 1:
            said[_SUMMARY] = [each.get("text") for each in summary if isinstance(each, dict)]
            return said if isinstance(said["itemId"], str) else {}
    elif form == "message" and kind == "text":
        said = {"itemId": data.get("id")}
        said |= {"phase": data["phase"]} if isinstance(data.get("phase"), str) else {}
    elif form == "content_part" and kind == "text" and isinstance(data.get("annotations"), list):
        return {"annotations": data["annotations"]}
    elif form == "function_call" and kind == "tool_call":
        said = {"itemId": data.get("id")}
    return said if all(isinstance(value, str) for value in said.values()) else {}


_SUMMARY: Final = "\0summary"
"""The texts of a reasoning item with several: each is a part of the UI message."""


def _summaries(text: str, metadata: Json) -> list[Piece]:
    ((name, said),) = metadata.items()
    texts = said.pop(_SUMMARY, None)
    is_cut = texts and all(isinstance(each, str) and each for each in texts)
    if not is_cut or "".join(texts) != text:
        return [Piece(text, metadata)]
    return [Piece(each, {name: dict(said)}, at > 0) for at, each in enumerate(texts)]
