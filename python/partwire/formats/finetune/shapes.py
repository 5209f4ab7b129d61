"""Messages of ours as entries of a conversation, in each shape of training data."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.json.text import json_text

from ..core.kept import kept_by
from ..core.reading import Json
from .values import KINDS, OWN, calls_text

__all__ = ["Entries", "chat_entries", "sharegpt_entries"]

_SOUNDS: Final = {"audio/wav": "wav", "audio/mpeg": "mp3"}


class Entries(NamedTuple):
    """What one message became: entries, the places of parts that are left out, and files."""

    entries: list[Json]
    left_out: frozenset[int] = frozenset()
    files: tuple[tuple[str, str], ...] = ()


# --- chat -----------------------------------------------------------------------------------------


def chat_entries(message: Json, *, is_template: bool) -> Entries:
    """Return a message as OpenAI's are; ``is_template``: as chat templates take them."""
    role = message["role"]
    if role == "tool":
        return _results(message, is_template=is_template)
    content: list[Json] = []
    thinking: list[str] = []
    calls: list[Json] = []
    left_out: set[int] = set()
    for at, part in enumerate(message["parts"]):
        kind, payload = part["kind"], part["payload"]
        if kind == "tool_call":
            calls.append(_call(payload, is_template=is_template))
        elif kind == "thinking" and is_template and not thinking:
            thinking.append(payload["text"])
        elif (block := _block(role, kind, payload, is_template=is_template)) is not None:
            content.append(block)
        else:
            left_out.add(at)
    if message["parts"] and not (content or calls or thinking):
        return Entries([], frozenset(left_out))
    made: Json = {"role": role, **_beside(message)}
    if thinking:
        made["reasoning_content"] = thinking[0]
    if len(content) == 1 and content[0]["type"] == "text":
        made["content"] = content[0]["text"]
    elif content or not calls:
        made["content"] = content or ""
    if calls:
        made["tool_calls"] = calls
    return Entries([made], frozenset(left_out))


def _beside(message: Json) -> Json:
    """Return the author of a message, and what training data has beside it."""
    author: Any = message.get("author", {}).get("name")
    made: Json = {"name": author} if author else {}
    own = kept_by(message, OWN)
    return made | {name: own[name] for name in ("weight", "loss_weight") if name in own}


def _call(payload: Json, *, is_template: bool) -> Json:
    given: Any = payload["arguments"]
    if "rawArgsText" in payload and not given:
        given = payload["rawArgsText"]
    elif not is_template:
        given = json_text(given)
    function = {"name": payload["toolName"], "arguments": given}
    return {"id": payload["toolCallId"], "type": "function", "function": function}


def _results(message: Json, *, is_template: bool) -> Entries:
    entries: list[Json] = []
    left_out: set[int] = set()
    beside = _beside({"meta": message.get("meta", {})})
    for at, part in enumerate(message["parts"]):
        payload = part["payload"]
        if part["kind"] != "tool_result":
            left_out.add(at)
            continue
        content: Any = payload["content"]
        if isinstance(content, dict):
            content = json_text(content)
        elif isinstance(content, list):
            blocks = (
                _block("user", each["kind"], each["payload"], is_template=is_template)
                for each in content
            )
            content = [block for block in blocks if block is not None]
        call_id = payload["toolCallId"]
        entries.append({"role": "tool", "tool_call_id": call_id, "content": content, **beside})
    return Entries(entries, frozenset(left_out))


def _block(role: str, kind: str, payload: Json, *, is_template: bool) -> Json | None:
    """Return a part as content; None where there is none such."""
    if kind == "text":
        return {"type": "text", "text": payload["text"]}
    if role != "user" or kind not in ("image", "media", "file_ref"):
        return None
    where, data = _where(payload), payload.get("source", payload).get("data")
    mime, name = payload.get("mimeType", ""), payload.get("name")
    if is_template and data is None:
        media = mime.partition("/")[0]
        if media not in KINDS or where is None:
            return None
        return {"type": media, "path" if kind == "file_ref" else "url": where}
    if kind == "file_ref":
        return {"type": "file", "file": {"file_id": payload["path"]}}
    if data is None:
        is_image = where is not None and mime.startswith("image/")
        return {"type": "image_url", "image_url": {"url": where}} if is_image else None
    held = f"data:{mime};base64,{data}"
    if mime.startswith("image/") and not name:
        return {"type": "image_url", "image_url": {"url": held}}
    if mime in _SOUNDS and not name:
        return {"type": "input_audio", "input_audio": {"data": data, "format": _SOUNDS[mime]}}
    named = {"filename": name} if name else {}
    return {"type": "file", "file": {"file_data": held, **named}}


def _where(payload: Json) -> str | None:
    """Return where a file is: behind a URL, or at a path."""
    where: str | None = payload.get("path") or payload.get("source", payload).get("url")
    return where


# --- ShareGPT -------------------------------------------------------------------------------------

_FROM: Final = {"system": "system", "user": "human", "assistant": "gpt"}


def sharegpt_entries(message: Json) -> Entries:
    """Return a message as turns of ShareGPT.

    A turn with calls has nothing else: trainers leave out what does not alternate.
    """
    role, parts = message["role"], message["parts"]
    own = kept_by(message, OWN)
    kept = {name: own[name] for name in own if name not in ("line", "member", "from", "value")}
    calls = [part["payload"] for part in parts if part["kind"] == "tool_call"]
    if calls:
        left_out = {at for at, part in enumerate(parts) if part["kind"] != "tool_call"}
        turn = {"from": "function_call", "value": calls_text(calls), **kept}
        return Entries([turn], frozenset(left_out))
    if role == "tool":
        left_out = {at for at, part in enumerate(parts) if part["kind"] != "tool_result"}
        turns = [
            {"from": "observation", "value": _text_of(part["payload"]["content"]), **kept}
            for part in parts
            if part["kind"] == "tool_result"
        ]
        return Entries(turns, frozenset(left_out))
    said: list[str] = []
    files: list[tuple[str, str]] = []
    left_out = set()
    for at, part in enumerate(parts):
        payload = part["payload"]
        media = payload.get("mimeType", "").partition("/")[0]
        if part["kind"] == "text":
            said.append(payload["text"])
        elif media in KINDS and role == "user" and (where := _where(payload)):
            said.append(f"<{media}>")
            files.append((media, where))
        else:
            left_out.add(at)
    if parts and not said:
        return Entries([], frozenset(left_out))
    turn = {"from": _FROM[role], "value": "".join(said), **kept}
    return Entries([turn], frozenset(left_out), tuple(files))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return json_text(content)
    return "".join(part["payload"]["text"] for part in content if part["kind"] == "text")
