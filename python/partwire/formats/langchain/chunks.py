"""Chunks of an AI message, as they come: what each adds to the blocks of the message."""

from __future__ import annotations

from typing import Any, Final

from ..core.reading import Json, Members, Reading
from .coming import Block, Coming
from .provider_content import IDS

__all__ = ["take_chunk"]

_TEXTS: Final = {
    "text": ("text", "text"),
    "output_text": ("text", "text"),
    "refusal": ("text", "refusal"),
    "thinking": ("thinking", "thinking"),
    "reasoning": ("thinking", "reasoning"),
}
"""Type of a block → kind of its part, and the member with its text."""
_PIECES: Final = frozenset(
    {"input_json_delta", "tool_use", "tool_call", "tool_call_chunk", "function_call"}
)
"""What ``tool_call_chunks`` says as well."""


def take_chunk(coming: Coming, chunk: Members, reading: Reading) -> None:
    """Add a chunk to a message; what it says that a message does not is reported."""
    at, given = chunk.at("response_metadata"), chunk.object("response_metadata")
    coming.take_response(Members(given or {}, at, reading))
    at, given = chunk.at("additional_kwargs"), chunk.object("additional_kwargs")
    kwargs = Members(given or {}, at, reading)
    _take_kwargs(coming, kwargs)
    _take_calls_first(chunk)
    pieces = chunk.list("tool_call_chunks") or []
    whole = chunk.list("tool_calls") or []
    place, content = chunk.at("content"), chunk.value("content")
    if type(content) is str:
        _take_text(coming, "text", "text", ("text", None), {"type": "text", "text": content}, place)
    elif type(content) is list:
        for number, block in enumerate(content):
            _take_block(
                coming, block, f"{place}/{number}", reading, is_doubled=bool(pieces or whole)
            )
    elif content is not None:
        reading.note("foreign-part", place)
    for number, piece in enumerate(pieces):
        _take_piece(coming, piece, f"{chunk.at('tool_call_chunks')}/{number}", reading)
    if not pieces:
        for number, call in enumerate(whole):
            _take_call(coming, call, f"{chunk.at('tool_calls')}/{number}", reading)
    if (usage := chunk.object("usage_metadata")) is not None:
        coming.usage = _added(coming.usage, usage)
    if chunk.peek("chunk_position") == "last":
        chunk.value("chunk_position")
        coming.is_complete = True
    kwargs.close("foreign-event")
    chunk.skip("example", False)
    chunk.close("foreign-event")


def _take_calls_first(chunk: Members) -> None:
    """Take what repeats the pieces of calls in a form that is wrong until the last of them."""
    if chunk.peek("tool_call_chunks"):
        chunk.value("tool_calls")
    chunk.value("invalid_tool_calls")


def _take_kwargs(coming: Coming, kwargs: Members) -> None:
    if kwargs.has_text("reasoning_content"):
        said = {"type": "reasoning", "form": "reasoning_content"}
        said["reasoning"] = kwargs.text("reasoning_content") or ""
        place = kwargs.at("reasoning_content")
        _take_text(coming, "thinking", "reasoning", ("reasoning_content",), said, place)
    reasoning, place = kwargs.peek("reasoning"), kwargs.at("reasoning")
    if type(reasoning) is dict:
        kwargs.value("reasoning")
        _take_reasoning(coming, reasoning, place)
    for name in (IDS, "__gemini_function_call_thought_signatures__"):
        if (table := kwargs.object(name)) is not None:
            coming.kwargs.setdefault(name, {}).update(table)
    kwargs.value("tool_calls")  # in OpenAI's form, what `tool_call_chunks` says


def _take_reasoning(coming: Coming, reasoning: Json, place: str) -> None:
    """Add a piece of an item of Responses: its id comes first, its summary after it."""
    item_id, summary = reasoning.get("id"), reasoning.get("summary")
    pieces = [each for each in summary or () if type(each) is dict] if type(summary) is list else []
    text = "".join(each["text"] for each in pieces if type(each.get("text")) is str)
    said: Json = {"type": "reasoning", "reasoning": text}
    said |= {"id": item_id} if type(item_id) is str else {}
    sealed = reasoning.get("encrypted_content")
    said |= {"extras": {"encrypted_content": sealed}} if type(sealed) is str else {}
    _take_text(coming, "thinking", "reasoning", ("reasoning",), said, place)


# --- content --------------------------------------------------------------------------------------


def _take_block(
    coming: Coming, block: Any, place: str, reading: Reading, *, is_doubled: bool
) -> None:
    if type(block) is str:
        block = {"type": "text", "text": block}
    if type(block) is not dict:
        reading.note("foreign-part", place)
        return
    kind = block.get("type", "text" if "text" in block else None)
    if type(kind) is str and kind in _PIECES and is_doubled:
        return
    key = ("block", repr(block.get("index")))
    said = {name: value for name, value in block.items() if name != "index" and value is not None}
    if type(kind) is str and kind in _TEXTS:
        part, member = _TEXTS[kind]
        _take_text(coming, part, member, (*key, member), {**said, "type": kind}, place)
        return
    if kind == "input_json_delta":
        reading.note("foreign-event", place)
        return
    open_block = coming.find(key) if block.get("index") is not None else None
    if open_block is None:
        coming.end_texts()
        open_block = coming.begin(key, "whole", place)
    _merge(open_block.said, said)


def _take_text(coming: Coming, kind: str, member: str, key: Any, said: Json, place: str) -> None:
    """Add text, or what is said beside it, to the block of a key."""
    text = said.get(member)
    block = coming.find(key)
    if block is None:
        has_more = {name for name, value in said.items() if value} - {"type", "form"}
        if not has_more:
            return
        coming.end_texts()
        block = coming.begin(key, kind, place)
    elif "id" in said and block.said.get("id", said["id"]) != said["id"]:
        coming.end_block(block)
        block = coming.begin(key, kind, place)
    _merge(block.said, said)
    block.said.setdefault(member, "")
    if type(text) is str:
        coming.say(block, text)


def _merge(said: Json, more: Json) -> None:
    """Add members as LangChain joins chunks: texts add up, but for those that name something."""
    for name, value in more.items():
        before = said.get(name)
        if name not in ("type", "id", "form") and type(value) is str and type(before) is str:
            said[name] = before + value
        elif type(value) is list and type(before) is list:
            said[name] = [*before, *value]
        elif type(value) is dict and type(before) is dict:
            said[name] = {**before, **value}
        else:
            said[name] = value


# --- calls ----------------------------------------------------------------------------------------


def _take_piece(coming: Coming, piece: Any, place: str, reading: Reading) -> None:
    """Add a piece of a call: later ones have an index, but neither id nor name."""
    if type(piece) is not dict:
        reading.note("foreign-event", place)
        return
    members = Members(piece, place, reading)
    call_id, name, args = members.text("id"), members.text("name"), members.text("args")
    index = members.value("index")
    members.skip("type", "tool_call_chunk")
    block = _call_of(coming, index, call_id)
    if block is None:
        coming.end_texts()
        block = coming.begin(("call", repr(index)), "call", place)
        block.said = {"type": "tool_call"}
    if call_id and not block.call_id:
        block.said["id"] = call_id
    if name and not block.call_id:
        block.said["name"] = block.said.get("name", "") + name
    is_named = not block.call_id and {"id", "name"} <= block.said.keys()
    if is_named and not coming.start_call(block, block.said["id"], block.said["name"]):
        reading.note("foreign-event", place)
    if args:
        coming.add_args(block, args)
    members.close("foreign-event")


def _call_of(coming: Coming, index: Any, call_id: str | None) -> Block | None:
    """Return the call that a piece goes on; without an index the last one."""
    last = coming.last_call() if index is None else coming.find(("call", repr(index)))
    is_other = last is not None and call_id and last.said.get("id", call_id) != call_id
    return None if is_other else last


def _take_call(coming: Coming, call: Any, place: str, reading: Reading) -> None:
    """Add a call that came whole."""
    if type(call) is not dict:
        reading.note("foreign-event", place)
        return
    coming.end_texts()
    block = coming.begin(("whole", place), "call", place)
    block.said = {**call, "type": "tool_call"}


def _added(before: Json | None, more: Json) -> Json:
    """Return figures added up, as LangChain does."""
    made = dict(before or {})
    for name, value in more.items():
        old = made.get(name)
        if type(value) is int and type(old) is int:
            made[name] = old + value
        elif type(value) is dict:
            made[name] = (
                _added(old if type(old) is dict else None, value) if _is_flat(value) else value
            )
        elif value is not None:
            made[name] = value
    return made


def _is_flat(value: Json) -> bool:
    return not any(type(each) is dict for each in value.values())
