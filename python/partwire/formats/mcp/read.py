"""What people keep of MCP: results of tools, messages of sampling and of prompts, and content.

A result of a tool is a message with one result; the id of its call is not in it, and made up. A
message with results among its content is split: they are messages of the role tool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.extension import PARTWIRE, restored
from ..core.parts import call_part, text_part
from ..core.reading import Json, Members, Reading
from .blocks import content_part, result_of
from .state import OWN, STOPS, kept_in, own_state

__all__ = ["CALL_ID", "read", "read_back"]

CALL_ID = "call_1"
"""The id of the call that a result answers which does not say it."""

_RESULT = ("content", "structuredContent", "resultType")


def read(source: Any, reading: Reading) -> None:
    """Read a result, a message, a request for sampling, a prompt, one block, or a list of them.

    JSON-RPC around it is opened.
    """
    entries = _Entries(reading)
    if type(source) is list:
        for _, entry in reading.items(source, ""):
            entries.read(entry)
        return
    document = reading.members(source, "")
    name = next((name for name in ("result", "params") if name in document), None)
    if name is not None and "role" not in document:
        inner = reading.members(document.value(name), document.at(name))
        document.skip("jsonrpc", "2.0")
        document.skip("method", "sampling/createMessage")
        document.close("request-member")
        document = inner
    if "messages" in document and "role" not in document:
        entries.history(document)
    else:
        entries.read(document)


def read_back(document: Json) -> list[Json]:
    """Return the messages of a document, as JSON objects that nobody has checked."""
    reading = Reading(OWN)
    read(document, reading)
    return reading.messages


class _Entries:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def history(self, body: Members) -> None:
        """Read a request for sampling, or a prompt."""
        system, (ours, kept) = body.text("systemPrompt"), _ours(kept_in(body, ("_meta",)))
        if kept:
            body.put("_meta", kept["_meta"])
        made = [] if system is None else [_message("system", [text_part(system)])]
        self._add(made, ours, body.at("_meta"))
        body.skip("resultType", "complete")
        place, messages = body.at("messages"), body.value("messages")
        body.close("request-member")
        for _, message in self._reading.items(messages, place):
            self.read(message)

    def read(self, entry: Members) -> None:
        """Read a message, a result of a tool, or a block."""
        if "role" in entry:
            self._message(entry)
        elif "type" in entry:
            self._block(entry)
        elif any(name in entry for name in _RESULT):
            self._result(entry)
        else:
            expected = "a message, a result of a tool, or content"
            raise self._reading.refuse(entry.place, expected, entry.whole())

    def _add(self, made: list[Json], ours: Any, place: str) -> None:
        """Add messages, with what an extension of ours says of them."""
        if ours is not None:
            made = restored(made, ours, self._reading, f"{place}/{PARTWIRE}")
        for each in made:
            self._reading.add(each.pop("role"), each.pop("parts"), **each)

    def _result(self, result: Members) -> None:
        result.skip("resultType", "complete")
        self._reading.note("call-id-invented", result.place)
        part, kept = result_of(result, CALL_ID, self._reading)
        ours, kept = _ours(kept)
        self._add(
            [_tool_message([part], {CALL_ID: kept} if kept else {})], ours, result.at("_meta")
        )
        result.close()

    def _block(self, block: Members) -> None:
        """Read content that stands alone."""
        kind = block.peek("type")
        role = "assistant" if kind == "tool_use" else "user"
        split = _Split(role, self._reading)
        split.read(block, block.place)
        self._add(split.messages({}), None, "")

    def _message(self, message: Members) -> None:
        role = message.text("role")
        if role is None:
            raise self._reading.refuse(
                message.at("role"), "user or assistant", message.peek("role")
            )
        if role not in ("user", "assistant"):
            self._reading.note("foreign-message", message.place)
            return
        split = _Split(role, self._reading)
        place, content = message.at("content"), message.value("content")
        if isinstance(content, str):
            split.say(text_part(content))
        elif isinstance(content, dict):
            split.read(self._reading.members(content, place), place)
        else:
            for at, block in self._reading.items(content, place):
                split.read(block, at)
        ours, kept = _ours(kept_in(message, ("_meta",)))
        meta = _ending(message) if role == "assistant" else {}
        meta |= {OWN: kept} if kept else {}
        self._add(split.messages(meta), ours, message.at("_meta"))
        message.close()


class _Split:
    """The content of one message of MCP: what is said, and results, which are messages apart."""

    def __init__(self, role: str, reading: Reading) -> None:
        self._role = role
        self._reading = reading
        self._runs: list[tuple[str, list[Json], Json]] = []
        self._ids: set[str] = set()

    def say(self, part: Json) -> None:
        """Add a part that is said."""
        self._run(self._role)[1].append(part)

    def read(self, block: Members, place: str) -> None:
        """Read a block, or report it."""
        kind = block.peek("type")
        reader: Callable[[Members], bool] = self._content
        if kind == "tool_use" and self._role == "assistant":
            reader = self._call
        elif kind == "tool_result" and self._role == "user":
            reader = self._result
        if reader(block):
            block.close()
        else:
            self._reading.note("foreign-part", place)

    def messages(self, meta: Json) -> list[Json]:
        """Return the messages; the first one has ``meta``."""
        made = [
            _tool_message(parts, kept) if role == "tool" else _message(role, parts)
            for role, parts, kept in self._runs
        ] or [_message(self._role, [])]
        if meta:
            first = made[0].get("meta", {})
            own = {**meta.get(OWN, {}), **first.get(OWN, {})}
            made[0]["meta"] = {**meta, **({OWN: own} if own else {})}
        return made

    def _run(self, role: str) -> tuple[str, list[Json], Json]:
        if not self._runs or self._runs[-1][0] != role:
            self._runs.append((role, [], {}))
            self._ids = set()
        return self._runs[-1]

    def _content(self, block: Members) -> bool:
        part = content_part(block, self._reading)
        if part is not None:
            self.say(part)
        return part is not None

    def _call(self, block: Members) -> bool:
        call_id, name = block.text("id"), block.text("name")
        if not call_id or not name or call_id in self._ids:
            return False
        self._ids.add(call_id)
        block.skip("type", "tool_use")
        given = block.peek("input")
        if isinstance(given, (dict, str)):
            block.value("input")
        part = call_part(call_id, name, given if isinstance(given, (dict, str)) else {})
        if kept := kept_in(block):
            part["payload"]["opaque"] = own_state(kept)
        self.say(part)
        return True

    def _result(self, block: Members) -> bool:
        call_id = block.text("toolUseId")
        if not call_id:
            return False
        block.skip("type", "tool_result")
        if self._runs and self._runs[-1][0] == "tool" and call_id in self._ids:
            self._runs.append(("tool", [], {}))  # a message has one result of each call
            self._ids = set()
        part, kept = result_of(block, call_id, self._reading)
        _, parts, results = self._run("tool")
        self._ids.add(call_id)
        parts.append(part)
        if kept:
            results[call_id] = kept
        return True


def _message(role: str, parts: list[Json]) -> Json:
    return {"role": role, "parts": parts}


def _tool_message(parts: list[Json], kept: Json) -> Json:
    """Return a message of results; ``kept``: what MCP has beside each, by the id of its call."""
    return _message("tool", parts) | ({"meta": {OWN: {"results": kept}}} if kept else {})


def _ours(kept: Json) -> tuple[Any, Json]:
    """Return the extension that is ours, and what is kept without it."""
    meta = kept.get("_meta")
    if not isinstance(meta, dict) or PARTWIRE not in meta:
        return None, kept
    rest = {name: value for name, value in meta.items() if name != PARTWIRE}
    return meta[PARTWIRE], {"_meta": rest} if rest else {}


def _ending(message: Members) -> Json:
    """Take the model of an answer, and why it stopped."""
    meta: Json = {}
    if model := message.text("model"):
        meta["modelId"] = model
    if reason := message.text("stopReason"):
        meta |= {"finishReason": STOPS.get(reason, "unknown"), "providerFinishReason": reason}
    return meta
