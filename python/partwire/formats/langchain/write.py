"""Messages as LangChain stores them: one for each of ours, and one for each result of a tool.

What the format does not say is not guessed: each is read back, and what differs is reported, or
kept in ``additional_kwargs.partwire``. The versions are the envelopes.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.reading import Json
from ..core.writing import Written
from .blocks import is_plain
from .envelopes import OWN, wrapped
from .heads import NAMES, dialect_in, dialect_of, needs_version, usage_as, written_as
from .parts import block_of, listed_call, media_block
from .provider_write import blocks_of
from .read import CARRIER, ReadBack
from .state import own_data

__all__ = ["write"]

_TYPES: Final = {"assistant": "ai", "user": "human", "system": "system", "tool": "tool"}
_WITH_TOOL_USE: Final = ("anthropic-messages", "bedrock-converse")
"""Whose content names its calls; the others' are listed beside it alone."""


def write(messages: list[Json], version: str, *, extensions: bool = False) -> Written:
    """Return the stored messages of a history, and what they do not say of it."""
    losses = Losses()
    document: list[Json] = []
    names: dict[str, str] = {}
    back = ReadBack()
    for number, message in enumerate(messages):
        names |= _calls_in(message)
        writer = _Message(message, names)
        made = writer.stored()
        if extensions:
            back.part()
            made = made or [writer.data()]
            read = back.read(made)
            kept = changes([message], read if len(made) == 1 else [])
            for at, each in enumerate(made):
                each["additional_kwargs"][PARTWIRE] = CARRIER if at else kept
        elif made:
            read = back.read(made)
            compare({number: message}, read, losses, own=OWN, left_out=writer.left_out)
            if any(OWN in each.get("meta", {}) for each in read) and OWN not in writer.meta:
                losses.note("meta", f"/{number}/meta")  # such as whose blocks they are
        else:
            losses.note("message-form", f"/{number}")
        document += [wrapped(each, version) for each in made]
    return Written(document, in_order(losses.found))


def _calls_in(message: Json) -> dict[str, str]:
    payloads = [part["payload"] for part in message["parts"] if part["kind"] == "tool_call"]
    return {payload["toolCallId"]: payload["toolName"] for payload in payloads}


class _Message:
    """Writes one message; ``left_out`` are the parts that have no place."""

    def __init__(self, message: Json, names: dict[str, str]) -> None:
        self.left_out: set[tuple[int, int]] = set()
        self._message = message
        self._names = names
        self.meta: Json = message.get("meta", {})
        own = self.meta.get(OWN)
        self._own: Json = own if isinstance(own, dict) else {}

    def stored(self) -> list[Json]:
        """Return the stored messages: none where it says nothing that has a place."""
        role = self._message["role"]
        if role == "assistant":
            return [self._answer()]
        if role == "tool":
            return self._results()
        return [self._spoken(role)]

    def data(self) -> Json:
        """Return the data that every message has, without content."""
        role = self._message["role"]
        kind, own = self._own.get("type"), self._own
        default = _TYPES[role]
        author = self._message.get("author", {})
        made: Json = {
            "content": "",
            "additional_kwargs": _object(own, "additional_kwargs"),
            "response_metadata": _object(own, "response_metadata"),
            "type": kind if isinstance(kind, str) and _fits(kind, role) else default,
            "name": author.get("name"),
            "id": self._message.get("messageId"),
        }
        if role == "tool":
            made |= {"tool_call_id": "", "artifact": None, "status": "success"}
        if made["type"].startswith(("chat", "Chat")):
            made["role"] = str(own.get("role", role))
        return made

    # --- what was said ---------------------------------------------------------------------------

    def _spoken(self, role: str) -> Json:
        blocks: list[Json] = []
        for at, part in enumerate(self._message["parts"]):
            block = _spoken_block(part, role)
            if block is None:
                self.left_out.add((0, at))
            else:
                blocks.append(block)
        return {**self.data(), "content": self._content(blocks)}

    def _content(self, blocks: list[Any]) -> Any:
        if self._own.get("content") == "list" or not (not blocks or is_plain(blocks)):
            return blocks
        return blocks[0]["text"] if blocks else ""

    # --- results ---------------------------------------------------------------------------------

    def _results(self) -> list[Json]:
        made: list[Json] = []
        for at, part in enumerate(self._message["parts"]):
            if part["kind"] != "tool_result":
                self.left_out.add((0, at))
                continue
            made.append(self._result(part["payload"], is_first=not made))
        return made

    def _result(self, payload: Json, *, is_first: bool) -> Json:
        data = self.data()
        if not is_first:
            empty: Json = {"additional_kwargs": {}, "response_metadata": {}, "id": None}
            data |= {**empty, "type": "tool"}
        call_id, content = payload["toolCallId"], payload["content"]
        if isinstance(content, dict):
            content = json_text(content)
        elif isinstance(content, list):
            content = [_spoken_block(part, "tool") for part in content]
        data |= {"content": content, "tool_call_id": call_id}
        data["status"] = "error" if payload["isError"] else "success"
        data["artifact"] = payload.get("structured")
        name = self._own.get("name") if is_first else None
        data["name"] = name if isinstance(name, str) else self._names.get(call_id)
        if is_first:
            data |= {"metadata": self._own["metadata"]} if "metadata" in self._own else {}
        if data["type"].startswith(("function", "Function")):
            for member in ("tool_call_id", "status", "artifact"):
                del data[member]
        return data

    # --- answers ---------------------------------------------------------------------------------

    def _answer(self) -> Json:
        parts, data = self._message["parts"], self.data()
        kwargs = data["additional_kwargs"]
        listed: dict[str, list[Json]] = {"tool_calls": [], "invalid_tool_calls": []}
        for part in parts:
            if part["kind"] == "tool_call":
                function = own_data(part["payload"]).get("function_call")
                if isinstance(function, dict) and "function_call" not in kwargs:
                    kwargs["function_call"] = function
                    continue
                name, call = listed_call(part["payload"])
                listed[name].append(call)
        response = written_as(self.meta, data["response_metadata"])
        dialect = dialect_in(parts)
        if dialect and dialect_of(response) != dialect:
            response["model_provider"] = NAMES[dialect]
        if not dialect and listed["tool_calls"]:
            own = dialect_of(response)
            dialect = own if own in _WITH_TOOL_USE else ""
        found = blocks_of(dialect, self._message) if dialect else None
        if found is None:
            blocks = self._blocks(kwargs)
        else:
            blocks, more = found
            kwargs |= more
            for at, part in enumerate(parts):
                if part["kind"] in ("approval_response", "tool_result"):
                    self.left_out.add((0, at))
        content = self._content(blocks)
        if needs_version(content, response) and found is None:
            response.setdefault("output_version", "v1")
        data |= {"content": content, "response_metadata": response, **listed}
        data["usage_metadata"] = usage_as(
            self.meta.get("usage"), _object(self._own, "usage_metadata")
        )
        if chunks := self._own.get("tool_call_chunks"):
            data["tool_call_chunks"] = chunks
        return data

    def _blocks(self, kwargs: Json) -> list[Any]:
        """Return content in standard blocks; calls stand in it where they are not behind it."""
        parts = self._message["parts"]
        kinds = [part["kind"] for part in parts]
        calls_last = "tool_call" not in kinds or all(
            kind == "tool_call" for kind in kinds[kinds.index("tool_call") :]
        )
        blocks: list[Any] = []
        for at, part in enumerate(parts):
            kind, payload = part["kind"], part["payload"]
            if kind == "tool_call":
                if not calls_last:
                    _, call = listed_call(payload)
                    members = ("type", "id", "name", "args")
                    blocks.append({name: call[name] for name in members})
                continue
            is_kwarg = at == 0 and own_data(payload) == {"form": "reasoning_content"}
            if is_kwarg and payload["text"] and "reasoning_content" not in kwargs:
                kwargs["reasoning_content"] = payload["text"]
                continue
            block = block_of(kind, payload)
            if block is None:
                self.left_out.add((0, at))
            else:
                blocks.append(block)
        return blocks


def _object(holder: Json, name: str) -> Json:
    value = holder.get(name)
    return dict(value) if isinstance(value, dict) else {}


def _fits(kind: str, role: str) -> bool:
    """Return whether the type of a message that was kept is one of its role."""
    own = {"user": "Human", "assistant": "AI", "system": "System", "tool": "Tool"}[role]
    others = (
        ("function", "FunctionMessageChunk") if role == "tool" else ("chat", "ChatMessageChunk")
    )
    return kind == f"{own}MessageChunk" or kind in others


def _spoken_block(part: Json, role: str) -> Json | None:
    kind, payload = part["kind"], part["payload"]
    if kind == "text":
        return {"type": "text", "text": payload["text"]}
    if kind in ("image", "media", "file_ref") and role in ("user", "tool"):
        return media_block(kind, payload)
    return None
