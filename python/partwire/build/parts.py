"""Builders of parts, by the names of kinds."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from msgspec import UNSET

from ..contract.current.message import (
    ApprovalChoice,
    ApprovalRequest,
    ApprovalRequestPart,
    ApprovalResponse,
    ApprovalResponsePart,
    Citation,
    InlineSource,
    MediaPart,
    MediaPayload,
    RefSource,
    ServerToolCallPart,
    ServerToolResult,
    ServerToolResultPart,
    TextPart,
    TextPayload,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
    UrlSource,
)
from ..contract.ids import new_id
from ..errors import bad_argument
from ..providers.core.stream_words import FormatLike, given_format
from .given import (
    CALLS,
    CONTENT,
    Call,
    OfResult,
    Request,
    ServerCall,
    id_of,
    listed,
    optional,
    parts_of,
    struct_of,
    valid,
)

__all__ = [
    "approval_request",
    "approval_response",
    "media",
    "server_tool_call",
    "server_tool_result",
    "text",
    "tool_call",
    "tool_result",
]

T = TypeVar("T")

_FAILURES: Final = frozenset({"error", "denied", "interrupted", "timeout"})


def text(
    content: str,
    *,
    citations: Iterable[Citation | Mapping[str, Any]] | None = None,
    format: FormatLike | None = None,  # noqa: A002 - as the contract calls it
) -> TextPart:
    """Return a text part, with citations, and with the form of JSON that was asked for.

    Places of a citation are code points of the text, as Python counts. Raises UsageError for what
    is not well-formed text, and for what are not citations or a form.
    """
    payload = TextPayload(
        text=content,
        citations=UNSET if citations is None else _citations(citations),
        format=given_format(format),
    )
    return valid(TextPart(payload=payload), "message.MessagePart")


def _citations(given: Any) -> list[Citation]:
    return [
        struct_of(each, "message.Citation", f"/payload/citations/{at}")
        for at, each in enumerate(listed(given, "citations"))
    ]


def tool_call(
    tool_name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    tool_call_id: str | None = None,
) -> ToolCallPart:
    """Return a call as a model makes it, for examples and tests; its id is new unless it is given.

    Raises UsageError for an empty name, and for arguments that are not a JSON object.
    """
    payload = _call_payload("call", tool_name, arguments, tool_call_id)
    return valid(ToolCallPart(payload=payload), "message.MessagePart")


def server_tool_call(
    tool_name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    tool_call_id: str | None = None,
) -> ServerToolCallPart:
    """Return a call of a tool that the provider runs itself; as :func:`tool_call`."""
    payload = _call_payload("srv", tool_name, arguments, tool_call_id)
    return valid(ServerToolCallPart(payload=payload), "message.MessagePart")


def _call_payload(prefix: str, tool_name: str, arguments: Any, call_id: str | None) -> Any:
    if not isinstance(arguments, Mapping | None):
        raise bad_argument("arguments are wrong", "a JSON object", arguments)
    return ToolCallPayload(
        tool_call_id=new_id(prefix) if call_id is None else call_id,
        tool_name=tool_name,
        arguments=dict(arguments or {}),
    )


def tool_result(
    call: Call,
    content: OfResult | Iterable[OfResult],
    *,
    is_error: bool | None = None,
    outcome: str | None = None,
    structured: Any = None,
) -> ToolResultPart:
    """Return the result of a tool call, a part of the message that :func:`tool` builds.

    ``call`` is the part of the call, its payload, a ``ToolCall``, or the id alone. ``content`` is a
    text, a JSON object (a mapping), a part, or several texts and parts: what the model sees.
    ``structured`` is the same as data, for programs: any JSON value but null, as the contract has
    it; None is none. ``outcome`` says how the call came out, and ``is_error`` that the tool failed;
    where it is not given, an outcome of ``error``, ``denied``, ``interrupted`` or ``timeout`` does.
    Raises UsageError: ``usage/invalid-argument`` for any other content, such as a number, which
    ``json.dumps`` makes a text of.
    """
    payload = _result(ToolResult, id_of(call, "tool_call"), content, is_error, outcome, structured)
    return valid(ToolResultPart(payload=payload), "message.MessagePart")


def server_tool_result(
    call: ServerCall,
    content: OfResult | Iterable[OfResult],
    *,
    is_error: bool | None = None,
    outcome: str | None = None,
    structured: Any = None,
) -> ServerToolResultPart:
    """Return the result of a call that the provider ran, a part of the assistant's message.

    As :func:`tool_result`; ``call`` is the part of such a call, its payload, or the id.
    """
    call_id = id_of(call, "server_tool_call")
    payload = _result(ServerToolResult, call_id, content, is_error, outcome, structured)
    return valid(ServerToolResultPart(payload=payload), "message.MessagePart")


def _is_failure(outcome: Any) -> bool:
    return isinstance(outcome, str) and outcome in _FAILURES


def _result(
    made: Callable[..., T],
    call_id: Any,
    content: Any,
    is_error: bool | None,
    outcome: str | None,
    structured: Any,
) -> T:
    if isinstance(content, Mapping):
        content = dict(content)
    elif not isinstance(content, str):
        content = parts_of(content, f"a JSON object, {CONTENT}", "/payload/content")
    return made(
        tool_call_id=call_id,
        is_error=_is_failure(outcome) if is_error is None else is_error,
        content=content,
        outcome=optional(outcome),
        structured=optional(structured),
    )


def approval_request(
    call: Call | ServerCall,
    *,
    approval_id: str | None = None,
    reason: str | None = None,
    choices: Iterable[str | ApprovalChoice | Mapping[str, Any]] | None = None,
    requested_at: str | None = None,
) -> ApprovalRequestPart:
    """Return the question to a person whether a call may run, a part of the assistant's message.

    ``call`` is one of either kind (its part, its payload), or the id; the request's own id is new
    unless it is given. A choice that is text is its id. Raises UsageError for what is not valid.
    """
    payload = ApprovalRequest(
        approval_id=new_id("apr") if approval_id is None else approval_id,
        tool_call_id=id_of(call, *CALLS),
        reason=optional(reason),
        choices=UNSET if choices is None else _choices(choices),
        requested_at=optional(requested_at),
    )
    return valid(ApprovalRequestPart(payload=payload), "message.MessagePart")


def _choices(given: Any) -> list[ApprovalChoice]:
    return [
        struct_of(
            {"id": each} if isinstance(each, str) else each,
            "message.ApprovalChoice",
            f"/payload/choices/{at}",
        )
        for at, each in enumerate(listed(given, "choices"))
    ]


def approval_response(
    request: Request,
    decision: str,
    *,
    choice: str | None = None,
    reason: str | None = None,
    decided_by: str | None = None,
    decided_at: str | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> ApprovalResponsePart:
    """Return a person's answer to a request, a part of a user's or a tool's message.

    ``request`` is the part, or its payload. The call runs where ``decision`` is ``approved``, and
    on no other word; with ``arguments`` it runs with these. Raises UsageError for what is not
    valid.
    """
    payload = ApprovalResponse(
        approval_id=id_of(request, "approval_request", member="approvalId"),
        tool_call_id=id_of(request, "approval_request"),
        decision=decision,
        choice=optional(choice),
        reason=optional(reason),
        decided_by=optional(decided_by),
        decided_at=optional(decided_at),
        arguments=optional(dict(arguments) if isinstance(arguments, Mapping) else arguments),
    )
    return valid(ApprovalResponsePart(payload=payload), "message.MessagePart")


def media(
    mime_type: str,
    *,
    data: bytes | bytearray | memoryview | None = None,
    url: str | None = None,
    ref: str | None = None,
    name: str | None = None,
    transcript: str | None = None,
) -> MediaPart:
    """Return media of any type: the bytes, or where they are, by URL or in a store of the caller's.

    ``transcript`` is what is said in it. Raises UsageError unless exactly one of ``data``, ``url``
    and ``ref`` is given.
    """
    sources: list[Any] = []
    if data is not None:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise bad_argument("data is wrong", "bytes", data)
        if not len(data):
            raise bad_argument("Media is empty", "one byte at least", "none")
        sources.append(InlineSource(data=b64encode(bytes(data)).decode()))
    sources += [UrlSource(url=url)] if url is not None else []
    sources += [RefSource(ref=ref)] if ref is not None else []
    if len(sources) != 1:
        raise bad_argument("Media is in one place", "one of data, url and ref", len(sources))
    payload = MediaPayload(
        mime_type=mime_type,
        source=sources[0],
        name=optional(name),
        transcript=optional(transcript),
    )
    return valid(MediaPart(payload=payload), "message.MessagePart")
