"""Parts of messages as parts of a UI message."""

from __future__ import annotations

import re
from typing import Any, Final

from partwire.json.text import json_text

from ..core.extension import PARTWIRE
from ..core.reading import Json
from .server_tools import pages_of
from .state import OWN, metadata_of, pieces_of
from .values import DENIED

__all__ = ["UiParts", "approval_of", "error_text", "file_part", "output_of", "source_part"]

_FIRST: Final = "5"  # has no approvals, and no state of results
_LAST: Final = "7"  # has names of files
_URL: Final = re.compile(r"data:|[A-Za-z][A-Za-z0-9+.-]*://")


class UiParts:
    """The parts of one UI message, as they grow.

    ``left_out`` are the parts of ours that it has no place for, ``cut`` those that became several:
    both by number of the message and of the part.
    """

    def __init__(self, version: str) -> None:
        self.parts: list[Json] = []
        self.left_out: set[tuple[int, int]] = set()
        self.cut: dict[tuple[int, int], int] = {}
        self._version = version
        self._calls: dict[str, Json] = {}  # the tool part of a call
        self._approvals: dict[str, Json] = {}
        self._sources = 0

    def add(self, number: int, message: Json, *, has_steps: bool = False) -> None:
        """Add a message."""
        role = message["role"]
        if role == "assistant" and has_steps:
            self.parts.append({"type": "step-start"})
        for at, part in enumerate(message["parts"]):
            made = self._part(role, part["kind"], part["payload"])
            if made is None:
                self.left_out.add((number, at))
            elif made > 1:
                self.cut[number, at] = made
        incomplete = message.get("meta", {}).get("incomplete")
        if role == "assistant" and incomplete and not incomplete["openToolCallIds"]:
            last = self.parts[-1] if self.parts else {}
            if last.get("state") == "done":
                last["state"] = "streaming"

    def _part(self, role: str, kind: str, payload: Json) -> int | None:
        """Add a part; return how many parts it became, None where there is no place for it."""
        if kind == "text":
            return self._text(role, "text", payload)
        if kind in ("image", "media", "file_ref") and role in ("user", "assistant"):
            self.parts.append(file_part(kind, payload, self._version))
            return 1
        is_answer = kind in ("tool_result", "approval_response") and role in ("tool", "user")
        if role != "assistant" and not is_answer:
            return None
        if kind == "thinking":
            return self._text(role, "reasoning", payload)
        if kind in ("tool_call", "server_tool_call"):
            return self._call(kind, payload)
        part = self._calls.get(payload.get("toolCallId", ""))
        if part is None:
            return None
        if kind in ("tool_result", "server_tool_result"):
            return self._result(kind, payload, part)
        return self._approval(kind, payload, part)

    def _text(self, role: str, kind: str, payload: Json) -> int:
        ours = "text" if kind == "text" else "thinking"
        opaque = payload.get("opaque") if role == "assistant" else None
        pieces = pieces_of(ours, payload["text"], opaque)
        for piece in pieces:
            part: Json = {"type": kind, "text": piece.text}
            if role == "assistant":
                part["state"] = "done"
            if piece.metadata:
                part["providerMetadata"] = piece.metadata
            self.parts.append(part)
        for citation in payload.get("citations", ()) if role == "assistant" else ():
            self._sources += 1
            self.parts.append(source_part(citation, self._sources))
        return len([piece for piece in pieces if not piece.goes_on])

    def _call(self, kind: str, payload: Json) -> int:
        part: Json = {
            "type": f"tool-{payload['toolName']}",
            "toolCallId": payload["toolCallId"],
            "state": "input-available",
            "input": input_of(payload),
        }
        if kind == "server_tool_call":
            part["providerExecuted"] = True
        if metadata := metadata_of(kind, payload.get("opaque")):
            part["callProviderMetadata"] = metadata
        self._calls[payload["toolCallId"]] = part
        self.parts.append(part)
        return 1

    def _result(self, kind: str, payload: Json, part: Json) -> int | None:
        server = kind == "server_tool_result"
        if part["state"].startswith("output-") or server != ("providerExecuted" in part):
            return None
        denied = part.get("approval", {}).get("approved") is False
        if payload.get("outcome") == "denied" and denied:
            part["state"] = "output-denied"
        elif payload["isError"]:
            part |= {"state": "output-error", "errorText": error_text(payload)}
        else:
            part |= {"state": "output-available", "output": output_of(payload)}
            if payload.get("outcome") == "partial":
                part["preliminary"] = True
        metadata = metadata_of(kind, payload.get("opaque")) if server else {}
        if metadata and self._version != _FIRST:
            part["resultProviderMetadata"] = metadata
        return 1

    def _approval(self, kind: str, payload: Json, part: Json) -> int | None:
        if self._version == _FIRST:
            return None
        if kind == "approval_request":
            if "approval" in part:
                return None
            part["approval"] = approval_of(payload)
            if part["state"] == "input-available":
                part["state"] = "approval-requested"
            return 1
        approval = part.get("approval")
        if approval is None or approval["id"] != payload["approvalId"] or "approved" in approval:
            return None
        approval["approved"] = payload["decision"] == "approved"
        if "reason" in payload:
            approval["reason"] = payload["reason"]
        if part["state"] == "approval-requested":
            part["state"] = "approval-responded"
        return 1


def input_of(payload: Json) -> Any:
    """Return the arguments of a call; text that is not an object stands as it is."""
    raw = payload.get("rawArgsText")
    return raw if raw is not None and not payload["arguments"] else payload["arguments"]


def output_of(payload: Json) -> Any:
    """Return the value of a result: its data, else what the model reads."""
    if (pages := pages_of(payload.get("opaque"))) is not None:
        return pages
    if "structured" in payload:
        return payload["structured"]
    content = payload["content"]
    if not isinstance(content, list):
        return content
    if all(part["kind"] == "text" for part in content):
        return "".join(part["payload"]["text"] for part in content)
    return {"type": "content", "value": [_content_of(part) for part in content]}


def _content_of(part: Json) -> Json:
    if part["kind"] == "text":
        return {"type": "text", "text": part["payload"]["text"]}
    return file_part(part["kind"], part["payload"])


def error_text(payload: Json) -> str:
    """Return what a failed call says."""
    content = payload["content"]
    if isinstance(content, str):
        return content or DENIED if payload.get("outcome") == "denied" else content
    if isinstance(content, list) and all(part["kind"] == "text" for part in content):
        return "".join(part["payload"]["text"] for part in content)
    return json_text(content)


def approval_of(payload: Json) -> Json:
    """Return the approval that a request asks for."""
    approval: Json = {"id": payload["approvalId"]}
    if "reason" in payload:
        approval["requestReason"] = payload["reason"]
    opaque = payload.get("opaque")
    if isinstance(opaque, dict) and opaque["provider"] == OWN:
        said = ("isAutomatic", "signature")
        approval |= {name: value for name, value in opaque["data"].items() if name in said}
    return approval


_OWNERS: Final = (("file-", "openai"), ("file_", "anthropic"), ("files/", "google"))
"""How the names begin that providers give to files."""


def file_part(kind: str, payload: Json, version: str = _FIRST) -> Json:
    """Return an image, media, or the reference to a file, as a file.

    The SDK takes a URL for one from 7 on; what is not one is a provider's name of the file there.
    """
    mime = payload.get("mimeType") or "application/octet-stream"
    source = payload.get("source", payload)
    where = next((source[name] for name in ("url", "ref", "path") if name in source), "")
    part: Json = {"type": "file", "mediaType": mime, "url": where}
    if source.get("data") is not None:
        part["url"] = f"data:{mime};base64,{source['data']}"
    if version == _LAST and part["url"] and not _URL.match(part["url"]):
        owner = next((who for prefix, who in _OWNERS if where.startswith(prefix)), PARTWIRE)
        part |= {"url": "", "providerReference": {owner: where}}
    if "name" in payload:
        part["filename"] = payload["name"]
    if kind == "media" and (metadata := metadata_of(kind, payload.get("opaque"))):
        part["providerMetadata"] = metadata
    return part


def source_part(citation: Json, number: int) -> Json:
    """Return a citation as a source; one without an id gets one."""
    source = citation["source"]
    part: Json = {"sourceId": source.get("id") or f"source-{number}"}
    if "url" in source:
        part |= {"type": "source-url", "url": source["url"]}
    else:
        part |= {"type": "source-document", "mediaType": "text/plain"}
    if "title" in source or "url" not in source:
        part["title"] = source.get("title", "")
    if metadata := metadata_of("citation", citation.get("opaque")):
        part["providerMetadata"] = metadata
    return part
