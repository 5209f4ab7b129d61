# Generated from schemas/v0.2 (digest 00a26d42abad09cf) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field
from partwire.bindings.struct import Struct, ToolSpecStruct

Base64: TypeAlias = str
"""Binary data as base64: the standard alphabet of RFC 4648 section 4, padded, without line
breaks.
"""


class CacheConfig(Struct, frozen=True, gc=False, kw_only=True):
    """How prompt caching is used."""

    strategy: Literal["auto"]
    """auto: the adapter places the cache marks."""


class DoneDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="done"):
    """Ends the stream: the message is complete."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["done"]] = "done"
    """Says which kind of delta this is."""
    payload: DoneDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class DoneDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a done delta."""

    finish_reason: FinishReason = field(name="finishReason")
    provider_finish_reason: ProviderFinishReason | UnsetType = field(
        name="providerFinishReason", default=UNSET
    )


ErrorCode: TypeAlias = Annotated[str, Meta(min_length=1)]
"""The framework's code of an error. An open string: a value that is not known means unknown."""


class ErrorDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="error"):
    """Ends the stream: there is no final message."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["error"]] = "error"
    """Says which kind of delta this is."""
    payload: ErrorDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ErrorDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of an error delta."""

    error_code: ErrorCode = field(name="errorCode")
    message: str | UnsetType = UNSET
    """What happened, for people."""
    retryable: bool | UnsetType = UNSET
    """Whether the same request may succeed later."""


class FileRefPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="file_ref"):
    """A reference to a file."""

    kind: ClassVar[Literal["file_ref"]] = "file_ref"
    """Says which kind of part this is."""
    payload: FileRefPayload


class FileRefPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a file_ref part."""

    path: Annotated[str, Meta(min_length=1)]
    """Path or name of the file, as producer and consumer agreed."""
    mime_type: Annotated[str, Meta(min_length=1)] | UnsetType = field(
        name="mimeType", default=UNSET
    )
    """Media type of the file."""
    size: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = UNSET
    """Size in bytes."""


FinishReason: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Why the model stopped. An open string: a value that is not known means unknown, never stop."""


class ImagePart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="image"):
    """An image."""

    kind: ClassVar[Literal["image"]] = "image"
    """Says which kind of part this is."""
    payload: ImagePayload


class ImagePayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of an image part: exactly one of data and url."""

    mime_type: Annotated[str, Meta(min_length=1)] = field(name="mimeType")
    """Media type of the image, such as image/png."""
    data: Base64 | UnsetType = UNSET
    """The image's bytes."""
    url: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Where the image is to be had."""


class Incomplete(Struct, frozen=True, kw_only=True):
    """Marks a message that was put together from a stream without a done delta."""

    ending: Literal["error", "cancelled", "truncated"]
    """How the stream ended: an error delta, the caller's cancellation, or the bytes just
    stopped.
    """
    open_tool_call_ids: list[ToolCallId] = field(name="openToolCallIds")
    """Tool calls that had begun and were left out, in the order of their start."""


class InlineSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="inline"):
    """The media stands in the document."""

    kind: ClassVar[Literal["inline"]] = "inline"
    """Says which kind of source this is."""
    data: Base64
    """The media's bytes."""


JsonObject: TypeAlias = dict[str, Any]
"""Any JSON object; its members are kept as they are."""


class MediaPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="media"):
    """Media of any type: audio, video, a document; also the whole of a large tool result, by
    reference.
    """

    kind: ClassVar[Literal["media"]] = "media"
    """Says which kind of part this is."""
    payload: MediaPayload


class MediaPayload(Struct, frozen=True, kw_only=True):
    """Content of a media part."""

    mime_type: Annotated[str, Meta(min_length=1)] = field(name="mimeType")
    """Media type, such as audio/wav."""
    source: MediaSource
    name: Annotated[str, Meta(min_length=1)] | UnsetType = UNSET
    """Name to show, such as that of a file."""
    size_bytes: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="sizeBytes", default=UNSET
    )
    """Size of the media, decoded, in bytes."""
    sha256: Annotated[str, Meta(max_length=64, min_length=64)] | UnsetType = UNSET
    """SHA-256 of the media, decoded, as 64 lower-case hexadecimal digits."""


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation: what is stored and what is sent to a model."""

    run_id: RunId = field(name="runId")
    role: Role
    parts: list[MessagePart]
    """The content, in the order in which it came; the order never changes."""
    timestamp: Timestamp
    """When the message began."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    meta: MessageMeta | UnsetType = UNSET


MessageId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one message; opaque, made by its producer, the same on every delta of a stream."""


MessageMeta: TypeAlias = dict[str, Any]
"""What is not the message's core: usage, trace, approval records. Members that are not named
here are kept as they are; providerFinishReason, the provider's own word for why the stream
ended, stands among them.
"""


ModelConfig: TypeAlias = dict[str, Any]
"""Configuration of a model. Members that are not named here are the provider's own and are kept
as they are.
"""


class ModelInfo(Struct, frozen=True, gc=False, kw_only=True):
    """What is known of a model."""

    model_id: Annotated[str, Meta(min_length=1)] = field(name="modelId")
    """The model's name at its provider."""
    provider: Annotated[str, Meta(min_length=1)]
    """The provider's name."""
    context_window_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="contextWindowTokens", default=UNSET
    )
    """Most tokens of input and output together."""
    max_output_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="maxOutputTokens", default=UNSET
    )
    """Most tokens of one answer."""


class Opaque(Struct, frozen=True, gc=False, kw_only=True):
    """What a provider wants back unchanged: signatures, encrypted reasoning, ids of its own.
    Only that provider's adapter reads it.
    """

    provider: Annotated[str, Meta(min_length=1)]
    """Whose it is: the provider API, such as anthropic-messages."""
    data: JsonObject
    """The provider's state; nobody else looks into it."""


ProviderFinishReason: TypeAlias = Annotated[str, Meta(min_length=1)]
"""The provider's own word for why the stream ended, as it came."""


class RefSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="ref"):
    """The media is kept apart, under a name that producer and consumer agreed on."""

    kind: ClassVar[Literal["ref"]] = "ref"
    """Says which kind of source this is."""
    ref: Annotated[str, Meta(min_length=1)]
    """The name of the media in that store."""


class RequestMetadata(Struct, frozen=True, gc=False, kw_only=True):
    """Ties a request to its session, run and trace."""

    session_id: Annotated[str, Meta(min_length=1)] = field(name="sessionId")
    """The session that the request belongs to."""
    run_id: RunId = field(name="runId")
    trace_id: Annotated[str, Meta(min_length=1)] = field(name="traceId")
    """The trace that the request belongs to."""


Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
"""Who speaks. A closed set."""


RunId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one run of the agent loop; the same on every message and delta of the run."""


Seq: TypeAlias = Annotated[int, Meta(ge=0, le=9007199254740991)]
"""Number of the delta within its stream; strictly increasing."""


class SpecificTool(Struct, frozen=True, gc=False, kw_only=True):
    """Exactly this tool must be called."""

    tool_name: ToolName = field(name="toolName")


class StartDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="start"):
    """Opens the stream; always the first delta."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["start"]] = "start"
    """Says which kind of delta this is."""
    payload: StartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class StartDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a start delta."""

    model_id: str = field(name="modelId")
    """The model that answers."""
    request_id: str = field(name="requestId")
    """The provider's or the caller's id of the request."""


StopSequence: TypeAlias = Annotated[str, Meta(min_length=1)]
"""A text at which the model stops."""


class TextDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="text"):
    """Adds text."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["text"]] = "text"
    """Says which kind of delta this is."""
    payload: TextDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class TextDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a text delta."""

    text_delta: str = field(name="textDelta")
    """Text to append, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """State of the part that this delta belongs to; it ends that part."""


class TextPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="text"):
    """A piece of text."""

    kind: ClassVar[Literal["text"]] = "text"
    """Says which kind of part this is."""
    payload: TextPayload


class TextPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a text part."""

    text: str
    """The text, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


class ThinkingDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="thinking"):
    """Adds reasoning."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["thinking"]] = "thinking"
    """Says which kind of delta this is."""
    payload: ThinkingDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ThinkingDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a thinking delta."""

    text_delta: str = field(name="textDelta")
    """Reasoning to append, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """State of the part that this delta belongs to; it ends that part."""


class ThinkingPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="thinking"):
    """A piece of the model's reasoning."""

    kind: ClassVar[Literal["thinking"]] = "thinking"
    """Says which kind of part this is."""
    payload: ThinkingPayload


class ThinkingPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a thinking part."""

    text: str
    """The reasoning, verbatim."""
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


Timestamp: TypeAlias = str
"""An instant: RFC 3339 date and time with a zone, upper-case T and Z, at most nine fraction
digits, a day that the calendar has, no leap second.
"""


class ToolCall(Struct, frozen=True, gc=False, kw_only=True):
    """A tool call apart from a message, as a tool runner gets it."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    tool_name: ToolName = field(name="toolName")
    arguments: JsonObject
    """The parsed arguments; an empty object where the text is no JSON object."""


class ToolCallArgsDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call_args"):
    """Adds argument text to an open tool call."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["tool_call_args"]] = "tool_call_args"
    """Says which kind of delta this is."""
    payload: ToolCallArgsDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallArgsDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call_args delta."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    args_text_delta: str = field(name="argsTextDelta")
    """Argument text to append, verbatim; the whole is JSON only once the call ends."""
    opaque: Opaque | UnsetType = UNSET
    """State of the call; a later one replaces an earlier one."""


class ToolCallEndDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call_end"):
    """Closes a tool call; its argument text is parsed now."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["tool_call_end"]] = "tool_call_end"
    """Says which kind of delta this is."""
    payload: ToolCallEndDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallEndDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call_end delta."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    opaque: Opaque | UnsetType = UNSET
    """State of the call; a later one replaces an earlier one."""


ToolCallId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies one tool call; unique within a run."""


class ToolCallParseError(Struct, frozen=True, gc=False, kw_only=True):
    """Says that the argument text of a tool call could not be used."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    error: Literal["invalid_json", "not_an_object"]
    """What is wrong: the text is no JSON, or it is JSON but no object."""


class ToolCallPart(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call"):
    """A call of a tool that the model asks for."""

    kind: ClassVar[Literal["tool_call"]] = "tool_call"
    """Says which kind of part this is."""
    payload: ToolCallPayload


class ToolCallPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call part."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    tool_name: ToolName = field(name="toolName")
    arguments: JsonObject
    """The parsed arguments; an empty object where the text is no JSON object."""
    raw_args_text: str | UnsetType = field(name="rawArgsText", default=UNSET)
    """The argument text as it came; present only where arguments does not say it all: the text
    was no JSON object, or holds an integer beyond ±(2^53 - 1).
    """
    opaque: Opaque | UnsetType = UNSET
    """What the provider wants back with this part."""


class ToolCallStartDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="tool_call_start"):
    """Opens a tool call."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["tool_call_start"]] = "tool_call_start"
    """Says which kind of delta this is."""
    payload: ToolCallStartDeltaPayload
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


class ToolCallStartDeltaPayload(Struct, frozen=True, gc=False, kw_only=True):
    """Content of a tool_call_start delta."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    tool_name: ToolName = field(name="toolName")
    opaque: Opaque | UnsetType = UNSET
    """State of the call; a later one replaces an earlier one."""


ToolChoiceMode: TypeAlias = Literal["auto", "required", "none"]
"""auto: the model decides; required: at least one call; none: no call."""


ToolChoice: TypeAlias = ToolChoiceMode | SpecificTool
"""Which tools the model may or must call."""


ToolName: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Name of the tool, as its specification gives it."""


class ToolResult(Struct, frozen=True, kw_only=True):
    """The result of one tool call; content of a tool_result part."""

    tool_call_id: ToolCallId = field(name="toolCallId")
    """The call that this is the result of."""
    is_error: bool = field(name="isError")
    """Whether the tool failed."""
    content: ToolResultContent


ToolResultContentPart: TypeAlias = TextPart | ImagePart | FileRefPart | MediaPart
"""A part that may stand inside a tool result."""


ToolResultContent: TypeAlias = str | list[ToolResultContentPart] | JsonObject
"""What the tool gave back: text, parts, or any JSON object."""


class ToolResultPart(Struct, frozen=True, kw_only=True, tag_field="kind", tag="tool_result"):
    """The result of one tool call."""

    kind: ClassVar[Literal["tool_result"]] = "tool_result"
    """Says which kind of part this is."""
    payload: ToolResult


MessagePart: TypeAlias = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | FileRefPart | MediaPart
"""A piece of content. The set of kinds is frozen within a version."""


class ToolSpec(ToolSpecStruct, frozen=True, gc=False, kw_only=True):
    """A tool as the model sees it."""

    name: ToolName
    parameter_schema: JsonObject = field(name="parameterSchema")
    """JSON Schema of the arguments."""
    description: str | UnsetType = UNSET
    """What the tool does and when to use it."""
    strict: bool | UnsetType = UNSET
    """Whether the provider shall hold the arguments to the schema."""


TurnId: TypeAlias = Annotated[str, Meta(min_length=1)]
"""Identifies the turn that the message belongs to, such as a request of a user with all that
answers it; opaque, made by the producer.
"""


class UrlSource(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="url"):
    """The media is to be had at a URL."""

    kind: ClassVar[Literal["url"]] = "url"
    """Says which kind of source this is."""
    url: Annotated[str, Meta(min_length=1)]
    """Where the media is to be had."""


MediaSource: TypeAlias = InlineSource | UrlSource | RefSource
"""Where the media is."""


class UsageDelta(Struct, frozen=True, gc=False, kw_only=True, tag_field="kind", tag="usage"):
    """Reports usage so far."""

    run_id: RunId = field(name="runId")
    seq: Seq
    kind: ClassVar[Literal["usage"]] = "usage"
    """Says which kind of delta this is."""
    payload: UsageSummary
    timestamp: Timestamp
    """When the delta was made."""
    message_id: MessageId | UnsetType = field(name="messageId", default=UNSET)
    turn_id: TurnId | UnsetType = field(name="turnId", default=UNSET)
    provider_raw: JsonObject | UnsetType = field(name="providerRaw", default=UNSET)
    """The provider's raw event, for debugging only: nothing may depend on it."""


MessageDelta: TypeAlias = StartDelta | TextDelta | ThinkingDelta | ToolCallStartDelta | ToolCallArgsDelta | ToolCallEndDelta | UsageDelta | DoneDelta | ErrorDelta
"""One change of a message that is being written. A stream opens with start and ends with exactly
one done or error.
"""


class UsageSummary(Struct, frozen=True, gc=False, kw_only=True):
    """Tokens and cost of one stream. Figures are cumulative: a later one replaces an earlier
    one.
    """

    input_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] = field(name="inputTokens")
    """Tokens read, cached ones included."""
    output_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] = field(name="outputTokens")
    """Tokens written, reasoning included."""
    total_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] = field(name="totalTokens")
    """The provider's total, else the sum."""
    reasoning_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="reasoningTokens", default=UNSET
    )
    """Tokens of reasoning; part of outputTokens."""
    cache_read_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="cacheReadTokens", default=UNSET
    )
    """Tokens read from a cache; part of inputTokens."""
    cache_write_tokens: Annotated[int, Meta(ge=0, le=9007199254740991)] | UnsetType = field(
        name="cacheWriteTokens", default=UNSET
    )
    """Tokens written to a cache; part of inputTokens."""
    cost: Annotated[float, Meta(ge=0.0)] | UnsetType = UNSET
    """Price of the request in US dollars."""
