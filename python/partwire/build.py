"""Build messages and adapt streams, with times and ids by default.

    history = [user("What is the weather in Oslo?")]
    answer = await model.stream(history, tools).message()
    results = [tool_result(call, run(call.payload)) for call in answer.parts if ...]
    history += [answer, tool(results, run_id=answer.run_id)]

A builder of messages has the name of a role, a builder of parts the name of a kind. What the
contract asks for and nobody gives (run, time, the id of a call) is made here; what it leaves open
(ids of message and turn, ``meta``) is absent unless it is given. Whatever comes out is valid:
anything else raises UsageError, with the contract's own findings. Source: semantics, building
messages.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, get_args

from msgspec import UNSET, convert
from msgspec.structs import replace

from . import providers
from .contract.clock import now
from .contract.current import LATEST_VERSION
from .contract.current.message import (
    ApprovalRequest,
    ApprovalRequestPart,
    ApprovalResponse,
    ApprovalResponsePart,
    Author,
    Citation,
    FileRefPart,
    ImagePart,
    InlineSource,
    MediaPart,
    MediaPayload,
    Message,
    MessageDelta,
    MessagePart,
    RefSource,
    Role,
    ServerToolCallPart,
    ServerToolResult,
    ServerToolResultPart,
    TextFormat,
    TextPart,
    TextPayload,
    ThinkingPart,
    ToolCall,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
    UrlSource,
)
from .contract.ids import uuid7
from .contract.versions import type_of
from .errors import ReadError, UsageError, bad_argument

if TYPE_CHECKING:
    from .providers import Framing
    from .providers.core.stream_words import AuthorLike, FormatLike

__all__ = [
    "PartModel",
    "adapt",
    "adapt_async",
    "approval_request",
    "approval_response",
    "assistant",
    "media",
    "new_id",
    "now",
    "server_tool_call",
    "server_tool_result",
    "system",
    "text",
    "tool",
    "tool_call",
    "tool_result",
    "user",
]

_T = TypeVar("_T")


class PartModel(Protocol):
    """A pydantic model, seen from where pydantic is not known."""

    def model_dump(self) -> Any:
        """Return the members, as pydantic does."""


_Loose: TypeAlias = Mapping[str, Any] | PartModel
"""What is read as a part: a JSON object, or a pydantic model."""
_Author: TypeAlias = str | Author | Mapping[str, Any]
_Media: TypeAlias = ImagePart | FileRefPart | MediaPart
_OfResult: TypeAlias = str | TextPart | _Media | _Loose
_OfUser: TypeAlias = _OfResult | ApprovalResponsePart
_OfSystem: TypeAlias = str | TextPart | ThinkingPart | _Loose
_OfAssistant: TypeAlias = (
    _OfResult
    | ThinkingPart
    | ToolCallPart
    | ServerToolCallPart
    | ServerToolResultPart
    | ApprovalRequestPart
)
_OfTool: TypeAlias = ToolResultPart | ApprovalResponsePart | _Loose
_Call: TypeAlias = str | ToolCallPart | ToolCallPayload | ToolCall | _Loose
_ServerCall: TypeAlias = str | ServerToolCallPart | ToolCallPayload | _Loose
_Request: TypeAlias = ApprovalRequestPart | ApprovalRequest | _Loose

_CONTENT: Final = "a text, a part, or a list of texts and parts"
_PARTS: Final = get_args(MessagePart)
_CALLS: Final = {
    "tool_call": ("message.ToolCallPart", "message.ToolCallPayload", "message.ToolCall"),
    "server_tool_call": ("message.ServerToolCallPart", "message.ToolCallPayload"),
}
_REQUESTS: Final = {
    "approval_request": ("message.ApprovalRequestPart", "message.ApprovalRequest"),
}
_FIELDS: Final = {"toolCallId": "tool_call_id", "approvalId": "approval_id"}
_FAILURES: Final = frozenset({"error", "denied", "interrupted", "timeout"})


# --- ids ----------------------------------------------------------------------------------------


def new_id(prefix: str = "") -> str:
    """Return a new id: a UUID of version 7, behind ``prefix`` and ``_`` where that is given.

    Ids of one process sort in the order of their making. Without a prefix it is what the contract
    asks of ids that have to be UUIDs, those of sessions and queue messages.
    """
    return f"{prefix}_{uuid7()}" if prefix else uuid7()


# --- messages: the names of roles ---------------------------------------------------------------


def user(
    content: _OfUser | Iterable[_OfUser],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: _Author | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a user's message: a text, a part, or several of them in their order.

    Parts are structs or models of any version, or JSON objects. ``run_id`` is a new one and
    ``timestamp`` the present instant unless they are given; ``author`` is a name, or an Author.
    All JSON objects, ``meta`` among them, have wire names. Raises UsageError with the findings of
    what would not be valid (a part that a user's message may not hold is
    ``message/role-part-kind``), ``usage/invalid-argument`` for what is not a part.
    """
    return _message("user", content, run_id, timestamp, (message_id, turn_id, author), meta)


def system(
    content: _OfSystem | Iterable[_OfSystem],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: _Author | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a system message; arguments and errors as :func:`user`."""
    return _message("system", content, run_id, timestamp, (message_id, turn_id, author), meta)


def assistant(
    content: _OfAssistant | Iterable[_OfAssistant],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: _Author | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a message of the assistant, for an example or a test; as :func:`user`."""
    return _message("assistant", content, run_id, timestamp, (message_id, turn_id, author), meta)


def tool(
    results: _OfTool | Iterable[_OfTool],
    *,
    run_id: str,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: _Author | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return the message that holds the results of tool calls; see :func:`tool_result`.

    ``run_id`` is that of the message with the calls: a call and its result find each other within
    one run. All else as :func:`user`.
    """
    return _message("tool", results, run_id, timestamp, (message_id, turn_id, author), meta)


def _message(
    role: Role,
    content: Any,
    run_id: str | None,
    timestamp: str | None,
    optional: tuple[str | None, str | None, _Author | None],
    meta: Mapping[str, Any] | None,
) -> Message:
    if not isinstance(meta, Mapping | None):
        raise bad_argument("meta is wrong", "a JSON object with wire names", meta)
    expected = "a result, or a list of them" if role == "tool" else _CONTENT
    message_id, turn_id, author = optional
    message = Message(
        run_id=new_id("run") if run_id is None else run_id,
        role=role,
        parts=_parts(content, expected, "/parts"),
        timestamp=now() if timestamp is None else timestamp,
        message_id=_optional(message_id),
        turn_id=_optional(turn_id),
        author=_optional(Author(name=author) if isinstance(author, str) else author),
        meta=UNSET if meta is None else dict(meta),
    )
    message = _valid(message, "message.Message")
    return message if author is None else replace(message, author=_struct(message.author, Author))


def _struct(value: Any, made: type[_T]) -> _T:
    """Return what is valid, and may be a JSON object, as struct."""
    if isinstance(value, made):
        return value
    from .reading.plain import plain_value  # noqa: PLC0415  # who adapts streams does not wait for it

    return convert(plain_value(value)[0], made)


def _optional(value: Any) -> Any:
    return UNSET if value is None else value


# --- parts: the names of kinds ------------------------------------------------------------------


def text(
    content: str,
    *,
    citations: Iterable[Citation | Mapping[str, Any]] | None = None,
    format: TextFormat | Mapping[str, Any] | None = None,  # noqa: A002 - as the contract calls it
) -> TextPart:
    """Return a text part, with citations, and with the form of JSON that was asked for.

    Places of a citation are code points of the text, as Python counts. Raises UsageError for what
    is not well-formed text, and for what are not citations or a form.
    """
    payload = TextPayload(
        text=content,
        citations=UNSET if citations is None else _listed(citations, "citations"),
        format=_optional(format),
    )
    part = _valid(TextPart(payload=payload), "message.MessagePart")
    if citations is None and format is None:
        return part
    structs: dict[str, Any] = {}
    if payload.citations is not UNSET:
        structs["citations"] = [_struct(each, Citation) for each in payload.citations]
    if payload.format is not UNSET:
        structs["format"] = _struct(payload.format, TextFormat)
    return TextPart(payload=replace(payload, **structs))


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
    return _valid(ToolCallPart(payload=payload), "message.MessagePart")


def server_tool_call(
    tool_name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    tool_call_id: str | None = None,
) -> ServerToolCallPart:
    """Return a call of a tool that the provider runs itself; as :func:`tool_call`."""
    payload = _call_payload("srv", tool_name, arguments, tool_call_id)
    return _valid(ServerToolCallPart(payload=payload), "message.MessagePart")


def _call_payload(prefix: str, tool_name: str, arguments: Any, call_id: str | None) -> Any:
    if not isinstance(arguments, Mapping | None):
        raise bad_argument("arguments are wrong", "a JSON object", arguments)
    return ToolCallPayload(
        tool_call_id=new_id(prefix) if call_id is None else call_id,
        tool_name=tool_name,
        arguments=dict(arguments or {}),
    )


def tool_result(
    call: _Call,
    content: _OfResult | Iterable[_OfResult],
    *,
    is_error: bool | None = None,
    outcome: str | None = None,
    structured: Any = None,
) -> ToolResultPart:
    """Return the result of a tool call, a part of the message that :func:`tool` builds.

    ``call`` is the part of the call, its payload, a ``ToolCall``, or the id alone. ``content`` is a
    text, a JSON object (a mapping), a part, or several texts and parts: what the model sees.
    ``structured`` is the same as data, for programs: any JSON value. ``outcome`` says how the call
    came out, and ``is_error`` that the tool failed; where it is not given, an outcome of ``error``,
    ``denied``, ``interrupted`` or ``timeout`` does. Raises UsageError: ``usage/invalid-argument``
    for any other content, such as a number, which ``json.dumps`` makes a text of.
    """
    payload = _result(ToolResult, _id_of(call, "tool_call"), content, is_error, outcome, structured)
    return _valid(ToolResultPart(payload=payload), "message.MessagePart")


def server_tool_result(
    call: _ServerCall,
    content: _OfResult | Iterable[_OfResult],
    *,
    is_error: bool | None = None,
    outcome: str | None = None,
    structured: Any = None,
) -> ServerToolResultPart:
    """Return the result of a call that the provider ran, a part of the assistant's message.

    As :func:`tool_result`; ``call`` is the part of such a call, its payload, or the id.
    """
    call_id = _id_of(call, "server_tool_call")
    payload = _result(ServerToolResult, call_id, content, is_error, outcome, structured)
    return _valid(ServerToolResultPart(payload=payload), "message.MessagePart")


def _is_failure(outcome: Any) -> bool:
    return isinstance(outcome, str) and outcome in _FAILURES


def _result(
    made: Callable[..., _T],
    call_id: Any,
    content: Any,
    is_error: bool | None,
    outcome: str | None,
    structured: Any,
) -> _T:
    if isinstance(content, Mapping):
        content = dict(content)
    elif not isinstance(content, str):
        content = _parts(content, f"a JSON object, {_CONTENT}", "/payload/content")
    return made(
        tool_call_id=call_id,
        is_error=_is_failure(outcome) if is_error is None else is_error,
        content=content,
        outcome=_optional(outcome),
        structured=_optional(structured),
    )


def approval_request(
    call: _Call | _ServerCall,
    *,
    approval_id: str | None = None,
    reason: str | None = None,
    choices: Iterable[str] | None = None,
    requested_at: str | None = None,
) -> ApprovalRequestPart:
    """Return the question to a person whether a call may run, a part of the assistant's message.

    ``call`` is one of either kind (its part, its payload), or the id; the request's own id is new
    unless it is given. Raises UsageError for what is not valid.
    """
    payload = ApprovalRequest(
        approval_id=new_id("apr") if approval_id is None else approval_id,
        tool_call_id=_id_of(call, *_CALLS),
        reason=_optional(reason),
        choices=UNSET if choices is None else _listed(choices, "choices"),
        requested_at=_optional(requested_at),
    )
    return _valid(ApprovalRequestPart(payload=payload), "message.MessagePart")


def approval_response(
    request: _Request,
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
        approval_id=_id_of(request, "approval_request", member="approvalId"),
        tool_call_id=_id_of(request, "approval_request"),
        decision=decision,
        choice=_optional(choice),
        reason=_optional(reason),
        decided_by=_optional(decided_by),
        decided_at=_optional(decided_at),
        arguments=_optional(dict(arguments) if isinstance(arguments, Mapping) else arguments),
    )
    return _valid(ApprovalResponsePart(payload=payload), "message.MessagePart")


def media(
    mime_type: str,
    *,
    data: bytes | None = None,
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
        sources.append(InlineSource(data=b64encode(data).decode()))
    sources += [UrlSource(url=url)] if url is not None else []
    sources += [RefSource(ref=ref)] if ref is not None else []
    if len(sources) != 1:
        raise bad_argument("Media is in one place", "one of data, url and ref", len(sources))
    payload = MediaPayload(
        mime_type=mime_type,
        source=sources[0],
        name=_optional(name),
        transcript=_optional(transcript),
    )
    return _valid(MediaPart(payload=payload), "message.MessagePart")


def _listed(items: Any, name: str) -> list[Any]:
    if _is_one(items) or not isinstance(items, Iterable):
        raise bad_argument(f"{name} are several", f"a list of {name}", items)
    return list(items)


def _id_of(value: Any, *kinds: str, member: str = "toolCallId") -> Any:
    """Return the id that a part of one of these kinds has, or its payload, or a call's id alone."""
    types = [name for kind in kinds for name in {**_CALLS, **_REQUESTS}[kind]]
    if isinstance(value, str) and kinds[0] in _CALLS:
        return value
    if isinstance(value, Mapping):
        payload = value.get("payload") if value.get("kind") in kinds else value
        if isinstance(payload, Mapping) and member in payload:
            return payload[member]
    elif str(type_of(value)) in types:
        return getattr(getattr(value, "payload", value), _FIELDS[member])
    if kinds[0] in _CALLS:
        raise bad_argument("call is wrong", "a tool call (part or payload), or its id", value)
    raise bad_argument("request is wrong", "an approval request (part or payload)", value)


def _parts(content: Any, expected: str, place: str) -> list[MessagePart]:
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
    if isinstance(value, _PARTS):
        part: MessagePart = value
        return part
    if not isinstance(value, Mapping) and type_of(value) is None:
        error = bad_argument("Not what a message is made of", expected, value)
        raise UsageError(error.findings[0]._replace(pointer=place))
    from .reading import read  # noqa: PLC0415  # who adapts streams does not wait for it

    try:
        part = read(value, "message.MessagePart")
    except ReadError as error:
        found = (each._replace(pointer=place + each.pointer) for each in error.findings)
        raise UsageError(*found) from None
    return part


def _valid(value: _T, name: str) -> _T:
    from .reading import validate  # noqa: PLC0415  # as above

    document: Any = value
    if found := validate(document, name):
        raise UsageError(*found)
    return value


# --- streams ------------------------------------------------------------------------------------


def adapt(  # noqa: PLR0913 - those of the adapter, and the framing
    dialect: str | None,
    chunks: bytes | Iterable[bytes],
    *,
    run_id: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    clock: Callable[[], str] = now,
) -> Iterator[MessageDelta]:
    """Yield the deltas of a provider's response; the last one is ``done`` or ``error``.

    ``dialect`` may be an alias such as ``anthropic``; None is the one that the first events show.
    ``chunks`` are its bytes, in any cut or whole. ``run_id`` is a new one unless it is given.
    ``author``, a name or an Author, and ``format``, a TextFormat, are for the start; ``version``
    "v0.2" writes the deltas of that version, which has neither. For findings take a
    :class:`partwire.providers.ByteAdapter`. Raises
    UsageError ``usage/unknown-dialect``, ``usage/unknown-version`` or ``usage/invalid-argument``.
    """
    return providers.adapt_bytes(
        dialect,
        chunks,
        new_id("run") if run_id is None else run_id,
        clock=clock,
        framing=framing,
        used_tool_call_ids=used_tool_call_ids,
        keep_raw=keep_raw,
        message_id=message_id,
        turn_id=turn_id,
        author=author,
        format=format,
        version=version,
    )


def adapt_async(  # noqa: PLR0913 - as adapt
    dialect: str | None,
    chunks: AsyncIterable[bytes],
    *,
    run_id: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    clock: Callable[[], str] = now,
) -> AsyncIterator[MessageDelta]:
    """Yield the deltas of a response that comes asynchronously; arguments as :func:`adapt`."""
    return providers.adapt_bytes_async(
        dialect,
        chunks,
        new_id("run") if run_id is None else run_id,
        clock=clock,
        framing=framing,
        used_tool_call_ids=used_tool_call_ids,
        keep_raw=keep_raw,
        message_id=message_id,
        turn_id=turn_id,
        author=author,
        format=format,
        version=version,
    )
