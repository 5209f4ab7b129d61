"""Content of messages: text, or blocks of LangChain's standard types and of providers'."""

from __future__ import annotations

from typing import Any, Final

from ..core.parts import call_part, media_part, result_part, text_part, value_result
from ..core.reading import Json, Members, Reading
from .calls import Listed, ListedCalls
from .media import MEDIA, media_of
from .state import own_state, state_of

__all__ = ["STANDARD", "AiContent", "is_plain", "says", "spoken", "without_position"]

STANDARD: Final = frozenset(
    {
        "audio",
        "invalid_tool_call",
        "non_standard",
        "server_tool_call",
        "server_tool_result",
        "text-plain",
        "tool_call",
        "video",
    }
)
"""Types of blocks that no provider has."""
_TEXTS: Final = ("text", "input_text", "output_text")


def is_plain(blocks: list[Any]) -> bool:
    """Return whether content is one text that could stand without a list."""
    if len(blocks) != 1:
        return False
    (block,) = blocks
    if type(block) is dict:
        block = block.get("text") if block.keys() == {"type", "text"} else None
    return type(block) is str and block != ""


def without_position(block: Members, position: int) -> None:
    """Take ``index`` where it says no more than where the block stands."""
    if type(block.peek("index")) is int:
        block.skip("index", position)


def _kind_of(block: Members) -> str:
    kind = block.text("type")
    if kind is None and "type" not in block and "text" in block:
        return "text"  # as LangChain takes it
    return kind or ""


def _opened(block: Members, reading: Reading) -> Members:
    """Return a block; of one that is not standard that which it holds."""
    if block.peek("type") == "non_standard" and type(block.peek("value")) is dict:
        inner = Members(block.object("value") or {}, block.at("value"), reading)
        block.value("type")
        block.close()
        return inner
    return block


# --- what users, the system and tools say ---------------------------------------------------------


def spoken(content: Any, place: str, reading: Reading, role: str) -> list[Json]:
    """Return the parts of content that no model wrote; a user's may have results of tools."""
    if content is None or type(content) is str:
        return [text_part(content)] if content else []
    if type(content) is not list:
        reading.note("foreign-part", place)
        return []
    parts: list[Json] = []
    for number, each in enumerate(content):
        at = f"{place}/{number}"
        part: Json | None = None
        if type(each) is str:
            part = text_part(each)
        elif type(each) is dict:
            block = _opened(Members(each, at, reading), reading)
            part = _spoken(block, number, reading, role)
        if part is None:
            reading.note("foreign-part", at)
        else:
            parts.append(part)
    return parts


def _spoken(block: Members, number: int, reading: Reading, role: str) -> Json | None:
    kind = _kind_of(block)
    part: Json | None = None
    without_position(block, number)
    is_text = kind in _TEXTS and block.peek("source_type") is None
    if is_text and (text := block.text("text")) is not None:
        block.skip("annotations", [])
        part = text_part(text)
    elif role != "system" and (kind in MEDIA or (kind == "text" and not is_text)):
        part = media_of(kind, block, reading)
    elif kind == "tool_result" and role == "user" and (call_id := block.text("tool_use_id")):
        given, at = block.value("content"), block.at("content")
        content = given if type(given) is str else spoken(given, at, reading, "tool")
        part = result_part(call_id, content, is_error=block.flag("is_error") or False)
    if part is not None:
        block.close()
    return part


# --- what the model says --------------------------------------------------------------------------

_CALLS: Final = {
    "tool_call": ("id", "name", "args"),
    "tool_call_chunk": ("id", "name", "args"),
    "invalid_tool_call": ("id", "name", "args"),
    "tool_use": ("id", "name", "input"),
    "function_call": ("call_id", "name", "arguments"),
}
"""Type of a call in content → its members."""
_REASONING: Final = {"reasoning": "reasoning", "thinking": "thinking"}


class AiContent:
    """Content of an AI message, read block by block; ``dialect`` is whose state it has."""

    def __init__(self, calls: ListedCalls, dialect: str, reading: Reading) -> None:
        self._calls = calls
        self._dialect = dialect
        self._reading = reading
        self._ids: set[tuple[str, str]] = set()

    def one(self, block: Json, place: str) -> Json | None:
        """Return the part of one block; None where it is a piece of a call."""
        parts = self._of(Members(block, place, self._reading), block, -1)
        return parts[0] if parts else None

    def parts(self, content: Any, place: str) -> list[Json]:
        """Return the parts of content, with the calls that it names where it names them."""
        if content is None or type(content) is str:
            return [text_part(content)] if content else []
        if type(content) is not list:
            self._reading.note("foreign-part", place)
            return []
        parts: list[Json] = []
        for number, each in enumerate(content):
            at = f"{place}/{number}"
            if type(each) is str:
                parts.append(text_part(each))
            elif type(each) is dict:
                parts += self._of(Members(each, at, self._reading), each, number)
            else:
                self._reading.note("foreign-part", at)
        return parts

    def _of(self, block: Members, whole: Json, number: int) -> list[Json]:
        opened = _opened(block, self._reading)
        kind = _kind_of(opened)
        without_position(opened, number)
        if kind in _CALLS:
            return self._call(kind, opened, whole)
        part = self._part(kind, opened)
        if part is None:
            # No part says it: it is kept whole, as adapters keep blocks that they do not know.
            payload = {"text": "", "opaque": own_state({"block": whole})}
            return [{"kind": "thinking", "payload": payload}]
        opened.close()
        return [part]

    def _part(self, kind: str, block: Members) -> Json | None:
        if kind in _TEXTS and block.peek("source_type") is None:
            return self._text("text", block, kind)
        if kind == "refusal":
            return self._text("refusal", block, kind)
        if kind in _REASONING:
            return self._reasoning(kind, block)
        if kind == "reasoning_content" and type(block.peek(kind)) is dict:
            inner = Members(block.object(kind) or {}, block.at(kind), self._reading)
            text = inner.text("text")
            made = None if text is None else self._with_state("thinking", text, inner)
            if made is not None:
                inner.close()
            return made
        if kind in MEDIA and type(block.peek("file")) is not dict:
            return self._media(kind, block)
        if kind == "server_tool_call":
            return self._server_call(block)
        if kind == "server_tool_result":
            return self._server_result(block)
        return None

    def _with_state(self, kind: str, text: str, block: Members) -> Json:
        payload: Json = {"text": text}
        state = state_of(kind, block, text, self._dialect, self._reading)
        if state is not None:
            payload["opaque"] = state
        return {"kind": kind, "payload": payload}

    def _text(self, member: str, block: Members, kind: str) -> Json | None:
        text = block.text(member)
        if text is None:
            return None
        if kind != "text":
            block.put("type", kind)
        block.skip("annotations", [])
        citations: list[Json] = []
        if type(block.peek("annotations")) is list:
            given = block.list("annotations") or []
            citations = [_citation(each, text) for each in given]
        made = self._with_state("text", text, block)
        if citations:
            made["payload"]["citations"] = citations
        return made

    def _reasoning(self, kind: str, block: Members) -> Json | None:
        member = _REASONING[kind]
        if member in block and not block.has_text(member) and block.peek(member) != "":
            return None
        text = block.text(member) or ""
        if not text and set(block.names()) <= {"id", "extras", "summary", "index"}:
            text = _summary(block)
        if kind == "thinking" and not (self._dialect and block.has_text("signature")):
            block.put("type", kind)
        return self._with_state("thinking", text, block)

    def _media(self, kind: str, block: Members) -> Json | None:
        part = media_of(kind, block, self._reading)
        if part is None:
            return None
        left = {name: value for name, value in block.whole().items() if value is not None}
        if left and part["kind"] != "file_ref":
            for name in left:
                block.value(name)
            part = _with_source(part)
            part["payload"]["opaque"] = own_state(left)
        return part

    def _is_new(self, kind: str, call_id: str) -> bool:
        is_new = (kind, call_id) not in self._ids
        self._ids.add((kind, call_id))
        return is_new

    def _server_call(self, block: Members) -> Json | None:
        call_id, name = block.text("id"), block.text("name")
        if not call_id or not name or not self._is_new("call", call_id):
            return None
        arguments = block.value("args")
        payload: Json = {"toolCallId": call_id, "toolName": name, "arguments": {}}
        if type(arguments) is dict:
            payload["arguments"] = arguments
        elif arguments is not None:
            block.put("args", arguments)
        state = state_of("server_tool_call", block, "", "", self._reading)
        if state is not None:
            payload["opaque"] = state
        return {"kind": "server_tool_call", "payload": payload}

    def _server_result(self, block: Members) -> Json | None:
        call_id, status = block.text("tool_call_id"), block.text("status")
        if not call_id or status not in ("success", "error"):
            return None
        if not self._is_new("result", call_id):
            return None
        output = block.value("output") if block.peek("output") is not None else ""
        part = value_result(call_id, output, is_error=status == "error")
        part["kind"] = "server_tool_result"
        state = state_of("server_tool_result", block, "", "", self._reading)
        if state is not None:
            part["payload"]["opaque"] = state
        return part

    def _call(self, kind: str, block: Members, whole: Json) -> list[Json]:
        """Read a call where content names it; what is listed beside it counts."""
        id_member, name_member, member = _CALLS[kind]
        call_id = block.text(id_member)
        listed = self._calls.take(call_id)
        name, given = block.value(name_member), block.value(member)
        is_partial = kind == "tool_call_chunk"
        if listed is None:
            if type(name) is not str or not name or is_partial:
                self._reading.note("open-call", block.place)
                return []
            listed = Listed(call_id or None, name, given, block.place, {})
        else:
            if name != listed.name:
                self._reading.note("foreign-member", block.at(name_member))
            if not says(given, listed.arguments):
                self._reading.note("foreign-member", block.at(member))
        block.skip("status", "completed")
        part = self._calls.part(listed)
        if part is None:
            return []
        if "opaque" not in part["payload"]:
            state = state_of("tool_call", block, "", self._dialect, self._reading)
            if state is not None:
                part["payload"]["opaque"] = state
        block.close()
        return [part]


def _with_source(part: Json) -> Json:
    """Return an image as media, which may have state."""
    payload = part["payload"]
    if part["kind"] == "media":
        return part
    kind, name = ("inline", "data") if "data" in payload else ("url", "url")
    return media_part(payload["mimeType"], {"kind": kind, name: payload[name]}, None)


def says(given: Any, arguments: Any) -> bool:
    """Return whether arguments in content are those of the call, or not there."""
    if given in (None, "", {}) or given == arguments:
        return True
    if type(given) is not str:
        return False
    said = call_part("x", "x", given)["payload"]
    return "rawArgsText" not in said and said["arguments"] == arguments


def _summary(block: Members) -> str:
    """Return the texts of a summary, as Responses has it; it stays in the block."""
    given = block.peek("summary")
    pieces = given if isinstance(given, list) else []
    texts = [each.get("text") for each in pieces if isinstance(each, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _citation(given: Any, text: str) -> Json:
    """Return an annotation as a citation; what has no place in one is kept."""
    if type(given) is not dict or given.get("type") != "citation":
        return {"source": {"kind": "unknown"}, "opaque": own_state({"annotation": given})}
    left = {name: value for name, value in given.items() if name != "type"}
    source: Json = {"kind": "document"}
    if isinstance(left.get("url"), str) and left["url"]:
        source |= {"kind": "url", "url": left.pop("url")}
    if isinstance(left.get("title"), str):
        source["title"] = left.pop("title")
    made: Json = {"source": source}
    start, end = left.get("start_index"), left.get("end_index")
    if type(start) is int and type(end) is int and 0 <= start <= end <= len(text):
        made |= {"start": left.pop("start_index"), "end": left.pop("end_index")}
    if isinstance(left.get("cited_text"), str):
        made["quotedText"] = left.pop("cited_text")
    if left:
        made["opaque"] = own_state({"annotation": left})
    return made
