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

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, get_args

from msgspec import UNSET

from . import providers
from .contract.clock import now
from .contract.current import LATEST_VERSION
from .contract.current.message import (
    FileRefPart,
    ImagePart,
    MediaPart,
    Message,
    MessageDelta,
    MessagePart,
    Role,
    TextPart,
    TextPayload,
    ThinkingPart,
    ToolCall,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
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
    "assistant",
    "new_id",
    "now",
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
_Media: TypeAlias = ImagePart | FileRefPart | MediaPart
_OfUser: TypeAlias = str | TextPart | _Media | _Loose
_OfSystem: TypeAlias = str | TextPart | ThinkingPart | _Loose
_OfAssistant: TypeAlias = str | TextPart | ThinkingPart | ToolCallPart | _Media | _Loose
_OfTool: TypeAlias = ToolResultPart | _Loose
_Call: TypeAlias = str | ToolCallPart | ToolCallPayload | ToolCall | _Loose

_CONTENT: Final = "a text, a part, or a list of texts and parts"
_PARTS: Final = get_args(MessagePart)
_CALLS: Final = frozenset({"message.ToolCallPart", "message.ToolCallPayload", "message.ToolCall"})


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
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a user's message: a text, a part, or several of them in their order.

    Parts are structs or models of any version, or JSON objects. ``run_id`` is a new one and
    ``timestamp`` the present instant unless they are given; ``meta`` has wire names. Raises
    UsageError with the findings of what would not be valid (a part that a user's message may not
    hold is ``message/role-part-kind``), ``usage/invalid-argument`` for what is not a part.
    """
    return _message("user", content, run_id, timestamp, (message_id, turn_id), meta)


def system(
    content: _OfSystem | Iterable[_OfSystem],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a system message; arguments and errors as :func:`user`."""
    return _message("system", content, run_id, timestamp, (message_id, turn_id), meta)


def assistant(
    content: _OfAssistant | Iterable[_OfAssistant],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a message of the assistant, for an example or a test; as :func:`user`."""
    return _message("assistant", content, run_id, timestamp, (message_id, turn_id), meta)


def tool(
    results: _OfTool | Iterable[_OfTool],
    *,
    run_id: str,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return the message that holds the results of tool calls; see :func:`tool_result`.

    ``run_id`` is that of the message with the calls: a call and its result find each other within
    one run. All else as :func:`user`.
    """
    return _message("tool", results, run_id, timestamp, (message_id, turn_id), meta)


def _message(
    role: Role,
    content: Any,
    run_id: str | None,
    timestamp: str | None,
    ids: tuple[str | None, str | None],
    meta: Mapping[str, Any] | None,
) -> Message:
    if not isinstance(meta, Mapping | None):
        raise bad_argument("meta is wrong", "a JSON object with wire names", meta)
    expected = "a result, or a list of them" if role == "tool" else _CONTENT
    message_id, turn_id = (UNSET if each is None else each for each in ids)
    message = Message(
        run_id=new_id("run") if run_id is None else run_id,
        role=role,
        parts=_parts(content, expected, "/parts"),
        timestamp=now() if timestamp is None else timestamp,
        message_id=message_id,
        turn_id=turn_id,
        meta=UNSET if meta is None else dict(meta),
    )
    return _valid(message, "message.Message")


# --- parts: the names of kinds ------------------------------------------------------------------


def text(content: str) -> TextPart:
    """Return a text part. Raises UsageError for what is not well-formed text."""
    return _valid(TextPart(payload=TextPayload(text=content)), "message.MessagePart")


def tool_call(
    tool_name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    tool_call_id: str | None = None,
) -> ToolCallPart:
    """Return a call as a model makes it, for examples and tests; its id is new unless it is given.

    Raises UsageError for an empty name, and for arguments that are not a JSON object.
    """
    if not isinstance(arguments, Mapping | None):
        raise bad_argument("arguments are wrong", "a JSON object", arguments)
    payload = ToolCallPayload(
        tool_call_id=new_id("call") if tool_call_id is None else tool_call_id,
        tool_name=tool_name,
        arguments=dict(arguments or {}),
    )
    return _valid(ToolCallPart(payload=payload), "message.MessagePart")


def tool_result(
    call: _Call,
    content: _OfUser | Iterable[_OfUser],
    *,
    is_error: bool = False,
) -> ToolResultPart:
    """Return the result of a tool call, a part of the message that :func:`tool` builds.

    ``call`` is the part of the call, its payload, a ``ToolCall``, or the id alone. ``content`` is a
    text, a JSON object (a mapping), a part, or several texts and parts. ``is_error`` says that the
    tool failed. Raises UsageError: ``usage/invalid-argument`` for any other content, such as a
    number, which ``json.dumps`` makes a text of.
    """
    found: Any = content
    if isinstance(found, Mapping):
        found = dict(found)
    elif not isinstance(found, str):
        found = _parts(found, f"a JSON object, {_CONTENT}", "/payload/content")
    payload = ToolResult(tool_call_id=_call_id(call), is_error=is_error, content=found)
    return _valid(ToolResultPart(payload=payload), "message.MessagePart")


def _call_id(call: Any) -> Any:
    if isinstance(call, str):
        return call
    if isinstance(call, Mapping):
        payload = call.get("payload") if call.get("kind") == "tool_call" else call
        if isinstance(payload, Mapping) and "toolCallId" in payload:
            return payload["toolCallId"]
    elif str(type_of(call)) in _CALLS:
        return getattr(call, "payload", call).tool_call_id
    raise bad_argument("call is wrong", "a tool call (part or payload), or its id", call)


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
    audio_type: str | None = None,
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    clock: Callable[[], str] = now,
) -> Iterator[MessageDelta]:
    """Yield the deltas of a provider's response; the last one is ``done`` or ``error``.

    ``dialect`` may be an alias such as ``anthropic``; None is the one that the first events show.
    ``chunks`` are its bytes, in any cut or whole. ``run_id`` is a new one unless it is given.
    ``author`` and ``format`` are objects of the contract, for the start; ``version`` "v0.2" writes
    the deltas of that version; ``audio_type`` is the media type of sound where the request says it
    alone. For findings take a :class:`partwire.providers.ByteAdapter`. Raises UsageError
    ``usage/unknown-dialect``, ``usage/unknown-version`` or ``usage/invalid-argument``.
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
        audio_type=audio_type,
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
    audio_type: str | None = None,
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
        audio_type=audio_type,
    )
