"""One function for all bridges: the source's type and the target's family choose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, TypeVar, Unpack, overload

from partwire.contract.current import LATEST_VERSION, blocks, envelope, message, session
from partwire.contract.versions import is_model_class, parse_type, type_of
from partwire.errors import Finding, bad_argument, clip
from partwire.reading.inputs import Document, texts_or_values

from .blocks import blocks_to_messages, messages_to_blocks
from .context import Context, accepted_codes, check_names
from .conversion import BridgeError, BridgeResult, strictly
from .envelope import (
    response_to_tool_result,
    result_to_tool_result,
    tool_result_to_response,
    tool_result_to_result,
)
from .from_session import session_to_messages
from .to_session import messages_to_session

__all__ = ["CONVERSIONS", "convert", "source_types"]

T = TypeVar("T")

Bridge = Callable[..., BridgeResult[list[Any]]]

CONVERSIONS: Final[Mapping[tuple[str, str], Bridge]] = {
    ("message.Message", "session.WithParts"): messages_to_session,
    ("session.WithParts", "message.Message"): session_to_messages,
    ("message.Message", "blocks.Message"): messages_to_blocks,
    ("blocks.Message", "message.Message"): blocks_to_messages,
    ("message.ToolResult", "envelope.ToolResult"): tool_result_to_result,
    ("envelope.ToolResult", "message.ToolResult"): result_to_tool_result,
    ("message.ToolResult", "envelope.ToolCallResponse"): tool_result_to_response,
    ("envelope.ToolCallResponse", "message.ToolResult"): response_to_tool_result,
}
"""Source and target of every bridge. Of a family the first target that fits is meant."""

_ONE_FOR_ONE: Final = {"message.ToolResult", "envelope.ToolResult", "envelope.ToolCallResponse"}


def source_types(to: str) -> list[str]:
    """Return the types that convert to a family or type, in order."""
    return list(dict.fromkeys(source for source, target in CONVERSIONS if _is_meant(target, to)))


_Kind: TypeAlias = str | type[Any] | None
_Several: TypeAlias = Sequence[T]


@overload
def convert(
    value: Document,
    to: Literal["session", "session.WithParts"] | type[session.WithParts],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[list[session.WithParts]]: ...
@overload
def convert(
    value: Document,
    to: Literal["blocks", "blocks.Message"] | type[blocks.Message],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[list[blocks.Message]]: ...
@overload
def convert(
    value: Document,
    to: Literal["message.Message"] | type[message.Message],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[list[message.Message]]: ...
@overload
def convert(
    value: session.WithParts | blocks.Message | _Several[session.WithParts | blocks.Message],
    to: Literal["message"],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[list[message.Message]]: ...
@overload
def convert(
    value: envelope.ToolResult | envelope.ToolCallResponse,
    to: Literal["message", "message.ToolResult"] | type[message.ToolResult],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[message.ToolResult]: ...
@overload
def convert(
    value: _Several[envelope.ToolResult | envelope.ToolCallResponse],
    to: Literal["message", "message.ToolResult"] | type[message.ToolResult],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[list[message.ToolResult]]: ...
@overload
def convert(
    value: message.ToolResult,
    to: Literal["envelope", "envelope.ToolResult"] | type[envelope.ToolResult],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[envelope.ToolResult]: ...
@overload
def convert(
    value: message.ToolResult,
    to: Literal["envelope.ToolCallResponse"] | type[envelope.ToolCallResponse],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[envelope.ToolCallResponse]: ...
@overload
def convert(
    value: Document,
    to: str | type[Any],
    *,
    type: _Kind = None,
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[Any]: ...
def convert(  # what is asked for, and how strictly
    value: Document,
    to: str | type[Any],
    *,
    type: _Kind = None,  # noqa: A002
    strict: bool = False,
    accept: Collection[str] = (),
    **context: Unpack[Context],
) -> BridgeResult[Any]:
    """Return ``value`` in another family, and what that loses.

    ``value`` is a document or a list of them, which then counts as one history: structs, models,
    or with ``type`` (a class or a name, such as ``message.Message``) JSON values and JSON text,
    also that of an array. ``to`` is a family, a type, or the class of its structs. Messages,
    sessions and blocks give a list, because one may become several; a single tool result gives one.
    Loss pointers lead into ``value``.

    ``strict`` raises BridgeError ``bridge/lossy`` where a loss is lossy and its code is not in
    ``accept``. Also raises BridgeError ``bridge/unsupported``, ReadError, and UsageError
    ``usage/invalid-argument`` for a code, a keyword or a value of the context that does not fit,
    needed or not.
    """
    accepted = accepted_codes(accept)
    check_names(context)
    to = _name_of(to)
    value = texts_or_values(value)
    source = _name_of(type) if type is not None else _type_of(value)
    for (known, target), bridge in CONVERSIONS.items():
        if known == source and _is_meant(target, to):
            result = bridge(value, **context)
            if strict:
                strictly(result, accepted)
            if source in _ONE_FOR_ONE and not isinstance(value, (list, tuple)):
                return BridgeResult(result.value[0], result.losses)
            return result
    raise BridgeError(_unsupported(source, to))


def _name_of(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    if isinstance(kind, type) and is_model_class(kind):
        raise bad_argument("A conversion gives structs", "a class of partwire.types", str(kind))
    return str(parse_type(kind, LATEST_VERSION))


def _unsupported(source: str | None, to: str) -> Finding:
    rule = "bridge/unsupported"
    if not source_types(to):
        families = dict.fromkeys(target.partition(".")[0] for _, target in CONVERSIONS)
        message = "No bridge leads to this family or type"
        return Finding(rule, message, expected=" or ".join(families), actual=clip(to))
    if source is None:
        message = "The value does not say its type: give type=, such as message.Message"
        return Finding(rule, message, expected=f"type={' or '.join(source_types(to))}")
    targets = [target for known, target in CONVERSIONS if known == source]
    if not targets:
        message = f"There is no bridge from {source}"
        return Finding(rule, message, expected=" or ".join(source_types(to)), actual=clip(source))
    message = f"There is no bridge from {source} to {to}"
    return Finding(rule, message, expected=" or ".join(targets), actual=clip(to))


def _is_meant(target: str, to: str) -> bool:
    return to in (target, target.partition(".")[0])


def _type_of(value: Any) -> str | None:
    """Return the contract's type of a struct or model, or of the first of a list."""
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    own = type_of(value)
    return None if own is None else str(own)
