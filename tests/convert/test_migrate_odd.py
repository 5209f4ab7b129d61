"""What was put into a struct or dict by hand, and is odd there, is refused with its place."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest

from partwire import PartwireError, ReadError, Unknown
from partwire.convert import Migrated, migrate
from partwire.reading.pipeline import read
from partwire.reading.tolerant import SafeDefault
from tests.ways import way

__all__ = ["way"]

Path = tuple[tuple[str, Any], ...]

_HEAD: Final = {"runId": "r", "timestamp": "2026-01-02T03:04:05Z"}
_STATE: Final = {"provider": "p", "data": {"items": [{"a": 1, "partOffset": 1}]}}
_PARTS: Final = [
    {"kind": "text", "payload": {"text": "a"}},
    {"kind": "thinking", "payload": {"text": "b"}},
    {"kind": "tool_call", "payload": {"toolCallId": "c", "toolName": "t", "arguments": {"a": 1}}},
]
_OPAQUE: Final = {"dialect": "x", "parts": {"0": [{"a": 1}]}, "toolCallIds": {"c": None}}
_RESULT: Final = {"toolCallId": "c", "isError": False, "content": {"a": 1}}
_USAGE: Final = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
DOCUMENTS: Final[dict[str, tuple[str, str, Any]]] = {
    "older message": (
        "message.Message",
        "v0.1",
        {**_HEAD, "role": "assistant", "parts": _PARTS, "meta": {"opaque": _OPAQUE}},
    ),
    "newer message": (
        "message.Message",
        "v0.2",
        {
            **_HEAD,
            "messageId": "m",
            "role": "assistant",
            "parts": [
                {"kind": "text", "payload": {"text": "a", "opaque": _STATE}},
                *_PARTS[1:],
            ],
            "meta": {"usage": _USAGE},
        },
    ),
    "result": (
        "message.Message",
        "v0.2",
        {**_HEAD, "role": "tool", "parts": [{"kind": "tool_result", "payload": _RESULT}]},
    ),
    "delta": (
        "message.MessageDelta",
        "v0.2",
        {**_HEAD, "kind": "text", "seq": 1, "payload": {"textDelta": "a"}},
    ),
}
ODD: Final[dict[str, Any]] = {
    "unknown": Unknown("kind", "later", {"kind": "later"}),
    "unknown without a tag": Unknown("kind", "later", {}),
    "unknown list": Unknown("kind", "later", []),  # type: ignore[arg-type]
    "unknown null": Unknown("kind", "later", None),  # type: ignore[arg-type]
    "unknown that is known": Unknown("kind", "text", {"kind": "text"}),
    "unknown tag that is a number": Unknown("kind", 3, {"kind": 3}),  # type: ignore[arg-type]
    "safe default": SafeDefault("text", "later"),
    "safe default of null": SafeDefault("assistant", None),  # type: ignore[arg-type]
    "safe default of an object": SafeDefault("tool", {}),  # type: ignore[arg-type]
    "unknown in an object": {"opaque": Unknown("kind", "later", {})},
    "unknown in state": {"opaque": {"dialect": "x", "parts": {"0": [Unknown("a", "b", {})]}}},
    "null": None,
    "number": 1,
    "text": "x",
    "list": [[]],
    "object": {},
    "number as name": {1: 2},
    "tuple": (1,),
    "date": datetime.date(2026, 1, 2),
    "absent": msgspec.UNSET,
    "anything": object(),
}


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the places of all that is in a value, structs included."""
    inner: Iterator[tuple[str, Any, Any]]
    if isinstance(value, msgspec.Struct):
        inner = (("attribute", name, getattr(value, name)) for name in value.__struct_fields__)
    elif isinstance(value, dict):
        inner = (("item", name, member) for name, member in value.items())
    elif isinstance(value, list):
        inner = (("item", index, item) for index, item in enumerate(value))
    else:
        return
    for kind, name, member in inner:
        yield (*path, (kind, name))
        yield from places(member, (*path, (kind, name)))


def put(value: Any, path: Path, odd: Any) -> Any:
    """Return a copy of a value with ``odd`` at a place."""
    made = copy.deepcopy(value)
    holder = made
    for kind, name in path[:-1]:
        holder = getattr(holder, name) if kind == "attribute" else holder[name]
    kind, name = path[-1]
    if kind == "attribute":
        msgspec.structs.force_setattr(holder, name, odd)
    else:
        holder[name] = odd
    return made


def refused(*args: Any) -> None:
    """Migrate; whatever is not taken is refused with findings, and as nothing else."""
    try:
        assert isinstance(migrate(*args), Migrated)
    except PartwireError as error:
        assert error.findings  # noqa: PT017  # most are taken


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("to", ["v0.1", "v0.2"])
def test_odd_values_anywhere(document: str, odd: str, to: str) -> None:
    name, version, wire = DOCUMENTS[document]
    struct = read(wire, name, "strict", version)
    for place in places(struct):
        refused(put(struct, place, ODD[odd]), to)
    for place in places(wire):
        refused(put(wire, place, ODD[odd]), to, name, version)
    refused(ODD[odd], to)
    refused(ODD[odd], to, name, version)


PART: Final = (("attribute", "parts"), ("item", 1))
REFUSED: Final[list[tuple[Path, str, tuple[str, str, str, str | None]]]] = [
    (PART[:1], "unknown", ("shape/type", "/parts", "an array", "object with 1 member")),
    (PART, "unknown that is known", ("shape/required", "/parts/1", "a member payload", None)),
    (
        (*PART, ("attribute", "payload")),
        "unknown null",
        ("shape/null", "/parts/1/payload", "an object", "null"),
    ),
    ((("attribute", "meta"),), "safe default", ("shape/type", "/meta", "an object", '"later"')),
    (
        (("attribute", "role"),),
        "unknown",
        ("shape/type", "/role", "a string", "object with 1 member"),
    ),
]


@pytest.mark.parametrize(("place", "odd", "said"), REFUSED)
@pytest.mark.parametrize("document", ["older message", "newer message"])
def test_what_is_said(document: str, place: Path, odd: str, said: tuple[Any, ...]) -> None:
    name, version, wire = DOCUMENTS[document]
    to = {"v0.1": "v0.2", "v0.2": "v0.1"}[version]
    with pytest.raises(ReadError) as caught:
        migrate(put(read(wire, name, "strict", version), place, ODD[odd]), to)
    first = caught.value.findings[0]
    assert (first.rule, first.pointer, first.expected, first.actual) == said


def test_what_a_reader_keeps_stays() -> None:
    later = {"kind": "later", "payload": {"opaque": 1}}
    wire = {**_HEAD, "messageId": "m", "role": "assistant", "parts": [later, *_PARTS]}
    struct = read(wire, "message.Message", "tolerant", "v0.2")
    made = migrate(struct, "v0.1")
    assert made.value.parts[0] == Unknown("kind", "later", later)
    assert [loss.code for loss in made.losses] == ["message-id"]
