"""Content that is the provider's own blocks, as the answer that the provider gave.

Integrations store what came with small changes: the texts of a Responses message without the
message around them, Converse's blocks with a ``type``, signatures of calls in a table of their own.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text

from ..core.reading import Json, Members, Reading
from .blocks import STANDARD, says, without_position
from .calls import Listed, ListedCalls

__all__ = ["IDS", "SIGNATURES", "body_of", "without_unnamed"]

IDS: Final = "__openai_function_call_ids__"
"""In ``additional_kwargs``: id of a call → id of its item."""
SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
"""In ``additional_kwargs``: id of a call → its signature."""


def body_of(
    dialect: str,
    content: Any,
    place: str,
    kwargs: Members,
    calls: ListedCalls,
    *,
    message_id: str | None,
    reading: Reading,
) -> Json | None:
    """Return the answer that content of a dialect is; None where it is read block by block.

    What of ``kwargs`` and ``calls`` is in it is taken.
    """
    if type(content) not in (str, list) or dialect not in _FITS:
        return None
    given = [{"type": "text", "text": content}] if type(content) is str else content
    blocks = [{"type": "text", "text": each} if type(each) is str else each for each in given]
    if not content:
        blocks = []
    if not _is_own(blocks, dialect) or not all(_is_sayable(each, calls) for each in blocks):
        return None
    if not _FITS[dialect](blocks, kwargs, calls, is_text=type(content) is str):
        return None
    opened = [Members(each, f"{place}/{n}", reading) for n, each in enumerate(blocks)]
    for number, block in enumerate(opened):
        without_position(block, number)
        if block.value("index") is not None:  # no provider takes it
            reading.note("foreign-member", block.at("index"))
    if dialect == "openai-responses":
        return _responses(opened, kwargs, calls, message_id, reading)
    if dialect == "gemini":
        return _gemini(opened, kwargs, calls)
    of_blocks = _anthropic if dialect == "anthropic-messages" else _converse
    return of_blocks(opened, calls, reading)


def _is_own(content: list[Any], dialect: str) -> bool:
    """Return whether a list has nothing but blocks of the provider's."""
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        if type(kind) is not str or kind in STANDARD or "extras" in block:
            return False
        if kind == "reasoning" and (dialect != "openai-responses" or "summary" not in block):
            return False
        given = block.get("annotations")
        if kind == "text" and given and (dialect != "openai-responses" or _is_standard(given)):
            return False
    return True


def _is_sayable(block: Json, calls: ListedCalls) -> bool:
    """Return whether the call that a block is, as it is listed, is one of the provider's."""
    kind = block["type"]
    if kind not in ("tool_use", "function_call"):
        return True
    found = calls.find(block.get("id" if kind == "tool_use" else "call_id"))
    return found is None or (type(found.arguments) is dict and not found.own)


def _is_standard(annotations: Any) -> bool:
    kinds = ("citation", "non_standard_annotation")
    return type(annotations) is not list or any(
        type(each) is not dict or each.get("type") in kinds for each in annotations
    )


def _listed(block: Members, given: str, calls: ListedCalls, reading: Reading) -> Any:
    """Return the arguments of a call in content: those that are listed, where it is."""
    call_id = block.peek("id" if given == "input" else "call_id")
    listed, pieces = calls.take(call_id), block.value("partial_json")
    if listed is None:
        if pieces is not None:
            reading.note("foreign-member", block.at("partial_json"))
        return block.peek(given)
    if block.peek("name") != listed.name:
        reading.note("foreign-member", block.at("name"))
        block.put("name", listed.name)
    if not says(block.peek(given), listed.arguments):
        reading.note("foreign-member", block.at(given))
    if pieces is not None:
        is_same = says(pieces, listed.arguments)
        reading.note("duplicate-text" if is_same else "foreign-member", block.at("partial_json"))
    return listed.arguments


# --- Anthropic ------------------------------------------------------------------------------------

_TAKEN: Final = {
    "text": ("type", "text", "citations"),
    "thinking": ("type", "thinking", "signature"),
}


def _fits_anthropic(blocks: list[Json], _: Members, __: ListedCalls, *, is_text: bool) -> bool:
    return not is_text and all(each["type"] != "input_json_delta" for each in blocks)


def _anthropic(opened: list[Members], calls: ListedCalls, reading: Reading) -> Json:
    content: list[Json] = []
    for block in opened:
        kind = block.peek("type")
        if kind == "tool_use":
            block.put("input", _listed(block, "input", calls, reading))
        block.skip("citations")
        content.append(dict(block.whole()))
        for name in _TAKEN.get(str(kind), ()):
            block.value(name)
        if kind in _TAKEN:
            block.close()
    body: Json = {"type": "message", "role": "assistant", "content": content}
    return {**body, "stop_reason": "end_turn"}


# --- OpenAI Responses -----------------------------------------------------------------------------

_IN_MESSAGE: Final = {"text": "text", "output_text": "text", "refusal": "refusal"}


def _fits_responses(blocks: list[Json], kwargs: Members, _: ListedCalls, *, is_text: bool) -> bool:
    """Return whether it is a Response; messages of a chat completion are plain."""
    del is_text
    ids, outputs = kwargs.peek(IDS), kwargs.peek("tool_outputs")
    older = [kwargs.peek("reasoning"), *(outputs if type(outputs) is list else [])]
    return (
        (type(ids) is dict and bool(ids))
        or any(map(_is_item, older))
        or any(each["type"] not in _IN_MESSAGE or not _is_plain(each) for each in blocks)
    )


def _is_plain(block: Json) -> bool:
    said = {name for name, value in block.items() if value != []}
    return said <= {"type", "text", "refusal", "index"}


def _responses(
    opened: list[Members],
    kwargs: Members,
    calls: ListedCalls,
    message_id: str | None,
    reading: Reading,
) -> Json:
    given, outputs = kwargs.peek(IDS), kwargs.peek("tool_outputs")
    ids: Json = given if type(given) is dict else {}
    items: list[Json] = []
    if _is_item(kwargs.peek("reasoning")):
        items.append(_reasoning(kwargs.object("reasoning") or {}, kwargs.at("reasoning"), reading))
    if type(outputs) is list and all(map(_is_item, outputs)):
        items += kwargs.list("tool_outputs") or []
    own_id = message_id if message_id is not None and message_id.startswith("msg_") else None
    for block in opened:
        made = _item(block, items, own_id, calls, reading)
        if made is not None:
            items.append(made)
    for call in calls.rest(is_plain=True):
        items.append(_function_call(call, ids.get(call.call_id or "")))
    _drop_ids(ids, items, kwargs)
    return {"object": "response", "status": "completed", "store": True, "output": items}


def _is_item(value: Any) -> bool:
    return type(value) is dict and type(value.get("type")) is str and value["type"] != ""


def _reasoning(item: Json, place: str, reading: Reading) -> Json:
    """Return an item of reasoning whose summary has come in pieces."""
    summary = item.get("summary")
    if type(summary) is not list:
        return item
    made = []
    for number, piece in enumerate(summary):
        if type(piece) is not dict:
            return item
        members = Members(piece, f"{place}/summary/{number}", reading)
        without_position(members, number)
        made.append(dict(members.whole()))
    return {**item, "summary": made}


def _item(
    block: Members, items: list[Json], own_id: str | None, calls: ListedCalls, reading: Reading
) -> Json | None:
    """Return the item of a block; None for text that goes on the message before it."""
    kind = block.text("type") or ""
    if kind == "reasoning":
        return _reasoning({"type": kind, **block.whole()}, block.place, reading)
    if kind not in _IN_MESSAGE:
        item = {"type": kind, **block.whole()}
        if kind == "function_call":
            given = _listed(block, "arguments", calls, reading)
            if type(given) is dict:
                text = item.get("arguments")
                is_said = type(text) is str and says(text, given) and text
                item |= {"arguments": text if is_said else json_text(given)}
                item["name"] = block.peek("name")
        elif kind == "custom_tool_call":
            calls.take(block.peek("call_id"))
        return item
    member = _IN_MESSAGE[kind]
    part: Json = {"type": "refusal" if member == "refusal" else "output_text"}
    part |= {member: block.value(member)}
    if member == "text":
        part["annotations"] = block.value("annotations") or []
    item_id = block.text("id") or own_id
    phase = block.text("phase")
    block.close()
    last = items[-1] if items else {}
    phases = {each for each in (phase, last.get("phase")) if each}
    if last.get("type") == "message" and last.get("id") == item_id and len(phases) < 2:
        last["content"].append(part)
        last |= {"phase": phase} if phase else {}
        return None
    head: Json = {"type": "message", "role": "assistant", "status": "completed"}
    head |= {"id": item_id} if item_id else {}
    head |= {"phase": phase} if phase else {}
    return {**head, "content": [part]}


def _function_call(call: Listed, item_id: Any) -> Json:
    arguments = call.arguments
    text = arguments if type(arguments) is str else json_text(arguments or {})
    item: Json = {"type": "function_call", "call_id": call.call_id or "", "name": call.name}
    item |= {"arguments": text}
    return {**item, "id": item_id, "status": "completed"} if isinstance(item_id, str) else item


def without_unnamed(parts: list[Json]) -> None:
    """Take the state of a message whose id was not stored: the provider would not know it."""
    for part in parts:
        opaque = part["payload"].get("opaque")
        if part["kind"] != "text" or opaque is None or opaque["provider"] != "openai-responses":
            continue
        items = opaque["data"].get("items", [])
        kept = [each for each in items if each["kind"] != "message" or each["data"].get("id")]
        opaque["data"]["items"] = kept
        if not kept:
            del part["payload"]["opaque"]


def _drop_ids(ids: Json, items: list[Json], kwargs: Members) -> None:
    """Take the table of ids where the items have all of them."""
    said = {item["call_id"]: item.get("id") for item in items if type(item.get("call_id")) is str}
    if ids and all(said.get(call_id) == item_id for call_id, item_id in ids.items()):
        kwargs.value(IDS)


# --- Gemini ---------------------------------------------------------------------------------------


def _fits_gemini(blocks: list[Json], kwargs: Members, calls: ListedCalls, *, is_text: bool) -> bool:
    del is_text
    given = kwargs.peek(SIGNATURES)
    signatures = given if type(given) is dict else {}
    known = {"text": {"type", "text"}, "thinking": {"type", "thinking", "signature"}}
    for block in blocks:
        kind = block["type"]
        texts = (value for name, value in block.items() if name != "index")
        if kind not in known or set(block) - {"index"} - known[kind]:
            return False
        if kind not in block or any(type(each) is not str for each in texts):
            return False
    for call_id, signature in signatures.items():
        found = calls.find(call_id)
        if found is None or type(found.arguments) is not dict or found.own:
            return False
        if type(signature) is not str or not signature:
            return False
    return bool(signatures) or any(each.get("signature") for each in blocks)


def _gemini(opened: list[Members], kwargs: Members, calls: ListedCalls) -> Json:
    signatures = kwargs.object(SIGNATURES) or {}
    parts: list[Json] = []
    for block in opened:
        part = {"text": block.value(str(block.peek("type")))}
        if block.text("type") == "thinking":
            part["thought"] = True
        if signature := block.text("signature"):
            part["thoughtSignature"] = signature
        block.skip("signature", "")
        block.close()
        parts.append(part)
    for call in calls.rest(is_plain=True):
        body: Json = {"name": call.name, "args": call.arguments or {}, "id": call.call_id}
        signature = signatures.get(call.call_id or "")
        parts.append(
            {"functionCall": body} | ({"thoughtSignature": signature} if signature else {})
        )
    return {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}


# --- Bedrock Converse -----------------------------------------------------------------------------


def _fits_converse(blocks: list[Json], _: Members, __: ListedCalls, *, is_text: bool) -> bool:
    for block in blocks:
        kind = block["type"]
        if kind == "text":
            fits = type(block.get("text")) is str and "citations" not in block
        elif kind == "tool_use":
            fits = type(block.get("id")) is str and type(block.get("input")) in (dict, str)
        else:
            fits = kind == "reasoning_content" and _thought(block.get(kind)) is not None
        if not fits:
            return False
    return not is_text


def _converse(opened: list[Members], calls: ListedCalls, reading: Reading) -> Json:
    content: list[Json] = []
    for block in opened:
        kind = block.text("type") or ""
        if kind == "text":
            content.append({"text": block.text("text")})
        elif kind == "tool_use":
            arguments = _listed(block, "input", calls, reading)
            block.value("input")
            use = {"toolUseId": block.text("id"), "name": block.value("name"), "input": arguments}
            content.append({"toolUse": use})
        else:
            content.append({"reasoningContent": _thought(block.value(kind))})
        block.close()
    return {"output": {"message": {"content": content}}, "stopReason": "end_turn"}


def _thought(given: Any) -> Json | None:
    if type(given) is not dict or any(type(each) is not str for each in given.values()):
        return None
    names = set(given) - {"type"}
    if names in ({"redactedContent"}, {"redacted_content"}):
        return {"redactedContent": given[names.pop()]}
    if "text" not in names or not names <= {"text", "signature"}:
        return None
    return {"reasoningText": {name: given[name] for name in ("text", "signature") if name in given}}


_FITS: Final = {
    "anthropic-messages": _fits_anthropic,
    "bedrock-converse": _fits_converse,
    "gemini": _fits_gemini,
    "openai-responses": _fits_responses,
}
