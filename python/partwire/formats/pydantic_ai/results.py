"""What came of calls: any value of a tool, with files in it; and what providers ran themselves."""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.providers.core.tool_results import read_result

from ..core.parts import result_part, text_part, value_result
from ..core.reading import Json, Members, Reading
from .files import digest, file_of, is_file, item_of
from .names import OUTCOMES

__all__ = ["DIGESTS", "error_part", "result_of", "return_of", "server_call", "server_result"]

DIGESTS: Final = "content_file_digests"
_FILES: Final = "files"
"""What files in a result have beside, by the number of the part of its content."""
_OURS: Final = {ours: theirs for theirs, ours in OUTCOMES.items()}


# --- read -----------------------------------------------------------------------------------------


def result_of(call_id: str, part: Members, reading: Reading) -> tuple[Json, Json]:
    """Return the result that a tool's return is, and what its part keeps."""
    place, value = part.at("content"), part.value("content")
    listed = part.peek(DIGESTS)
    recorded = frozenset(each for each in listed if isinstance(each, str)) if _is(listed) else None
    items = value if isinstance(value, list) else [value]
    found = [each for each in items if _is_file(each, recorded)]
    made = _with_files(call_id, value, items, recorded, place, reading) if found else None
    if made is None:
        if value is None:
            reading.note("result-null", place)
        made = value_result(call_id, value), {}
        found = []
    wanted = sorted({digest(each) for each in found if each["kind"] != "binary"})
    part.skip(DIGESTS, wanted)
    result, kept = made
    if _is(listed) and DIGESTS in part:  # of files deeper in the value
        kept[DIGESTS] = part.list(DIGESTS)
    outcome = part.peek("outcome")
    if isinstance(outcome, str) and outcome in OUTCOMES:
        part.value("outcome")
        result["payload"]["outcome"] = OUTCOMES[outcome]
        result["payload"]["isError"] = outcome != "success"
    return result, kept


def _is(listed: Any) -> bool:
    return type(listed) is list and all(isinstance(each, str) for each in listed)


def _is_file(item: Any, recorded: frozenset[str] | None) -> bool:
    """Return whether an item of a value is a file, and not data that looks like one."""
    if not is_file(item):
        return False
    return item["kind"] == "binary" or recorded is None or digest(item) in recorded


def _with_files(
    call_id: str,
    value: Any,
    items: list[Any],
    recorded: frozenset[str] | None,
    place: str,
    reading: Reading,
) -> tuple[Json, Json] | None:
    """Return a result whose content is parts; None where a file has not the form of one."""
    content: list[Json] = []
    beside: Json = {}
    for number, item in enumerate(items):
        kept: Json = {}
        if isinstance(item, str):
            content.append(text_part(item))
        elif not _is_file(item, recorded):
            content.append(text_part(json_text(item)))
            kept = {"value": item}
        else:
            at = f"{place}/{number}" if isinstance(value, list) else place
            members = Members(item, at, reading)
            made = file_of(members, reading)
            if made is None:
                return None
            members.close()
            content.append(made[0])
            kept = made[1]
        if kept:
            beside[str(number)] = kept
    alone = {"list": True} if isinstance(value, list) and len(items) == 1 else {}
    return result_part(call_id, content), alone | ({_FILES: beside} if beside else {})


def error_part(call_id: str, content: Any) -> Json:
    """Return the result of a call that has to be made again."""
    part = value_result(call_id, content, is_error=True)
    part["payload"]["outcome"] = "retried"
    return part


# --- write ----------------------------------------------------------------------------------------


def return_of(payload: Json, kept: Json) -> Json:
    """Return the members of a tool's return that say what came of the call."""
    value = _value_of(payload, kept)
    made: Json = {"content": value}
    outcome = _OURS.get(payload.get("outcome", ""))
    if outcome is None or (outcome != "success") != payload["isError"]:
        outcome = "failed" if payload["isError"] else None
    if outcome is not None:
        made["outcome"] = outcome
    items = value if isinstance(value, list) else [value]
    if isinstance(value, (list, dict)):
        files = [each for each in items if is_file(each)]
        is_parts = isinstance(payload["content"], list)
        known = [each for each in files if is_parts and each["kind"] != "binary"]
        made[DIGESTS] = kept.get(DIGESTS, sorted({digest(each) for each in known}))
    return made


def _value_of(payload: Json, kept: Json) -> Any:
    block = _block_of(payload.get("opaque"))
    if block is not None:
        return block["content"]
    if "structured" in payload:
        return payload["structured"]
    content = payload["content"]
    if not isinstance(content, list):
        return content
    if all(part["kind"] == "text" for part in content):
        return "".join(part["payload"]["text"] for part in content)
    beside = kept.get(_FILES)
    made: list[Any] = []
    for number, part in enumerate(content):
        own = beside.get(str(number)) if isinstance(beside, dict) else None
        own = own if isinstance(own, dict) else {}
        if part["kind"] != "text":
            item = item_of(part["kind"], part["payload"], own)
            made.append(json_text(part) if item is None else item)
        elif "value" in own and json_text(own["value"]) == part["payload"]["text"]:
            made.append(own["value"])
        else:
            made.append(part["payload"]["text"])
    return made[0] if len(made) == 1 and kept.get("list") is not True else made


# --- tools that Anthropic ran: their blocks, which it wants back ----------------------------------

_DIALECT: Final = "anthropic-messages"
_BLOCKS: Final = {
    "web_search": "web_search_tool_result",
    "web_fetch": "web_fetch_tool_result",
    "code_execution": "code_execution_tool_result",
    "bash_code_execution": "bash_code_execution_tool_result",
    "text_editor_code_execution": "text_editor_code_execution_tool_result",
}
_NAME: Final = "anthropic_tool_name"


def server_call(call: Json, provider: Any, details: Any) -> None:
    """Give a call that Anthropic ran its block, where it is one that an adapter would keep."""
    payload = call["payload"]
    name = _block_name(payload["toolName"], provider, details)
    if name is not None and "rawArgsText" not in payload:
        data: Json = {"type": "server_tool_use", "id": payload["toolCallId"], "name": name}
        data["input"] = payload["arguments"]
        payload["opaque"] = _opaque("server_tool_use", data)


def server_result(result: Json, value: Any, name: str, provider: Any, details: Any) -> None:
    """Make the result of a tool that Anthropic ran what its adapter makes of the block."""
    block = _block_name(name, provider, details)
    if block is None or not isinstance(value, (list, dict)):
        return
    said = read_result(value)
    if said.structured is None:
        return
    payload = result["payload"]
    kind = _BLOCKS[block]
    data = {"type": kind, "tool_use_id": payload["toolCallId"], "content": value}
    payload |= {"content": said.content, "structured": said.structured}
    payload["opaque"] = _opaque(kind, data)


def _block_name(name: str, provider: Any, details: Any) -> str | None:
    own = details.get(_NAME, name) if isinstance(details, dict) else name
    is_known = provider == "anthropic" and isinstance(own, str) and own in _BLOCKS
    return own if is_known else None


def _opaque(kind: str, data: Json) -> Json:
    return {"provider": _DIALECT, "data": {"items": [{"kind": kind, "data": data}]}}


def _block_of(opaque: Any) -> Json | None:
    """Return the block of a result that Anthropic wants back; None for any other state."""
    if not isinstance(opaque, dict) or opaque["provider"] != _DIALECT:
        return None
    items = opaque["data"].get("items")
    for item in items if isinstance(items, list) else ():
        block = item.get("data") if isinstance(item, dict) else None
        if isinstance(block, dict) and block.get("type") in _BLOCKS.values():
            return block if isinstance(block.get("content"), (list, dict)) else None
    return None
