"""What a model said as its provider's own blocks, as LangChain's integrations store them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from partwire.errors import PartwireError
from partwire.providers.requests import encode_request

from ..core.reading import Json
from .parts import raw_of
from .provider_content import SIGNATURES

__all__ = ["blocks_of"]


def blocks_of(dialect: str, message: Json) -> tuple[list[Any], Json] | None:
    """Return the blocks of an answer, and what of it stands in ``additional_kwargs``.

    None where the provider has no blocks for it.
    """
    calls = [part["payload"] for part in message["parts"] if part["kind"] == "tool_call"]
    if dialect != "openai-responses" and any(raw_of(call) is not None for call in calls):
        return None
    alone = {name: value for name, value in message.items() if name != "meta"}
    try:
        config = {"provider": dialect, "modelId": "any"}
        encoded = encode_request(dialect, [alone], config=config)
        if any(each.rule == "encode/dangling-state" for each in encoded.findings):
            return None  # a request would leave out what was said, a history does not
        return _FROM[dialect](encoded.body)
    except (PartwireError, LookupError, TypeError):
        return None


def _said(entries: Any, role: str, member: str) -> list[Any]:
    content: list[Any] = []
    for entry in entries:
        if entry.get("role") == role:
            given = entry[member]
            content += [{"type": "text", "text": given}] if isinstance(given, str) else given
    return content


def _anthropic(body: Json) -> tuple[list[Any], Json]:
    return _said(body["messages"], "assistant", "content"), {}


def _responses(body: Json) -> tuple[list[Any], Json]:
    blocks: list[Any] = []
    for item in body["input"]:
        if item.get("type", "message") != "message":
            if not str(item["type"]).endswith("_output"):
                blocks.append(item)
            continue
        if item.get("role") != "assistant":
            continue
        given = item["content"]
        content = [{"type": "text", "text": given}] if isinstance(given, str) else given
        head = {name: item[name] for name in ("id", "phase") if name in item}
        for part in content:
            kind = "text" if part["type"] == "output_text" else part["type"]
            blocks.append({**part, "type": kind, **head})
    return blocks, {}


def _gemini(body: Json) -> tuple[list[Any], Json] | None:
    blocks: list[Any] = []
    signatures: Json = {}
    for part in _said(body["contents"], "model", "parts"):
        signature = part.get("thoughtSignature")
        if "functionCall" in part:
            if signature and "id" in part["functionCall"]:
                signatures[part["functionCall"]["id"]] = signature
        elif set(part) - {"text", "thought", "thoughtSignature"}:
            return None
        elif part.get("thought"):
            block = {"type": "thinking", "thinking": part["text"]}
            blocks.append(block | ({"signature": signature} if signature else {}))
        elif signature:
            return None
        else:
            blocks.append({"type": "text", "text": part["text"]})
    return blocks, ({SIGNATURES: signatures} if signatures else {})


def _converse(body: Json) -> tuple[list[Any], Json] | None:
    blocks: list[Any] = []
    for block in _said(body["messages"], "assistant", "content"):
        if set(block) == {"text"}:
            blocks.append({"type": "text", "text": block["text"]})
        elif set(block) == {"toolUse"}:
            use = block["toolUse"]
            head = {"type": "tool_use", "id": use["toolUseId"], "name": use["name"]}
            blocks.append({**head, "input": use["input"]})
        elif set(block) == {"reasoningContent"}:
            given = block["reasoningContent"]
            inner = given.get("reasoningText", given)
            blocks.append({"type": "reasoning_content", "reasoning_content": inner})
        else:
            return None
    return blocks, {}


_FROM: Final[dict[str, Callable[[Json], tuple[list[Any], Json] | None]]] = {
    "anthropic-messages": _anthropic,
    "bedrock-converse": _converse,
    "gemini": _gemini,
    "openai-responses": _responses,
}
