"""What builders are given, and what they make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol, TypeAlias, TypeVar, get_args

from msgspec import UNSET

from ..contract.current.message import (
    ApprovalRequest,
    ApprovalRequestPart,
    ApprovalResponsePart,
    FileRefPart,
    ImagePart,
    MediaPart,
    MessagePart,
    ServerToolCallPart,
    ServerToolResultPart,
    TextPart,
    TextPayload,
    ThinkingPart,
    ToolCall,
    ToolCallPart,
    ToolCallPayload,
    ToolResultPart,
)
from ..contract.versions import parse_type, type_of
from ..errors import PartwireError, ReadError, UsageError, WriteError, bad_argument

__all__ = [
    "CALLS",
    "CONTENT",
    "Call",
    "OfAssistant",
    "OfResult",
    "OfSystem",
    "OfTool",
    "OfUser",
    "PartModel",
    "Request",
    "ServerCall",
    "check_members",
    "id_of",
    "listed",
    "optional",
    "parts_of",
    "struct_of",
    "valid",
]

T = TypeVar("T")


class PartModel(Protocol):
    """A pydantic model, seen from where pydantic is not known."""

    def model_dump(self) -> Any:
        """Return the members, as pydantic does."""


_Loose: TypeAlias = Mapping[str, Any] | PartModel
"""What is read as a part: a JSON object, or a pydantic model."""
_Media: TypeAlias = ImagePart | FileRefPart | MediaPart
OfResult: TypeAlias = str | TextPart | _Media | _Loose
OfUser: TypeAlias = OfResult | ApprovalResponsePart
OfSystem: TypeAlias = str | TextPart | ThinkingPart | _Loose
OfAssistant: TypeAlias = (
    OfResult
    | ThinkingPart
    | ToolCallPart
    | ServerToolCallPart
    | ServerToolResultPart
    | ApprovalRequestPart
)
OfTool: TypeAlias = ToolResultPart | ApprovalResponsePart | _Loose
Call: TypeAlias = str | ToolCallPart | ToolCallPayload | ToolCall | _Loose
ServerCall: TypeAlias = str | ServerToolCallPart | ToolCallPayload | _Loose
Request: TypeAlias = ApprovalRequestPart | ApprovalRequest | _Loose

CONTENT: Final = "a text, a part, or a list of texts and parts"
_PARTS: Final = get_args(MessagePart)
CALLS: Final = {
    "tool_call": ("message.ToolCallPart", "message.ToolCallPayload", "message.ToolCall"),
    "server_tool_call": ("message.ServerToolCallPart", "message.ToolCallPayload"),
}
_REQUESTS: Final = {
    "approval_request": ("message.ApprovalRequestPart", "message.ApprovalRequest"),
}
_FIELDS: Final = {"toolCallId": "tool_call_id", "approvalId": "approval_id"}


def optional(value: Any) -> Any:
    """Return what is given, else UNSET."""
    return UNSET if value is None else value


def listed(items: Any, name: str) -> list[Any]:
    """Return the items of a list of any kind; raise UsageError for what is meant as one thing."""
    if _is_one(items) or not isinstance(items, Iterable):
        raise bad_argument(f"{name} are several", f"a list of {name}", items)
    return list(items)


def id_of(value: Any, *kinds: str, member: str = "toolCallId") -> Any:
    """Return the id that a part of one of these kinds has, or its payload, or a call's id alone."""
    types = [name for kind in kinds for name in {**CALLS, **_REQUESTS}[kind]]
    if isinstance(value, str) and kinds[0] in CALLS:
        return value
    if isinstance(value, Mapping):
        payload = value.get("payload") if value.get("kind") in kinds else value
        if isinstance(payload, Mapping) and member in payload:
            return payload[member]
    elif str(type_of(value)) in types:
        return getattr(getattr(value, "payload", value), _FIELDS[member])
    if kinds[0] in CALLS:
        raise bad_argument("call is wrong", "a tool call (part or payload), or its id", value)
    raise bad_argument("request is wrong", "an approval request (part or payload)", value)


def parts_of(content: Any, expected: str, place: str) -> list[MessagePart]:
    """Return what is meant as parts; findings have pointers below ``place``."""
    if _is_one(content) or not isinstance(content, Iterable):
        content = (content,)
    return [_part(each, expected, f"{place}/{at}") for at, each in enumerate(content)]


def _is_one(value: Any) -> bool:
    """Return whether ``value`` is meant as one thing, though it can be iterated over."""
    return isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) or hasattr(
        value, "model_dump"
    )


def _part(value: Any, expected: str, place: str) -> MessagePart:
    if isinstance(value, str):
        return TextPart(payload=TextPayload(text=value))
    part: MessagePart
    if isinstance(value, _PARTS):
        part = value
        return part
    if not isinstance(value, Mapping) and type_of(value) is None:
        error = bad_argument("Not what a message is made of", expected, value)
        raise UsageError(error.findings[0]._replace(pointer=place))
    part = struct_of(value, "message.MessagePart", place)
    return part


def struct_of(value: Any, name: str, place: str) -> Any:
    """Return a JSON object, model or struct as the struct of a type.

    Raises UsageError with pointers below ``place``, also for a member that the type does not name:
    who builds has misspelt it.
    """
    from ..reading import read  # noqa: PLC0415  # who adapts streams does not wait for it

    try:
        made = read(value, name)
    except (ReadError, WriteError) as error:
        raise _placed(error, place) from None
    check_members(value, name, place)
    return made


def check_members(value: Any, name: str, place: str) -> None:
    """Refuse a JSON object with members that the type does not name, at any depth."""
    from ..reading.plain import plain_value  # noqa: PLC0415  # as above
    from ..reading.undeclared import find_unknown_members  # noqa: PLC0415

    if not isinstance(value, Mapping):
        return
    try:
        plain, _ = plain_value(value)
    except WriteError as error:
        raise _placed(error, place) from None
    if found := list(find_unknown_members(plain, parse_type(name), "error")):
        raise _placed(UsageError(*found), place)


def _placed(error: PartwireError, place: str) -> UsageError:
    return UsageError(*(each._replace(pointer=place + each.pointer) for each in error.findings))


def valid(value: T, name: str) -> T:
    """Return a struct that is valid; raise UsageError with the contract's findings."""
    from ..reading import validate  # noqa: PLC0415  # as above

    document: Any = value
    if found := validate(document, name):
        raise UsageError(*found)
    return value
