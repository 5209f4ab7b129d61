"""Cohere requests, written short, and checked against the official client's types."""

from __future__ import annotations

from inspect import signature
from typing import Any, get_args, get_type_hints

from cohere.types import ChatMessages
from cohere.v2.raw_client import RawV2Client
from cohere.v2.types import V2ChatStreamRequestToolChoice
from pydantic import BaseModel, TypeAdapter

from partwire import to_wire
from partwire.providers import ByteAdapter, open_adapter
from partwire.providers.requests import EncodedRequest, encode_request
from tests.fixture_cases import case_of
from tests.providers.provider_streams import RUN, assembled, fixed_clock

API = "cohere-v2"
THEN = "2026-01-02T03:04:05Z"
CONFIG = {"modelId": "command-a"}
PNG = "iVBORw0KGgo="
TIDES = {
    "name": "tides",
    "description": "Tides of a port",
    "parameterSchema": {"type": "object", "properties": {"port": {"type": "string"}}},
}
CLOCK = {"name": "clock", "parameterSchema": {}}

Json = dict[str, Any]


def message(role: str, *parts: Json, **meta: Any) -> Json:
    body: Json = {"runId": RUN, "role": role, "timestamp": THEN, "parts": list(parts)}
    return {**body, "meta": meta} if meta else body


def part(kind: str, **payload: Any) -> Json:
    return {"kind": kind, "payload": payload}


def text(value: str) -> Json:
    return part("text", text=value)


def call(call_id: str, name: str = "tides", **more: Any) -> Json:
    payload = {"toolCallId": call_id, "toolName": name, "arguments": {}, **more}
    return part("tool_call", **payload)


def result(call_id: str, content: Any, *, is_error: bool = False) -> Json:
    return part("tool_result", toolCallId=call_id, isError=is_error, content=content)


def kept(parts: Json, **more: Any) -> Json:
    return {"dialect": API, "parts": parts, **more}


def item(kind: str, data: Any, start: int | None = None, end: int | None = None) -> Json:
    place = {} if start is None else {"start": start, "end": end}
    return {"kind": kind, "data": data, **place}


ASK = message("user", text("When is low water?"))


def sent(*messages: Any, config: Json | None = None, **more: Any) -> EncodedRequest:
    encoded = encode_request(
        API,
        messages,
        more.pop("tools", ()),
        more.pop("system", None),
        config=config or CONFIG,
        **more,
    )
    check(encoded.body)
    return encoded


def rules(encoded: EncodedRequest) -> list[tuple[str, str]]:
    return [(finding.rule, finding.pointer) for finding in encoded.findings]


# --- the official client -------------------------------------------------------------------------


def extras(value: Any) -> list[str]:
    """Return the members of a client's model that its type does not publish."""
    if isinstance(value, (list, tuple)):
        return [name for each in value for name in extras(each)]
    if not isinstance(value, BaseModel):
        return []
    found = list(value.model_extra or ())
    return found + [
        name for key in type(value).model_fields for name in extras(getattr(value, key))
    ]


def check(body: Json) -> None:
    """Assert that the client's own types take the body, and know all of its members."""
    hints = get_type_hints(RawV2Client.chat_stream)
    assert body["stream"] is True
    assert body.keys() - {"stream"} <= signature(RawV2Client.chat_stream).parameters.keys()
    for name, value in body.items():
        if name == "stream":
            continue
        read = TypeAdapter(hints[name]).validate_python(value, strict=name != "messages")
        assert extras(read) == [], name
    literal, _ = get_args(V2ChatStreamRequestToolChoice)
    assert body.get("tool_choice", "NONE") in get_args(literal)
    for each in body["messages"]:
        (read,) = TypeAdapter(ChatMessages).validate_python([each])
        assert read.role == each["role"]
        assert extras(read) == []


def stream_of(name: str) -> bytes:
    """Return the bytes of a fixture's stream."""
    return case_of(f"v0.1/providers/{API}/{name}").data("input")


def read_back(name: str) -> Json:
    """Return the message of a fixture's stream, with what its adapter kept."""
    adapter = open_adapter(API, RUN, clock=fixed_clock)
    reader = ByteAdapter(adapter)
    deltas = reader.feed(stream_of(name)) + reader.close()
    made: Json = to_wire(assembled(deltas))
    return made
