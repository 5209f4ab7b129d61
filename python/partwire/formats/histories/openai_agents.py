"""The OpenAI Agents SDK: items of a session, or of a run, as Python and JavaScript store them.

They are items of Responses with additions: what other providers' models want back, the agent, and
ids that the SDK makes up. JavaScript has names of its own for some items and members. What the SDK
adds for itself is reported; OpenAI would refuse it.
"""

from __future__ import annotations

from typing import Any, Final

from ..core.reading import Json, Members, Reading
from .openai_responses import ResponsesHistory

__all__ = ["read"]


def read(source: Any, reading: Reading) -> None:
    """Read a list of items, a document that has them as ``items`` or ``input``, or one item."""
    history, place, items = ResponsesHistory(reading), "", source
    if type(source) is dict and "type" not in source and "role" not in source:
        body = reading.members(source, "")
        name = "items" if "items" in body else "input"
        place, items = body.at(name), body.value(name)
        body.close("request-member")
    elif type(source) is dict:
        _read_item(Members(source, "", reading), history, reading)
        history.finish()
        return
    if type(items) is str:
        history.items(items, place)
    else:
        for _, item in reading.items(items, place):
            _read_item(item, history, reading)
    history.finish()


_FAKE_ID: Final = "__fake_id__"
"""What the SDK writes where a model gives no id."""

_RAW: Final = ("raw_item", "rawItem")
_WRAPPERS: Final = (
    "compaction_item",
    "handoff_call_item",
    "handoff_output_item",
    "mcp_approval_request_item",
    "mcp_approval_response_item",
    "mcp_list_tools_item",
    "message_output_item",
    "reasoning_item",
    "tool_call_item",
    "tool_call_output_item",
    "tool_search_call_item",
    "tool_search_output_item",
)


def _read_item(item: Members, history: ResponsesHistory, reading: Reading) -> None:
    raw = None if item.lacks(*_RAW) else next(name for name in _RAW if name in item)
    agent, inner = _agent(item, reading), item
    if raw is not None:
        place, wrapped = item.at(raw), item.object(raw)
        if wrapped is None:
            raise reading.refuse(place, "an item", item.value(raw))
        if item.whole().get("type") == "tool_approval_item":  # its call is an item of its own
            reading.note("foreign-message", item.place)
            return
        item.skip("type", *_WRAPPERS)
        item.skip("output", wrapped.get("output"))
        item.close()
        inner = Members(wrapped, place, reading)
    is_said = history.item(_as_published(inner, reading), inner.place, agent)
    if agent and not is_said:
        reading.note("foreign-member", item.at("agent"))


def _agent(item: Members, reading: Reading) -> str | None:
    """Take the name of the agent: an object or text; what else it says is reported."""
    if item.lacks("agent"):
        return None
    place, name = item.at("agent"), item.text("agent")
    if name is None and (given := item.object("agent")) is not None:
        members = Members(given, place, reading)
        name = members.text("name")
        members.close()
    return name or None


# --- items as OpenAI publishes them ---------------------------------------------------------------

_OWN: Final = ("provider_data", "providerData")
_TYPES: Final = {
    "function_call_result": "function_call_output",
    "computer_call_result": "computer_call_output",
}
_NAMES: Final = {"callId": "call_id"}


def _as_published(item: Members, reading: Reading) -> Json:
    item.skip("id", _FAKE_ID)
    kind = item.text("type")
    if kind == "hosted_tool_call":
        return _hosted(item, reading)
    own = "" if item.lacks(*_OWN) else next(name for name in _OWN if name in item)
    given = item.object(own) or {}
    added = Members(given, item.at(own), reading)
    left = item.whole()
    made: Json = {} if kind is None else {"type": _TYPES.get(kind, kind)}
    if kind == "reasoning" and "summary" not in left:
        made |= _reasoning(item, added)
    added.close()
    if own and left.pop(own, None) is not None:  # it is not an object
        reading.note("foreign-member", item.at(own))
    made |= {_NAMES.get(name, name): value for name, value in left.items()}
    for name in ("content", "output"):
        if name in made:
            made[name] = _content(made[name])
    return made


def _hosted(item: Members, reading: Reading) -> Json:
    """Return the provider's own item of a tool that it ran, which JavaScript keeps beside."""
    given = item.object("providerData") or {}
    left = {name: value for name, value in item.whole().items() if value is not None}
    made = {**left, **given}
    for name, value in left.items():
        if name in given and given[name] != value and name != "name":
            reading.note("foreign-member", item.at(name))
    if not isinstance(made.get("type"), str):
        made["type"] = left.get("name") if isinstance(left.get("name"), str) else "hosted_tool_call"
    if made.get("name") == made["type"]:
        del made["name"]
    return made


def _reasoning(item: Members, added: Members) -> Json:
    """Return reasoning whose summary is its content, and whose content is raw."""
    summary = item.list("content") or []
    made: Json = {"summary": [_summary(part) for part in summary]}
    if (raw := item.list("rawContent")) is not None:
        made["content"] = raw
    for name in ("encryptedContent", "encrypted_content"):
        if (sealed := added.text(name)) is not None:
            made["encrypted_content"] = sealed
    return made


_PARTS: Final = {
    "text": "input_text",
    "image": "input_image",
    "file": "input_file",
    "audio": "input_audio",
}
_NAMED: Final = frozenset({*_PARTS, *_PARTS.values()})


def _summary(part: Any) -> Any:
    is_text = type(part) is dict and part.get("type") == "input_text"
    return {**part, "type": "summary_text"} if is_text else part


def _content(content: Any) -> Any:
    """Return content with its parts as OpenAI names them; one part may stand without a list."""
    if type(content) is dict and content.get("type") in tuple(_PARTS):
        content = [content]
    if type(content) is not list:
        return content
    return [_part(part) for part in content]


def _part(part: Any) -> Any:
    """Return a part of content as OpenAI has it; parts that are so already stay."""
    if type(part) is not dict:
        return part
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _NAMED:
        return part
    made = {**part, "type": _PARTS[kind]} if kind in _PARTS else part
    for name in ("image", "file"):
        if made.get("type") == f"input_{name}" and name in made:
            made = _located({k: v for k, v in made.items() if k != name}, name, made[name])
    if made.get("type") == "input_audio" and isinstance(made.get("audio"), str):
        made = {k: v for k, v in made.items() if k != "audio"} | {"data": made["audio"]}
    return made


def _located(part: Json, name: str, where: Any) -> Json:
    """Return a part with its URL or id, which JavaScript has in one member."""
    url, ids = (
        ("image_url" if name == "image" else "file_url"),
        (where if type(where) is dict else {}),
    )
    if isinstance(where, str):
        is_data = name == "file" and where[:5].lower() == "data:"
        return {**part, "file_data" if is_data else url: where}
    if "id" in ids:
        return {**part, "file_id": ids["id"]}
    return {**part, url: ids["url"]} if "url" in ids else {**part, name: where}
